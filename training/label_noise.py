"""Are a set's dev labels majority votes? `python -m training.label_noise [--sizes both]`.

SNLI and MultiNLI were written three hypotheses to a premise, one of each label; then others
labelled them again. The share of premises whose three hypotheses still have three labels tells
whether a file holds the majority of these votes or one of them: about the third power of how often
each upholds the author's label. Under single votes even a perfect model is "wrong" in a tenth of
the rows: one vote agrees with the majority in 0.89 of the pairs, in both sets.

With `--sizes`, the accuracy of the models on premises with all three labels, where a vote is mostly
the majority's, stands beside that on the others.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Entailment
from training.common import DATA, LABELS, read_rows
from training.written_figures import judge

# Williams et al. (2018), table 2: share of pairs whose author's label the majority, or one
# annotator, chose as well.
PUBLISHED = {"snli_dev": (0.912, 0.858), "mnli_dev": (0.926, 0.852)}


def triples(rows: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The rows of each premise that has three."""
    by_premise: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_premise[row["premise"]].append(row)
    return (own for own in by_premise.values() if len(own) == 3)


def is_complete(triple: Sequence[dict[str, Any]]) -> bool:
    """Whether each label occurs once, as the author was asked to write them."""
    return {row["label"] for row in triple} == set(LABELS)


def share_right(rows: Sequence[dict[str, Any]], judged: Sequence[Entailment]) -> float:
    return float(
        np.mean([one.label == row["label"] for row, one in zip(rows, judged, strict=True)])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="", help="which models: small, large, both")
    parser.add_argument("--limit", type=int, default=200, help="premises of each kind to judge")
    options = parser.parse_args()
    sizes = [size for size in options.sizes.split(",") if size]
    backends = {size: EmbeddedBackend(size=size) for size in sizes}
    for name, (majority, vote) in PUBLISHED.items():
        groups: dict[bool, list[list[dict[str, Any]]]] = {True: [], False: []}
        for triple in triples(list(read_rows(DATA / "dev" / f"{name}.jsonl.gz"))):
            groups[is_complete(triple)].append(triple)
        share = len(groups[True]) / sum(map(len, groups.values()))
        print(
            f"{name}: {share:.3f} of the premises have three labels; majority votes would give "
            f"{majority**3:.3f}, single votes {vote**3:.3f}"
        )
        for size, backend in backends.items():
            for complete, own in groups.items():
                rows = [row for triple in own[: options.limit] for row in triple]
                kind = "three labels" if complete else "fewer labels"
                right = share_right(rows, judge(backend, rows))
                print(f"  {size}, premises with {kind}: {right:.3f} of {len(rows)}")


if __name__ == "__main__":
    main()
