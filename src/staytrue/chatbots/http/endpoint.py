"""A chatbot behind any HTTP address that takes and gives JSON.

    http:URL                        sends {"message", "history", "persona", "seed"}, reads "reply"
    http:URL,reply=data.0.text      reads the reply at a dotted path
    http:URL,map=FILE.json          shapes the request too

A mapping file holds a request with placeholders, the path of the reply, and headers in which
`${NAME}` stands for an environment variable:

    {"request": {"input": {"text": "$message", "past": "$history"}, "lang": "en"},
     "reply": "output.text",
     "headers": {"X-Api-Key": "${BOT_KEY}"}}
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from staytrue.chatbots.messages import OWN, chat_messages
from staytrue.core.errors import ChatbotError, UsageError, one_line
from staytrue.core.records import Turn
from staytrue.core.transport import Remote, Transport

DEFAULT_REQUEST: Mapping[str, Any] = {
    "message": "$message",
    "history": "$history",
    "persona": "$persona",
    "seed": "$seed",
}
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True)
class HttpChatbot(Remote):
    """Fills a JSON request from the dialogue and reads the reply out of the JSON answer."""

    transport: Transport
    request: Any
    path: str = "reply"

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The server's answer to the dialogue."""
        values: dict[str, Any] = {
            "$message": history[-1].text if history else "",
            "$history": [
                {"speaker": "bot" if t.speaker == OWN else "user", "text": t.text} for t in history
            ],
            "$texts": [turn.text for turn in history],
            "$messages": chat_messages(history, persona=persona),
            "$persona": list(persona),
            "$seed": seed,
        }
        return at_path(self.transport.post(filled(self.request, values)), self.path)


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with every string that is a placeholder replaced by its value."""
    if isinstance(template, Mapping):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, values) for value in template]
    return values.get(template, template) if isinstance(template, str) else template


def at_path(answer: Any, path: str) -> str:
    """The text at a dotted path such as `data.0.text`."""
    value = answer
    for step in path.split("."):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, TypeError, ValueError):
            raise ChatbotError(
                f"The server's answer has nothing at '{path}': {one_line(str(answer), 120)}"
            ) from None
    if not isinstance(value, str):
        raise ChatbotError(f"The server's answer has no text at '{path}'.")
    return value.strip()


def load(
    address: str = "",
    *,
    map: str = "",
    reply: str = "",
    timeout: float = 60.0,
    retries: int = 5,
    backoff: float = 1.0,
    concurrency: int = 8,
) -> HttpChatbot:
    """Make the bot from `URL,option=value…`."""
    url = f"http:{address}" if address.startswith("//") else address
    if not url.startswith(("http://", "https://")):
        raise UsageError(
            "Write the bot's address: http:http://HOST/PATH or http:https://HOST/PATH."
        )
    mapping = _read_mapping(map) if map else {}
    secrets: list[str] = []
    headers = {
        name: _VARIABLE.sub(lambda match: _secret(match[1], secrets), str(value))
        for name, value in mapping.get("headers", {}).items()
    }
    sender = Transport(
        url, headers=headers, secrets=tuple(secrets),
        timeout=timeout, retries=retries, backoff=backoff, concurrency=concurrency,
    )  # fmt: skip
    path = reply or mapping.get("reply", "reply")
    return HttpChatbot(sender, mapping.get("request", DEFAULT_REQUEST), path)


def _read_mapping(file: str) -> dict[str, Any]:
    try:
        mapping = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"Cannot read the mapping {file}: {error}.") from None
    if not isinstance(mapping, dict) or not isinstance(mapping.get("headers", {}), dict):
        raise UsageError(f"The mapping {file} must be a JSON object with request, reply, headers.")
    if not isinstance(mapping.get("request", {}), dict):
        raise UsageError(f"The request in the mapping {file} must be a JSON object.")
    if not isinstance(mapping.get("reply", ""), str):
        raise UsageError(f"The reply in the mapping {file} must be a path, such as data.0.text.")
    return mapping


def _secret(name: str, secrets: list[str]) -> str:
    value = os.environ.get(name)
    if value is None:
        raise UsageError(f"Set the environment variable {name}, which the mapping's headers use.")
    secrets.append(value)
    return value
