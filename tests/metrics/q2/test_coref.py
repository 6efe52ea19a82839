"""The resolver puts names in place of pronouns and knows the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.core.records import Example, Turn
from staytrue.metrics.q2.coref import resolve, resolve_dialogue
from staytrue.metrics.q2.steps import unresolved


def resolved(response: str, turn: str = "", topic: str = "") -> str:
    history = (Turn("user", turn),) if turn else ()
    return resolve(Example("1", response, "", history, tags={"topic": topic})).text


@pytest.mark.parametrize(
    ("response", "turn", "topic", "expected"),
    [
        ("they formed in 1960 .", "do you like the Beatles?", "", "the beatles formed in 1960 ."),
        ("it is a stimulant .", "", "Caffeine", "caffeine is a stimulant ."),
        ("he wrote two novels .", "", "Philip Larkin", "philip larkin wrote two novels ."),
        ("his first novel sold well .", "", "Philip Larkin",
         "philip larkin's first novel sold well ."),
        ("Ann Lee sings . she is great .", "", "", "Ann Lee sings . Ann Lee is great ."),
        ("it was set in the south .", "", "Gone with the Wind (film)",
         "gone with the wind was set in the south ."),
    ],
)  # fmt: skip
def test_pronouns_get_their_names(response: str, turn: str, topic: str, expected: str) -> None:
    assert resolved(response, turn, topic) == expected


@pytest.mark.parametrize("response", ["it is hard to say .", "i love you .", "", "they ran ."])
def test_what_cannot_be_known_stays(response: str) -> None:
    assert resolved(response, topic="") == response


def test_a_contraction_is_written_out_after_a_name() -> None:
    text = resolved("well , it ' s been around and they ' re old .", topic="Caffeine")
    assert text.startswith("well , caffeine has been around")


def test_number_and_gender_must_agree() -> None:
    assert resolved("she sings .", turn="the old king has many dogs .") == "she sings ."


def test_a_name_put_for_a_pronoun_points_to_the_pronoun() -> None:
    example = Example("1", "Well , it is a stimulant .", "", tags={"topic": "Caffeine"})
    resolution = resolve(example)
    start = resolution.text.index("Caffeine")
    assert resolution.to_original(start, start + len("Caffeine")) == (7, 9)
    start = resolution.text.index("a stimulant")
    low, high = resolution.to_original(start, start + len("a stimulant"))
    assert example.response[low:high] == "a stimulant"


@given(st.text(max_size=30), st.data())
def test_without_resolving_every_offset_is_itself(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if start < end:
        assert unresolved(Example("1", text)).to_original(start, end) == (start, end)


def in_dialogue(response: str, *turns: str) -> str:
    history = tuple(Turn("user" if n % 2 else "bot", turn) for n, turn in enumerate(turns))
    return resolve_dialogue(Example("1", response, "", history)).text


def test_in_a_dialogue_a_pronoun_gets_the_first_mention_however_far_back_it_is() -> None:
    talk = ("Do you like Bob Ross?", *("What do you mean?", "Hm, tell me more.") * 4)
    assert in_dialogue("He painted mountains.", *talk) == "Bob Ross painted mountains."
    assert (
        resolve(
            Example("1", "He painted mountains.", "", tuple(Turn("user", turn) for turn in talk))
        ).text
        == "He painted mountains."
    )  # the ordinary resolver looks six turns back


def test_in_a_dialogue_pronouns_of_earlier_turns_hand_their_name_on() -> None:
    text = in_dialogue("They split in 1970.", "Do you like the Beatles?", "They formed in 1960.")
    assert text == "the Beatles split in 1970."


def test_in_a_dialogue_part_of_a_name_becomes_the_first_mention() -> None:
    text = in_dialogue("Ross hosted a show.", "I watched Bob Ross today.")
    assert text == "Bob Ross hosted a show."


def test_a_dialogue_without_a_history_resolves_inside_the_response() -> None:
    assert in_dialogue("Ann Lee sings . she is great .") == "Ann Lee sings . Ann Lee is great ."
    assert in_dialogue("") == ""


def test_a_name_with_an_article_is_replaced_as_a_whole() -> None:
    text = in_dialogue("The Beatles split in 1970.", "I like The Fab Beatles.")
    assert text == "The Fab Beatles split in 1970."
