"""Learn the small regressions of `begin` and `consistency`: `python -m training.weighing`.

Both are fitted on silver rows of topics that the groundedness model never saw, with the shipped
models. No evaluation set is read. Run it again after new models were exported.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
from staytrue.groundedness import LABELS
from staytrue.metrics import begin, consistency_parts
from staytrue.metrics.consistency import Consistency
from staytrue.protocols import Grounding
from staytrue.records import Example, Turn
from staytrue.registry import load_backend

from training.common import CHECKPOINTS, SHIPPED, read_rows

FOLDS = 5
RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


def silver(folder: Path, seed: int) -> list[Example]:
    rows = list(read_rows(folder / "dev.jsonl.gz"))
    random.Random(f"weighing {seed}").shuffle(rows)
    return [_example(number, row) for number, row in enumerate(rows)]


def _example(number: int, row: dict[str, Any]) -> Example:
    history = (Turn("user", row["message"]),)
    return Example(f"silver{number}", row["response"], row["evidence"], history, label=row["label"])


def begin_matrix(rows: list[Example]) -> np.ndarray:
    backend: Any = load_backend("embedded")
    given = backend.classify([Grounding(e.knowledge, e.message, e.response) for e in rows])
    return np.array(
        [begin.features(g, e.response, e.knowledge, e.message) for g, e in zip(given, rows, strict=True)]
    )


def consistency_matrix(rows: list[Example], batch: int = 64) -> np.ndarray:
    metric = Consistency(load_backend("embedded"))  # type: ignore[arg-type]
    found: list[list[float]] = []
    for start in range(0, len(rows), batch):
        part = rows[start : start + batch]
        found += [consistency_parts.features(e, p) for e, p in zip(part, metric.parts(part), strict=True)]
        print(f"{len(found)} of {len(rows)} rows", flush=True)
    return np.array(found)


def probabilities(design: np.ndarray, weights: np.ndarray) -> np.ndarray:
    logits = design @ weights
    raw = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


def fit(values: np.ndarray, classes: np.ndarray, count: int, ridge: float, steps: int = 400) -> np.ndarray:
    """Ridge multinomial regression by accelerated gradient descent; the last row is the offset."""
    design = np.hstack([values, np.ones((len(values), 1))])
    target = np.eye(count)[classes]
    weights = np.zeros((design.shape[1], count))
    penalty = np.full((design.shape[1], 1), ridge)
    penalty[-1] = 0.0
    step = 1.0 / (0.5 * np.linalg.norm(design, 2) ** 2 + ridge)
    ahead = weights.copy()
    for number in range(steps):
        gradient = design.T @ (probabilities(design, ahead) - target) + penalty * ahead
        new = ahead - step * gradient
        ahead = new + number / (number + 3) * (new - weights)
        weights = new
    return weights


def loss(values: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> float:
    design = np.hstack([values, np.ones((len(values), 1))])
    chosen = probabilities(design, weights)[np.arange(len(classes)), classes]
    return float(-np.log(np.clip(chosen, 1e-6, 1)).mean())


def best_ridge(values: np.ndarray, classes: np.ndarray, count: int) -> float:
    """The ridge with the smallest cross-validated loss."""
    fold = np.arange(len(classes)) % FOLDS

    def validated(ridge: float) -> float:
        losses = []
        for number in range(FOLDS):
            own = fold == number
            losses.append(loss(values[own], classes[own], fit(values[~own], classes[~own], count, ridge)))
        return float(np.mean(losses))

    return min(RIDGES, key=validated)


def write(path: Path, names: tuple[str, ...], raw: np.ndarray, classes: np.ndarray, count: int) -> None:
    means, scales = raw.mean(axis=0), raw.std(axis=0) + 1e-6
    values = (raw - means) / scales
    ridge = best_ridge(values, classes, count)
    weights = fit(values, classes, count, ridge)
    if count == 2:  # one logit is enough for yes and no
        weights = weights[:, 1:] - weights[:, :1]
    made = {
        "features": list(names),
        "means": means.round(5).tolist(),
        "scales": scales.round(5).tolist(),
        "weights": weights[:-1].T.round(5).tolist(),
        "offsets": weights[-1].round(5).tolist(),
        "fitted": {"rows": len(raw), "ridge": ridge},
    }
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(path.name, "ridge", ridge)
    for name, row in zip(names, weights[:-1], strict=True):
        print(f"  {name:22}", " ".join(f"{weight:+.2f}" for weight in row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--silver", type=Path, default=CHECKPOINTS / "silver")
    parser.add_argument("--rows", type=int, default=900, help="rows for consistency, which asks all models")
    parser.add_argument("--to", type=Path, default=SHIPPED)
    parser.add_argument("--only", choices=("begin", "consistency"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = silver(options.silver, options.seed)
    if options.only != "consistency":
        classes = np.array([LABELS.index(e.label or "") for e in rows])
        write(options.to / "begin.json", begin.FEATURES, begin_matrix(rows), classes, len(LABELS))
    if options.only != "begin":
        positive = [e for e in rows if e.label == "entailment"][: options.rows // 3]
        negative = [e for e in rows if e.label != "entailment"][: options.rows - len(positive)]
        chosen = positive + negative
        random.Random(options.seed).shuffle(chosen)
        classes = np.array([int(e.label == "entailment") for e in chosen])
        write(options.to / "consistency.json", consistency_parts.FEATURES, consistency_matrix(chosen), classes, 2)


if __name__ == "__main__":
    main()
