"""Dialogues in, probes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from staytrue.core.placement import PersonaDialogue
from staytrue.core.protocols import Answer, Query, Span, Target
from staytrue.core.records import Example, Probe, Turn
from staytrue.elicit.consistest.build import Builder, as_dialogue, as_example, with_reply
from staytrue.elicit.consistest.drops import Candidates

TALK = PersonaDialogue(
    "d",
    ("i have two dogs .", "i have two dogs .", "i don't smoke ."),
    (
        "hi are you married ?",
        "yes . i live in ohio . do you ?",
        "no",
        "i am so sorry to hear that .",
    ),
)


class Silent:
    """Models that find nothing, but for a reader that finds the whole passage."""

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        return [[] for _ in texts]

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        return [[] for _ in targets]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        return [Answer(query.passage) for query in queries]


def build(builder: Builder, talk: PersonaDialogue = TALK) -> Candidates:
    ((_, built),) = builder.build([talk])
    return built


def test_persona_and_history_are_asked_about_once() -> None:
    candidates = build(Builder())
    asked = [(p.question, p.truth, p.source, p.turn) for p in candidates.probes]
    assert asked == [
        ("do you have two dogs?", "yes", "persona", None),
        ("do you have four dogs?", "no", "persona", None),
        ("do you smoke?", "no", "persona", None),
        ("do you live in ohio?", "yes", "history", 0),
        (asked[-1][0], "no", "history", 0),
    ]
    assert asked[-1][0].startswith("do you live in ")
    reasons = Counter(drop.reason for drop in candidates.drops)
    assert reasons["It was asked before."] == 2
    assert reasons["It is a question."] == 1
    assert reasons["It is small talk."] == 1
    assert all(drop.reason and drop.dialogue == "d" for drop in candidates.drops)


def test_pairs_of_the_talk_are_found_with_models() -> None:
    candidates = build(Builder(Silent()))
    extracted = [p for p in candidates.probes if p.source == "history_extracted"]
    assert [(p.question, p.truth, p.fact) for p in extracted] == [
        ("are you married?", "yes", "i am married."),
    ]


def test_wh_questions_that_are_not_about_the_agent_are_dropped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def one_each(facts: Sequence[str], models: object, **more: object) -> list[Candidates]:
        source = str(more["source"])
        return [Candidates((Probe(f"what of {fact}?", "x", fact, "wh", source),)) for fact in facts]

    monkeypatch.setattr("staytrue.elicit.consistest.build.wh_probes", one_each)
    candidates = build(Builder(Silent()))
    asked = [probe.question for probe in candidates.probes if probe.kind == "wh"]
    assert asked == [
        "How many dogs do you have?", "what of i have two dogs.?",
        "Where do you live?", "what of i live in ohio.?",
    ]  # fmt: skip
    dropped = [(drop.text, drop.reason) for drop in candidates.drops]
    assert ("what of i am so sorry to hear that.?", "It is small talk.") in dropped


def test_altered_facts_and_history_can_be_left_out() -> None:
    asked = {p.question for p in build(Builder(altered=False, history=False)).probes}
    assert asked == {"do you have two dogs?", "do you smoke?"}


def test_a_probe_written_as_a_row_gives_its_dialogue_back() -> None:
    candidates = build(Builder())
    row = as_example(TALK, candidates.probes[0], 0)
    assert as_dialogue(row) == TALK
    assert row.response == ""


def test_a_message_without_an_answer_is_no_turn() -> None:
    waiting = Example("1", "", history=(Turn("user", "hi"),))
    assert as_dialogue(waiting).utterances == ()
    answered = Example("2", "", history=(*waiting.history, Turn("bot", "yo"), Turn("user", "so")))
    assert as_dialogue(answered).utterances == ("hi", "yo")


def test_any_row_with_a_history_is_a_dialogue() -> None:
    opened_by_bot = Example("1", "", history=(Turn("bot", "hi"), Turn("user", "yo")))
    assert as_dialogue(opened_by_bot).utterances == ("", "hi")
    twice = Example("1", "fine", history=(Turn("user", "hi"), Turn("user", "how are you")))
    assert as_dialogue(with_reply(twice)).utterances == ("hi how are you", "fine")
