"""The models that ship with the product, small or large: their files, and what they answer."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from staytrue.backends.embedded.encoder import Encoder, Listener, sliding
from staytrue.backends.embedded.heads import (
    ENTAILMENT,
    GROUNDEDNESS,
    READING,
    PairJudge,
    Panel,
    Reader,
)
from staytrue.backends.rules.questions import VERSIONS, RuleQuestions, SpacySpans
from staytrue.core.errors import ModelError, UsageError
from staytrue.core.protocols import Answer, Claim, Entailment, Grounding, Pair, Query, Span, Target
from staytrue.english.parses import pipeline_name

if TYPE_CHECKING:
    import numpy as np

    from staytrue.backends.cache import DiskCache
    from staytrue.backends.embedded.neural import NeuralQuestions

SHIPPED = Path(__file__).resolve().parent.parent.parent / "models"
LARGE_PACKAGE = "staytrue-models-large"
GROUP = "staytrue.models"
_ENCODER_WINDOW = 254
# With an early checkpoint, on 100 rows for constants, this kept 99 % of the large model's AUC at
# twice its speed; at 0.95 the small model is never sure. New weights: `python -m training.panel`.
SURE = 0.6
# What the large model counts in the mean of both. On 700 rows for constants the mean ROC-AUC of
# `consistency` by kind of data is 0.85 with 0.5, and 0.86 with 0.65 and with 0.8.
SHARE = 0.65
_SIZES = ("auto", "small", "large", "both", "cascade")


class ModelFiles:
    """A folder with the models, their settings and the hash of each file."""

    def __init__(self, folder: Path = SHIPPED, package: str = "staytrue") -> None:
        self.folder = folder
        self._package = package

    @property
    def repair(self) -> str:
        """What to do where the files cannot be used, and with which command."""
        from staytrue.core.installing import install_line

        return f"install {self._package} again:  {install_line('', self._package, again=True)}"

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What `models.json` says: the hash of each file and the settings of each model."""
        try:
            manifest: dict[str, Any] = json.loads((self.folder / "models.json").read_text("utf-8"))
            manifest["files"], manifest["models"]
        except FileNotFoundError:
            raise ModelError(f"The embedded models are missing; {self.repair}") from None
        except (OSError, ValueError, KeyError, TypeError):
            raise ModelError(f"The list of the embedded models is damaged; {self.repair}") from None
        return manifest

    def settings(self, model: str) -> dict[str, Any]:
        """Labels, calibration and the like of one model."""
        try:
            settings: dict[str, Any] = self.manifest["models"][model]
        except KeyError:
            raise ModelError(
                f"This set of embedded models has no {model} model; {self.repair}"
            ) from None
        return settings

    def path(self, name: str) -> Path:
        """The file, once its content is what the manifest says."""
        path = self.folder / name
        try:
            content = path.read_bytes()
        except OSError:
            raise ModelError(f"The model file {name} is missing; {self.repair}") from None
        if hashlib.sha256(content).hexdigest() != self.manifest["files"].get(name):
            raise ModelError(f"The model file {name} is damaged; {self.repair}")
        return path

    def revision(self, model: str) -> str:
        """A hash of all that decides what the model answers."""
        settings = self.settings(model)
        own = (settings["file"], settings.get("weights"), settings.get("adapter"))
        names = (*own, "vectors.npz", "tokenizer.json")
        files = [name for name in names if name]
        parts = [self.manifest["files"].get(name) for name in files]
        special = self.manifest.get("special")
        content = json.dumps([parts, settings, *([special] if special else [])], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]


def large_folder() -> Path | None:
    """Where an installed package keeps the large models; None without one that has its weights.

    The package names its folder under the entry point `large` of the group `staytrue.models`.
    """
    entries = list(entry_points(group=GROUP, name="large"))
    if len({entry.value for entry in entries}) > 1:
        owners = sorted({entry.dist.name for entry in entries if entry.dist})
        raise ModelError(
            f"Several installed packages hold the large models ({', '.join(owners)}): "
            "uninstall all but one."
        )
    if not entries:
        return None
    folder = Path(entries[0].load())
    return folder if (folder / "models.json").is_file() else None


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
        questions: str = "rules",
        cache: str = "",
        cache_megabytes: float = 500,
    ) -> None:
        """Choose how large the models are, and where they are read from.

        `threads` 0 takes every core; `folder` and `large` read the small and the large models from
        elsewhere. `size` both takes the mean of small and large models, which err on different
        pairs; cascade does so only where the small one gives no label a probability of `sure`;
        auto is both where the large models are installed (or named), else small, unless the
        environment variable STAYTRUE_SIZE names another. `questions` are asked by rules, by a small
        language model (neural), or by the one of a GGUF file. `cache` is a folder for what the
        models answered, for later runs.
        """
        if not 0 <= sure <= 1:
            raise UsageError(f"Option sure of backend embedded is a probability, not {sure}.")
        chosen = _chosen_size() if size == "auto" and not large else size
        files = _large_files(chosen, folder, large)
        self.size = ("both" if files else "small") if chosen == "auto" else chosen
        self.sure = sure
        self._encoder = Encoder(ModelFiles(Path(folder) if folder else SHIPPED), threads)
        self._large = Encoder(files, threads) if files else None
        self.threads = self._encoder.threads
        """How many forward passes run at a time."""
        self._judges = {
            model: self._judge(self._encoders(model)) for model in (ENTAILMENT, GROUNDEDNESS)
        }
        self._reader = Reader(self._encoders(READING)[0])
        self._spans = SpacySpans()
        self._questions = _questions(questions, self.threads)
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

    def _judge(self, encoders: Sequence[Encoder]) -> PairJudge | Panel:
        first, *others = (PairJudge(encoder) for encoder in encoders)
        if not others:
            return first

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
            "claims": f"{VERSIONS['claims']}+{pipeline_name()}",
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
        from staytrue.backends.rules.claims import RuleClaims  # no other method needs it

        return RuleClaims().claims(texts)

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


def _questions(who: str, threads: int) -> RuleQuestions | NeuralQuestions:
    if who == "rules":
        return RuleQuestions()
    from staytrue.backends.embedded.neural import NeuralQuestions

    return NeuralQuestions(who, threads)


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
        from staytrue.core.installing import install_line

        raise ModelError(
            f"The large models are not installed: run  {install_line('', LARGE_PACKAGE)}  "
            "or choose size=small."
        )
    return ModelFiles(models, LARGE_PACKAGE) if models else None
