from __future__ import annotations

import pytest

from staytrue.studies.aih.inquiries import Vote, per_dialogue, summary

FIELDS = ("contradictory",)


def votes(bot: str, answers: dict[str, str]) -> list[Vote]:
    """One dialogue: each annotator's answers, one letter per item."""
    return [
        Vote(
            f"{bot}{place}", name, bot, "partner", f"talk of {bot}", {"contradictory": a == "y"}, 3
        )
        for name, given in answers.items()
        for place, a in enumerate(given)
    ]


JUDGED = [
    *votes("a", {"ann": "yyny", "bob": "yynn", "cid": "yynn"}),
    *votes("b", {"ann": "ynyn", "bob": "ynyn", "cid": "nyyn"}),
]


def test_each_annotator_is_correlated_with_the_majority_for_each_bot() -> None:
    found = {bot["bot"]: bot["correlation"] for bot in summary(JUDGED, FIELDS, {})["bots"]}
    assert found["a"] == {
        "ann": pytest.approx(1 / 3**0.5), "bob": pytest.approx(1), "cid": pytest.approx(1)
    }  # fmt: skip
    assert found["b"] == {
        "ann": pytest.approx(1), "bob": pytest.approx(1), "cid": pytest.approx(0)
    }  # fmt: skip


def test_an_annotator_who_never_varies_has_no_correlation() -> None:
    bots = summary(votes("a", {"ann": "yyyy", "bob": "yynn", "cid": "yynn"}), FIELDS, {})["bots"]
    assert bots[0]["correlation"]["ann"] is None


def test_dialogues_without_anything_to_judge_count_as_dialogues() -> None:
    every = per_dialogue(JUDGED, "contradictory")
    assert every == {"items": 4, "contradictions": 2, "seconds": 12}
    half = per_dialogue(JUDGED, "contradictory", 0.5)
    assert half == {"items": 2, "contradictions": 1, "seconds": 6}
    found = summary(JUDGED, FIELDS, {}, {"": 0.5, "a": 0.25})
    assert found["per_dialogue"] == half
    assert [bot["per_dialogue"]["items"] for bot in found["bots"]] == [1, 4]
