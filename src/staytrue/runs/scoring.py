"""The short way from Python: plain lists in, numbers out; files in, examples or a run out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from staytrue.core.errors import DataError, RunError, UsageError
from staytrue.core.protocols import Backend
from staytrue.core.records import Example, Failure, JsonDict
from staytrue.core.text import counted
from staytrue.english.language import is_foreign
from staytrue.plugins.registry import NamedMetric, names
from staytrue.runs import runner
from staytrue.runs.engines.cluster import Cluster, check_backend, check_installed, judge_on_ray
from staytrue.runs.folder import MANIFEST
from staytrue.runs.runner import DEFAULT_METRIC, evaluate, read_inputs
from staytrue.runs.writer import RunWriter


def score(
    responses: Sequence[str],
    knowledge: str | Sequence[str | Sequence[str]],
    metric: str | NamedMetric = DEFAULT_METRIC,
    *,
    backend: Backend | str | None = None,
    seed: int = 0,
) -> list[float | None]:
    """One number in [0, 1] per response, 1 for consistent; None where the metric abstains.

    `knowledge` is one text for all responses, or one per response: a text or a list of passages.
    `evaluate` also gives the reasons.
    """
    if isinstance(responses, str):
        raise UsageError("score takes a list of responses: write [response].")
    texts = [knowledge] * len(responses) if isinstance(knowledge, str) else list(knowledge)
    if len(texts) != len(responses):
        raise UsageError(
            f"score got {counted(len(responses), 'response')} and "
            f"{counted(len(texts), 'text')} of knowledge: "
            "give one per response, or one text for all."
        )
    examples = [
        Example(str(number), response, known)
        for number, (response, known) in enumerate(zip(responses, texts, strict=True), 1)
    ]
    result = evaluate(examples, [metric], backend=backend, seed=seed)
    if result.failures:
        first = result.failures[0]
        raise RunError(f"Response {first.where}: {first.error}")
    return [verdict.score for verdict in result.verdicts]


def read(
    path: str | Path, *, columns: Mapping[str, str] | None = None, skip_unreadable: bool = False
) -> list[Example]:
    """The examples of a file (JSONL, CSV, TSV, Parquet, gzipped or not) or of `DATASET:PATH`.

    `columns` maps our names to the file's. A row that cannot be read is an error, or left out with
    `skip_unreadable`.
    """
    examples = []
    for item in read_inputs([str(path)], columns):
        if isinstance(item, Example):
            examples.append(item)
        elif isinstance(item, Failure) and not skip_unreadable:
            told = item.error.replace("--columns response=NAME", 'columns={"response": NAME}')
            raise DataError(
                f"{item.where}: {told.replace('--columns', 'columns=…')} "
                "Fix the row, or read with skip_unreadable=True."
            )
    return examples


@dataclass
class ForeignTexts:
    """Counts the examples that do not look like English, which is all that our models read."""

    count: int = 0
    of: int = 0
    """Examples that are long enough to tell."""

    def counted(self, source: Iterable[Example | Failure]) -> Iterator[Example | Failure]:
        """The rows of the source, each counted as it passes."""
        for row in source:
            if isinstance(row, Example):
                foreign = is_foreign(f"{row.knowledge} {row.response}")
                self.count += foreign is True
                self.of += foreign is not None
            yield row

    @property
    def many(self) -> bool:
        """More than chance can explain: one text in thirty is only unusual."""
        return self.count > self.of / 10


@dataclass(frozen=True, slots=True)
class ScoredFiles:
    """What a run folder holds after files were scored into it."""

    folder: Path
    counts: JsonDict
    """Examples, verdicts and errors, as the manifest counts them."""
    signatures: Mapping[str, str]
    """What makes the verdicts of each metric comparable."""
    foreign: ForeignTexts = field(default_factory=ForeignTexts)
    """How many of the examples do not look like English."""

    @property
    def unscored(self) -> list[str]:
        """The metrics that gave no response a score."""
        return [name for name in self.signatures if not self.counts["metrics"][name]["scored"]]


def score_files(
    inputs: str | Path | Sequence[str | Path],
    out: str | Path,
    metrics: str | NamedMetric | Sequence[str | NamedMetric] = DEFAULT_METRIC,
    *,
    columns: Mapping[str, str] | None = None,
    backend: str | None = None,
    cluster: Cluster | None = None,
    seed: int = 0,
    batch_size: int = runner.BATCH_SIZE,
    shard: tuple[int, int] | None = None,
    rows: int | None = None,
    strict: bool = False,
    retry_errors: bool = False,
    add_input: bool = False,
    as_parquet: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> ScoredFiles:
    """Score files, or `DATASET:PATH`, into the run folder `out`; a run that exists is resumed.

    With a `cluster` the rows are judged on Ray, in partitions that fit about `rows` rows if given.
    `shard=(1, 4)` scores the first of four parts, `add_input` adds these rows to a run of others,
    `strict` stops at the first row that does not parse. `progress` is told how many rows are done.
    """
    from staytrue.datasets import tabular

    tabular.check_columns(columns or {}, "columns")
    sources = [str(i) for i in ([inputs] if isinstance(inputs, str | Path) else inputs)]
    check_inputs(sources)
    if cluster:
        check_backend(backend)
        check_installed()
    loaded = runner.load_metrics(metrics, backend=backend, seed=seed)
    signatures = {metric.name: metric.signature for metric in loaded}
    foreign = ForeignTexts()
    source = foreign.counted(rows_of(sources, columns, shard))
    with (
        RunWriter(
            out, signatures, seed=seed, retry_errors=retry_errors, rereads=True, new_metrics=True,
            new_inputs=add_input, as_parquet=as_parquet,
            settings={
                "inputs": sources, "columns": dict(columns or {}), "backend": backend,
                "shard": f"{shard[0]}/{shard[1]}" if shard else None,
            },
        ) as writer,
        runner.usage_counted(backend, writer),
    ):  # fmt: skip
        if cluster:
            judge_on_ray(
                source, loaded, writer, cluster, backend=backend, seed=seed, rows=rows,
                batch_size=batch_size, strict=strict, retry_errors=retry_errors, progress=progress,
            )  # fmt: skip
        else:
            runner.judge_all(
                source, loaded, writer, batch_size=batch_size, at_once=runner.at_once(backend),
                strict=strict, progress=progress,
            )  # fmt: skip
        return ScoredFiles(Path(out), writer.counts, signatures, foreign)


def rows_of(
    inputs: Sequence[str], columns: Mapping[str, str] | None, shard: tuple[int, int] | None
) -> Iterator[Example | Failure]:
    """The rows of all inputs, or those of one part of them."""
    source = read_inputs(inputs, columns)
    return runner.in_shard(source, *shard) if shard else source


def check_inputs(inputs: Sequence[str]) -> None:
    """Say that a file is missing before any model loads."""
    for source in inputs:
        name, colon, path = source.partition(":")
        known = colon and name in names("datasets")
        location = path if known else source
        if location != "-" and "://" not in location and not Path(location).exists():
            hint = "" if known or not colon else "; datasets are " + ", ".join(names("datasets"))
            raise UsageError(f"There is no file {location}: check the path{hint}.")
        if not known and (Path(location) / MANIFEST).is_file():
            raise UsageError(
                f"{location} is a run folder: to score its rows again, name the examples in it."
            )
        if not known and Path(location).is_dir():
            raise UsageError(f"{location} is a folder: name the files in it.")
