"""The words that are wrong, and no others."""

from __future__ import annotations

from staytrue.metrics.consistency.marks import (
    found_in,
    telling_words,
    without_each_word,
    wrong_words,
)


def marked(claim: str, *evidence: str, before: str = "") -> list[str]:
    return [claim[start:end] for start, end in wrong_words(claim, evidence, before)]


def test_words_that_the_evidence_lacks_are_marked() -> None:
    assert marked("The tower is made of brass.", "The tower is made of iron.") == ["brass"]


def test_neighbours_are_marked_as_one() -> None:
    assert marked("It opened in New Zealand.", "It opened in Paris.") == ["New Zealand"]


def test_words_of_the_conversation_are_no_news() -> None:
    claim = "The Eiffel Tower is made of brass."
    assert marked(claim, "It is made of iron.", before="Tell me about the Eiffel Tower.") == [
        "brass"
    ]


def test_other_forms_of_a_word_are_known() -> None:
    assert marked("He painted horses badly.", "She paints a horse.") == ["badly"]


def test_a_denial_is_marked_where_no_word_is_new() -> None:
    assert marked("Sale items are not returned.", "Sale items are returned.") == ["not"]


def test_a_denial_is_marked_beside_new_words() -> None:
    assert marked("Cake is not usually baked.", "Cake is baked.") == ["not usually"]


def test_a_denial_that_the_nearest_line_makes_too_is_not_marked() -> None:
    assert marked("It never sleeps in Rome.", "It never sleeps.", "It is old.") == ["Rome"]


def test_words_are_found_whole_and_in_their_order() -> None:
    text = "7 of the 17 rooms, then 7 more"
    assert [text[a:b] for a, b in found_in(text, ["7", "7"])] == ["7", "7"]
    assert found_in(text, ["7", "7"])[1][0] == text.rindex("7")
    assert found_in("17 rooms", ["7", "halls"]) == []


def test_no_word_stands_out_where_the_evidence_has_them_all() -> None:
    assert marked("Rome beat Carthage.", "Carthage beat Rome.") == []


def test_a_claim_is_told_without_each_of_its_words() -> None:
    left = without_each_word("Rome beat Carthage.")
    assert list(left.values()) == ["beat Carthage.", "Rome Carthage.", "Rome beat ."]
    assert without_each_word("Yes.") == without_each_word("so " * 41) == {}


def test_the_words_without_which_a_claim_is_better_supported_are_marked() -> None:
    claim = "The shop is never closed."
    words = list(without_each_word(claim))
    gains = dict(zip(words, [0.1, 0.0, -0.2, 1.9, 1.0], strict=True))
    assert [claim[a:b] for a, b in telling_words(claim, gains)] == ["never closed"]
    assert telling_words(claim, dict.fromkeys(words, 0.01)) == []


def test_times_and_prices_are_marked_whole() -> None:
    assert marked("We close at 17:00.", "We close at 18:00.") == ["17:00"]
    assert marked("It costs $7.", "It costs $5.") == ["$7"]
