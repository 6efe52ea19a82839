"""The chat endpoint of OpenAI-compatible servers: its address, its answers, what they used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from staytrue.core.errors import StaytrueError, one_line
from staytrue.core.transport import Transport
from staytrue.core.usage import Usage


def chat_transport(
    base: str, key: str, *, price_in: float, price_out: float, **settings: Any
) -> Transport:
    """A way to post to the endpoint under `base`; `settings` are the transport's own."""
    return Transport(
        f"{base.rstrip('/')}/chat/completions",
        headers={"Authorization": f"Bearer {key}"} if key else {},
        secrets=(key,),
        usage=Usage(price_in, price_out),
        **settings,
    )


def first_choice(answer: Any, failure: type[StaytrueError]) -> tuple[Mapping[str, Any], Any]:
    """The first choice of an answer with the content of its message, which need not be text."""
    try:
        choice = answer["choices"][0]
        return choice, choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise failure(
            f"The server answered without choices[0].message.content: {one_line(str(answer), 120)}"
        ) from None


def count_tokens(usage: Usage, answer: Mapping[str, Any]) -> None:
    """Add the tokens that the answer says it took, if it says so."""
    used = answer.get("usage")
    if isinstance(used, dict):
        usage.add(
            tokens_in=int(used.get("prompt_tokens") or 0),
            tokens_out=int(used.get("completion_tokens") or 0),
        )
