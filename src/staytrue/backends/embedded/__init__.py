"""The models that ship with the product: small, offline, on the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from staytrue.backends.embedded.encoder import Encoder
from staytrue.backends.embedded.files import SHIPPED, ModelFiles
from staytrue.backends.embedded.judging import ENTAILMENT, GROUNDEDNESS, Judge
from staytrue.backends.embedded.reading import MODEL as READING
from staytrue.backends.embedded.reading import Reader
from staytrue.backends.embedded.windows import sliding
from staytrue.backends.rules.questions import RuleQuestions
from staytrue.backends.rules.spans import SpacySpans
from staytrue.core.protocols import Answer, Entailment, Grounding, Pair, Query, Span, Target

if TYPE_CHECKING:
    import numpy as np

_ENCODER_WINDOW = 254


class EmbeddedBackend:
    """Spans, questions, answers, entailment and groundedness, all from files in the package.

    Nothing loads before it is used, and one object may serve many threads.
    """

    name = "embedded"

    def __init__(self, *, threads: int = 0, folder: str = "") -> None:
        """`threads` 0 takes every core; `folder` reads the models from elsewhere."""
        self._files = ModelFiles(Path(folder) if folder else SHIPPED)
        self._encoder = Encoder(self._files, threads)
        self._reader = Reader(self._encoder)
        self._judge = Judge(self._encoder)
        self._spans = SpacySpans()
        self._questions = RuleQuestions()

    def models(self) -> Mapping[str, str]:
        """`name@revision` of what stands behind each method; reads no weights of ours."""
        methods = {
            "answer": READING, "infer": ENTAILMENT, "encode": ENTAILMENT, "classify": GROUNDEDNESS,
        }  # fmt: skip
        shipped = self._files.manifest["models"]
        return {
            "spans": self._spans.name,
            "ask": self._questions.name,
            **{
                method: f"staytrue-{model}@{self._files.revision(model)}"
                for method, model in methods.items()
                if model in shipped  # a folder of one's own may hold some of them only
            },
        }

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """The informative spans of each text."""
        return self._spans.spans(texts)

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """Questions about each target, best first."""
        return self._questions.ask(targets)

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """The span of each passage that answers its question, or none."""
        return self._reader.answer(queries)

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Whether each premise entails its hypothesis."""
        return self._judge.infer(pairs)

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes for each response."""
        return self._judge.classify(items)

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """A unit vector for each token of each text, from a lower layer of the entailment model."""
        import numpy as np

        different = sorted(set(texts))
        tokens = dict(zip(different, self._encoder.tokens(different), strict=True))

        def vectors(text: str) -> np.ndarray:
            if not tokens[text]:
                return np.zeros((0, 384), dtype=np.float32)
            parts = []
            for window in sliding(tokens[text], _ENCODER_WINDOW, 0):
                state = self._encoder.run(ENTAILMENT, window, output="state")[1:-1]
                parts.append(state / np.linalg.norm(state, axis=1, keepdims=True))
            return np.concatenate(parts)

        return self._encoder.each(vectors, texts, lambda text: len(tokens[text]))
