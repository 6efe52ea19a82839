"""Any OpenAI-compatible chat endpoint: OpenAI, vLLM, a llama.cpp server, Ollama, TGI.

    openai:MODEL@BASE_URL[,option=value…]
    openai:gpt-4o-mini@https://api.openai.com/v1,temperature=0.7,price_in=0.15,price_out=0.6
    openai:qwen3:4b@http://localhost:11434/v1
    openai:gemma-2-9b-it@http://localhost:8000/v1,system=first

With `system=first` prompt and persona stand before the user's first words, for models that take no
system message.
The key is read from the environment variable that `key_env` names and is never written anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from staytrue.chatbots.messages import FRIENDLY, chat_messages, without_system
from staytrue.core.chat_completions import chat_transport, count_tokens, first_choice
from staytrue.core.errors import ChatbotError, ChatbotRefusal, UsageError
from staytrue.core.records import Turn
from staytrue.core.transport import Remote, Transport

DEFAULT_BASE = "https://api.openai.com/v1"

# How servers refuse a message of a role that the model's template does not know.
_ABOUT_ROLES = re.compile(r"status 4\d\d: .*\b(system|developer|roles?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class OpenAIChatbot(Remote):
    """Replies through `POST BASE_URL/chat/completions`."""

    model: str
    transport: Transport
    prompt: str = FRIENDLY
    temperature: float = 1.0
    top_p: float = 0.9
    max_tokens: int = 80
    system: str = "role"
    """Where prompt and persona go: "role", a message of the system's, or "first"."""

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The endpoint's answer to the whole dialogue."""
        messages = chat_messages(history, prompt=self.prompt, persona=persona)
        if self.system == "first":
            messages = without_system(messages)
        answer = self._post(
            {
                "model": self.model,
                "messages": messages,
                "temperature": self.temperature,
                "top_p": self.top_p,
                "max_tokens": self.max_tokens,
                # Servers differ in the width of a seed; 31 bits fit all of them.
                "seed": seed % 2**31,
            }
        )
        text = _content(answer)
        count_tokens(self.usage, answer)
        return text

    def _post(self, body: dict[str, Any]) -> Any:
        try:
            return self.transport.post(body)
        except ChatbotRefusal as refusal:
            had_system = body["messages"][0]["role"] == "system"
            if not (had_system and _ABOUT_ROLES.search(str(refusal))):
                raise
            message = str(refusal).rstrip(".")
            raise ChatbotRefusal(
                f"{message}; if the model takes no system message, add  system=first  to the bot."
            ) from None


def _content(answer: Any) -> str:
    _, text = first_choice(answer, ChatbotError)
    if not isinstance(text, str):
        raise ChatbotError("The server's message has no text; raise max_tokens or check the model.")
    return text.strip()


def load(
    address: str = "",
    *,
    prompt: str = FRIENDLY,
    temperature: float = 1.0,
    top_p: float = 0.9,
    max_tokens: int = 80,
    key_env: str = "OPENAI_API_KEY",
    timeout: float = 60.0,
    retries: int = 5,
    backoff: float = 1.0,
    concurrency: int = 8,
    price_in: float = 0.0,
    price_out: float = 0.0,
    system: Literal["role", "first"] = "role",
) -> OpenAIChatbot:
    """Make the bot from `MODEL@BASE_URL,option=value…`; without `@` OpenAI itself is asked."""
    model, _, base = address.partition("@")
    if not model:
        raise UsageError("Write the model's name: openai:MODEL@BASE_URL.")
    sender = chat_transport(
        base or DEFAULT_BASE, os.environ.get(key_env, ""), price_in=price_in, price_out=price_out,
        timeout=timeout, retries=retries, backoff=backoff, concurrency=concurrency,
    )  # fmt: skip
    return OpenAIChatbot(model, sender, prompt, temperature, top_p, max_tokens, system)
