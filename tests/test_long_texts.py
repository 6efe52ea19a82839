"""Long runs of one character are read in linear time: nobody waits minutes for junk."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from staytrue.core.protocols import Span
from staytrue.english.sentences import sentence_spans
from staytrue.english.tidy import tidy
from staytrue.metrics.q2.steps import sentence_around

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
