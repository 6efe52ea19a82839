"""Judge pairs of texts with the embedded classifiers: entailment and groundedness.

A pair that is longer than the model reads at once is cut at sentence ends. Of a long premise
the windows most like the hypothesis are tried, and the one that supports it best counts; of
a long hypothesis every piece is judged, and the piece with the least support counts, because
a text follows only if all of it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from staytrue.backends.embedded.encoder import Encoder, Tokens
from staytrue.backends.embedded.windows import by_sentence, most_alike
from staytrue.protocols import Entailment, Grounding, Pair

if TYPE_CHECKING:
    import numpy as np

ENTAILMENT, GROUNDEDNESS = "entailment", "groundedness"
# Tokens of both texts that a model reads at once: a little more than it was trained on.
_WINDOW = 144
_LONGEST_SECOND = 64
# Long premises are tried a sentence or two at a time: among more, the model loses the one that
# matters (ROC-AUC on long knowledge 0.85 with windows of 140 tokens, 0.96 sentence by sentence).
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

        asked = [(pair.premise, pair.hypothesis) for pair in pairs]
        return [
            Entailment(*chances) for chances in self._judge(ENTAILMENT, asked, informative, support)
        ]

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes, by name."""
        labels: list[str] = self._encoder.files.settings(GROUNDEDNESS)["labels"]
        place = labels.index("entailment")

        def support(chances: Sequence[float]) -> float:
            return chances[place]

        asked = [(_first_segment(item), item.response) for item in items]
        judged = self._judge(GROUNDEDNESS, asked, support, support)
        return [dict(zip(labels, chances, strict=True)) for chances in judged]

    def _judge(
        self,
        model: str,
        asked: Sequence[tuple[str, str]],
        better: Callable[[Sequence[float]], float],
        support: Callable[[Sequence[float]], float],
    ) -> list[tuple[float, ...]]:
        ordered = sorted({text for pair in asked for text in pair})
        tokens = dict(zip(ordered, self._encoder.tokens(ordered), strict=True))
        temperature = self._encoder.files.settings(model)["temperature"]

        def chances(first: Tokens, second: Tokens) -> tuple[float, ...]:
            return _softmax(self._encoder.run(model, first, second) / temperature)

        def size(pair: tuple[str, str]) -> int:
            return len(tokens[pair[0]]) + len(tokens[pair[1]])

        def judge(pair: tuple[str, str]) -> tuple[float, ...]:
            first, second = tokens[pair[0]], tokens[pair[1]]
            if len(first) + len(second) + 3 <= _WINDOW:
                return chances(first, second)
            pieces = by_sentence(pair[1], second, _LONGEST_SECOND)
            judged = []
            for piece in pieces:
                windows = by_sentence(pair[0], first, _EVIDENCE)
                tried = most_alike(windows, piece, _TRIED)
                judged.append(max((chances(window, piece) for window in tried), key=better))
            return min(judged, key=support)

        return self._encoder.each(judge, asked, size)


def _first_segment(item: Grounding) -> str:
    """Evidence and previous turn as one text, as in training (`training.groundedness_data`)."""
    return f"{item.evidence} | {item.message}" if item.message else item.evidence


def _softmax(logits: np.ndarray) -> tuple[float, ...]:
    import numpy as np

    powers = np.exp((logits - logits.max()).astype(np.float64))
    return tuple(float(power) for power in powers / powers.sum())
