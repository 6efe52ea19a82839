"""Figures by kind count what they say."""

from __future__ import annotations

from training import written_figures

from staytrue.core.protocols import Entailment

YES, OPEN, NO = Entailment(0.8, 0.1, 0.1), Entailment(0.1, 0.8, 0.1), Entailment(0.1, 0.1, 0.8)


def rows(*labels: str) -> list[dict[str, str]]:
    return [{"label": label, "kind": "prices" if n else "roles"} for n, label in enumerate(labels)]


def test_a_label_is_right_only_if_it_is_the_wanted_one() -> None:
    kinds = written_figures.by_kind(rows("entailment", "neutral", "contradiction"), [YES, NO, NO])
    assert kinds == {"roles": (1, 1.0), "prices": (2, 0.5), "all": (3, 2 / 3)}


def test_not_entailment_leaves_two_labels_open() -> None:
    assert written_figures.is_right("not_entailment", NO)
    assert written_figures.is_right("not_entailment", OPEN)
    assert not written_figures.is_right("not_entailment", YES)


def test_the_area_ranks_what_is_entailed_above_the_rest() -> None:
    judged = [YES, OPEN, NO]
    assert written_figures.area(rows("entailment", "neutral", "contradiction"), judged) == 1.0
    assert written_figures.area(rows("neutral", "neutral", "entailment"), judged) == 0.0
