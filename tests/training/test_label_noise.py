"""Telling majority votes from single ones by premises with three hypotheses."""

from __future__ import annotations

from training.label_noise import is_complete, triples


def rows(premise: str, *labels: str) -> list[dict[str, str]]:
    return [
        {"premise": premise, "hypothesis": f"{premise} {n}", "label": label}
        for n, label in enumerate(labels)
    ]


def test_only_premises_with_three_hypotheses_count():
    three = rows("a", "entailment", "neutral", "contradiction")
    assert list(triples([*rows("b", "neutral"), *three])) == [three]


def test_a_triple_is_complete_if_each_label_occurs_once():
    assert is_complete(rows("a", "neutral", "entailment", "contradiction"))
    assert not is_complete(rows("a", "neutral", "entailment", "entailment"))
