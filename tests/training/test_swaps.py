from __future__ import annotations

import random

import pytest
from training.swaps import MentionPool, Words, mentions, negated, swapped, turned


def randoms() -> list[random.Random]:
    return [random.Random(seed) for seed in range(60)]


@pytest.fixture
def pool() -> MentionPool:
    pool = MentionPool()
    pool.add(
        "art", "It hangs near Paris beside works of Pablo Picasso and Claude Monet since 1901."
    )
    pool.add("music", "He met Clara Schumann and played 300 concerts in Vienna.")
    return pool


def kinds(text: str) -> list[tuple[str, str]]:
    return [(kind, text[start:end]) for kind, start, end in mentions(text)]


def test_years_names_and_numbers_are_found_in_the_order_of_the_text() -> None:
    text = "In 1912 the Bank of England lent 4,500 pounds to five men from Leeds."
    assert kinds(text) == [
        ("year", "1912"),
        ("names", "Bank of England"),
        ("number", "4,500"),
        ("number", "five"),
        ("name", "Leeds"),
    ]


def test_a_text_without_any_of_them_has_no_mentions_and_cannot_be_swapped(
    pool: MentionPool,
) -> None:
    text = "It rains a lot in the hills."
    assert mentions(text) == []
    assert swapped(text, "art", pool, text, random.Random(1)) is None


@pytest.mark.parametrize(
    "text",
    [
        "She moved there in 1958 for good.",
        "He lived with Emily Dickinson for years.",
        "The walk was near London then.",
        "It sold 700 copies at once.",
        "The band has four members now.",
    ],
)
def test_one_mention_is_replaced_by_another_of_its_kind(pool: MentionPool, text: str) -> None:
    (kind, start, end) = mentions(text)[0]
    changed = {swapped(text, "art", pool, text, rng) for rng in randoms()}
    assert None not in changed
    for one in changed:
        assert one is not None
        assert one.startswith(text[:start])
        assert one.endswith(text[end:])
        new = one[start : len(one) - len(text) + end]
        assert new != text[start:end]
        assert mentions(f"it is of {new} x")[0][0] == kind


@pytest.mark.parametrize("city", ["1901", "four"])
def test_what_comes_in_does_not_stand_in_the_text_to_avoid(pool: MentionPool, city: str) -> None:
    avoid = (
        "It ran in 1898, 1900, 1902, 1903, 1906, 1910 and 1917, for two, three or five days, "
        "with Claude Monet, near Vienna."
    )
    text = f"It closed with Emily Dickinson after {city} plays."
    for rng in randoms():
        changed = swapped(text, "art", pool, avoid, rng)
        assert changed is not None
        new = [mention for _, mention in kinds(changed) if mention not in text]
        assert new
        assert not any(mention in avoid for mention in new), changed


def test_there_is_no_replacement_when_all_that_is_known_is_to_be_avoided() -> None:
    pool = MentionPool()
    pool.add("art", "It is by Claude Monet, they say.")
    text = "It is by Claude Monet, they say."
    assert all(swapped(text, "art", pool, text, rng) is None for rng in randoms())


def test_the_topics_own_mentions_are_preferred_but_not_alone(pool: MentionPool) -> None:
    new = [pool.other("music", "names", "x", "", rng) for rng in randoms()]
    assert 0.6 < new.count("Clara Schumann") / len(new) < 1


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Tea is grown here", {"Tea is not grown here", "Tea is never grown here"}),
        ("It has been sold", {"It has never been sold"}),
        ("He could swim and was fast", {"He could not swim and was fast",
                                        "He could never swim and was fast"}),
    ],
)  # fmt: skip
def test_the_first_auxiliary_is_negated(text: str, forms: set[str]) -> None:
    assert {negated(text, rng) for rng in randoms()} == forms


@pytest.mark.parametrize(
    "text",
    ["Tea grows here", "Tea is not grown here", "It can't be", "There is no tea", "It has leaves"],
)
def test_what_is_negative_already_or_has_no_auxiliary_stays_unnegated(text: str) -> None:
    assert negated(text, random.Random(1)) is None


def test_a_turned_question_asks_for_the_opposite() -> None:
    assert {turned("What is the largest public library?", rng) for rng in randoms()} == {
        "What is the largest private library?"
    }
    assert turned("When did the war end?", random.Random(1)) == "When didn't the war end?"


@pytest.mark.parametrize("question", ["What wasn't it used for?", "In which year?", ""])
def test_a_question_that_cannot_be_turned_stays_out(question: str) -> None:
    assert turned(question, random.Random(1)) is None


def test_a_reworded_question_has_a_word_of_the_topic_that_the_passage_lacks() -> None:
    words = Words()
    tags = [("mill", "NN", 12)]
    words.add("farms", [*tags, ("barn", "NN", 0), ("wheel", "NN", 0)])
    words.add("ships", [("anchor", "NN", 0)])
    question = "Who ran the mill?"
    made = {
        words.reworded(question, tags, "farms", "The mill has a wheel.", rng) for rng in randoms()
    }
    assert made <= {"Who ran the barn?", None}
    assert "Who ran the barn?" in made
    assert words.reworded(question, [], "farms", "", random.Random(1)) is None
