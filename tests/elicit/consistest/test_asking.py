"""Putting probes to a chatbot."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from staytrue.core.errors import (
    ChatbotError,
    ChatbotRefusal,
    DataError,
    MissingExtra,
    ModelError,
    StaytrueError,
    UsageError,
)
from staytrue.core.records import Example, Failure, FailureKind, Probe, Turn
from staytrue.elicit.consistest.asking import Asker, sample_seed, with_question
from staytrue.elicit.talking import Limits

PROBE = Probe("do you sing?", "yes", "i sing .", "yn", "persona", distance=0)


def sample(name: str = "1", question: str = "do you sing?") -> Example:
    probe = Probe(question, "yes", "i sing .", "yn", "persona", distance=0)
    return Example(name, "", history=(Turn("user", question),), persona=("i sing .",), probe=probe)


class Bot:
    """Says what it heard; fails as often as told."""

    def __init__(self, failures: int = 0, delay: float = 0.0) -> None:
        self.failures = failures
        self.delay = delay
        self.heard: list[tuple[tuple[Turn, ...], tuple[str, ...], int]] = []
        self.lock = threading.Lock()

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        time.sleep(self.delay)
        with self.lock:
            self.heard.append((tuple(history), tuple(persona), seed))
            if self.failures:
                self.failures -= 1
                raise ChatbotError("busy")
        return f"heard {history[-1].text}"


def test_the_bot_gets_persona_history_and_question() -> None:
    bot = Bot()
    (answered,) = Asker(bot).ask_all([sample()])
    assert isinstance(answered, Example)
    assert answered.response == "heard do you sing?"
    assert bot.heard == [
        ((Turn("user", "do you sing?"),), ("i sing .",), sample_seed(0, "1")),
    ]


def test_answers_keep_the_order_whatever_finishes_first() -> None:
    samples = [sample(str(n), f"do you sing {n}?") for n in range(20)]
    answered = list(Asker(Bot(delay=0.001), limits=Limits(concurrency=5)).ask_all(samples))
    assert [a.id for a in answered if isinstance(a, Example)] == [str(n) for n in range(20)]


def test_a_bot_is_asked_several_questions_at_once() -> None:
    start = time.monotonic()
    list(
        Asker(Bot(delay=0.05), limits=Limits(concurrency=8)).ask_all(
            sample(str(n)) for n in range(16)
        )
    )
    assert time.monotonic() - start < 0.8  # what it would take one by one


def test_a_failure_that_passes_is_retried_with_growing_pauses() -> None:
    waits: list[float] = []
    answered = Asker(Bot(failures=2), limits=Limits(retries=2), sleep=waits.append).ask(sample())
    assert isinstance(answered, Example)
    assert waits == [1.0, 2.0]


def test_a_failure_that_stays_is_kept_as_one() -> None:
    answered = Asker(Bot(failures=9), limits=Limits(retries=1), sleep=lambda seconds: None).ask(
        sample()
    )
    problem = "The chatbot did not reply: busy"
    assert answered == Failure("1", problem, kind=FailureKind.BOT)


class Broken:
    """Raises what it is told to, and counts how often it was asked."""

    def __init__(self, error: StaytrueError) -> None:
        self.error = error
        self.asked = 0

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        self.asked += 1
        raise self.error


def test_a_refusal_is_a_failure_at_once() -> None:
    bot = Broken(ChatbotRefusal("status 400"))
    answered = Asker(bot, limits=Limits(retries=5)).ask(sample())
    problem = "The chatbot did not reply: status 400"
    assert answered == Failure("1", problem, kind=FailureKind.BOT)
    assert bot.asked == 1


@pytest.mark.parametrize(
    "error", [MissingExtra("A bot", "gguf"), ModelError("damaged"), UsageError("a wrong key")]
)
def test_a_bot_that_can_never_work_ends_the_asking(error: StaytrueError) -> None:
    bot = Broken(error)
    with pytest.raises(type(error)):
        list(
            Asker(bot, limits=Limits(concurrency=2, retries=5)).ask_all(
                sample(str(n)) for n in range(100)
            )
        )
    assert bot.asked <= 4


def test_seeds_differ_by_sample_and_repeat() -> None:
    assert sample_seed(0, "a") == sample_seed(0, "a")
    assert len({sample_seed(0, "a"), sample_seed(0, "b"), sample_seed(1, "a")}) == 3


def test_a_question_that_is_not_in_the_history_is_added_and_one_that_is_not_placed_refused() -> (
    None
):
    bare = Example("1", "", probe=PROBE)
    assert with_question(bare) == (Turn("user", "do you sing?"),)
    unplaced = Probe("do you sing?", "yes", "i sing .", "yn")
    with pytest.raises(DataError, match="probes place"):
        with_question(Example("1", "", history=(Turn("user", "hi"),), probe=unplaced))
    with pytest.raises(DataError, match="no probe"):
        with_question(Example("1", ""))


def test_a_judgement_of_another_response_is_dropped() -> None:
    rated = replace(sample(), response="old", rating=1.0, consistent=True, label="good")
    answered = Asker(Bot()).ask(rated)
    assert isinstance(answered, Example)
    assert (answered.rating, answered.consistent, answered.label) == (None, None, None)


def test_one_asker_asks_one_sample_after_another() -> None:
    asker = Asker(Bot())
    answers = [asker.ask(sample(name)) for name in ("1", "2", "3")]
    assert [answer.response for answer in answers if isinstance(answer, Example)] == [
        "heard do you sing?"
    ] * 3


def test_a_sample_beyond_the_limit_is_a_failure_that_names_the_limit() -> None:
    asker = Asker(Bot(), limits=Limits(retries=0, max_requests=1))
    assert isinstance(asker.ask(sample("1")), Example)
    refused = asker.ask(sample("2"))
    assert isinstance(refused, Failure)
    assert "--max-requests" in refused.error
