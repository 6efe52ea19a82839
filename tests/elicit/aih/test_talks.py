from __future__ import annotations

import pytest

from staytrue.chatbots.persona import PersonaChatbot
from staytrue.chatbots.scripted import ScriptedChatbot
from staytrue.core.errors import ChatbotError
from staytrue.core.records import Turn
from staytrue.elicit.aih.inquirer import Inquirer, Question
from staytrue.elicit.aih.talks import Party, Plan, hold, pairs


class AskAlways(Inquirer):
    """Asks the same question about every utterance."""

    def __init__(self) -> None:
        self.strategies = ("entity",)

    def inquire(self, utterances, seed=0):  # type: ignore[no-untyped-def]
        return [Question(text, "x", "INQUIRY?", "entity") for text in utterances]


def test_inquiry_and_answer_are_in_nobodys_context_but_their_own() -> None:
    first = ScriptedChatbot(("a1", "a2", "a3"))
    second = ScriptedChatbot(("b1", "b2", "b3"), {"INQUIRY?": "ANSWER!"})
    dialogue = hold(Party("A", first), Party("B", second), 0, Plan(turns=3), AskAlways())
    assert dialogue.texts == ("hello", "b1", "a2", "b2", "a3", "b3")
    assert [inquiry.answer for inquiry in dialogue.inquiries] == ["ANSWER!"] * 3
    for history in first.received:
        assert not any(turn.text in ("INQUIRY?", "ANSWER!") for turn in history)
    talked = [h for h in second.received if h[-1].text != "INQUIRY?"]
    asked = [h for h in second.received if h[-1].text == "INQUIRY?"]
    assert len(talked) == len(asked) == 3
    for history in talked:
        assert not any(turn.text in ("INQUIRY?", "ANSWER!") for turn in history)
    for turn, history in enumerate(asked):
        assert [t.text for t in history[:-1]] == list(dialogue.texts[: 2 * turn + 2])


def test_each_bot_sees_its_own_turns_as_the_bots() -> None:
    first, second = ScriptedChatbot(("a",)), ScriptedChatbot(("b",))
    hold(Party("A", first), Party("B", second), 0, Plan(turns=2), AskAlways())
    assert first.received[0] == (Turn("bot", "hello"), Turn("user", "b"))
    assert second.received[0] == (Turn("user", "hello"),)
    assert second.received[1] == (Turn("user", "hello"), Turn("bot", "b"), Turn("user", "a"))


def test_a_delayed_inquiry_is_asked_so_many_turns_later() -> None:
    second = ScriptedChatbot(("b1", "b2", "b3"), {"INQUIRY?": "ANSWER!"})
    plan = Plan(turns=3, delay=1)
    dialogue = hold(Party("A", ScriptedChatbot(("a",))), Party("B", second), 0, plan, AskAlways())
    assert [(i.turn, i.asked_after) for i in dialogue.inquiries] == [(0, 1), (1, 2)]
    asked = [h for h in second.received if h[-1].text == "INQUIRY?"]
    assert [len(history) for history in asked] == [5, 7]
    assert dialogue.inquiries[0].utterance == "b1"


def test_a_dialogue_repeats_exactly_and_differs_by_number_pair_and_seed() -> None:
    def texts(name: str, number: int, seed: int) -> tuple[str, ...]:
        one, two = Party(name, PersonaChatbot(1)), Party("two", PersonaChatbot(2))
        return hold(one, two, number, Plan(turns=6, seed=seed), AskAlways()).texts

    assert texts("one", 0, 0) == texts("one", 0, 0)
    assert (
        len({texts("one", 0, 0), texts("one", 1, 0), texts("one", 0, 1), texts("uno", 0, 0)}) == 4
    )


def test_a_bot_that_fails_fails_the_dialogue() -> None:
    second = ScriptedChatbot(("b",), fails_on=frozenset({"INQUIRY?"}))
    with pytest.raises(ChatbotError):
        hold(Party("A", ScriptedChatbot(("a",))), Party("B", second), 0, Plan(turns=1), AskAlways())


def test_every_ordered_pair_has_its_dialogues_self_pairs_included() -> None:
    todo = pairs(["A", "B"], 2)
    assert len(todo) == len(set(todo)) == 8
    assert {(i, j) for i, j, _ in todo[:4]} == {("A", "A"), ("A", "B"), ("B", "A"), ("B", "B")}
