"""What every registered metric and backend must keep: length, order, determinism, independence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from staytrue import testing
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Evidence, Example, Verdict
from staytrue.plugins.registry import NamedMetric, names

METRICS = tuple(names("metrics"))
BACKENDS = ("embedded", "scripted")  # the others need a network, or weights from a hub


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_keeps_the_contract(name: str) -> None:
    # The embedded models write no reasons, which is what a judge is for.
    testing.check_metric(name, backend="scripted" if name == "judge" else None)


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_keeps_the_contract(name: str) -> None:
    testing.check_backend(name)


class Uneven:
    """Breaks a promise: a verdict depends on the batch, or evidence points nowhere."""

    def __init__(self, promise: str) -> None:
        self.promise = promise

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        verdicts = [Verdict(e.id, "m", 0.5, "same", "because") for e in examples]
        if self.promise == "score" and len(examples) > 1:
            verdicts[0] = replace(verdicts[0], score=0.7)
        elif self.promise == "label" and len(examples) > 1:
            verdicts[0] = replace(verdicts[0], label="other")
        elif self.promise == "evidence" and verdicts:
            far = Evidence("span", field="response", start=0, end=10**6)
            verdicts[0] = replace(verdicts[0], evidence=(far,))
        return verdicts


@pytest.mark.parametrize("promise", ["score", "label", "evidence"])
def test_a_metric_that_breaks_a_promise_is_found_out(promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        testing.check_metric(NamedMetric("m", Uneven(promise), "m"))


def test_a_backend_that_loses_a_row_is_found_out() -> None:
    class Short:
        def models(self) -> dict[str, str]:
            return {"infer": "short@1"}

        def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
            return [Entailment(1.0, 0.0, 0.0) for _ in pairs[1:]]

    with pytest.raises(AssertionError, match="infer returns one result per item"):
        testing.check_backend(Short())


def test_a_bot_with_a_memory_is_found_out() -> None:
    class Counting:
        replies = 0

        def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
            self.replies += 1
            return str(self.replies)

    with pytest.raises(AssertionError, match="keeps no state"):
        testing.check_chatbot(Counting())


def test_the_label_is_the_most_probable_class() -> None:
    assert Entailment(0.2, 0.5, 0.3).label == "neutral"
    assert Entailment(0.2, 0.3, 0.5).label == "contradiction"
