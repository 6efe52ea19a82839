"""What the embedded models are asked: entailment and groundedness of pairs, answers from passages.

A pair that is longer than a model reads at once is cut at sentence ends. Of a long premise
the windows most like the hypothesis are tried, and the one that supports it best counts; of
a long hypothesis every piece is judged, and the piece with the least support counts, because
a text follows only if all of it does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from staytrue.backends.embedded.encoder import (
    Encoder,
    WordPieces,
    around,
    by_sentence,
    most_alike,
    sentence_ends,
    sliding,
)
from staytrue.core.protocols import Answer, Entailment, Grounding, Pair, Query

if TYPE_CHECKING:
    import numpy as np

Asked = TypeVar("Asked", bound=Hashable)

ENTAILMENT, GROUNDEDNESS, READING = "entailment", "groundedness", "reading"
# Tokens of both texts that a model reads at once: what it was trained on, or a little more.
_WINDOW = 144
_LONGEST_SECOND = 64
_LONGEST_TURN = 32
# Long premises are tried a sentence or two at a time: among more, the model loses the one that
# matters (ROC-AUC on long knowledge 0.85 with windows of 140 tokens, 0.96 sentence by sentence).
# The manifest may name another number of tokens.
_EVIDENCE = 56
_TRIED = 4
_LEAST = 1e-6
# Tokens of question and passage that the model reads at once, as in its training.
_READ_AT_ONCE = 288
_LONGEST_QUESTION = 120
_LONGEST_ANSWER = 30
# Neighbouring windows share enough to hold any answer and some of its surroundings.
_OVERLAP = 64
# A sentence alone may lack what its "it" stands for, so it takes at most so much from the lead.
_MOST_DOUBT = 2.0


class PairJudge:
    """Gives probabilities to pairs; `first` and `second` are premise and hypothesis."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Entailment, neutral, contradiction."""

        def informative(chances: Sequence[float]) -> float:
            # Support first; where no window supports, the least neutral one says most.
            entailed, neutral, _ = chances
            return 1 + entailed if entailed == max(chances) else -neutral

        def support(chances: Sequence[float]) -> float:
            return chances[0] + chances[1] / 2

        asked = [(pair.premise, pair.hypothesis, "") for pair in pairs]
        return [
            Entailment(*chances) for chances in self._judge(ENTAILMENT, asked, informative, support)
        ]

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes, by name."""
        labels: list[str] = self._encoder.files.settings(GROUNDEDNESS)["labels"]
        entailed = labels.index("entailment")

        def support(chances: Sequence[float]) -> float:
            return chances[entailed]

        asked = [(item.evidence, item.response, _turn(item)) for item in items]
        judged = self._judge(GROUNDEDNESS, asked, support, support)
        return [dict(zip(labels, chances, strict=True)) for chances in judged]

    def _judge(
        self,
        model: str,
        asked: Sequence[tuple[str, str, str]],
        better: Callable[[Sequence[float]], float],
        support: Callable[[Sequence[float]], float],
    ) -> list[tuple[float, ...]]:
        """Judge (first, second, turn); the turn follows the first text in every window of it."""
        ordered = sorted({text for texts in asked for text in texts})
        tokens = dict(zip(ordered, self._encoder.tokens(ordered), strict=True))
        settings = self._encoder.files.settings(model)
        temperature, evidence = settings["temperature"], settings.get("evidence", _EVIDENCE)
        room = _WINDOW - self._encoder.special_tokens()
        cut: dict[str, list[WordPieces]] = {}

        def size(texts: tuple[str, str, str]) -> int:
            return sum(len(tokens[text]) for text in texts)

        def judge(texts: tuple[str, str, str]) -> tuple[float, ...]:
            first, second, turn = (tokens[text] for text in texts)

            def chances(window: WordPieces, piece: WordPieces) -> tuple[float, ...]:
                logits = self._encoder.run(model, window.followed_by(turn), piece)
                return _softmax(logits / temperature)

            if len(first) + len(second) + len(turn) <= room:
                return chances(first, second)
            # The end of a long turn is what the response answers.
            if len(turn) > _LONGEST_TURN:
                turn = turn.part(0, 1).followed_by(turn.part(len(turn) - _LONGEST_TURN, len(turn)))
            if texts[0] not in cut:  # every sentence of a long response asks for the same windows
                cut[texts[0]] = by_sentence(texts[0], first, evidence)
            windows = cut[texts[0]]
            judged = []
            for piece in by_sentence(texts[1], second, _LONGEST_SECOND):
                tried = most_alike(windows, piece, _TRIED)
                judged.append(max((chances(window, piece) for window in tried), key=better))
            return min(judged, key=support)

        return self._encoder.each(judge, asked, size)


def _turn(item: Grounding) -> str:
    """The previous turn as it follows the evidence in training (`training.groundedness_data`)."""
    return f" | {item.message}" if item.message else ""


def _softmax(logits: np.ndarray) -> tuple[float, ...]:
    import numpy as np

    powers = np.exp((logits - logits.max()).astype(np.float64))
    return tuple(float(power) for power in powers / powers.sum())


class Panel:
    """Judges as `PairJudge` does, with two judges that err on different pairs.

    The mean is of the logarithms, as one judge that rules a label out should be heard; `share` is
    what the large judge counts. From a probability of `sure` the small judge's label stands, and
    the large one is not asked; above 1 it is always asked. What happens to a pair depends on
    nothing but that pair.
    """

    def __init__(self, small: PairJudge, large: PairJudge, *, share: float, sure: float) -> None:
        self._small, self._large, self._share, self._sure = small, large, share, sure

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Entailment, neutral, contradiction."""

        def three(judge: PairJudge, asked: Sequence[Pair]) -> list[list[float]]:
            answers = judge.infer(asked)
            return [[one.entailment, one.neutral, one.contradiction] for one in answers]

        return [Entailment(*chances) for chances in self._judge(pairs, three)]

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes, by name."""
        from staytrue.core.begin_labels import LABELS

        def five(judge: PairJudge, asked: Sequence[Grounding]) -> list[list[float]]:
            return [[one[label] for label in LABELS] for one in judge.classify(asked)]

        return [dict(zip(LABELS, chances, strict=True)) for chances in self._judge(items, five)]

    def _judge(
        self,
        asked: Sequence[Asked],
        chances_of: Callable[[PairJudge, Sequence[Asked]], list[list[float]]],
    ) -> list[list[float]]:
        judged = chances_of(self._small, asked)
        unsure = [n for n, chances in enumerate(judged) if max(chances) < self._sure]
        again = chances_of(self._large, [asked[n] for n in unsure])
        for n, chances in zip(unsure, again, strict=True):
            judged[n] = mean(judged[n], chances, self._share)
        return judged


def mean(first: Sequence[float], second: Sequence[float], share: float) -> list[float]:
    """The weighted geometric mean of two sets of probabilities, which again sum to one."""
    powers = [
        math.exp((1 - share) * math.log(max(a, _LEAST)) + share * math.log(max(b, _LEAST)))
        for a, b in zip(first, second, strict=True)
    ]
    return [power / sum(powers) for power in powers]


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
        """One answer per query; an empty question or passage has none."""
        spans = self.best(queries)
        return [self._answer(query, one) for query, one in zip(queries, spans, strict=True)]

    def best(self, queries: Sequence[Query]) -> list[BestSpan | None]:
        """The best span for each query, however unlikely; None where there are no words."""
        passages = {query.passage for query in queries}
        ordered = sorted(passages | {query.question for query in queries})
        tokens = dict(zip(ordered, self._encoder.tokens(ordered), strict=True))
        ends = {text: list(sentence_ends(text, tokens[text])) for text in passages}

        def size(query: Query) -> int:
            return len(tokens[query.question]) + len(tokens[query.passage])

        def read(query: Query) -> BestSpan | None:
            question, passage = tokens[query.question], tokens[query.passage]
            if not question or not passage:
                return None
            first = self._read(question, passage)
            sentence = around(passage, ends[query.passage], first.start, first.end)
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

    def _read(self, question: WordPieces, passage: WordPieces) -> BestSpan:
        special = self._encoder.special_tokens()
        candidates = [
            self._best(part, window)
            for part in sliding(question, _LONGEST_QUESTION, 0)
            for window in sliding(passage, _READ_AT_ONCE - len(part) - special, _OVERLAP)
        ]
        return max(candidates, key=lambda one: one.lead)

    def _answer(self, query: Query, best: BestSpan | None) -> Answer:
        if best is None:
            return Answer(None, confidence=1.0)
        settings = self._encoder.files.settings(READING)
        if best.lead < settings["threshold"]:
            return Answer(None, confidence=_chance(best.lead, settings["right_if_none"]))
        confidence = _chance(best.lead, settings["right_if_answered"])
        text = query.passage[best.start : best.end]
        return Answer(text, best.start, best.end, confidence)

    def _best(self, question: WordPieces, window: WordPieces) -> BestSpan:
        logits = self._encoder.run(READING, question, window)
        before = self._encoder.before_second(question)
        spans = logits[before : before + len(window)]
        first, last, score = best_span(spans[:, 0], spans[:, 1])
        lead = score - float(logits[0].sum())
        return BestSpan(window.offsets[first][0], window.offsets[last][1], lead)


def best_span(firsts: np.ndarray, lasts: np.ndarray) -> tuple[int, int, float]:
    """First and last token with the largest sum, at most `_LONGEST_ANSWER` tokens apart."""
    import numpy as np

    sums = np.where(_possible(len(firsts)), firsts[:, None] + lasts[None, :], -np.inf)
    largest = int(sums.argmax())
    first, last = divmod(largest, sums.shape[1])
    return first, last, float(sums[first, last])


@lru_cache(maxsize=_READ_AT_ONCE)
def _possible(tokens: int) -> np.ndarray:
    """Which pairs of first and last token are an answer."""
    import numpy as np

    places = np.arange(tokens)
    width = places[None, :] - places[:, None]
    return (width >= 0) & (width < _LONGEST_ANSWER)


def _chance(lead: float, curve: Sequence[float]) -> float:
    slope, offset = curve
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, slope * lead + offset))))
