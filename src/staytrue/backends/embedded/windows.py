"""Cut long texts into windows of tokens that a model can read; nothing is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from staytrue.backends.embedded.encoder import Tokens
from staytrue.english.sentences import sentence_spans


def sliding(tokens: Tokens, size: int, overlap: int) -> list[Tokens]:
    """Windows of at most `size` tokens, neighbours sharing `overlap`; one when all fit."""
    if len(tokens) <= size:
        return [tokens]
    step = max(1, size - overlap)
    starts = range(0, len(tokens) - overlap, step)
    return [tokens.part(start, start + size) for start in starts]


def around(text: str, tokens: Tokens, start: int, end: int) -> Tokens:
    """The tokens of the sentences that hold the characters from `start` to `end`."""
    first = last = 0
    for stop in _sentence_ends(text, tokens):
        if tokens.offsets[stop - 1][1] <= start:
            first = stop
        last = stop
        if tokens.offsets[stop - 1][1] >= end:
            break
    return tokens.part(first, last)


def by_sentence(text: str, tokens: Tokens, size: int) -> list[Tokens]:
    """Windows of whole sentences with at most `size` tokens; a longer sentence slides."""
    if len(tokens) <= size:
        return [tokens]
    windows: list[Tokens] = []
    start = end = 0
    for stop in _sentence_ends(text, tokens):
        if stop - start > size and end > start:
            windows.append(tokens.part(start, end))
            start = end
        if stop - start > size:
            windows += sliding(tokens.part(start, stop), size, size // 4)
            start = stop
        end = stop
    if end > start:
        windows.append(tokens.part(start, end))
    return windows


def _sentence_ends(text: str, tokens: Tokens) -> Iterator[int]:
    """For each sentence, the number of tokens up to its end."""
    place = 0
    for _, stop in sentence_spans(text):
        before = place
        while place < len(tokens) and tokens.offsets[place][0] < stop:
            place += 1
        if place > before:
            yield place
    if place < len(tokens):
        yield len(tokens)


def most_alike(windows: Sequence[Tokens], other: Tokens, keep: int) -> list[Tokens]:
    """The `keep` windows that share most rare tokens with the other text, in text order."""
    if len(windows) <= keep:
        return list(windows)
    wanted = set(other.ids)
    homes = {token: sum(token in window.ids for window in windows) for token in wanted}
    weights = [
        sum(1 / homes[token] for token in wanted.intersection(window.ids)) for window in windows
    ]
    best = sorted(range(len(windows)), key=lambda place: (-weights[place], place))[:keep]
    return [windows[place] for place in sorted(best)]
