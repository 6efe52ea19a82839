"""Who does what to whom: parts of a sentence that have changed places."""

from __future__ import annotations

import time

import pytest

from staytrue.english.roles import Exchange, exchanges

FILM = (
    "It was written by Graham Greene and directed by Carol Reed, and it stars Joseph Cotten, "
    "Alida Valli and Orson Welles."
)
LETTERS = "The class teacher writes the recommendation letter, and the principal signs it."


def exchange(claim: str, *lines: str) -> Exchange | None:
    return exchanges([(claim, lines)])[0]


@pytest.mark.parametrize(
    ("claim", "line", "expected"),
    [
        ("The Third Man was directed by Orson Welles.", FILM, ("Orson Welles", "Carol Reed")),
        ("The principal writes the recommendation letter.", LETTERS,
         ("The principal", "The class teacher")),
        ("The dog chased the cat.", "The cat chased the dog.", ("The dog", "The cat")),
        ("The cat was chased by the dog.", "The cat chased the dog.", ("The cat", "the dog")),
        ("The duchess sold the vase to the gallery.", "The gallery sold the vase to the duchess.",
         ("The duchess", "The gallery")),
    ],
)  # fmt: skip
def test_a_part_in_the_place_of_another_is_told(
    claim: str, line: str, expected: tuple[str, str]
) -> None:
    assert exchange(claim, line) == expected


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The Third Man was directed by Carol Reed.", FILM),
        ("The Third Man stars Orson Welles.", FILM),
        ("The class teacher writes the letter.", LETTERS),
        ("The dog was chased by the cat.", "The cat chased the dog."),
        # Both sides of some verbs may change places.
        ("Ben married Anna.", "Anna married Ben."),
        # A denied verb says nothing of who does it instead.
        ("The dog chased the cat.", "The cat did not chase the dog."),
        # What the sentence says the one is, the other may be.
        ("Evolution was released by Hollywood Records.",
         "Evolution is the second album by Sabrina Carpenter, released by Hollywood Records."),
        # New words are for the entailment model to judge.
        ("The mayor opened the bridge.", "The king opened the bridge."),
    ],
)  # fmt: skip
def test_what_may_be_the_same_is_left_to_the_model(claim: str, line: str) -> None:
    assert exchange(claim, line) is None


def test_another_line_that_says_the_same_as_the_claim_settles_it() -> None:
    assert exchange("The dog chased the cat.", "The cat chased the dog.") is not None
    both = ("The cat chased the dog.", "Then the dog chased the cat.")
    assert exchange("The dog chased the cat.", *both) is None


def test_texts_without_verbs_have_no_roles() -> None:
    assert exchanges([("", ["A dog."]), ("Thanks!", []), ("A cat.", [""])]) == [None] * 3


def test_texts_of_any_length_take_no_longer_than_short_ones() -> None:
    begun = time.process_time()
    endless = "the dog chased the cat and " * 20_000
    assert exchanges([(endless, [endless])]) == [None]
    assert time.process_time() - begun < 5
