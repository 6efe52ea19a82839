"""Long texts take time in proportion to their length, and so does junk."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from reproduce.performance import text as sentences

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.backends.rules.questions import RuleQuestions, SpacySpans
from staytrue.core.protocols import Span, Target
from staytrue.core.records import Example
from staytrue.english.parses import parsed, tidy
from staytrue.english.words import sentence_spans
from staytrue.metrics.q2.steps import sentence_around
from staytrue.plugins.registry import load_metric

LONG = 100_000
TEXTS = {
    "dots": "." * LONG,
    "marks": "!" * LONG,
    "one long gap": "a" + " " * LONG + "b",
    "an open quote": '" ' + " " * LONG + "a",
    "many quotes": '" a ' * (LONG // 4),
    "spaced dots": ". " * (LONG // 2),
    "closing quotes": "." + '"' * LONG,
    "new lines": "\n" * LONG,
    "digits": "5 " * (LONG // 2),
}


def around_the_middle(text: str) -> str:
    middle = len(text) // 2
    return sentence_around(text, Span(text[middle], middle, middle + 1))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("read", [sentence_spans, tidy, around_the_middle])
def test_a_long_run_takes_seconds_not_minutes(read: Callable[[str], object], text: str) -> None:
    begin = time.process_time()
    read(text)
    assert time.process_time() - begin < 5


def seconds_to_ask_about(words: int) -> float:
    """Process time for spans and questions of a list of so many nouns, which is parsed before."""
    text = f"I like {'apples, pears, ' * (words // 2)}plums."
    parsed([text])
    begin = time.process_time()
    (spans,) = SpacySpans().spans([text])
    RuleQuestions().ask([Target(text, span) for span in spans])
    return time.process_time() - begin


def test_asking_about_a_list_of_nouns_takes_time_in_proportion_to_its_length() -> None:
    short, long = (min(seconds_to_ask_about(words) for _ in range(3)) for words in (300, 1_200))
    assert long < 8 * short  # four times as much to do; it took sixteen times as long


def tokens_read(response: int, knowledge: int) -> int:
    """Tokens that the models read for a response and knowledge of so many words."""
    backend = EmbeddedBackend(size="small")
    example = Example("x", sentences(response, seed=1), sentences(knowledge, seed=2))
    read: list[int] = []
    with backend.listening(lambda one: read.append(one.tokens)):
        load_metric("consistency", backend=backend).judge([example])
    return sum(read)


@pytest.mark.slow
@pytest.mark.parametrize("grows", ["knowledge", "response", "both"])
def test_consistency_reads_tokens_in_proportion_to_the_words(grows: str) -> None:
    short, long = (
        tokens_read(
            response=12 if grows == "knowledge" else words,
            knowledge=12 if grows == "response" else words,
        )
        for words in (500, 2_000)
    )
    assert 0 < long <= 5 * short  # four times as many words
