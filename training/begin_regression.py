"""Learn the small regression of `begin`: `python -m training.begin_regression`.

It is fitted on silver rows of topics that the groundedness model never saw, with the shipped
models. No evaluation set is read. Run it again after new models were exported.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from staytrue.backends.cache import CachedBackend
from staytrue.core.begin_labels import LABELS
from staytrue.core.protocols import Grounding, Pair
from staytrue.core.records import Example, Turn
from staytrue.metrics import begin
from staytrue.plugins.registry import load_backend
from training.common import CHECKPOINTS, SHIPPED, read_rows

FOLDS = 5
# Dialogue models seldom say a sentence of their evidence with one word wrong. Such rows teach the
# encoder to look closely, but in the fit they count less than what models do say; so do
# FEVER's claims, which are no replies. Chosen among a few on BEGIN dev.
METHOD_WEIGHTS = {
    "entity-swap": 0.02, "verb-swap": 0.02, "inversion": 0.02, "negation": 0.05, "antonym": 0.05,
    "claim-supported": 0.2, "claim-open": 0.2, "claim-refuted": 0.5,
    "invented-addition": 0.2, "personal-opinion": 0.5,
}  # fmt: skip
RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


@dataclass(frozen=True)
class Fitted:
    """A multinomial regression on standardised features: one row of weights per class."""

    means: np.ndarray
    scales: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    ridge: float


def silver(folder: Path, seed: int) -> list[Example]:
    rows = list(read_rows(folder / "dev.jsonl.gz"))
    # An older name of this module: another text would shuffle otherwise than for the shipped file.
    random.Random(f"weighing {seed}").shuffle(rows)
    return [_example(number, row) for number, row in enumerate(rows)]


def _example(number: int, row: dict[str, Any]) -> Example:
    history = (Turn("user", row["message"]),)
    tags = {"method": row["method"]}
    return Example(
        f"silver{number}", row["response"], row["evidence"], history, label=row["label"], tags=tags
    )


def row_weights(rows: list[Example], shares: Mapping[str, float]) -> np.ndarray:
    """How much each row counts: classes in the given shares, methods as `METHOD_WEIGHTS` says."""
    raw = np.array([METHOD_WEIGHTS.get(e.tags["method"], 1.0) for e in rows])
    for label, share in shares.items():
        own = np.array([e.label == label for e in rows])
        if own.any():
            raw[own] *= share / raw[own].sum()
    weights: np.ndarray = raw * len(rows) / raw.sum()
    return weights


def begin_matrix(rows: list[Example], backend: Any) -> np.ndarray:
    asked = [Grounding(e.knowledge, e.message, e.response) for e in rows]
    given = backend.classify(asked)
    implied = backend.infer([Pair(item.evidence, item.response) for item in asked])
    return np.array([begin.features(*row) for row in zip(asked, given, implied, strict=True)])


def fit(values: np.ndarray, classes: np.ndarray, ridge: float, counts: np.ndarray) -> Any:
    """Multinomial regression with a ridge penalty; offsets are free, and all classes occur."""
    from sklearn.linear_model import LogisticRegression  # here, because importing it takes a while

    model = LogisticRegression(C=1 / ridge, solver="newton-cg", tol=1e-10, max_iter=1000)
    return model.fit(values, classes, sample_weight=counts)


def best_ridge(values: np.ndarray, classes: np.ndarray, counts: np.ndarray) -> float:
    """The ridge with the smallest cross-validated loss."""
    from sklearn.metrics import log_loss

    fold = np.arange(len(classes)) % FOLDS

    def validated(ridge: float) -> float:
        losses = []
        for number in range(FOLDS):
            own = fold == number
            model = fit(values[~own], classes[~own], ridge, counts[~own])
            chances = model.predict_proba(values[own])
            losses.append(
                log_loss(classes[own], chances, sample_weight=counts[own], labels=model.classes_)
            )
        return float(np.mean(losses))

    return min(RIDGES, key=validated)


def write(path: Path, names: tuple[str, ...], raw: np.ndarray, fitted: Fitted) -> None:
    made = {
        "features": list(names),
        "means": fitted.means.round(5).tolist(),
        "scales": fitted.scales.round(5).tolist(),
        "weights": fitted.weights.round(5).tolist(),
        "offsets": fitted.offsets.round(5).tolist(),
        "fitted": {"rows": len(raw), "ridge": fitted.ridge},
    }
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(path.name, "ridge", fitted.ridge)
    for name, row in zip(names, fitted.weights.T, strict=True):
        print(f"  {name:22}", " ".join(f"{weight:+.2f}" for weight in row))


def fit_begin(raw: np.ndarray, rows: list[Example]) -> Fitted:
    classes = np.array([LABELS.index(e.label or "") for e in rows])
    counts = row_weights(rows, dict.fromkeys(LABELS, 0.2))
    means, scales = raw.mean(axis=0), raw.std(axis=0) + 1e-6
    values = (raw - means) / scales
    ridge = best_ridge(values, classes, counts)
    model = fit(values, classes, ridge, counts)
    return Fitted(means, scales, model.coef_, model.intercept_, ridge)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--silver", type=Path, default=CHECKPOINTS / "silver")
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--models", type=Path, default=SHIPPED, help="the models to fit for")
    parser.add_argument("--to", type=Path, default=SHIPPED)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = silver(options.silver, options.seed)
    backend = CachedBackend(load_backend("embedded", folder=str(options.models)))
    chosen = rows[: options.rows]
    raw = begin_matrix(chosen, backend)
    write(options.to / "begin.json", begin.FEATURES, raw, fit_begin(raw, chosen))


if __name__ == "__main__":
    main()
