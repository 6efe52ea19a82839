from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from training import weighing
from training.weighing import best_ridge, fit, loss, row_weights

from staytrue.core.begin_labels import LABELS
from staytrue.core.records import Example
from staytrue.metrics.regression import load_weights, softmax

RNG_SEED = 3


def rows(*kinds: tuple[str, str]) -> list[Example]:
    return [
        Example(f"r{number}", "said", "known", label=label, tags={"method": method})
        for number, (label, method) in enumerate(kinds)
    ]


def logistic_data(weights: list[float], offset: float) -> tuple[np.ndarray, np.ndarray]:
    """Features, and the exact chance of class 1 by these weights."""
    values = np.random.default_rng(RNG_SEED).normal(size=(400, len(weights)))
    return values, 1 / (1 + np.exp(-(values @ np.array(weights) + offset)))


def both_ways(chance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Classes and counts that stand for chances without noise: each row once with each class."""
    classes = np.repeat([0, 1], len(chance))
    return classes, np.concatenate([1 - chance, chance])


def test_a_fit_recovers_the_weights_that_made_the_labels() -> None:
    values, chance = logistic_data([1.5, -0.8, 0.0], 0.4)
    classes, counts = both_ways(chance)
    weights = fit(np.vstack([values, values]), classes, 2, 1e-6, counts, steps=800)
    assert weights[:, 1] - weights[:, 0] == pytest.approx([1.5, -0.8, 0.0, 0.4], abs=0.01)


def test_a_ridge_pulls_the_weights_to_zero_but_not_the_offset() -> None:
    values, chance = logistic_data([1.5, -0.8], 1.0)
    classes, counts = both_ways(chance)
    weights = fit(np.vstack([values, values]), classes, 2, 1e5, counts)
    assert np.abs(weights[:-1]).max() < 0.01
    share = chance.mean()
    assert weights[-1, 1] - weights[-1, 0] == pytest.approx(np.log(share / (1 - share)), abs=0.01)


def test_rows_that_count_nothing_do_not_move_the_fit() -> None:
    values, chance = logistic_data([2.0], 0.0)
    classes = (chance > 0.5).astype(int)
    half = len(classes) // 2
    liars = np.where(np.arange(len(classes)) < half, classes, 1 - classes)
    counts = np.where(np.arange(len(classes)) < half, 1.0, 0.0)
    weights = fit(values, liars, 2, 1.0, counts)
    alone = fit(values[:half], classes[:half], 2, 1.0, np.ones(half))
    assert weights == pytest.approx(alone, abs=1e-6)


def test_the_loss_of_knowing_nothing_is_the_log_of_the_number_of_classes() -> None:
    values = np.ones((6, 2))
    classes = np.array([0, 1, 2, 0, 1, 2])
    assert loss(values, classes, np.zeros((3, 3)), np.ones(6)) == pytest.approx(np.log(3))


@pytest.fixture
def two_ridges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "RIDGES", (0.3, 100.0))


@pytest.mark.usefixtures("two_ridges")
def test_the_ridge_is_small_when_features_tell_and_large_when_they_are_noise() -> None:
    rng = np.random.default_rng(RNG_SEED)
    values = rng.normal(size=(40, 2))
    telling = (values[:, 0] > 0).astype(int)
    noise = rng.integers(0, 2, size=40)
    ridges = [best_ridge(values, classes, 2, np.ones(40)) for classes in (telling, noise)]
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
    assert counts[0] / counts[1] == pytest.approx(weighing.METHOD_WEIGHTS["entity-swap"])


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
    found = weighing.fit_begin(raw, some)
    path = tmp_path / "weights.json"
    weighing.write(path, ("one", "two"), raw, found)
    shipped = load_weights(str(path), "unused", ("one", "two"))
    design = np.hstack([(raw - found.means) / found.scales, np.ones((60, 1))])
    ours = weighing.probabilities(design, found.weights)
    theirs = np.array([softmax(shipped.logits(row)) for row in raw.tolist()])
    assert theirs == pytest.approx(ours, abs=1e-3)
    assert json.loads(path.read_text())["fitted"] == {"rows": 60, "ridge": found.ridge}
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
    first, again, other = (weighing.silver(tmp_path, seed) for seed in (1, 1, 2))
    assert first == again
    assert [e.response for e in first] != [e.response for e in other]
    assert {(e.response, e.knowledge, e.message) for e in first} == {
        (row["response"], row["evidence"], "hi") for row in made
    }
    assert {(e.label, e.tags["method"]) for e in first} == {("generic", "human-generic")}
