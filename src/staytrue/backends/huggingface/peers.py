"""Groundedness models of others that say one number, whether a text supports a claim.

HHEM (Vectara), MiniCheck (Tang et al., 2024) and AlignScore (Zha et al., 2023), each read as its
authors lay it out, without running any of their code.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from staytrue.backends.huggingface.loading import LoadedModel, ModelSpec, hub_library
from staytrue.core.errors import ModelError
from staytrue.core.hub_errors import not_loaded
from staytrue.core.protocols import Pair

_HHEM_PROMPT = (
    "<pad> Determine if the hypothesis is true given the premise?\n\n"
    "Premise: {premise}\n\nHypothesis: {hypothesis}"
)
_ALIGNSCORE_BASE = "FacebookAI/roberta-large"
_ALIGNSCORE_PICKLE = "AlignScore-large.ckpt"


class PeerModel(LoadedModel, ABC):
    """A model that gives the chance that the premise supports the hypothesis."""

    def __init__(self, spec: ModelSpec, device: str) -> None:
        super().__init__("infer", spec, device)

    @abstractmethod
    def supported(self, pairs: Sequence[Pair]) -> list[float]:
        """The chance of support for each pair; one batch."""

    def _file(self, name: str) -> str:
        library = hub_library()
        try:
            path = library.utils.cached_file(
                self.spec.name, name, revision=self.spec.revision or "main"
            )
        except (OSError, ValueError) as error:
            raise not_loaded(str(self.spec), error, "name@revision") from None
        return str(path)

    def _foundation(self, kind: str, name: str, **options: Any) -> Any:
        try:
            return getattr(hub_library(), kind).from_pretrained(
                name, trust_remote_code=False, **options
            )
        except (OSError, ValueError) as error:
            raise not_loaded(name, error, "name@revision") from None

    def _encoded(self, first: Sequence[str], second: Sequence[str] | None = None) -> Any:
        return self.tokenizer(
            list(first), None if second is None else list(second), padding=True, truncation=True,
            max_length=self.longest, return_tensors="pt",
        ).to(self.device)  # fmt: skip

    def _checked(self, model: Any, state: dict[str, Any], tied: str) -> Any:
        """The model with these weights; none but tied ones may be missing."""
        missing = [key for key in model.load_state_dict(state, strict=False)[0] if tied not in key]
        if missing:
            raise ModelError(
                f"{self.spec} lacks the weights {missing[0]}: is it the right kind of model?"
            )
        return model.to(self.device).eval()


class Hhem(PeerModel):
    """HHEM 2.1: a T5 encoder that marks the first token of a prompt with yes or no."""

    @cached_property
    def config(self) -> Any:
        """That of the model it was made from, which its own config names."""
        file = self._file("config.json")
        own = json.loads(Path(file).read_text("utf-8"))
        if "foundation" not in own:
            raise ModelError(f"{self.spec} is not HHEM 2: its config names no foundation.")
        self._base = str(own["foundation"])
        config = self._foundation("AutoConfig", self._base, num_labels=2)
        config._commit_hash = hub_library().utils.hub.extract_commit_hash(file, None)
        return config

    @cached_property
    def tokenizer(self) -> Any:
        """That of the foundation."""
        assert self.config is not None  # which knows the foundation
        return self._foundation("AutoTokenizer", self._base)

    @cached_property
    def model(self) -> Any:
        """A token classifier over the encoder."""
        from safetensors.torch import load_file

        state = load_file(self._file("model.safetensors"))
        bare = {key.removeprefix("t5."): value for key, value in state.items()}
        empty = hub_library().T5ForTokenClassification(self.config)
        return self._checked(empty, bare, tied="embed_tokens")

    def supported(self, pairs: Sequence[Pair]) -> list[float]:
        """The second of the two chances at the first token."""
        written = [_HHEM_PROMPT.format(premise=p.premise, hypothesis=p.hypothesis) for p in pairs]
        logits = self.model(**self._encoded(written)).logits[:, 0, :]
        chances: list[float] = logits.float().softmax(-1)[:, 1].tolist()
        return chances


class MiniCheck(PeerModel):
    """MiniCheck: its T5 writes 1 or 0; its encoders have two outputs."""

    @cached_property
    def model(self) -> Any:
        """A generator or a classifier, as the config says."""
        generates = bool(self.config.is_encoder_decoder)
        kind = "AutoModelForSeq2SeqLM" if generates else "AutoModelForSequenceClassification"
        options = {"revision": self._pinned, "config": self.config, "use_safetensors": True}
        return self._load(kind, options).to(self.device).eval()

    def supported(self, pairs: Sequence[Pair]) -> list[float]:
        """How much likelier 1 is than 0."""
        end = self.tokenizer.eos_token or self.tokenizer.sep_token
        joined = [f"{p.premise}{end}{p.hypothesis}" for p in pairs]
        if not self.config.is_encoder_decoder:
            logits = self.model(**self._encoded(joined)).logits
        else:
            inputs = self._encoded([f"predict: {text}" for text in joined])
            torch = _torch()
            start = torch.full(
                (len(pairs), 1), self.config.decoder_start_token_id, device=self.device
            )
            first = self.model(
                input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"],
                decoder_input_ids=start,
            ).logits[:, 0, :]  # fmt: skip
            answers = [self.tokenizer(text)["input_ids"][0] for text in ("0", "1")]
            logits = first[:, answers]
        chances: list[float] = logits.float().softmax(-1)[:, 1].tolist()
        return chances


class AlignScore(PeerModel):
    """AlignScore: RoBERTa with a three-way head, as safetensors or as its authors publish it."""

    @cached_property
    def _base(self) -> str:
        own = Path(self.spec.name) / "config.json"
        return self.spec.name if own.is_file() else _ALIGNSCORE_BASE

    @cached_property
    def _checkpoint(self) -> str:
        # A folder may hold the checkpoint of either size.
        pickles = sorted(path.name for path in Path(self.spec.name).glob("*.ckpt"))
        try:
            return self._file("model.safetensors")
        except ModelError:
            return self._file(pickles[0] if pickles else _ALIGNSCORE_PICKLE)

    def _state(self) -> dict[str, Any]:
        """The tensors of the checkpoint; nothing else in it is believed, and no code runs."""
        if self._checkpoint.endswith(".safetensors"):
            from safetensors.torch import load_file

            tensors: dict[str, Any] = load_file(self._checkpoint)
            return tensors
        torch = _torch()
        try:
            saved = torch.load(self._checkpoint, map_location="cpu", weights_only=True)
        except Exception as error:  # a foreign file: whatever fails, it is not loaded
            raise ModelError(
                f"{Path(self._checkpoint).name} of {self.spec} cannot be read as weights alone "
                f"({type(error).__name__}): save the tensors of its state_dict as "
                "model.safetensors in a folder, and name it, as  preset=alignscore,infer=FOLDER."
            ) from None
        state: dict[str, Any] = saved.get("state_dict", saved)
        return state

    @cached_property
    def config(self) -> Any:
        """That of its RoBERTa."""
        config = self._foundation("AutoConfig", self._base)
        config._commit_hash = hub_library().utils.hub.extract_commit_hash(self._checkpoint, None)
        return config

    @cached_property
    def revision(self) -> str:
        """The commit on the hub, or a hash of the checkpoint."""
        known = getattr(self.config, "_commit_hash", None)
        return known or hashlib.sha256(Path(self._checkpoint).read_bytes()).hexdigest()[:12]

    @cached_property
    def tokenizer(self) -> Any:
        """That of its RoBERTa."""
        return self._foundation("AutoTokenizer", self._base)

    @cached_property
    def model(self) -> Any:
        """RoBERTa and the head, side by side."""
        torch = _torch()
        whole = torch.nn.ModuleDict(
            {
                "base_model": hub_library().AutoModel.from_config(self.config),
                "tri_layer": torch.nn.Linear(self.config.hidden_size, 3),
            }
        )
        return self._checked(whole, self._state(), tied="position_ids")

    def supported(self, pairs: Sequence[Pair]) -> list[float]:
        """The chance of "aligned", the first of the three."""
        inputs = self._encoded([p.premise for p in pairs], [p.hypothesis for p in pairs])
        pooled = self.model["base_model"](**inputs).pooler_output
        chances: list[float] = self.model["tri_layer"](pooled).float().softmax(-1)[:, 0].tolist()
        return chances


LAYOUTS: dict[str, Callable[[ModelSpec, str], PeerModel]] = {
    "hhem": Hhem,
    "minicheck": MiniCheck,
    "alignscore": AlignScore,
}


def _torch() -> Any:
    import torch

    return torch
