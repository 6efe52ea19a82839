"""Examples × metrics → verdicts: in batches, resumable, the same at any batch size or order."""

from __future__ import annotations

import contextlib
import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from staytrue.core.batches import batched, paced, side_by_side
from staytrue.core.errors import (
    DataError,
    ModelAnswerError,
    SpendingLimit,
    StaytrueError,
    UsageError,
)
from staytrue.core.protocols import Backend
from staytrue.core.records import Example, Failure, FailureKind, Verdict, made_id
from staytrue.core.text import counted
from staytrue.plugins.registry import (
    DEFAULT_BACKEND,
    NamedMetric,
    backend_name,
    load_backend,
    load_dataset,
    load_metric,
    names,
)
from staytrue.runs import frames
from staytrue.runs import progress as progress_bars
from staytrue.runs.folder import Run
from staytrue.runs.frames import read_frame
from staytrue.runs.ids import KeySet, key_of
from staytrue.runs.writer import RunWriter
from staytrue.stats.clusters import cluster_of

DEFAULT_METRIC = "consistency"
BATCH_SIZE = 64


class Sink(Protocol):
    """Where verdicts go: a run folder, or memory."""

    def has(self, example_id: str, metric: str) -> bool: ...
    def has_failure(self, failure: Failure) -> bool: ...
    def holds_other(self, example: Example) -> bool: ...
    def add(
        self,
        examples: Sequence[Example],
        verdicts: Sequence[Verdict] = (),
        failures: Sequence[Failure] = (),
    ) -> None: ...
    def add_seconds(self, metric: str, seconds: float) -> None: ...
    def add_usage(self, source: str, used: Mapping[str, float]) -> None: ...


class InMemory:
    """Memory as a sink: nothing is stored before, and everything is kept."""

    verdicts: list[Verdict]
    failures: list[Failure]

    def has(self, example_id: str, metric: str) -> bool:
        return False

    def has_failure(self, failure: Failure) -> bool:
        return False

    def holds_other(self, example: Example) -> bool:
        return False

    def add(
        self,
        examples: Sequence[Example],
        verdicts: Sequence[Verdict] = (),
        failures: Sequence[Failure] = (),
    ) -> None:
        self.note(examples)
        self.verdicts.extend(verdicts)
        self.failures.extend(failures)

    def note(self, examples: Sequence[Example]) -> None:
        """Keep what is needed of the examples themselves: here nothing."""


@dataclass(repr=False)
class Evaluation(InMemory):
    """What `evaluate` returns: all verdicts and failures, and what makes them comparable."""

    signatures: Mapping[str, str]
    verdicts: list[Verdict] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    folder: Path | None = None
    usage: dict[str, dict[str, float]] = field(default_factory=dict)
    """Requests, tokens and cost of a backend that asks a server."""
    frame: Any = field(default=None, repr=False)
    """The data frame that was judged, with columns for scores, labels and reasons."""
    _clusters: dict[str, int] = field(default_factory=dict)
    """The dialogue or document of each example, where no run folder has them."""

    def note(self, examples: Sequence[Example]) -> None:
        self._clusters.update(_clusters_of(examples))

    def __str__(self) -> str:
        """Mean score with its interval, counts and signature of each metric."""
        from staytrue.stats import intervals

        clusters = _clusters_of(Run(self.folder).examples()) if self.folder else self._clusters
        lines = []
        for name, signature in self.signatures.items():
            mine = [v for v in self.verdicts if v.metric == name]
            scored = [(v.score, v.example_id) for v in mine if v.score is not None]
            groups = [clusters.get(example_id, example_id) for _, example_id in scored]
            failed = sum(f.metric == name for f in self.failures)
            lines += [
                f"{name}: {intervals.mean([score for score, _ in scored], groups)} "
                f"({len(scored)} scored, {len(mine) - len(scored)} abstained, {failed} failed)",
                f"  {signature}",
            ]
        unread = sum(not failure.metric for failure in self.failures)
        return "\n".join(
            [*lines, *([f"{counted(unread, 'row')} not read: see failures"] if unread else [])]
        )

    __repr__ = __str__

    def mean(self, metric: str) -> float | None:
        """Mean score of a metric over the examples that it scored; None when it scored none."""
        if metric not in self.signatures:
            known = ", ".join(self.signatures)
            raise UsageError(f"'{metric}' is not a metric of this evaluation; it has: {known}.")
        scores = [v.score for v in self.verdicts if v.metric == metric and v.score is not None]
        return sum(scores) / len(scores) if scores else None

    def add_seconds(self, metric: str, seconds: float) -> None:
        pass

    def add_usage(self, source: str, used: Mapping[str, float]) -> None:
        self.usage[source] = dict(used)


def _clusters_of(examples: Iterable[Example]) -> dict[str, int]:
    return {example.id: key_of(cluster_of(example)) for example in examples}


def evaluate(
    examples: Iterable[Example | Mapping[str, Any]] | Any,
    metrics: str | NamedMetric | Sequence[str | NamedMetric] = DEFAULT_METRIC,
    *,
    out: str | Path | None = None,
    backend: Backend | str | None = None,
    seed: int = 0,
    batch_size: int = BATCH_SIZE,
    progress: bool | None = None,
) -> Evaluation:
    """Judge examples with each metric; with `out`, in a run folder that resumes.

    `examples` are Examples, mappings with the same names, or a data frame of pandas or polars; a
    frame comes back as `.frame`, with columns for each metric. A progress bar shows on a terminal
    and in a notebook, unless `progress` says otherwise.
    """
    loaded = load_metrics(metrics, backend=backend, seed=seed)
    signatures = {metric.name: metric.signature for metric in loaded}
    frame = examples if frames.is_frame(examples) else None
    rows = [] if frame is None else list(with_unique_ids(read_frame(frame)))
    source: Iterable[Example | Failure] = _made_by_hand(examples) if frame is None else rows
    total = len(examples) if isinstance(examples, Sized) else None
    result = Evaluation(signatures)
    side = at_once(backend)
    judge = partial(judge_all, batch_size=batch_size, at_once=side)
    order: dict[str, int] = {}
    if side > 1:  # they end in any order, and come back in the one that they were given in
        source = _noted(with_unique_ids(source), order)
    with _progress(total, batch_size, progress) as advance:
        if out is None:
            with usage_counted(backend, result):
                judge(source, loaded, result, progress=advance)
        else:
            with (
                RunWriter(
                    out, signatures, seed=seed, new_metrics=True, rereads=frame is not None
                ) as writer,
                usage_counted(backend, writer),
            ):
                judge(source, loaded, writer, progress=advance)
            run = Run(out)
            result = Evaluation(
                signatures, list(run.verdicts()), list(run.failures()), run.folder,
                run.manifest.get("usage", {}),
            )  # fmt: skip
    result.verdicts.sort(key=lambda verdict: order.get(verdict.example_id, -1))
    if frame is not None:
        result.frame = frames.with_verdicts(frame, rows, list(signatures), result.verdicts)
    return result


def _noted(
    source: Iterable[Example | Failure], order: dict[str, int]
) -> Iterator[Example | Failure]:
    for item in source:
        if isinstance(item, Example):
            order[item.id] = len(order)
        yield item


def _progress(
    total: int | None, batch_size: int, wanted: bool | None
) -> contextlib.AbstractContextManager[Callable[[int], None]]:
    """A bar where somebody sees it and has to wait: for more than one batch."""
    long = total is None or total > batch_size
    if wanted or (wanted is None and long and progress_bars.can_show()):
        return progress_bars.bar(total)
    return contextlib.nullcontext(lambda done: None)


def at_once(backend: Backend | str | None) -> int:
    """How many rows are judged side by side: a server answers several at once."""
    return getattr(load_backend(backend or DEFAULT_BACKEND), "at_once", 1)


@contextlib.contextmanager
def usage_counted(backend: Backend | str | None, sink: Sink) -> Iterator[None]:
    """Tell the sink what a backend that asks a server uses meanwhile, also when it stops early."""
    loaded = load_backend(backend or DEFAULT_BACKEND)
    used: Callable[[], Mapping[str, float]] | None = getattr(loaded, "used", None)
    if used is None:
        yield
        return
    before = used()
    try:
        yield
    finally:
        now = used()
        source = f"backend {backend_name(loaded)}"
        sink.add_usage(source, {key: now[key] - before[key] for key in now})


def _made_by_hand(examples: Iterable[Example | Mapping[str, Any]]) -> Iterator[Example]:
    """The examples; files are checked when they are read, objects made by hand only here."""
    if isinstance(examples, (Example, Mapping)):
        examples = [examples]
    if type(examples).__name__ == "LazyFrame":
        raise UsageError("A LazyFrame has no rows yet: pass frame.collect().")
    if isinstance(examples, (str, Path)) or not isinstance(examples, Iterable):
        shown = str(examples)[:200]
        raise UsageError(f"'{shown}' is not a list of examples: read a file with staytrue.read.")
    for number, example in enumerate(examples, start=1):
        if isinstance(example, Mapping):
            try:
                example = frames.example_of(example, f"example {number}")
            except DataError as error:
                raise UsageError(f"Example {number}: {error}") from None
        if not isinstance(example, Example):
            raise UsageError(
                f"Example {number} has the type {type(example).__name__}: pass staytrue.Examples, "
                "mappings with the same names, or a data frame of pandas or polars."
            )
        for name in ("id", "response", "knowledge"):
            if not isinstance(getattr(example, name), str):
                raise UsageError(f"Example {number} needs text as its {name}: use str().")
        yield replace(
            example,
            id=example.id or made_id(example),
            consistent=_plain_bool(number, example.consistent),
            rating=_plain_number(number, example.rating),
        )


def _plain_bool(number: int, value: Any) -> bool | None:
    """Python's own bool, where a table library gives one of its own or NaN for none."""
    if value is None or value != value:
        return None
    if value in (0, 1):
        return bool(value)
    raise UsageError(f"Example {number} needs True, False or None as consistent, not {value!r}.")


def _plain_number(number: int, value: Any) -> float | None:
    if value is None or value != value:
        return None
    try:
        plain = float(value)
    except (TypeError, ValueError):
        plain = math.inf
    if not math.isfinite(plain):
        raise UsageError(f"Example {number} needs a finite number as its rating, not {value!r}.")
    return plain


def load_metrics(
    metrics: str | NamedMetric | Iterable[str | NamedMetric],
    *,
    backend: Backend | str | None = None,
    seed: int = 0,
) -> list[NamedMetric]:
    """Load one or more metrics by their specs; the same one twice is a mistake."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    loaded = [
        m if isinstance(m, NamedMetric) else load_metric(m, backend=backend, seed=seed)
        for m in metrics
    ]
    if not loaded:
        raise UsageError("No metric is named: name one, see  staytrue list metrics.")
    seen = {metric.name for metric in loaded}
    if len(seen) < len(loaded):
        raise UsageError("A metric is named twice: name each once, or with different options.")
    return loaded


def read_inputs(
    inputs: Sequence[str], columns: Mapping[str, str] | None = None
) -> Iterator[Example | Failure]:
    """Examples of every input: a path, `-`, or `DATASET:PATH`."""
    # Imported here: this is the one place that puts datasets and metrics together.
    from staytrue.datasets import tabular

    for source in inputs:
        name, colon, path = source.partition(":")
        if colon and name in names("datasets"):
            if columns:
                raise UsageError(f"--columns is for plain files; {name}:… knows its own columns.")
            yield from load_dataset(name)(path)
        else:
            yield from tabular.read(source, columns)


@dataclass
class _Batch:
    """Rows that are judged together, and what came of them."""

    rows: int
    examples: list[Example]
    failures: list[Failure]
    pending: list[tuple[NamedMetric, list[Example]]]
    """What each metric has not judged yet."""
    verdicts: list[Verdict] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    stopped: StaytrueError | None = None
    """Why no more can be judged."""


def judge_all(
    source: Iterable[Example | Failure],
    metrics: Sequence[NamedMetric],
    sink: Sink,
    *,
    batch_size: int = BATCH_SIZE,
    at_once: int = 1,
    strict: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Judge everything that the sink does not have yet, in batches of up to `batch_size`.

    With a server, `at_once` rows are judged side by side, each alone, and stored as they finish.
    """
    rows = with_unique_ids(source)
    batches = paced(rows, batch_size) if at_once == 1 else batched(rows, 1)
    stopped: StaytrueError | None = None

    def admitted() -> Iterator[_Batch]:
        while stopped is None and (batch := next(batches, None)):
            examples, failures = admit(batch, sink, strict=strict)
            pending = [(m, [e for e in examples if not sink.has(e.id, m.name)]) for m in metrics]
            yield _Batch(len(batch), examples, failures, pending)

    for done in side_by_side(_judge_batch, admitted(), at_once):
        stopped = stopped or done.stopped
        if done.stopped is not None and not isinstance(done.stopped, SpendingLimit):
            continue
        new = [failure for failure in done.failures if not sink.has_failure(failure)]
        sink.add(done.examples, done.verdicts, new)
        for name, seconds in done.seconds.items():
            sink.add_seconds(name, seconds)
        if done.stopped is None:
            progress(done.rows)
    if stopped is not None:
        raise stopped


def _judge_batch(batch: _Batch) -> _Batch:
    """Fill in what the metrics say; whatever stops the run is told, and not raised."""
    for metric, pending in batch.pending:
        start = time.monotonic()
        try:
            judged, failed = _judge(metric, pending)
        except StaytrueError as error:
            batch.stopped = error
            if isinstance(error, SpendingLimit):
                batch.verdicts += _paid_for(metric, pending)
            break
        batch.seconds[metric.name] = time.monotonic() - start
        batch.verdicts += judged
        batch.failures += failed
    return batch


def admit(
    batch: Sequence[Example | Failure], sink: Sink, *, strict: bool = False
) -> tuple[list[Example], list[Failure]]:
    """The examples of a batch that may be judged, and why the other rows may not."""
    failures = [item for item in batch if isinstance(item, Failure)]
    examples = [item for item in batch if isinstance(item, Example)]
    clashing = {example.id for example in examples if sink.holds_other(example)}
    failures += [
        Failure(
            example.id,
            f"The run has an example '{example.id}' with different content: use another --out.",
            kind=FailureKind.CHANGED,
        )
        for example in examples
        if example.id in clashing
    ]
    if strict and failures:
        raise DataError(f"{failures[0].where}: {failures[0].error}")
    return [example for example in examples if example.id not in clashing], failures


def in_shard(
    source: Iterable[Example | Failure], number: int, of: int
) -> Iterator[Example | Failure]:
    """Every `of`-th part of the source, by a hash of the id, so that order does not matter."""
    for item in with_unique_ids(source):  # before it is cut, so that all parts agree on the ids
        key = item.id if isinstance(item, Example) else item.where
        digest = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
        if int.from_bytes(digest, "big") % of == number - 1:
            yield item


def with_unique_ids(source: Iterable[Example | Failure]) -> Iterator[Example | Failure]:
    """A second row with the same id gets `#2` and so on, so that no row is lost."""
    seen = KeySet()
    repeats: dict[str, int] = {}
    for item in source:
        if isinstance(item, Failure):
            yield item
            continue
        unique = item.id
        while (key := key_of(unique)) in seen:
            repeats[item.id] = repeats.get(item.id, 1) + 1
            unique = f"{item.id}#{repeats[item.id]}"
        seen.add(key)
        yield item if unique == item.id else replace(item, id=unique)


def _judge(metric: NamedMetric, examples: Sequence[Example]) -> tuple[list[Verdict], list[Failure]]:
    if not examples:
        return [], []
    try:
        return metric.judge(examples), []
    except ModelAnswerError as error:
        if len(examples) == 1:
            return [], [Failure(examples[0].id, str(error), metric.name, FailureKind.METRIC)]
    except StaytrueError:
        raise  # a missing model or extra: nothing could be judged, and the user can fix it
    except Exception as error:
        if len(examples) == 1:
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            problem = f"The metric failed: {what}"
            return [], [Failure(examples[0].id, problem, metric.name, FailureKind.METRIC)]
    # One of the batch makes the metric fail: judge them one by one, so that only it is lost.
    results: list[tuple[list[Verdict], list[Failure]]] = [_judge(metric, [e]) for e in examples]
    return [v for vs, _ in results for v in vs], [f for _, fs in results for f in fs]


def _paid_for(metric: NamedMetric, examples: Sequence[Example]) -> list[Verdict]:
    """Verdicts of the rows whose answers were all there when the limit was reached."""
    verdicts: list[Verdict] = []
    for example in examples:
        with contextlib.suppress(SpendingLimit):
            verdicts += _judge(metric, [example])[0]
    return verdicts
