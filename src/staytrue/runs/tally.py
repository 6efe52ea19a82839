"""What a run folder holds already, in little memory: keys of what is stored, and the counts."""

from __future__ import annotations

from collections.abc import Iterable

from staytrue.core.records import (
    Example,
    Failure,
    FailureKind,
    JsonDict,
    Verdict,
    example_to_json,
)
from staytrue.runs.ids import KeySet, key_of
from staytrue.runs.jsonl import to_line


class Tally:
    """Knows which rows are stored, and counts them; it never holds the rows themselves."""

    def __init__(self, metrics: Iterable[str]) -> None:
        self._ids, self._contents, self._done = KeySet(), KeySet(), KeySet()
        self._unreadable = 0
        self._by_metric: dict[str, JsonDict] = {
            name: {"scored": 0, "abstained": 0, "failed": 0, "mean": None, "sd": None}
            for name in metrics
        }

    @property
    def counts(self) -> JsonDict:
        """Rows of each kind; for each metric scored + abstained + failed = examples, when done."""
        return {
            "examples": len(self._ids),
            "unreadable": self._unreadable,
            "errors": self._unreadable + sum(c["failed"] for c in self._by_metric.values()),
            "metrics": self._by_metric,
        }

    def has_example(self, example: Example) -> bool:
        """Whether an example with this id is stored."""
        return key_of(example.id) in self._ids

    def has_verdict(self, example_id: str, metric: str) -> bool:
        """Whether this metric's verdict, or failure, on this example is stored."""
        return key_of(example_id, metric) in self._done

    def has_failure(self, failure: Failure) -> bool:
        """Whether this failure is stored."""
        return _failure_key(failure) in self._done

    def holds_other(self, example: Example) -> bool:
        """Whether an example with this id but other content is stored."""
        return self.has_example(example) and _content_key(example) not in self._contents

    def count_example(self, example: Example) -> None:
        """Take note of an example that was stored."""
        self._ids.add(key_of(example.id))
        self._contents.add(_content_key(example))

    def count_failure(self, failure: Failure) -> None:
        """Take note of a failure that was stored."""
        self._done.add(_failure_key(failure))
        if failure.metric in self._by_metric:
            self._by_metric[failure.metric]["failed"] += 1
        else:
            self._unreadable += 1

    def count_verdict(self, verdict: Verdict) -> None:
        """Take note of a verdict that was stored."""
        self._done.add(key_of(verdict.example_id, verdict.metric))
        count = self._by_metric[verdict.metric]
        if verdict.score is None:
            count["abstained"] += 1
            return
        # Welford's running mean and standard deviation: no second pass, no list of scores.
        count["scored"] = n = count["scored"] + 1
        mean, deviation = count["mean"] or 0.0, count["sd"] or 0.0
        step = verdict.score - mean
        count["mean"] = mean + step / n
        squares = deviation**2 * max(n - 2, 0) + step * (verdict.score - count["mean"])
        count["sd"] = (squares / (n - 1)) ** 0.5 if n > 1 else None


def _content_key(example: Example) -> int:
    return key_of(to_line(example_to_json(example)))


def _failure_key(failure: Failure) -> int:
    # An example that came back changed is stored under its id, and so may be its verdicts.
    if failure.kind is FailureKind.CHANGED:
        return key_of(failure.where, failure.metric, failure.kind)
    return key_of(failure.where, failure.metric)
