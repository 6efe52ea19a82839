"""Measure the models by kind of failure: `python -m training.written_figures`.

On the tenth of the written passages (`training.written_pairs`) that no model was trained on: share
of right labels by kind, and ROC-AUC of entailment against the rest. Needs no data beside the
repository.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Entailment, EntailmentModel, Pair
from staytrue.stats.classification import roc_auc
from training import written_pairs


def is_right(wanted: str, judged: Entailment) -> bool:
    """Whether the label is the wanted one; "not entailment" leaves two of them open."""
    if wanted == "not_entailment":
        return judged.label != "entailment"
    return judged.label == wanted


def by_kind(
    rows: Sequence[dict[str, Any]], judged: Sequence[Entailment]
) -> dict[str, tuple[int, float]]:
    """Rows and share of right labels of each kind, and of all."""
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for row, one in zip(rows, judged, strict=True):
        for name in (row["kind"], "all"):
            right[name].append(is_right(row["label"], one))
    return {name: (len(own), float(np.mean(own))) for name, own in sorted(right.items())}


def area(rows: Sequence[dict[str, Any]], judged: Sequence[Entailment]) -> float | None:
    """ROC-AUC of P(entailment) − P(contradiction), entailment against the rest."""
    scores = np.array([one.entailment - one.contradiction for one in judged])
    return roc_auc(scores, np.array([row["label"] == "entailment" for row in rows]))


def judge(backend: EntailmentModel, rows: Sequence[dict[str, Any]]) -> list[Entailment]:
    return backend.infer([Pair(row["premise"], row["hypothesis"]) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="small,both", help="which models: small, large, both")
    parser.add_argument("--limit", type=int, default=None, help="about so many pairs")
    options = parser.parse_args()
    rows = list(written_pairs.pairs(kept=True))
    if options.limit:
        rows = rows[:: max(1, len(rows) // options.limit)]
    sizes = options.sizes.split(",")
    judged = {size: judge(EmbeddedBackend(size=size), rows) for size in sizes}
    tables = {size: by_kind(rows, own) for size, own in judged.items()}
    print("| kind | pairs | " + " | ".join(sizes) + " |\n|---|---|" + "---|" * len(sizes))
    for name, (count, _) in tables[sizes[0]].items():
        shares = " | ".join(f"{tables[size][name][1]:.2f}" for size in sizes)
        print(f"| {name} | {count} | {shares} |")
    areas = " | ".join(f"{area(rows, judged[size]):.3f}" for size in sizes)
    print(f"| entailment against the rest, ROC-AUC | {len(rows)} | {areas} |")


if __name__ == "__main__":
    main()
