from __future__ import annotations

import pytest
from training import silver_turns
from training.silver_text import TwoTurns
from training.silver_turns import LabelledTurn, Retriever, content, label_turns

LINES = [
    "The giraffe eats leaves from tall acacia trees.",
    "A violin has four strings and a wooden body.",
    "Glaciers carve valleys into mountains over centuries.",
    *(f"Entry{number} stands alone." for number in range(40)),
]


def test_content_words_are_neither_small_nor_fillers() -> None:
    assert content("Yeah, I don't know the giraffes of Ox!") == ["know", "giraffes"]


def test_the_sentence_that_shares_the_rarest_words_is_found() -> None:
    retriever = Retriever([*LINES, "Tall people eat leaves.", "Tall trees are tall."])
    nearest = retriever.best("do tall giraffe eat acacia?")
    assert nearest is not None
    assert nearest[0] == LINES[0]
    assert nearest[1] > 0


def test_nothing_is_found_for_words_that_no_sentence_has() -> None:
    assert Retriever(LINES).best("hello pizza") is None


SHEET = "Deep Sea was directed by Hannah Lee and filmed near Lisbon harbour."
TALK = {
    "generic": TwoTurns("film", "Hannah Lee filmed in Lisbon", "that sounds nice", (SHEET,)),
    "supported": TwoTurns(
        "film", "who made it?", "hannah lee directed and filmed near lisbon", (SHEET,)
    ),
    "personal": TwoTurns(
        "film", "who made it?", "i met hannah once while shopping for boots", (SHEET,)
    ),
    "informative": TwoTurns(
        "film", "who made it?", "hannah owns nine ponies besides several yachts", (SHEET,)
    ),
    "beside": TwoTurns("film", "who made it?", "bananas", ("Nothing shared at all.",)),
}


@pytest.fixture(autouse=True)
def few_vague_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """In so little talk the commonest words are only those said five times."""
    monkeypatch.setattr(silver_turns, "VAGUE", 2)


def labelled(*names: str) -> list[LabelledTurn]:
    """The labels of these exchanges, among talk in which "sounds nice" is said all the time."""
    usual = [TwoTurns("film", "x", "sounds nice", ("Nothing shared.",)) for _ in range(5)]
    return list(label_turns([*usual, *(TALK[name] for name in names)], LINES, 1))


@pytest.mark.parametrize(
    ("name", "label", "method"),
    [
        ("generic", "generic", "human-generic"),
        ("supported", "entailment", "human-talk"),
        ("personal", "hallucination", "human-personal"),
        ("informative", "hallucination", "human-informative"),
    ],
)
def test_a_turn_has_the_label_that_its_words_make_sure(name: str, label: str, method: str) -> None:
    (turn,) = labelled(name)
    assert (turn.label, turn.method) == (label, method)
    assert (turn.message, turn.response) == (TALK[name].message, TALK[name].response)
    assert turn.evidence == SHEET


def test_a_turn_without_evidence_has_no_label() -> None:
    assert labelled("beside") == []


def test_talk_without_a_document_takes_the_nearest_sentence_as_evidence() -> None:
    talk = [TwoTurns("zoo", "giraffe leaves acacia", "sounds nice")] * 5
    items = list(label_turns(talk, LINES, 1))
    assert {one.evidence for one in items} == {LINES[0]}
    assert {one.method for one in items} == {"human-generic"}


def test_the_turn_of_another_talk_is_off_topic_when_it_shares_nothing() -> None:
    talk = [
        *[TwoTurns("zoo", "giraffe leaves acacia", "sounds nice")] * 10,
        *[TwoTurns("music", "the violin strings", "wooden body pleases musicians")] * 10,
    ]
    off_topic = [one for one in label_turns(talk, LINES, 1) if one.label == "off-topic"]
    assert off_topic
    for one in off_topic:
        assert one.method == "other-talk"
        assert (one.topic, one.response) == ("zoo", "wooden body pleases musicians")
    assert off_topic == [one for one in label_turns(talk, LINES, 1) if one.label == "off-topic"]


def test_a_turn_of_another_talk_that_shares_a_word_with_the_evidence_is_not_off_topic() -> None:
    talk = [
        *[TwoTurns("zoo", "giraffe leaves acacia", "sounds nice")] * 10,
        *[TwoTurns("park", "the violin strings", "trees please wandering musicians")] * 10,
    ]
    off = [one for one in label_turns(talk, LINES, 1) if one.label == "off-topic"]
    assert not any(one.topic == "zoo" for one in off)


def test_evidence_that_was_only_looked_up_supports_no_turn() -> None:
    response = "giraffe eats leaves from acacia trees"
    talk = [
        TwoTurns("zoo", "giraffe leaves acacia", response),
        TwoTurns("zoo", "giraffe leaves acacia", response, (LINES[0],)),
    ]
    supported = [one for one in label_turns(talk, LINES, 1) if one.label == "entailment"]
    assert [(one.evidence, one.response) for one in supported] == [(LINES[0], response)]


def test_very_long_turns_are_left_out() -> None:
    talk = [TwoTurns("zoo", "giraffe leaves acacia", "nice " * 46)] * 3
    assert list(label_turns(talk, LINES, 1)) == []
