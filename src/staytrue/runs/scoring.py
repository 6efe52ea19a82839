"""The short way from Python: plain lists in, numbers out; files in, examples out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from staytrue.core.errors import DataError, RunError, UsageError
from staytrue.core.protocols import Backend
from staytrue.core.records import Example, Failure
from staytrue.plugins.registry import NamedMetric
from staytrue.runs.runner import evaluate, read_inputs

DEFAULT_METRIC = "consistency"


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
            f"score got {len(responses)} responses and {len(texts)} texts of knowledge: "
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
            raise DataError(
                f"{item.where}: {item.error} Fix the row, or read with skip_unreadable=True."
            )
    return examples
