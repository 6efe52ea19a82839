"""The models that ship with the product, small or large: offline, on the CPU."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from staytrue.backends.embedded.encoder import Encoder, Listener, sliding
from staytrue.backends.embedded.files import LARGE_PACKAGE, SHIPPED, ModelFiles, large_folder
from staytrue.backends.embedded.judging import ENTAILMENT, GROUNDEDNESS, Judge
from staytrue.backends.embedded.reading import MODEL as READING
from staytrue.backends.embedded.reading import Reader
from staytrue.backends.rules.claims import RuleClaims
from staytrue.backends.rules.questions import RuleQuestions
from staytrue.backends.rules.spans import SpacySpans
from staytrue.core.errors import ModelError, UsageError
from staytrue.core.protocols import Answer, Claim, Entailment, Grounding, Pair, Query, Span, Target

if TYPE_CHECKING:
    import numpy as np

    from staytrue.backends.cache import DiskCache
    from staytrue.backends.embedded.panel import Panel

_ENCODER_WINDOW = 254
# With an early checkpoint, on 100 rows for constants, this kept 99 % of the large model's AUC at
# twice its speed; at 0.95 the small model is never sure. New weights: `python -m training.panel`.
SURE = 0.6
# What the large model counts in the mean of both; chosen by the same command.
SHARE = 0.5
_SIZES = ("auto", "small", "large", "both", "cascade")


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
        size: Literal["auto", "small", "large", "both", "cascade"] = "auto",
        large: str = "",
        sure: float = SURE,
        cache: str = "",
        cache_megabytes: float = 500,
    ) -> None:
        """Choose how large the models are, and where they are read from.

        `threads` 0 takes every core; `folder` and `large` read the small and the large models from
        elsewhere. `size` both takes the mean of small and large models, which err on different
        pairs; cascade does so only where the small one gives no label a probability of `sure`;
        auto is both where the large models are installed (or named), else small, unless the
        environment variable STAYTRUE_SIZE names another. `cache` is a folder for what the models
        answered, for later runs.
        """
        if not 0 <= sure <= 1:
            raise UsageError(f"Option sure of backend embedded is a probability, not {sure}.")
        chosen = _chosen_size() if size == "auto" and not large else size
        files = _large_files(chosen, folder, large)
        self.size = ("both" if files else "small") if chosen == "auto" else chosen
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
        self._cache: DiskCache | None = None
        if cache:
            from staytrue.backends.cache import DiskCache

            self._cache = DiskCache(cache, cache_megabytes)

    def _encoders(self, model: str) -> list[Encoder]:
        """Who answers for a model, in this order; the small one for what the large one lacks."""
        if self._large is None or model not in self._large.files.manifest["models"]:
            return [self._encoder]
        if model == READING:
            return [self._encoder if self.size == "cascade" else self._large]
        return [self._large] if self.size == "large" else [self._encoder, self._large]

    def _judge(self, encoders: Sequence[Encoder]) -> Judge | Panel:
        first, *others = (Judge(encoder) for encoder in encoders)
        if not others:
            return first
        from staytrue.backends.embedded.panel import Panel

        sure = self.sure if self.size == "cascade" else math.inf
        return Panel(first, others[0], share=SHARE, sure=sure)

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Tell the listener of every forward pass meanwhile."""
        encoders = [encoder for encoder in (self._encoder, self._large) if encoder]
        for encoder in encoders:
            encoder.listeners.append(listener)
        try:
            yield
        finally:
            for encoder in encoders:
                encoder.listeners.remove(listener)

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
        if len(names) == 1:
            return names[0]
        sure = f",sure={self.sure:g}" if self.size == "cascade" else ""
        return f"{self.size}({','.join(names)},share={SHARE:g}{sure})"

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
        return self._known("answer", queries, self._reader.answer)

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Whether each premise entails its hypothesis."""
        return self._known("infer", pairs, self._judges[ENTAILMENT].infer)

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes for each response."""
        return self._known("classify", items, self._judges[GROUNDEDNESS].classify)

    def _known(
        self, method: str, asked: Sequence[Any], compute: Callable[[Sequence[Any]], list[Any]]
    ) -> list[Any]:
        if self._cache is None:
            return compute(asked)
        return self._cache.answers(method, self.models()[method], asked, compute)

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


def _chosen_size() -> str:
    """What the environment says; tests and CI jobs choose the quick models for all they start."""
    size = os.environ.get("STAYTRUE_SIZE") or "auto"
    if size not in _SIZES:
        raise UsageError(f"STAYTRUE_SIZE is {size}: choose from {', '.join(_SIZES)}.")
    return size


def _large_files(size: str, folder: str, large: str) -> ModelFiles | None:
    """The large models, where this choice uses them; a folder of small ones is a choice, too."""
    if size == "small" or (size == "auto" and folder and not large):
        return None
    models = Path(large) if large else large_folder()
    if models is None and size != "auto":
        raise ModelError(
            f"The large models are not installed: run  pip install {LARGE_PACKAGE}  "
            "or choose size=small."
        )
    return ModelFiles(models, LARGE_PACKAGE) if models else None
