from __future__ import annotations

import json

import pytest

from staytrue.studies.aih.inquiries import (
    PerDialogue,
    Vote,
    human_pairs,
    human_rates,
    per_dialogue,
    summary,
)

FIELDS = ("contradictory",)


def votes(bot: str, answers: dict[str, str]) -> list[Vote]:
    """One dialogue: each annotator's answers, one letter per item."""
    return [
        Vote(
            f"{bot}{number}", name, bot, "partner", f"talk of {bot}", {"contradictory": a == "y"}, 3
        )
        for name, given in answers.items()
        for number, a in enumerate(given)
    ]


JUDGED = [
    *votes("a", {"ann": "yyny", "bob": "yynn", "cid": "yynn"}),
    *votes("b", {"ann": "ynyn", "bob": "ynyn", "cid": "nyyn"}),
]


def test_each_annotator_is_correlated_with_the_majority_for_each_bot() -> None:
    correlations = {bot.bot: bot.correlation for bot in summary(JUDGED, FIELDS, {}).bots}
    assert correlations["a"] == {
        "ann": pytest.approx(1 / 3**0.5), "bob": pytest.approx(1), "cid": pytest.approx(1)
    }  # fmt: skip
    assert correlations["b"] == {
        "ann": pytest.approx(1), "bob": pytest.approx(1), "cid": pytest.approx(0)
    }  # fmt: skip


def test_an_annotator_who_never_varies_has_no_correlation() -> None:
    bots = summary(votes("a", {"ann": "yyyy", "bob": "yynn", "cid": "yynn"}), FIELDS, {}).bots
    assert bots[0].correlation["ann"] is None


def test_dialogues_without_anything_to_judge_count_as_dialogues() -> None:
    every = per_dialogue(JUDGED, "contradictory")
    assert every == PerDialogue(4, 2, 12)
    half = per_dialogue(JUDGED, "contradictory", 0.5)
    assert half == PerDialogue(2, 1, 6)
    figures = summary(JUDGED, FIELDS, {}, {"": 0.5, "a": 0.25})
    assert figures.per_dialogue == half
    assert [bot.per_dialogue.items for bot in figures.bots] == [1, 4]


def test_agreement_is_the_mean_over_annotators_who_have_a_correlation() -> None:
    figures = summary(JUDGED, FIELDS, {})
    first, second = (bot.mean_correlation for bot in figures.bots)
    assert first == pytest.approx((1 / 3**0.5 + 2) / 3)
    assert second == pytest.approx(2 / 3)
    assert figures.mean_correlation == pytest.approx(sum(figures.correlation.values()) / 3)
    assert summary(votes("a", {"ann": "yy"}), FIELDS, {}).mean_correlation is None


def test_rates_by_pair_of_bots_stand_beside_the_automatic_ones() -> None:
    asked = [
        Vote(f"{first}{n}", "ann", "b", first, f"{first} b", {"contradictory": answer == "y"})
        for first, answers in (("a", "yn"), ("b", "ynnn"))
        for n, answer in enumerate(answers)
    ]
    pairs = human_pairs(asked, "contradictory")
    assert [(pair.first, pair.second, pair.items, pair.human_rate) for pair in pairs] == [
        ("a", "b", 2, 0.5),
        ("b", "b", 4, 0.25),
    ]
    assert human_rates(pairs) == {"b": 0.375}
    shown = summary(asked, FIELDS, {}, matrix={"a": {"b": 0.4}}).pairs
    assert [pair.automatic_rate for pair in shown] == [0.4, None]


def test_figures_are_plain_values_in_a_file() -> None:
    row = summary(JUDGED, FIELDS, {"a": 0.5}).to_json()
    assert "natural" not in row
    assert row["bots"][0]["automatic_rate"] == 0.5
    assert row["bots"][0]["contradictory_share"] == 0.5
    assert row["agreement"]["contradictory"]["name"] == "Fleiss' kappa"
    assert row["per_dialogue"] == {"items": 4, "contradictions": 2, "seconds": 12}
    assert json.loads(json.dumps(row))["annotators"] == ["ann", "bob", "cid"]
