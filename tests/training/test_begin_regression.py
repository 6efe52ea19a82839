from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from training import begin_regression
from training.begin_regression import best_ridge, fit, row_weights

from staytrue.core.begin_labels import LABELS
from staytrue.core.records import Example
from staytrue.metrics.regression import load_weights, softmax

RNG_SEED = 3
Data = tuple[np.ndarray, np.ndarray, np.ndarray]  # features, classes, counts


def rows(*kinds: tuple[str, str]) -> list[Example]:
    return [
        Example(f"r{number}", "said", "known", label=label, tags={"method": method})
        for number, (label, method) in enumerate(kinds)
    ]


def softmax_data(weights: list[list[float]], offsets: list[float]) -> Data:
    """Each row once with each class, counted by its exact chance: labels without noise."""
    values = np.random.default_rng(RNG_SEED).normal(size=(200, len(weights[0])))
    chances = np.array([softmax(row) for row in values @ np.transpose(weights) + offsets])
    classes = np.repeat(np.arange(len(offsets)), len(values))
    return np.vstack([values] * len(offsets)), classes, chances.T.ravel()


def by_descent(data: Data, ridge: float, steps: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """The same fit by accelerated gradient descent, as `training.begin_regression` once did it."""
    values, classes, counts = data
    design = np.hstack([values, np.ones((len(values), 1))])
    target = np.eye(classes.max() + 1)[classes]
    penalty = np.full((design.shape[1], 1), ridge)
    penalty[-1] = 0.0
    step = 1.0 / (0.5 * np.linalg.norm(design * np.sqrt(counts)[:, None], 2) ** 2 + ridge)
    weights = ahead = np.zeros((design.shape[1], target.shape[1]))
    for number in range(steps):
        raw = np.exp(design @ ahead)
        missed = (raw / raw.sum(axis=1, keepdims=True) - target) * counts[:, None]
        new = ahead - step * (design.T @ missed + penalty * ahead)
        ahead = new + number / (number + 3) * (new - weights)
        weights = new
    return weights[:-1].T, weights[-1]


THREE = softmax_data([[1.0, -0.5, 0.0], [-0.6, 0.2, 0.4], [-0.4, 0.3, -0.4]], [0.4, -0.1, -0.3])


@pytest.mark.parametrize("ridge", [0.3, 10.0])
def test_scikit_learn_fits_what_gradient_descent_does(ridge: float) -> None:
    model = fit(THREE[0], THREE[1], ridge, THREE[2])
    weights, offsets = by_descent(THREE, ridge)
    assert model.coef_ == pytest.approx(weights, abs=1e-6)
    assert model.intercept_ == pytest.approx(offsets, abs=1e-6)


def test_where_the_fit_stands_the_penalised_loss_is_flat() -> None:
    values, classes, counts = THREE
    model = fit(values, classes, 3.0, counts)
    missed = (model.predict_proba(values) - np.eye(3)[classes]) * counts[:, None]
    assert missed.T @ values + 3.0 * model.coef_ == pytest.approx(0, abs=1e-6)
    assert missed.sum(axis=0) == pytest.approx(0, abs=1e-6)


def test_a_fit_recovers_the_weights_that_made_the_labels() -> None:
    model = fit(THREE[0], THREE[1], 1e-6, THREE[2])
    assert model.coef_[0] == pytest.approx([1.0, -0.5, 0.0], abs=1e-4)
    assert model.intercept_ == pytest.approx([0.4, -0.1, -0.3], abs=1e-4)


def test_a_ridge_pulls_the_weights_to_zero_but_not_the_offset() -> None:
    values, classes, counts = THREE
    model = fit(values, classes, 1e5, counts)
    assert np.abs(model.coef_).max() < 0.01
    shares = [counts[classes == code].sum() / counts.sum() for code in range(3)]
    assert softmax(model.intercept_.tolist()) == pytest.approx(shares, abs=1e-3)


def test_rows_that_count_nothing_do_not_move_the_fit() -> None:
    values, classes, counts = THREE
    even = np.arange(len(classes)) % 2 == 0
    liars = np.where(even, classes, 2 - classes)
    model = fit(values, liars, 1.0, np.where(even, counts, 0.0))
    alone = fit(values[even], classes[even], 1.0, counts[even])
    assert model.coef_ == pytest.approx(alone.coef_, abs=1e-6)


@pytest.fixture
def two_ridges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(begin_regression, "RIDGES", (0.3, 100.0))


@pytest.mark.usefixtures("two_ridges")
def test_the_ridge_is_small_when_features_tell_and_large_when_they_are_noise() -> None:
    rng = np.random.default_rng(RNG_SEED)
    values = rng.normal(size=(40, 2))
    telling = (values[:, 0] > 0).astype(int) + (values[:, 1] > 0)
    noise = rng.integers(0, 3, size=40)
    ridges = [best_ridge(values, classes, np.ones(40)) for classes in (telling, noise)]
    assert ridges == [0.3, 100.0]


def test_classes_count_in_the_shares_asked_for_and_all_rows_as_many_as_there_are() -> None:
    some = rows(*[("entailment", "human")] * 8, *[("generic", "generic")] * 2)
    counts = row_weights(some, {"entailment": 0.25, "generic": 0.75})
    assert counts.sum() == pytest.approx(10)
    assert counts[:8].sum() == pytest.approx(2.5)
    assert counts[8:].sum() == pytest.approx(7.5)


def test_within_a_class_a_method_counts_as_its_weight_says() -> None:
    some = rows(("hallucination", "entity-swap"), ("hallucination", "human-personal"))
    counts = row_weights(some, {"hallucination": 0.2})
    assert counts[0] / counts[1] == pytest.approx(begin_regression.METHOD_WEIGHTS["entity-swap"])


def test_a_label_without_rows_changes_nothing() -> None:
    some = rows(("entailment", "human"), ("generic", "generic"))
    equal = row_weights(some, dict.fromkeys(LABELS, 0.2))
    assert equal == pytest.approx([1.0, 1.0])


@pytest.mark.usefixtures("two_ridges")
def test_written_weights_give_the_product_the_same_probabilities(tmp_path: Path) -> None:
    rng = np.random.default_rng(RNG_SEED)
    classes = rng.permutation(np.arange(60) % 5)
    some = rows(*[(LABELS[code], "human") for code in classes])
    # The first feature is shifted by the number of the class, so it tells which one it is.
    raw = rng.normal(loc=2.0, scale=[0.5, 3.0], size=(60, 2)) + np.outer(classes, [1, 0])
    fitted = begin_regression.fit_begin(raw, some)
    path = tmp_path / "weights.json"
    begin_regression.write(path, ("one", "two"), raw, fitted)
    shipped = load_weights(str(path), "unused", ("one", "two"))
    model = fit((raw - fitted.means) / fitted.scales, classes, fitted.ridge, row_weights(some, {}))
    ours = model.predict_proba((raw - fitted.means) / fitted.scales)
    theirs = np.array([softmax(shipped.logits(row)) for row in raw.tolist()])
    assert theirs == pytest.approx(ours, abs=1e-3)
    assert json.loads(path.read_text())["fitted"] == {"rows": 60, "ridge": fitted.ridge}
    assert (theirs.argmax(axis=1) == classes).mean() > 0.6


def test_silver_rows_become_examples_in_an_order_that_the_seed_gives(
    tmp_path: Path, write_rows
) -> None:
    made = [
        {"evidence": f"fact {n}", "message": "hi", "response": f"said {n}", "label": "generic",
         "method": "human-generic"}
        for n in range(30)
    ]  # fmt: skip
    write_rows(tmp_path / "dev.jsonl.gz", made)
    first, again, other = (begin_regression.silver(tmp_path, seed) for seed in (1, 1, 2))
    assert first == again
    assert [e.response for e in first] != [e.response for e in other]
    assert {(e.response, e.knowledge, e.message) for e in first} == {
        (row["response"], row["evidence"], "hi") for row in made
    }
    assert {(e.label, e.tags["method"]) for e in first} == {("generic", "human-generic")}
