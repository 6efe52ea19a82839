"""A Hugging Face model as a chatbot: a chat model, or a seq2seq model with speaker tokens.

    hf:HuggingFaceTB/SmolLM2-135M-Instruct
    hf:PATH,bot_token=<bot>,user_token=<user>     a seq2seq model trained on dialogues

Weights are read from safetensors only and remote code never runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, ClassVar

from staytrue.chatbots.messages import OWN, chat_messages, without_system
from staytrue.core.errors import MissingExtra, ModelError, UsageError
from staytrue.core.hub_errors import not_loaded
from staytrue.core.records import Turn


@dataclass
class HuggingFaceChatbot:
    """Samples a reply from a local model; the model loads at the first reply."""

    concurrency: ClassVar[int] = 1
    """Replies that it can make at once."""
    model: str
    prompt: str = ""
    temperature: float = 1.0
    top_p: float = 0.9
    max_tokens: int = 60
    revision: str = "main"
    bot_token: str = "<bot>"
    user_token: str = "<user>"
    persona_token: str = "<persona>"
    _loaded: tuple[Any, Any] | None = field(default=None, init=False, repr=False)
    # Sampling uses PyTorch's global generator, so replies are made one at a time.
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """A sampled reply; the same history, persona and seed give the same one."""
        with self._lock:
            tokenizer, network = self._load()
            if network.config.is_encoder_decoder:
                inputs = self._dialogue_inputs(tokenizer, network, history, persona)
                skip = 0
            else:
                inputs = self._chat_inputs(tokenizer, history, persona)
                skip = inputs["input_ids"].shape[1]
            return self._sample(tokenizer, network, inputs, skip, seed)

    def dialogue_text(self, history: Sequence[Turn], persona: Sequence[str]) -> str:
        """Persona, then turns, each after its token: the input of a seq2seq dialogue model."""
        parts = [f"{self.persona_token} {' '.join(persona)}"] if persona else []
        for turn in history:
            token = self.bot_token if turn.speaker == OWN else self.user_token
            parts.append(f"{token} {turn.text}")
        return " ".join([*parts, self.bot_token])

    def _dialogue_inputs(
        self, tokenizer: Any, network: Any, history: Sequence[Turn], persona: Sequence[str]
    ) -> Any:
        """Persona and dialogue; of one that is too long the oldest words are left out."""
        room = _room(tokenizer, network)
        for kept in _shorter_and_shorter(history, room):
            text = self.dialogue_text(kept, persona)
            if len(tokenizer(text)["input_ids"]) <= room:
                break
        # Only a persona that fills the room by itself is still too long here.
        tokenizer.truncation_side = "left"
        return tokenizer(text, return_tensors="pt", truncation=True, max_length=room)

    def _chat_inputs(self, tokenizer: Any, history: Sequence[Turn], persona: Sequence[str]) -> Any:
        if tokenizer.chat_template is None:
            raise ModelError(
                f"{self.model} has no chat template; use an instruction-tuned or a seq2seq model."
            )
        from jinja2 import TemplateError

        messages = chat_messages(history, prompt=self.prompt, persona=persona)
        settings = {"add_generation_prompt": True, "return_tensors": "pt", "return_dict": True}
        try:
            return tokenizer.apply_chat_template(messages, **settings)
        except TemplateError:
            # Some templates, such as Gemma's, refuse a system message.
            return tokenizer.apply_chat_template(without_system(messages), **settings)

    def _sample(self, tokenizer: Any, network: Any, inputs: Any, skip: int, seed: int) -> str:
        import torch

        pad = (
            tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
        )
        known = {k: v for k, v in inputs.items() if k in ("input_ids", "attention_mask")}
        settings: dict[str, Any] = {"do_sample": self.temperature > 0}
        if self.temperature > 0:
            settings |= {"temperature": self.temperature, "top_p": self.top_p}
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(seed % 2**63)
            made = network.generate(
                **known, **settings, max_new_tokens=self.max_tokens, pad_token_id=pad
            )
        text: str = tokenizer.decode(made[0][skip:], skip_special_tokens=True)
        return text.strip()

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            try:
                import torch  # noqa: F401
                from transformers import (
                    AutoConfig,
                    AutoModelForCausalLM,
                    AutoModelForSeq2SeqLM,
                    AutoTokenizer,
                )
            except ImportError:
                raise MissingExtra("A Hugging Face chatbot", "hf") from None
            source = {"revision": self.revision, "trust_remote_code": False}
            try:
                config = AutoConfig.from_pretrained(self.model, **source)
                kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
                network = kind.from_pretrained(self.model, use_safetensors=True, **source)
                tokenizer = AutoTokenizer.from_pretrained(self.model, **source)
            except (OSError, ValueError) as error:
                raise not_loaded(self.model, error, "hf:MODEL,revision=NAME") from None
            self._loaded = (tokenizer, network.eval())
        return self._loaded


def _shorter_and_shorter(history: Sequence[Turn], room: int) -> Iterator[Sequence[Turn]]:
    """The dialogue, then without its oldest turns, then the last turn without its first words."""
    yield history
    for start in range(1, len(history)):
        yield history[start:]
    # A word is at least one token, so that more words than there is room need not be tried.
    words = history[-1].text.split()[-room:] if history else []
    for start in range(len(words)):
        yield [replace(history[-1], text=" ".join(words[start:]))]


def _room(tokenizer: Any, network: Any) -> int:
    # Tokenizers without a limit state an enormous number, and some models state none.
    places = getattr(network.config, "max_position_embeddings", None) or 1024
    return min(int(tokenizer.model_max_length), int(places), 1024)


def load(
    model: str = "",
    *,
    prompt: str = "",
    temperature: float = 1.0,
    top_p: float = 0.9,
    max_tokens: int = 60,
    revision: str = "main",
    bot_token: str = "<bot>",
    user_token: str = "<user>",
    persona_token: str = "<persona>",
) -> HuggingFaceChatbot:
    """Make the bot from `MODEL,option=value…`; MODEL is a folder or a name on the hub."""
    if not model:
        raise UsageError("Write the model: hf:MODEL.")
    return HuggingFaceChatbot(
        model, prompt, temperature, top_p, max_tokens, revision, bot_token, user_token,
        persona_token,
    )  # fmt: skip
