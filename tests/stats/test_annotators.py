"""Agreement coefficients against published examples and scikit-learn, statsmodels, krippendorff."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.core.errors import UsageError
from staytrue.stats.annotators import (
    cohen_kappa,
    fleiss_kappa,
    human_accuracy,
    krippendorff_alpha,
    majority,
)

_ = None
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example C:
# four observers, twelve units, missing values. The paper gives the three alphas below.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
UNITS = [list(row) for row in zip(*OBSERVERS, strict=True)]

# Fleiss (1971), as reworked on Wikipedia "Fleiss' kappa": ten subjects, fourteen raters, five
# categories; the counts of each category.
FLEISS_COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_equals_the_worked_example_with_missing_values(level, published):
    assert krippendorff_alpha(UNITS, level).value == pytest.approx(published, abs=5e-4)


def test_alpha_equals_the_worked_example_of_two_observers_and_two_values():
    # Krippendorff (2011), example A: binary data, alpha = 0.095.
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    ratings = list(zip(first, second, strict=True))
    assert krippendorff_alpha(ratings).value == pytest.approx(0.095, abs=5e-4)


def test_alpha_equals_the_worked_example_of_two_observers_and_letters():
    # Krippendorff (2011), example B: nominal data, alpha = 0.692.
    first = "a a b b d c c c e d d a".split()
    second = "b a b b b c c c e d d d".split()
    ratings = list(zip(first, second, strict=True))
    assert krippendorff_alpha(ratings).value == pytest.approx(0.692, abs=5e-4)


def test_ordinal_names_need_an_order_and_then_equal_numbers():
    names = {1: "low", 2: "mid", 3: "high", 4: "top", 5: "max"}
    named = [[names.get(v) if v else None for v in row] for row in UNITS]
    with pytest.raises(UsageError, match="order"):
        krippendorff_alpha(named, "ordinal")
    ordered = krippendorff_alpha(named, "ordinal", list(names.values()))
    assert ordered == krippendorff_alpha(UNITS, "ordinal")


def test_alpha_without_pairs_or_variety_is_none_with_a_reason():
    assert krippendorff_alpha([[1, None], [None, 2]]).value is None
    same = krippendorff_alpha([[1, 1], [1, 1]])
    assert same.value is None
    assert "same" in same.reason


def test_fleiss_kappa_equals_the_worked_example():
    ratings = [[c for c, n in enumerate(row) for _ in range(n)] for row in FLEISS_COUNTS]
    assert fleiss_kappa(ratings).value == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_refuses_unequal_numbers_of_ratings():
    with pytest.raises(UsageError, match="alpha"):
        fleiss_kappa([[1, 2], [1, 2, 2]])


def test_cohen_kappa_equals_the_worked_example():
    # The grant-proposal table on Wikipedia "Cohen's kappa": 20 yes/yes, 5, 10, 15 no/no.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    left, right = zip(*pairs, strict=True)
    assert cohen_kappa(left, right).value == pytest.approx(0.4)


def test_cohen_kappa_leaves_out_items_that_one_did_not_rate():
    assert cohen_kappa(["a", None, "b"], ["a", "b", "b"]).items == 2


def test_majority_of_votes_is_none_on_a_tie():
    assert majority(["a", "b", "a"]) == "a"
    assert majority(["a", "b"]) is None
    assert majority([None, "b"]) == "b"
    assert majority([]) is None


def test_human_accuracy_counts_single_votes_against_the_majority():
    ratings = [["e", "e", "h"], ["g", "g", "g"], ["e", "h", "g"], ["e", "e", None]]
    figures = human_accuracy(ratings)
    assert figures.value == pytest.approx(5 / 6)
    assert figures.items == 2
    merged = human_accuracy(ratings, {"h": "neutral", "g": "neutral"})
    assert merged.value == pytest.approx((2 + 3 + 2) / 9)


@given(st.lists(st.lists(st.sampled_from([1, 2, 3]), min_size=3, max_size=3), min_size=2))
def test_alpha_never_exceeds_one_and_ignores_who_rated(ratings):
    value = krippendorff_alpha(ratings).value
    turned = krippendorff_alpha([row[::-1] for row in ratings]).value
    assert value == turned
    assert value is None or value <= 1 + 1e-12


PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40).filter(
    lambda rows: len({value for row in rows for value in row}) > 1
)


@given(PAIRS, st.sampled_from(["none", "linear", "quadratic"]))
def test_weighted_kappa_is_that_of_scikit_learn(rows, weights):
    from sklearn.metrics import cohen_kappa_score

    left, right = zip(*rows, strict=True)
    scale = [1, 2, 3, 4, 5]
    kind = None if weights == "none" else weights
    theirs = cohen_kappa_score(left, right, weights=kind, labels=scale)
    assert cohen_kappa(left, right, weights, scale).value == pytest.approx(theirs)


def test_weighted_kappa_forgives_small_steps():
    near, far = ([1, 2, 3, 4], [2, 3, 4, 4]), ([1, 2, 3, 4], [4, 3, 1, 1])
    assert cohen_kappa(*near, "quadratic").value > 0 > cohen_kappa(*far, "quadratic").value
    with pytest.raises(UsageError, match="order"):
        cohen_kappa(["low"], ["lwo"], "linear", ["low", "high"])
    assert cohen_kappa([1, 1], [1, 1], "linear").value is None


@given(
    st.lists(st.lists(st.integers(1, 3), min_size=4, max_size=4), min_size=2, max_size=20).filter(
        lambda rows: len({value for row in rows for value in row}) > 1
    )
)
def test_fleiss_and_krippendorff_are_those_of_statsmodels_and_krippendorff(rows):
    import krippendorff
    from statsmodels.stats.inter_rater import fleiss_kappa as theirs_fleiss

    counts = np.array([[row.count(value) for value in (1, 2, 3)] for row in rows])
    assert fleiss_kappa(rows).value == pytest.approx(theirs_fleiss(counts))
    alpha = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    assert krippendorff_alpha(rows).value == pytest.approx(alpha)
