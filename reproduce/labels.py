"""How far dev labels can be trusted: `python -m reproduce.labels` (five minutes on two cores).

Rows of five dev sets were drawn at random and labelled anew by two readers, who saw neither the
labels nor a verdict nor one another. Writes docs/results-labels.md: how far readers and labels
agree, and our figures on these rows against each of them. `--draw SET` prints the rows to read.
The repository keeps what the readers said (tests/golden/labels_read.jsonl), not the texts, so the
data folder (STAYTRUE_DATA, or ../shared/data) is needed.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from training.evaluate import begin_examples, dev_rows, q2_examples

import staytrue
from reproduce.begin import BALANCED, HEADLINE
from reproduce.pages import REPOSITORY, signatures, sizes, table, weights
from reproduce.readings import read, shown_kappa
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example
from staytrue.plugins.registry import load_backend
from staytrue.stats import intervals
from staytrue.stats.clusters import cluster_of

READ = REPOSITORY / "tests" / "golden" / "labels_read.jsonl"
PAGE = REPOSITORY / "docs" / "results-labels.md"
METRICS = (HEADLINE, "q2", "nli", BALANCED, "overlap")
READERS = ("first", "second")


@dataclass(frozen=True)
class DevSet:
    """A dev set of which some rows were read again."""

    name: str
    title: str
    drawn: int
    seed: str
    positive: str | None = None
    """The label that a metric's score stands for; None for pairs, which have three labels."""
    labels: tuple[str, ...] = ("entailment", "neutral", "contradiction")


SETS = {
    one.name: one
    for one in (
        DevSet("begin_v1_dev", "BEGIN v1, supported against the rest", 160, "begin read",
               "entailment", ("entailment", "contradiction", "hallucination", "off-topic",
                              "generic")),
        DevSet("q2_cross_annotation", "Q² cross-annotation", 150, "read q2", "consistent",
               ("consistent", "inconsistent")),
        DevSet("mnli_dev", "MultiNLI", 150, "read mnli_dev"),
        DevSet("dnli_dev", "Dialogue NLI", 150, "read dnli_dev"),
        DevSet("fever_symmetric_dev", "FEVER-symmetric, supported against refuted", 100,
               "read fever_symmetric_dev"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class DevRow:
    """A row of a dev set with the label that it was published with."""

    number: int
    text: Mapping[str, str]
    label: str
    example: Example | None = None

    @property
    def pair(self) -> Pair:
        return Pair(self.text["premise"], self.text["hypothesis"])


def rows_of(name: str) -> list[DevRow]:
    """All rows of a set, in the order of its file."""
    if SETS[name].positive is None:
        return [
            DevRow(number, {key: row[key] for key in ("premise", "hypothesis")}, row["label"])
            for number, row in enumerate(dev_rows(name, None))
        ]
    examples = begin_examples() if name == "begin_v1_dev" else q2_examples()
    return [
        DevRow(
            number,
            {"knowledge": one.knowledge, "message": one.message, "response": one.response},
            one.label or ("consistent" if one.consistent else "inconsistent"),
            one,
        )
        for number, one in enumerate(examples)
    ]


def draw(name: str) -> list[DevRow]:
    """The rows to read, always the same ones, in random order."""
    rows = rows_of(name)
    random.Random(SETS[name].seed).shuffle(rows)
    return rows[: SETS[name].drawn]


@dataclass(frozen=True)
class Read:
    """What was read of one set: the rows with their labels, and each reader's."""

    of: DevSet
    rows: list[DevRow]
    readers: tuple[list[str], ...]

    @property
    def labels(self) -> list[str]:
        return [row.label for row in self.rows]

    @property
    def judges(self) -> dict[str, list[str]]:
        """Whom figures are measured against."""
        return {"labels": self.labels, **dict(zip(READERS, self.readers, strict=True))}


def readings(stored: Sequence[Mapping[str, Any]]) -> list[Read]:
    """What was stored, by set, each row beside the dev set's."""
    by_set = []
    for name, dev_set in SETS.items():
        own = [one for one in stored if one["set"] == name]
        rows = rows_of(name) if own else []
        labels = tuple([str(one[reader]) for one in own] for reader in READERS)
        by_set.append(Read(dev_set, [rows[one["row"]] for one in own], labels))
    return [one for one in by_set if one.rows]


def agreement(one: Read) -> tuple[object, ...]:
    """How far the readers agree, and the labels with each of them."""
    first, second = (_asked_for(one.of, labels) for labels in one.readers)
    published = _asked_for(one.of, one.labels)
    cells: list[object] = [one.of.title, len(one.rows)]
    for a, b in ((first, second), (published, first), (published, second)):
        same = intervals.proportion(sum(x == y for x, y in zip(a, b, strict=True)), len(a))
        cells.append(f"{same.value:.3f}, κ {shown_kappa(a, b)}")
    return tuple(cells)


def _asked_for(dev_set: DevSet, labels: Sequence[str]) -> list[Any]:
    """The labels as figures count them: of responses only whether they are the positive one."""
    return [one == dev_set.positive for one in labels] if dev_set.positive else list(labels)


def accuracy(wanted: Sequence[str], judged: Sequence[Entailment], labels: Sequence[str]) -> str:
    """Share of right labels among rows that have one of these; the likeliest of them is chosen."""
    right = [
        max(labels, key=lambda label: getattr(chances, label)) == label
        for label, chances in zip(wanted, judged, strict=True)
        if label in labels
    ]
    return str(intervals.proportion(sum(right), len(right)))


def pair_figures(one: Read) -> Iterator[tuple[object, ...]]:
    """Accuracy of the entailment models against the labels and each reader."""
    labels = [label for label in one.of.labels if label in set(one.labels)]
    for title, backend in sizes().items():
        model: Any = load_backend(backend)
        judged = model.infer([row.pair for row in one.rows])
        cells = [accuracy(wanted, judged, labels) for wanted in one.judges.values()]
        yield one.of.title, "accuracy of entailment", title.lower(), *cells


def response_figures(one: Read) -> Iterator[tuple[object, ...]]:
    """ROC-AUC of metrics against the labels and each reader."""
    examples = [row.example for row in one.rows if row.example]
    groups = [cluster_of(example) for example in examples]
    for title, backend in sizes().items():
        evaluation = staytrue.evaluate(examples, METRICS, backend=backend)
        scores: dict[str, list[float]] = {}
        for verdict in evaluation.verdicts:
            scores.setdefault(verdict.metric, []).append(verdict.score or 0.0)
        for metric in METRICS:
            cells = [
                str(intervals.roc_auc(np.array(scores[metric]),
                                      np.array(_asked_for(one.of, wanted)), groups))
                for wanted in one.judges.values()
            ]  # fmt: skip
            yield one.of.title, f"ROC-AUC of `{metric}`", title.lower(), *cells


def page(read_again: Sequence[Read]) -> str:
    figures: list[tuple[object, ...]] = []
    for one in read_again:
        for cells in response_figures(one) if one.of.positive else pair_figures(one):
            print(*cells, sep=" | ", flush=True)
            figures.append(cells)
    signed = [
        staytrue.load_metric(metric, backend=backend).signature
        for metric in METRICS
        for backend in sizes().values()
    ]
    agreed = ("set", "rows", "readers with one another", "labels with first", "labels with second")
    return "\n".join(
        [
            "# Dev labels, read again", "",
            "Written by `python -m reproduce.labels`; do not edit. A figure against noisy labels",
            "says as much about the labels as about the metric. Rows of five dev sets were drawn",
            "at random and labelled anew by two readers, who saw neither the labels nor a verdict",
            "nor one another. What they said is in `tests/golden/labels_read.jsonl`; nothing was",
            "fitted on it. Both had the same written definitions and are readers of one kind, so",
            "their agreement shows that the reading is steady, not that it is right. A model that",
            "was trained on a set's own labels (Dialogue NLI) can agree with them more than a",
            "careful reader does.",
            "", "## Readers and labels", "",
            "Share of rows with the same label and Cohen's κ; of responses, whether they are",
            "supported (BEGIN) or consistent (Q²).", "",
            table(agreed, [agreement(one) for one in read_again]),
            "## Our figures on these rows", "",
            "With 95 % intervals. For FEVER-symmetric, rows that a reader calls neutral are left",
            "out.", "",
            table(("set", "figure", "models", "labels", "first reader", "second reader"), figures),
            weights(), signatures(signed),
        ]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", choices=list(SETS), help="print the rows to read of this set")
    options = parser.parse_args()
    if options.draw:
        for row in draw(options.draw):
            print(json.dumps({"row": row.number, **row.text}, ensure_ascii=False))
        return
    PAGE.write_text(page(readings(read(READ))), "utf-8")


if __name__ == "__main__":
    main()
