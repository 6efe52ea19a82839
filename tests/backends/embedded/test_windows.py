"""Windows cover the whole text and never grow past their size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from staytrue.backends.embedded.encoder import (
    WordPieces,
    around,
    by_sentence,
    most_alike,
    sentence_ends,
    sliding,
)


def tokens_of(text: str) -> WordPieces:
    """A token for each word; its id is its number."""
    offsets, position = [], 0
    for word in text.split():
        start = text.index(word, position)
        position = start + len(word)
        offsets.append((start, position))
    return WordPieces(tuple(range(len(offsets))), tuple(offsets))


@given(st.integers(0, 300), st.integers(2, 60), st.integers(0, 30))
def test_sliding_windows_cover_every_token(count: int, size: int, overlap: int) -> None:
    tokens = WordPieces(tuple(range(count)), ((0, 1),) * count)
    windows = sliding(tokens, size, min(overlap, size - 1))
    assert {i for window in windows for i in window.ids} == set(range(count))
    assert all(len(window) <= size for window in windows)


@given(st.lists(st.integers(1, 40), max_size=20), st.integers(4, 50))
def test_sentence_windows_cover_every_token(lengths: list[int], size: int) -> None:
    text = " ".join("word " * (length - 1) + "end." for length in lengths)
    tokens = tokens_of(text)
    windows = by_sentence(text, tokens, size)
    assert {i for window in windows for i in window.ids} == set(tokens.ids)
    assert all(len(window) <= size for window in windows)


def test_sentences_that_fit_stay_whole() -> None:
    text = "one two three. four five. six seven eight."
    windows = by_sentence(text, tokens_of(text), 5)
    assert [window.ids for window in windows] == [(0, 1, 2, 3, 4), (5, 6, 7)]


def test_the_most_alike_windows_share_rare_tokens() -> None:
    windows = [WordPieces((1, 2), ((0, 1),) * 2), WordPieces((1, 3), ((0, 1),) * 2)]
    wanted = WordPieces((1, 3), ((0, 1),) * 2)
    assert most_alike(windows, wanted, 1) == [windows[1]]


def test_around_a_place_are_the_sentences_that_hold_it() -> None:
    text = "one two three. four five. six seven eight."
    tokens = tokens_of(text)
    ends = list(sentence_ends(text, tokens))

    def held(start: str, end: str) -> list[int]:
        return list(around(tokens, ends, text.index(start), text.index(end) + len(end)).ids)

    assert held("four", "five.") == [3, 4]
    assert held("two", "two") == [0, 1, 2]
    assert held("eight", "eight") == [5, 6, 7]
    assert held("three.", "four") == [0, 1, 2, 3, 4]
    assert len(around(tokens_of(""), [], 0, 0)) == 0
