"""Fit the weights of the headline score: `python -m training.headline`.

On the quarter of FaithDial's audit and of the grounded claims that `training.splits` sets aside for
constants. Each source has an offset of its own, because shares of right responses differ between
sources and say nothing about a claim; the offset that ships is their mean.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from typing import Any

import numpy as np

from staytrue.core.records import Example
from staytrue.metrics.consistency import Consistency
from staytrue.metrics.consistency.result import ConsistencyResult
from staytrue.plugins.registry import load_backend
from training import splits

BATCH = 32


def rows(part: splits.Part, limit: int | None) -> list[tuple[Example, str]]:
    """Examples with the source that they come from."""
    labelled = [(example, "audit") for example in splits.audit_examples(part)]
    for number, row in enumerate(splits.grounded_claims(part)):
        example = Example(f"claim-{number}", row["response"], row["knowledge"],
                          consistent=row["consistent"])  # fmt: skip
        labelled.append((example, row["source"]))
    random.Random(1).shuffle(labelled)
    return labelled[:limit]


def signs(examples: list[Example], backend: str) -> np.ndarray:
    """The mean signs of each response's claims: entailed, contradicted."""
    loaded: Any = load_backend(backend)
    metric = Consistency(loaded, against="knowledge", generic="score", language="any")
    table = []
    for start in range(0, len(examples), BATCH):
        for result in metric.results(examples[start : start + BATCH]):
            own = result.claims if isinstance(result, ConsistencyResult) else ()
            both = [(s.entailed, s.contradicted) for c in own if (s := c.signs)]
            table.append(np.mean(both, axis=0) if both else np.zeros(2))
        print(len(table), "of", len(examples), flush=True)
    return np.array(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="embedded")
    parser.add_argument("--limit", type=int, default=None)
    options = parser.parse_args()

    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    chosen = rows("constants", options.limit)
    values = signs([example for example, _ in chosen], options.backend) * (1, -1)
    right = np.array([bool(example.consistent) for example, _ in chosen])
    sources = [source for _, source in chosen]
    names = sorted(set(sources))
    offsets = np.array([[source == name for name in names] for source in sources], dtype=float)
    kinds = [source.split("/")[0] for source in sources]
    counts = Counter(zip(kinds, right.tolist(), strict=True))
    weights = np.array([1 / counts[key] for key in zip(kinds, right.tolist(), strict=True)])
    middle, scale = values.mean(axis=0), values.std(axis=0)
    scaled = np.hstack([(values - middle) / scale, offsets])
    fit = LogisticRegression(max_iter=1000)
    fit.fit(scaled, right, sample_weight=weights * len(weights) / weights.sum())
    slopes = fit.coef_[0][:2] / scale
    offset = fit.intercept_[0] + fit.coef_[0][2:].mean() - slopes @ middle
    print("entailed, contradicted:", slopes.round(3), "offset:", round(float(offset), 3))
    for name in names:
        own = np.array([source == name for source in sources])
        if 0 < right[own].mean() < 1:
            area = roc_auc_score(right[own], values[own] @ slopes)
            print(f"{name}: ROC-AUC {area:.3f}, {own.sum()} rows")


if __name__ == "__main__":
    main()
