"""A local GGUF file as a chatbot, through llama.cpp: no server, no network.

gguf:PATH[,temperature=0.8,top_p=0.9,max_tokens=60,context=2048,threads=2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from staytrue.chatbots.messages import FRIENDLY, chat_messages
from staytrue.core.errors import ChatbotError, UsageError, one_line
from staytrue.core.llama import load_llama
from staytrue.core.records import Turn
from staytrue.core.usage import Usage


@dataclass
class GgufChatbot:
    """Samples replies from a GGUF model; the file loads at the first reply."""

    concurrency: ClassVar[int] = 1
    """Replies that it can make at once."""
    path: str
    prompt: str = FRIENDLY
    temperature: float = 0.8
    top_p: float = 0.9
    max_tokens: int = 60
    context: int = 2048
    threads: int = 1
    usage: Usage = field(default_factory=Usage, repr=False)
    _loaded: Any = field(default=None, init=False, repr=False)
    # One llama.cpp context serves one caller at a time.
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """A sampled reply; the same history, persona and seed give the same one."""
        messages = chat_messages(history, prompt=self.prompt, persona=persona)
        with self._lock:
            answer = self._load().handle_chat_completions(
                {
                    "messages": messages,
                    "temperature": self.temperature,
                    "top_p": self.top_p,
                    "max_tokens": self.max_tokens,
                    "seed": seed % 2**31,
                }
            )
        if not isinstance(answer, dict) or "choices" not in answer:
            raise ChatbotError(f"{self.path} could not answer: {one_line(str(answer), 160)}")
        used = answer["usage"]
        self.usage.add(
            requests=1, tokens_in=used["prompt_tokens"], tokens_out=used["completion_tokens"]
        )
        return str(answer["choices"][0]["message"]["content"] or "").strip()

    def _load(self) -> Any:
        if self._loaded is None:
            self._loaded = load_llama(
                self.path, "A GGUF chatbot", context=self.context, threads=self.threads
            )
        return self._loaded


def load(
    path: str = "",
    *,
    prompt: str = FRIENDLY,
    temperature: float = 0.8,
    top_p: float = 0.9,
    max_tokens: int = 60,
    context: int = 2048,
    threads: int = 1,
) -> GgufChatbot:
    """Make the bot from `PATH,option=value…`."""
    if not Path(path).is_file():
        raise UsageError(f"There is no GGUF file '{path}'; write gguf:PATH.")
    if threads < 1:
        raise UsageError(f"Option threads of chatbot gguf takes 1 or more, not '{threads}'.")
    return GgufChatbot(path, prompt, temperature, top_p, max_tokens, context, threads)
