"""The models that ship with the product, small or large: offline, on the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from staytrue.backends.embedded.encoder import Encoder
from staytrue.backends.embedded.files import LARGE_PACKAGE, SHIPPED, ModelFiles, large_folder
from staytrue.backends.embedded.judging import ENTAILMENT, GROUNDEDNESS, Judge
from staytrue.backends.embedded.reading import MODEL as READING
from staytrue.backends.embedded.reading import Reader
from staytrue.backends.embedded.windows import sliding
from staytrue.backends.rules.claims import RuleClaims
from staytrue.backends.rules.questions import RuleQuestions
from staytrue.backends.rules.spans import SpacySpans
from staytrue.core.errors import ModelError, UsageError
from staytrue.core.protocols import Answer, Claim, Entailment, Grounding, Pair, Query, Span, Target

if TYPE_CHECKING:
    import numpy as np

    from staytrue.backends.embedded.cascade import Cascade

_ENCODER_WINDOW = 254
# With an early checkpoint, on 100 rows for constants, this kept 99 % of the large model's AUC at
# twice its speed; at 0.95 the small model is never sure. New weights: `python -m training.cascade`.
SURE = 0.6


class EmbeddedBackend:
    """Spans, questions, answers, entailment and groundedness, all from installed files.

    Nothing loads before it is used, and one object may serve many threads.
    """

    name = "embedded"

    def __init__(
        self,
        *,
        threads: int = 0,
        folder: str = "",
        size: Literal["auto", "small", "large", "cascade"] = "auto",
        large: str = "",
        sure: float = SURE,
    ) -> None:
        """Choose how large the models are, and where they are read from.

        `threads` 0 takes every core; `folder` and `large` read the small and the large models from
        elsewhere. `size` auto takes the large models where they are installed (or named), else the
        small ones; cascade asks the large model only where the small one gives no label a
        probability of `sure`.
        """
        if not 0 <= sure <= 1:
            raise UsageError(f"Option sure of backend embedded is a probability, not {sure}.")
        files = _large_files(size, folder, large)
        self.size = ("large" if files else "small") if size == "auto" else size
        self.sure = sure
        self._encoder = Encoder(ModelFiles(Path(folder) if folder else SHIPPED), threads)
        self._large = Encoder(files, threads) if files else None
        self._judges = {
            model: self._judge(self._encoders(model)) for model in (ENTAILMENT, GROUNDEDNESS)
        }
        self._reader = Reader(self._encoders(READING)[0])
        self._spans = SpacySpans()
        self._questions = RuleQuestions()
        self._claims = RuleClaims()

    def _encoders(self, model: str) -> list[Encoder]:
        """Who answers for a model, in this order; the small one for what the large one lacks."""
        if self._large is None or model not in self._large.files.manifest["models"]:
            return [self._encoder]
        if self.size == "cascade":
            return [self._encoder] if model == READING else [self._encoder, self._large]
        return [self._large]

    def _judge(self, encoders: Sequence[Encoder]) -> Judge | Cascade:
        first, *others = (Judge(encoder) for encoder in encoders)
        if not others:
            return first
        from staytrue.backends.embedded.cascade import Cascade

        return Cascade(first, others[0], sure=self.sure)

    def models(self) -> Mapping[str, str]:
        """`name@revision` of what stands behind each method; reads no weights of ours."""
        named = {
            "answer": self._named(READING, self._encoders(READING)),
            "infer": self._named(ENTAILMENT, self._encoders(ENTAILMENT)),
            # Token vectors come from a lower layer, which a larger model would not do better.
            "encode": self._named(ENTAILMENT, [self._encoder]),
            "classify": self._named(GROUNDEDNESS, self._encoders(GROUNDEDNESS)),
        }
        rules = {
            "claims": self._claims.name,
            "spans": self._spans.name,
            "ask": self._questions.name,
        }
        return rules | {method: name for method, name in named.items() if name}

    def _named(self, model: str, encoders: Sequence[Encoder]) -> str | None:
        """None where a folder of one's own holds only some of the models."""
        if any(model not in encoder.files.manifest["models"] for encoder in encoders):
            return None
        names = [
            f"staytrue-{'large-' if encoder is self._large else ''}{model}"
            f"@{encoder.files.revision(model)}"
            for encoder in encoders
        ]
        return names[0] if len(names) == 1 else f"cascade({','.join(names)},sure={self.sure:g})"

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """The informative spans of each text."""
        return self._spans.spans(texts)

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each response."""
        return self._claims.claims(texts)

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """Questions about each target, best first."""
        return self._questions.ask(targets)

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """The span of each passage that answers its question, or none."""
        return self._reader.answer(queries)

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Whether each premise entails its hypothesis."""
        return self._judges[ENTAILMENT].infer(pairs)

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes for each response."""
        return self._judges[GROUNDEDNESS].classify(items)

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


def _large_files(size: str, folder: str, large: str) -> ModelFiles | None:
    """The large models, where this choice uses them; a folder of small ones is a choice, too."""
    if size == "small" or (size == "auto" and folder and not large):
        return None
    found = Path(large) if large else large_folder()
    if found is None and size != "auto":
        raise ModelError(
            f"The large models are not installed: run  pip install {LARGE_PACKAGE}  "
            "or choose size=small."
        )
    return ModelFiles(found, LARGE_PACKAGE) if found else None
