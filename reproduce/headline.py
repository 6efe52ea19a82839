"""Write docs/results-headline.md: `python -m reproduce.headline` (half an hour on two cores).

The headline score and its parts against people, on dev sets that nothing was fitted on and on the
quarter of FaithDial's audit and of the grounded claims that is kept for reporting.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from training.evaluate import begin_examples, q2_examples
from training.headline import rows

import staytrue
from reproduce.begin import BALANCED, HEADLINE
from reproduce.pages import REPOSITORY, limited, sizes, table, weights
from staytrue.core.records import Example
from staytrue.stats.classification import roc_auc

PAGE = REPOSITORY / "docs" / "results-headline.md"
METRICS = (HEADLINE, "q2", "nli", BALANCED)
DRAWS = 1000


@dataclass(frozen=True)
class Benchmark:
    """Examples with people's judgements; documents are what the interval is clustered by."""

    name: str
    examples: list[Example]
    sources: list[str]


def benchmarks(limit: int | None) -> Iterator[Benchmark]:
    for name, examples in (("Q² cross-annotation", q2_examples()), ("BEGIN v1", begin_examples())):
        some = _some(examples, limit)
        yield Benchmark(name, some, [name] * len(some))
    for name, wanted in (("FaithDial's audit", "audit"), ("grounded claims", "claims")):
        chosen = [
            (example, source)
            for example, source in rows("reporting", None)
            if (source == "audit") == (wanted == "audit")
        ]
        chosen = chosen[:limit]
        yield Benchmark(f"{name}, reporting quarter", [e for e, _ in chosen],
                        [source for _, source in chosen])  # fmt: skip


def _some(examples: list[Example], limit: int | None) -> list[Example]:
    return random.Random(1).sample(examples, min(limit or len(examples), len(examples)))


def area(scores: np.ndarray, right: np.ndarray, sources: np.ndarray) -> float | None:
    """The mean of ROC-AUC by source; None where no source has both classes."""
    areas = [
        value
        for source in np.unique(sources)
        if (value := roc_auc(scores[sources == source], right[sources == source])) is not None
    ]
    return float(np.mean(areas)) if areas else None


def draws(bench: Benchmark) -> list[np.ndarray]:
    """Rows of whole documents, drawn again and again: rows that share one are not independent."""
    documents: dict[str, list[int]] = {}
    for index, example in enumerate(bench.examples):
        documents.setdefault(example.knowledge, []).append(index)
    groups = [np.array(indexes) for indexes in documents.values()]
    rng = np.random.default_rng(1)
    return [
        np.concatenate([groups[n] for n in rng.integers(len(groups), size=len(groups))])
        for _ in range(DRAWS)
    ]


def cells_for(bench: Benchmark, backend: str) -> Iterator[tuple[object, ...]]:
    evaluation = staytrue.evaluate(bench.examples, [*METRICS, "consistency"], backend=backend)
    right = np.array([bool(example.consistent) for example in bench.examples])
    sources = np.array(bench.sources)
    by_metric: dict[str, list[float | None]] = {}
    for verdict in evaluation.verdicts:
        by_metric.setdefault(verdict.metric, []).append(verdict.score)
    drawn = draws(bench)
    headline: list[float | None] = []
    for metric in METRICS:
        scores = np.array([score or 0.0 for score in by_metric[metric]])
        value = area(scores, right, sources)
        areas = [area(scores[rows], right[rows], sources[rows]) for rows in drawn]
        headline = headline or areas
        behind = [
            other - own
            for own, other in zip(headline, areas, strict=True)
            if own is not None and other is not None
        ]
        versus = None if metric == HEADLINE else _interval(behind, signed=True)
        known = [value for value in areas if value is not None]
        yield bench.name, len(right), f"`{metric}`", f"{value:.3f} {_interval(known)}", versus
    silent = np.array([score is None for score in by_metric["consistency"]])
    what = "without a score by default: consistent / inconsistent rows"
    shares = f"{silent[right].mean():.2f} / {silent[~right].mean():.2f}"
    yield bench.name, len(right), what, shares, None


def _interval(values: Sequence[float], *, signed: bool = False) -> str:
    low, high = np.percentile(values, [2.5, 97.5])
    return f"[{low:+.3f}, {high:+.3f}]" if signed else f"[{low:.3f}, {high:.3f}]"


def section(title: str, backend: str, limit: int | None) -> list[str]:
    """The table of one size of models, with the signature of the headline score."""
    signature = staytrue.load_metric(HEADLINE, backend=backend).signature
    header = ("set", "rows", "metric", "ROC-AUC [95 %]", "minus the headline score [95 %]")
    rows = []
    for bench in benchmarks(limit):
        for cells in cells_for(bench, backend):
            print(*cells, sep=" | ", flush=True)
            rows.append(cells)
    return [f"## {title}", "", f"`{signature}`", "", table(header, rows)]


def page(sections: Sequence[str], limit: int | None) -> str:
    return "\n".join(
        [
            "# The headline score against people", "",
            "Written by `python -m reproduce.headline`; do not edit. ROC-AUC, the mean by source",
            "where a set has several, with 95 % intervals over draws of whole documents. Nothing",
            "was fitted on these rows: the weights of `consistency` come from the quarter that",
            "`training/splits.py` sets aside for constants. Where the last column lies above 0,",
            "the headline score is significantly worse than that metric.", limited(limit, "rows"),
            weights(), *sections,
        ]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="print the table of this one and write no page")
    parser.add_argument("--limit", type=int, default=None, help="rows per set, for a quick look")
    options = parser.parse_args()
    if options.backend:
        section(options.backend, options.backend, options.limit)
        return
    sections = [
        line
        for title, backend in sizes().items()
        for line in section(title, backend, options.limit)
    ]
    PAGE.write_text(page(sections, options.limit), "utf-8")


if __name__ == "__main__":
    main()
