"""Dialogue NLI (Welleck et al., 2019): `dnli:PATH`.

The premise is the knowledge, the hypothesis the response. `consistent` is true for entailment and
false for contradiction and neutral, as the Q² paper counts them; `label` keeps all three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure
from staytrue.datasets.files import convert
from staytrue.datasets.tabular import text, with_id

SOURCE = "wellecks.com/dialogue_nli: dialogue_nli_dev.jsonl …; MIT"
"""Where the files come from: publisher, names, licence."""

# The authors' files say positive and negative; renderings use the usual names.
LABELS = {
    "positive": "entailment", "entailment": "entailment", "neutral": "neutral",
    "negative": "contradiction", "contradiction": "contradiction",
}  # fmt: skip


def read(path: str) -> Iterator[Example | Failure]:
    """Pairs of sentences with their label."""
    return convert(path, lambda row: [with_id(_example(row.values))])


def _example(values: Mapping[str, Any]) -> Example:
    premise, hypothesis = (
        ("premise", "hypothesis") if "premise" in values else ("sentence1", "sentence2")
    )
    if premise not in values or hypothesis not in values:
        raise DataError("The row has neither premise and hypothesis nor sentence1 and sentence2.")
    label = text("label", values.get("label")).strip().lower()
    if label and label not in LABELS:
        raise DataError(f"'{label[:40]}' is not a label of Dialogue NLI.")
    return Example(
        id=text("id", values.get("id")).strip(),
        response=text(hypothesis, values[hypothesis]),
        knowledge=text(premise, values[premise]),
        label=LABELS.get(label),
        consistent=LABELS[label] == "entailment" if label else None,
        tags={"order": text("order", values["order"])} if "order" in values else {},
    )
