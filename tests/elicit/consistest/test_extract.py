"""Question–answer pairs that stand in the talk."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from staytrue.core.placement import PersonaDialogue
from staytrue.core.protocols import Answer, Query
from staytrue.elicit.consistest.extract import extracted_probes, pairs, tidy_question


class LastWord:
    """Reads the last word of a passage."""

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        return [Answer(query.passage.rstrip(" .!").split()[-1]) for query in queries]


def extract(asked: str, told: str) -> str:
    candidates = extracted_probes(PersonaDialogue("1", (), (asked, told)), LastWord())
    if candidates.probes:
        probe = candidates.probes[0]
        return f"{probe.kind} {probe.question} {probe.truth} / {probe.fact}"
    return candidates.drops[0].reason if candidates.drops else ""


@pytest.mark.parametrize(
    ("asked", "told", "made"),
    [
        ("cool . do you have pets ?", "no , i do not .",
         "yn do you have pets? no / i do not have pets."),
        ("are you married ?", "yes ! how about you ?", "yn are you married? yes / i am married."),
        ("hi where do you live ?", "in ohio . and you ?", "wh where do you live? ohio / in ohio."),
        ("i like dogs , do you have a dog ?", "yes i have a poodle .",
         "yn do you have a dog? yes / i have a dog."),
        ("do you have pets ?", "of course !", "yn do you have pets? yes / i have pets."),
        ("do you hate school ?", "i hate it .", "yn do you hate school? yes / i hate school."),
        ("do you have pets ?", "i do not own any .",
         "yn do you have pets? no / i do not have pets."),
    ],
)  # fmt: skip
def test_a_pair_is_cleaned_and_becomes_a_probe(asked: str, told: str, made: str) -> None:
    assert extract(asked, told) == made


@pytest.mark.parametrize(
    ("asked", "told", "reason"),
    [
        ("hello how are you today ?", "i am fine .", "It is small talk."),
        ("do you like it ?", "yes .", "It needs the words before it."),
        ("do you have pets ?", "what do you mean ?", "The agent does not answer."),
        ("do you have pets ?", "i love the summer .", "The answer says neither yes nor no."),
        ("are you a doctor ?", "i am a nurse .", "The answer says neither yes nor no."),
        ("how old are you ?", "i am old .", "The reader finds no short answer."),
        ("is it cold today ?", "very .", "It needs the words before it."),
        ("nice day .", "yes .", ""),
    ],
)
def test_what_is_no_pair_says_why(asked: str, told: str, reason: str) -> None:
    assert extract(asked, told) == reason


def test_the_turn_is_the_agent_s() -> None:
    talk = PersonaDialogue("1", (), ("hi", "hi", "are you married ?", "yes"))
    extracted, _ = pairs(talk)
    assert [(pair.question, pair.turn) for pair in extracted] == [("are you married?", 1)]


def test_a_question_loses_what_leads_up_to_it() -> None:
    assert tidy_question("that is nice , what do you do ?") == "what do you do?"
