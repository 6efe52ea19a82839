"""A bot that reads its answers from its persona and history."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from staytrue.chatbots.extractive import UNSURE, ExtractiveChatbot, Remembering
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Answer, Entailment, Pair, Query
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

PERSONA = ["i have two dogs .", "i 'm a nurse ."]


class Models:
    """Finds "two", "nurse" or "ohio" in a passage; a claim is entailed when the premise has it."""

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        wanted = {"many": "two", "job": "nurse", "live": "ohio"}
        answers = []
        for query in queries:
            word = next((w for k, w in wanted.items() if k in query.question), "?")
            at = query.passage.find(word)
            answers.append(Answer(word, at, at + len(word)) if at >= 0 else Answer(None))
        return answers

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        return [
            Entailment(0.8, 0.1, 0.1) if p.hypothesis in p.premise else Entailment(0.1, 0.1, 0.8)
            for p in pairs
        ]


def bot(**settings: bool | int) -> ExtractiveChatbot:
    return ExtractiveChatbot(Models(), Models(), **settings)  # type: ignore[arg-type]


def ask(question: str, *lines: str, **settings: bool | int) -> str:
    speakers = ("user", "bot")
    talk = [Turn(speakers[n % 2], text) for n, text in enumerate(lines)]
    return bot(**settings).reply([*talk, Turn("user", question)], persona=PERSONA)


def test_it_answers_with_the_sentence_that_holds_the_answer() -> None:
    assert ask("how many dogs do you have?") == "i have two dogs."
    assert ask("what is your job?") == "i am a nurse."


def test_it_says_yes_or_no_with_its_reason() -> None:
    assert ask("do you have two dogs?") == "yes, i have two dogs."
    assert ask("do you have four dogs?") == "no, i have two dogs."


def test_it_remembers_its_own_words_but_not_its_partner_s() -> None:
    assert ask("where do you live?", "i live in ohio", "me too , in ohio !") == "me too, in ohio."
    assert ask("where do you live?", "i live in ohio", "nice") == UNSURE


def test_a_forgetful_one_sees_the_last_turn_only() -> None:
    forgetful = {"memory": 1, "persona": False}
    assert ask("how many dogs do you have?", **forgetful) == UNSURE
    long_ago = ("hi", "i am in ohio .", "ok", "good")
    assert ask("where do you live?", *long_ago, **forgetful) != "i am in ohio."
    assert ask("where do you live?", *long_ago) == "i am in ohio."


def test_it_has_something_to_say_to_anything() -> None:
    assert bot().reply([])
    assert bot().reply([Turn("user", "nice weather")])
    assert bot().reply([Turn("user", "where do you live?")]) == UNSURE


def test_the_same_thing_is_asked_once() -> None:
    class Counting(Models):
        asked = 0

        def answer(self, queries: Sequence[Query]) -> list[Answer]:
            self.asked += len(queries)
            return super().answer(queries)

    models = Counting()
    remembering = Remembering(models, models)
    query = Query("how many?", "two dogs")
    assert remembering.answer([query, query])[1].text == "two"
    assert remembering.infer([Pair("a b", "a")]) == models.infer([Pair("a b", "a")])
    assert models.asked == 1


def test_a_wrong_option_says_what_there_is() -> None:
    with pytest.raises(UsageError, match="memory"):
        load_chatbot("extractive:memories=1")
