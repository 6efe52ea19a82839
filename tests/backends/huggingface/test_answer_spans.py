"""Logits become the best allowed span, or no answer."""

from __future__ import annotations

import numpy as np

from staytrue.backends.huggingface.answer_spans import MOST_ANSWER_TOKENS, Window, best_answer

OFFSETS = [None, None, (0, 5), (6, 9), (10, 14)]


def window(start: list[float], end: list[float]) -> Window:
    return Window(np.array(start), np.array(end), OFFSETS)


def test_the_best_span_inside_the_passage_wins() -> None:
    answer = best_answer([window([0, 9, 1, 5, 0], [0, 9, 0, 1, 4])])
    assert answer.span == (6, 14)
    assert 0.5 < answer.confidence <= 1


def test_the_first_token_stands_for_no_answer() -> None:
    answer = best_answer([window([9, 0, 1, 5, 0], [9, 0, 0, 1, 4])])
    assert answer.span is None
    assert answer.confidence > 0.99


def test_an_answer_never_ends_before_it_starts() -> None:
    assert best_answer([window([-9, 0, 0, 0, 5], [-9, 0, 5, 0, 1])]).span == (10, 14)


def test_one_window_with_an_answer_is_enough() -> None:
    silent = window([9, 0, 0, 0, 0], [9, 0, 0, 0, 0])
    sure = window([0, 0, 8, 0, 0], [0, 0, 8, 0, 0])
    assert best_answer([silent, sure]).span == (0, 5)


def test_a_passage_without_tokens_has_no_answer() -> None:
    assert best_answer([Window(np.zeros(2), np.zeros(2), [None, None])]).span is None
    assert best_answer([]).span is None


def test_answers_have_a_longest_length() -> None:
    n = MOST_ANSWER_TOKENS + 5
    start, end = np.full(n + 1, -5.0), np.full(n + 1, -5.0)
    start[1], end[n] = 9.0, 9.0
    offsets = [None, *((i, i + 1) for i in range(n))]
    low, high = best_answer([Window(start, end, offsets)]).span or (0, 0)
    assert high - low <= MOST_ANSWER_TOKENS
