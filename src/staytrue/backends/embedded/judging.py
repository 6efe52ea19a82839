"""Judge pairs of texts with the embedded classifiers: entailment and groundedness.

A pair that is longer than the model reads at once is cut at sentence ends. Of a long premise
the windows most like the hypothesis are tried, and the one that supports it best counts; of
a long hypothesis every piece is judged, and the piece with the least support counts, because
a text follows only if all of it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from staytrue.backends.embedded.encoder import Encoder, Tokens, by_sentence, most_alike
from staytrue.core.protocols import Entailment, Grounding, Pair

if TYPE_CHECKING:
    import numpy as np

ENTAILMENT, GROUNDEDNESS = "entailment", "groundedness"
# Tokens of both texts that a model reads at once: what it was trained on, or a little more.
_WINDOW = 144
_LONGEST_SECOND = 64
_LONGEST_TURN = 32
# Long premises are tried a sentence or two at a time: among more, the model loses the one that
# matters (ROC-AUC on long knowledge 0.85 with windows of 140 tokens, 0.96 sentence by sentence).
# The manifest may name another number of tokens.
_EVIDENCE = 56
_TRIED = 4


class Judge:
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
        cut: dict[str, list[Tokens]] = {}

        def size(texts: tuple[str, str, str]) -> int:
            return sum(len(tokens[text]) for text in texts)

        def judge(texts: tuple[str, str, str]) -> tuple[float, ...]:
            first, second, turn = (tokens[text] for text in texts)

            def chances(window: Tokens, piece: Tokens) -> tuple[float, ...]:
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
