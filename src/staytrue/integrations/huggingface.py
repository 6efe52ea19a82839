"""Hugging Face: scores as columns of a `datasets.Dataset`, and a metric for `evaluate`.

scored = add_scores(dataset, "consistency", columns={"response": "answer"})
StaytrueMetric().compute(predictions=answers, references=passages)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from staytrue.core.errors import MissingExtra, UsageError
from staytrue.core.protocols import Backend
from staytrue.integrations.checking import DEFAULT_METRIC
from staytrue.runs.runner import evaluate as judge
from staytrue.runs.scoring import score

try:
    import datasets
    import evaluate
except ImportError:
    raise MissingExtra("The Hugging Face bridge", "datasets") from None


def add_scores(
    dataset: datasets.Dataset,
    metrics: str | Sequence[str] = DEFAULT_METRIC,
    *,
    columns: Mapping[str, str] | None = None,
    backend: Backend | str | None = None,
) -> datasets.Dataset:
    """The dataset with three columns per metric: its name, `NAME_label` and `NAME_reason`.

    `columns` maps our names to the dataset's. A row that cannot be read or judged has no score, and
    the reason says why.
    """
    names = dict(columns or {})
    missing = sorted(set(names.values()) - set(dataset.column_names))
    if missing:
        known = ", ".join(dataset.column_names)
        raise UsageError(f"The dataset has no column '{missing[0]}'; its columns are {known}.")
    frame = dataset.rename_columns({theirs: ours for ours, theirs in names.items()}).to_pandas()
    result = judge(frame, metrics, backend=backend)
    failed = {failure.where: failure.error for failure in result.failures}
    for metric in result.signatures:
        reasons = result.frame[f"{metric} reason"].tolist()
        scores = {
            metric: result.frame[metric].tolist(),
            f"{metric}_label": result.frame[f"{metric} label"].tolist(),
            f"{metric}_reason": [
                reason if isinstance(reason, str) else failed.get(f"row {number}", "")
                for number, reason in enumerate(reasons, start=1)
            ],
        }
        for name, values in scores.items():
            kind = "float64" if name == metric else "string"
            plain = [None if value != value else value for value in values]
            dataset = dataset.add_column(name, plain, feature=datasets.Value(kind))
    return dataset


class StaytrueMetric(evaluate.Metric):
    """Mean consistency of predictions with the texts they must be true to (`references`)."""

    def __init__(
        self, metric: str = DEFAULT_METRIC, backend: Backend | str | None = None, **kwargs: Any
    ) -> None:
        self._metric = metric
        self._backend = backend
        super().__init__(**kwargs)

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description="Is a response true to its knowledge? From 0 to 1, by staytrue.",
            citation="",
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, float | list[float | None] | None]:
        scores = score(list(predictions), list(references), self._metric, backend=self._backend)
        known = [one for one in scores if one is not None]
        return {"staytrue": sum(known) / len(known) if known else None, "scores": scores}
