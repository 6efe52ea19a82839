from __future__ import annotations

import asyncio
import threading
import time

import pytest

import staytrue
from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.errors import ModelAnswerError, UsageError
from staytrue.core.protocols import Opinion
from staytrue.core.records import Example, Turn
from staytrue.integrations.checking import as_example, as_turns
from staytrue.integrations.guard import Guard

KNOWLEDGE = "coffee comes from ethiopia"


def guard(**options: object) -> Guard:
    return Guard(**{"metric": "judge", "backend": "scripted", **options})  # type: ignore[arg-type]


def slow(seconds: float) -> ScriptedBackend:
    def opinion(example: Example) -> Opinion:
        time.sleep(seconds)
        return Opinion({"consistent": 1.0, "inconsistent": 0.0, "nothing to check": 0.0})

    return ScriptedBackend(opinions=opinion)


def test_a_true_answer_passes_and_a_false_one_is_blocked_with_the_words_to_strike() -> None:
    judge = guard()
    assert judge.check("coffee comes from ethiopia", knowledge=KNOWLEDGE).passed
    ruling = judge.check("tea grows in norway", knowledge=[KNOWLEDGE, "tea is green"])
    assert (ruling.status, ruling.passed, ruling.score) == ("blocked", False, 0.25)
    assert [(c.text, c.start, c.end) for c in ruling.strike] == [
        ("grows", 4, 9), ("in", 10, 12), ("norway", 13, 19),
    ]  # fmt: skip
    assert ruling.seconds < judge.deadline


def test_an_answer_is_judged_sentence_by_sentence_where_the_metric_does() -> None:
    answer = "Coffee comes from Ethiopia. Tea grows in Norway."
    ruling = guard(metric="begin,corrected=off").check(answer, knowledge=KNOWLEDGE)
    assert [claim.text for claim in ruling.claims] == [
        "Coffee comes from Ethiopia.", "Tea grows in Norway.",
    ]  # fmt: skip
    assert ruling.status == "blocked"
    assert [claim.text for claim in ruling.strike] == ["Tea grows in Norway."]


def test_an_answer_that_takes_too_long_is_unjudged() -> None:
    judge = guard(backend=slow(0.5), deadline=0.05, warm=False)
    ruling = judge.check("coffee", knowledge=KNOWLEDGE)
    assert (ruling.status, ruling.passed, ruling.score) == ("unjudged", False, None)
    assert ruling.reason == "The answer was not judged: not within 0.05 seconds."
    assert ruling.seconds < 0.4


def test_a_busy_guard_says_so_within_the_deadline_and_recovers() -> None:
    judge = guard(backend=slow(0.4), deadline=0.1, workers=1, warm=False)
    judge.check("coffee", knowledge=KNOWLEDGE)
    second = judge.check("coffee", knowledge=KNOWLEDGE)
    assert second.reason == "The answer was not judged: every worker is busy."
    time.sleep(0.6)
    judge.deadline = 5
    assert judge.check("coffee", knowledge=KNOWLEDGE).passed


def test_a_judge_that_fails_or_abstains_leaves_the_answer_unjudged() -> None:
    def fails(example: Example) -> Opinion:
        raise ModelAnswerError("The server is on fire.")

    ruling = guard(backend=ScriptedBackend(opinions=fails), warm=False).check(
        "coffee", knowledge=KNOWLEDGE
    )
    assert ruling.reason == "The answer was not judged: The server is on fire."
    assert guard().check(" ", knowledge=KNOWLEDGE).status == "unjudged"


def test_what_the_bot_said_before_counts_too() -> None:
    judge = guard(metric="overlap")
    history = [Turn("bot", "i have a dog"), Turn("user", "really?")]
    ruling = judge.check("i do not have a dog", history=history)
    assert ruling.status == "blocked"
    both = judge.check("i do not have a dog", knowledge="i do not have a dog", history=history)
    assert both.score is not None
    assert both.score == ruling.score  # the lowest counts


def test_a_history_may_be_the_messages_of_a_chat_service() -> None:
    messages = [
        {"role": "system", "content": "You are kind."},
        {"role": "assistant", "content": "i have a dog"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "user", "content": [{"type": "text", "text": "really?"}]},
    ]
    turns = (Turn("bot", "i have a dog"), Turn("user", "really?"))
    assert as_turns(messages) == turns
    assert as_turns([("assistant", "i have a dog"), Turn("human", "really?")]) == turns
    for wrong in ({"who": "user", "says": "hi"}, {"role": "user", "content": 5}, 5):
        with pytest.raises(UsageError, match="a message with role and content"):
            as_turns([wrong])  # type: ignore[list-item]


def test_wrong_calls_are_errors_and_not_rulings() -> None:
    with pytest.raises(UsageError, match="nothing to check"):
        guard().check("coffee")
    for wrong in (50, -1, "a", None, float("nan")):
        with pytest.raises(UsageError, match="between 0 and 1"):
            guard(threshold=wrong)
    with pytest.raises(UsageError, match="deadline above 0"):
        guard(deadline=0)


def test_none_is_nothing_to_check_by_and_other_types_are_named() -> None:
    judge = guard()
    with pytest.raises(UsageError, match="nothing to check"):
        judge.check("coffee", knowledge=None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="must be text, not NoneType"):
        judge.check(None, knowledge=KNOWLEDGE)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a text or a list of passages"):
        judge.check("coffee", knowledge={"a": 1})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="persona must be a text"):
        judge.check("coffee", persona=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a message with role and content"):
        judge.check("coffee", history=5)  # type: ignore[arg-type]


def test_passages_may_come_with_ids_as_retrievers_give_them() -> None:
    passages = [{"id": "faq-1", "text": "Tea is hot."}, "Coffee is black."]
    example = as_example("Coffee is black [faq-1].", passages, (), ())
    assert example.knowledge == "Tea is hot.\nCoffee is black."
    assert [passage.id for passage in example.passages] == ["faq-1", ""]
    with pytest.raises(UsageError, match="has no 'text'"):
        as_example("Coffee is black.", [{"id": "faq-1"}], (), ())


def test_many_threads_may_ask_at_once() -> None:
    judge = guard(workers=4, deadline=30)
    passed: list[bool] = []
    threads = [
        threading.Thread(
            target=lambda: passed.append(judge.check("coffee", knowledge=KNOWLEDGE).passed)
        )
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed == [True] * 16


def test_it_can_be_awaited_and_is_in_the_public_api() -> None:
    assert staytrue.Guard is Guard
    ruling = asyncio.run(guard().acheck("coffee", knowledge=KNOWLEDGE))
    assert ruling.passed


@pytest.mark.slow
def test_the_embedded_models_block_a_wrong_fact() -> None:
    judge = Guard(deadline=60)
    passage = "The Eiffel Tower was built between 1887 and 1889. It is 330 metres tall."
    assert judge.check("The Eiffel Tower is 330 metres tall.", knowledge=passage).passed
    ruling = judge.check("The Eiffel Tower was built in 1925.", knowledge=passage)
    assert ruling.status == "blocked"
    assert "1925" in " ".join(claim.text for claim in ruling.strike)
