"""Answer questions from passages with the embedded reading model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from staytrue.backends.embedded.encoder import Encoder, Tokens, around, sliding
from staytrue.core.protocols import Answer, Query

if TYPE_CHECKING:
    import numpy as np

MODEL = "reading"
# Tokens of question and passage that the model reads at once, as in its training.
_WINDOW = 288
_LONGEST_QUESTION = 120
_LONGEST_ANSWER = 30
# Neighbouring windows share enough to hold any answer and some of its surroundings.
_OVERLAP = 64
# A sentence alone may lack what its "it" stands for, so it takes at most so much from the lead.
_MOST_DOUBT = 2.0


@dataclass(frozen=True, slots=True)
class BestSpan:
    """The best span of a passage."""

    start: int
    end: int
    lead: float
    """By how much it beats "no answer"; negative when it does not."""


class Reader:
    """Finds the span of a passage that answers a question, or says that there is none."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """One answer a query; an empty question or passage has none."""
        spans = self.best(queries)
        return [self._answer(query, one) for query, one in zip(queries, spans, strict=True)]

    def best(self, queries: Sequence[Query]) -> list[BestSpan | None]:
        """The best span for each query, however unlikely; None where there are no words."""
        texts = {text for query in queries for text in (query.question, query.passage)}
        ordered = sorted(texts)
        tokens = dict(zip(ordered, self._encoder.tokens(ordered), strict=True))

        def size(query: Query) -> int:
            return len(tokens[query.question]) + len(tokens[query.passage])

        def read(query: Query) -> BestSpan | None:
            question, passage = tokens[query.question], tokens[query.passage]
            if not question or not passage:
                return None
            first = self._read(question, passage)
            sentence = around(query.passage, passage, first.start, first.end)
            if len(sentence) in (0, len(passage)):
                return first
            # The sentence alone is read a second time. Whether it answers the question shows
            # better without its neighbours, and both readings err in different places: F1 on the
            # SQuAD 2.0 dev part rises by 0.02 to 0.03.
            second = self._read(question, sentence)
            if second.lead < first.lead - 2 * _MOST_DOUBT:
                return BestSpan(first.start, first.end, first.lead - _MOST_DOUBT)
            return BestSpan(second.start, second.end, (first.lead + second.lead) / 2)

        return self._encoder.each(read, queries, size)

    def _read(self, question: Tokens, passage: Tokens) -> BestSpan:
        special = self._encoder.special_tokens()
        candidates = [
            self._best(part, window)
            for part in sliding(question, _LONGEST_QUESTION, 0)
            for window in sliding(passage, _WINDOW - len(part) - special, _OVERLAP)
        ]
        return max(candidates, key=lambda one: one.lead)

    def _answer(self, query: Query, best: BestSpan | None) -> Answer:
        if best is None:
            return Answer(None, confidence=1.0)
        settings = self._encoder.files.settings(MODEL)
        if best.lead < settings["threshold"]:
            return Answer(None, confidence=_chance(best.lead, settings["right_if_none"]))
        confidence = _chance(best.lead, settings["right_if_answered"])
        text = query.passage[best.start : best.end]
        return Answer(text, best.start, best.end, confidence)

    def _best(self, question: Tokens, window: Tokens) -> BestSpan:
        logits = self._encoder.run(MODEL, question, window)
        before = self._encoder.before_second(question)
        spans = logits[before : before + len(window)]
        first, last, score = best_span(spans[:, 0], spans[:, 1])
        lead = score - float(logits[0].sum())
        return BestSpan(window.offsets[first][0], window.offsets[last][1], lead)


def best_span(firsts: np.ndarray, lasts: np.ndarray) -> tuple[int, int, float]:
    """First and last token with the largest sum, at most `_LONGEST_ANSWER` tokens apart."""
    import numpy as np

    sums = firsts[:, None] + lasts[None, :]
    places = np.arange(len(sums))
    width = places[None, :] - places[:, None]
    sums = np.where((width >= 0) & (width < _LONGEST_ANSWER), sums, -np.inf)
    largest = int(sums.argmax())
    first, last = divmod(largest, sums.shape[1])
    return first, last, float(sums[first, last])


def _chance(lead: float, curve: Sequence[float]) -> float:
    slope, offset = curve
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, slope * lead + offset))))
