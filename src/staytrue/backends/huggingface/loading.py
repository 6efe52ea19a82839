"""Loading models of the Hugging Face hub or a folder, safely: weights only, nothing remote runs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from staytrue.core.begin_labels import LABELS as BEGIN_LABELS
from staytrue.core.errors import MissingExtra, ModelError
from staytrue.core.hub_errors import not_loaded

LABELS = ("entailment", "neutral", "contradiction")
_KINDS = {
    "ask": "AutoModelForSeq2SeqLM",
    "answer": "AutoModelForQuestionAnswering",
    "infer": "AutoModelForSequenceClassification",
    "classify": "AutoModelForSequenceClassification",
}


@dataclass(frozen=True)
class ModelSpec:
    """A model's name, or folder, and the revision to use: `name@revision`."""

    name: str
    revision: str = ""

    def __str__(self) -> str:
        return f"{self.name}@{self.revision}" if self.revision else self.name

    @classmethod
    def parse(cls, text: str) -> ModelSpec:
        """Read `name` or `name@revision`; a folder has no revision."""
        if Path(text).is_dir():
            return cls(text)
        name, _, revision = text.partition("@")
        return cls(name, revision)


class LoadedModel:
    """One model with its tokenizer; the config is read first, the weights when they are used."""

    def __init__(self, method: str, spec: ModelSpec, device: str) -> None:
        self.method = method
        self.spec = spec
        self._device = device

    @cached_property
    def config(self) -> Any:
        """The model's configuration."""
        return self._load("AutoConfig", {"revision": self.spec.revision or "main"})

    @cached_property
    def revision(self) -> str:
        """The commit on the hub, or a hash of a folder's weights: what the name stands for now."""
        folder = Path(self.spec.name)
        if folder.is_dir():
            digest = hashlib.sha256()
            for file in sorted(folder.glob("*.safetensors")):
                digest.update(file.read_bytes())
            return digest.hexdigest()[:12]
        commit = getattr(self.config, "_commit_hash", None) or self.spec.revision
        if not commit:  # "main" would mean other weights tomorrow, under the same signature
            raise ModelError(
                f"The hub does not tell which commit {self.spec.name} stands for: name it, as  "
                f"{self.spec.name}@commit."
            )
        return str(commit)

    @property
    def name(self) -> str:
        """`name@revision`, for signatures."""
        return f"{Path(self.spec.name).name or self.spec.name}@{self.revision[:12]}"

    @cached_property
    def tokenizer(self) -> Any:
        """The fast tokenizer, which knows character offsets."""
        tokenizer = self._load("AutoTokenizer", {"revision": self._pinned, "use_fast": True})
        if not tokenizer.is_fast:
            raise ModelError(f"{self.spec.name} has no fast tokenizer, which offsets need.")
        return tokenizer

    @cached_property
    def model(self) -> Any:
        """The weights, in evaluation mode on the device."""
        options = {"revision": self._pinned, "config": self.config, "use_safetensors": True}
        model = self._load(_KINDS[self.method], options)
        return model.to(self.device).eval()

    @cached_property
    def device(self) -> str:
        """Where the model runs: a GPU if there is one."""
        torch = torch_or_explain()
        if self._device != "auto":
            return self._device
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    @property
    def longest(self) -> int:
        """How many tokens the model takes."""
        limit = getattr(self.config, "max_position_embeddings", 0) or 512
        # RoBERTa counts positions from its padding index + 1.
        if self.config.model_type in ("roberta", "xlm-roberta", "camembert"):
            limit -= int(getattr(self.config, "pad_token_id", 1) or 1) + 1
        return int(min(limit, getattr(self.tokenizer, "model_max_length", limit) or limit))

    @property
    def _pinned(self) -> str:
        # A folder has no revisions; on the hub, weights come from the very commit of the config.
        return "main" if Path(self.spec.name).is_dir() else self.revision

    def _load(self, kind: str, options: dict[str, Any]) -> Any:
        import_ = hub_library()
        try:
            loader = getattr(import_, kind)
            return loader.from_pretrained(self.spec.name, trust_remote_code=False, **options)
        except (OSError, ValueError, ImportError) as error:
            raise not_loaded(str(self.spec), error, "name@revision") from None


def label_order(
    id_to_label: Mapping[int, str], name: str, given: str = "", default: str = ""
) -> list[int]:
    """Where entailment, neutral and contradiction stand among the model's outputs.

    `default` holds for a model whose config only counts its outputs.
    """
    shown: Sequence[str] = [id_to_label[n] for n in sorted(id_to_label)]
    if given:
        shown = [label.strip() for label in given.split("/")]
        if len(shown) != len(id_to_label):
            raise ModelError(f"{name} has {len(id_to_label)} labels, but {len(shown)} were given.")
    plain = [label.lower() for label in shown]
    if default and all(label.startswith("label_") for label in plain):
        plain = default.split("/")
    if sorted(plain) != sorted(LABELS):
        raise ModelError(
            f"{name} does not say which output is which (its labels are {', '.join(shown)}): name "
            "a three-way entailment model, or give  labels=first/second/third."
        )
    return [plain.index(label) for label in LABELS]


def begin_order(id_to_label: Mapping[int, str], name: str) -> list[str]:
    """Which of BEGIN's classes each output of a classifier is."""
    shown = [id_to_label[n].lower() for n in sorted(id_to_label)]
    if sorted(shown) != sorted(BEGIN_LABELS):
        raise ModelError(
            f"{name} does not name BEGIN's five classes (its labels are {', '.join(shown)}): train "
            "one with  python -m training.begin_classifier."
        )
    return shown


def torch_or_explain() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtra("The Hugging Face backend", "hf") from None
    return torch


def hub_library() -> Any:
    """transformers, or the sentence that says how to install it."""
    torch_or_explain()
    try:
        import transformers
    except ImportError:
        raise MissingExtra("The Hugging Face backend", "hf") from None
    return transformers
