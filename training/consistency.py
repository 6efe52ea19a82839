"""Learn the weights of the headline score from silver rows: `python -m training.consistency`.

Takes silver rows that the groundedness model was not trained on where it can (the dev topics and
the pool's rest), computes every part with the shipped models, and fits a logistic regression.
No evaluation set is read.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
from staytrue.metrics.consistency import Consistency
from staytrue.metrics.consistency_parts import FEATURES, features
from staytrue.records import Example, Turn
from staytrue.registry import load_backend

from training.common import CHECKPOINTS, SHIPPED, read_rows

FOLDS = 5
RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0)


def examples(folder: Path, wanted: int, seed: int) -> list[Example]:
    rows = list(read_rows(folder / "dev.jsonl.gz"))
    random.Random(f"consistency {seed}").shuffle(rows)
    positive = [row for row in rows if row["label"] == "entailment"]
    negative = [row for row in rows if row["label"] != "entailment"]
    chosen = positive[: wanted // 3] + negative[: wanted - min(len(positive), wanted // 3)]
    return [_example(number, row) for number, row in enumerate(chosen)]


def _example(number: int, row: dict[str, Any]) -> Example:
    history = (Turn("user", row["message"]),)
    return Example(f"silver{number}", row["response"], row["evidence"], history, label=row["label"])


def matrix(rows: list[Example], batch: int = 64) -> np.ndarray:
    metric = Consistency(load_backend("embedded"))  # type: ignore[arg-type]
    found = []
    for start in range(0, len(rows), batch):
        part = rows[start : start + batch]
        found += [features(e, p) for e, p in zip(part, metric.parts(part), strict=True)]
        print(f"{len(found)} of {len(rows)} rows", flush=True)
    return np.array(found)


def fit(values: np.ndarray, target: np.ndarray, ridge: float, steps: int = 50) -> np.ndarray:
    """Ridge logistic regression by Newton's method; the last weight is the offset."""
    design = np.hstack([values, np.ones((len(values), 1))])
    penalty = np.diag([ridge] * values.shape[1] + [1e-6])
    weights = np.zeros(design.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (chance - target) + penalty @ weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + penalty
        weights -= np.linalg.solve(curvature, gradient)
    return weights


def loss(values: np.ndarray, target: np.ndarray, weights: np.ndarray) -> float:
    chance = 1 / (1 + np.exp(-(values @ weights[:-1] + weights[-1])))
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    return float(-(target * np.log(chance) + (1 - target) * np.log(1 - chance)).mean())


def best_ridge(values: np.ndarray, target: np.ndarray) -> float:
    """The ridge with the smallest cross-validated loss."""
    fold = np.arange(len(target)) % FOLDS

    def validated(ridge: float) -> float:
        return float(
            np.mean([loss(values[fold == f], target[fold == f], fit(values[fold != f], target[fold != f], ridge)) for f in range(FOLDS)])
        )

    return min(RIDGES, key=validated)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--silver", type=Path, default=CHECKPOINTS / "silver")
    parser.add_argument("--rows", type=int, default=900)
    parser.add_argument("--out", type=Path, default=SHIPPED / "consistency.json")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = examples(options.silver, options.rows, options.seed)
    order = np.random.default_rng(options.seed).permutation(len(rows))
    raw = matrix(rows)[order]
    target = np.array([float(row.label == "entailment") for row in rows])[order]
    means, scales = raw.mean(axis=0), raw.std(axis=0) + 1e-6
    values = (raw - means) / scales
    ridge = best_ridge(values, target)
    weights = fit(values, target, ridge)
    made = {
        "features": list(FEATURES),
        "means": means.round(5).tolist(),
        "scales": scales.round(5).tolist(),
        "weights": weights[:-1].round(5).tolist(),
        "offset": round(float(weights[-1]), 5),
        "fitted": {"rows": len(rows), "ridge": ridge, "loss": round(loss(values, target, weights), 4)},
    }
    options.out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    for name, weight in sorted(zip(FEATURES, weights, strict=False), key=lambda pair: -abs(pair[1])):
        print(f"{name:22} {weight:+.3f}")


if __name__ == "__main__":
    main()
