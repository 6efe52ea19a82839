"""Guard the answers of a FastAPI or Starlette app: judged before they are sent.

app.add_middleware(GuardAnswers, guard=Guard(), answer=lambda request, response: Answer(...))
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from staytrue.core.errors import UsageError
from staytrue.integrations.checking import History, Knowledge, Texts
from staytrue.integrations.guard import Guard, Ruling

# ASGI's own shapes, so that neither FastAPI nor Starlette is imported.
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

HEADER = "x-staytrue"
_JSON = b"application/json"


@dataclass(frozen=True)
class Answer:
    """What to judge of a request and its response."""

    response: str
    knowledge: Knowledge = ""
    history: History = ()
    persona: Texts = ()


def refusal(response: Any, ruling: Ruling) -> Any:
    """What is sent instead of a blocked answer, unless the app has words of its own."""
    return {"error": "The answer is not supported by its sources.", "reason": ruling.reason}


class GuardAnswers:
    """ASGI middleware. Every answer gets the header `x-staytrue`; blocked ones are replaced.

    `answer(request, response)` gets the JSON of both (None for a request that has none), and
    returns what to judge, or None to let the response pass. `blocked(response, ruling)` returns
    the JSON that is sent instead. An unjudged answer is sent, unless `strict`.
    """

    def __init__(
        self,
        app: App,
        guard: Guard,
        answer: Callable[[Any, Any], Answer | None],
        *,
        blocked: Callable[[Any, Ruling], Any] = refusal,
        strict: bool = False,
        most_bytes: int = 1_000_000,
    ) -> None:
        """Responses above `most_bytes`, streams and other types than JSON pass as they are."""
        self._app = app
        self._guard = guard
        self._answer = answer
        self._blocked = blocked
        self._strict = strict
        self._most = most_bytes

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = bytearray()

        async def listen() -> Message:
            message = await receive()
            if message["type"] == "http.request" and len(asked) <= self._most:
                asked.extend(message.get("body", b""))
            return message

        await self._app(scope, listen, _Judging(self, asked, send))

    async def judged(self, asked: bytes, body: bytes) -> tuple[bytes, str]:
        """The body to send, and the header's value; empty where there is nothing to judge."""
        reply = _decoded(body)
        answer = None if reply is None else self._answer(_decoded(asked), reply)
        if answer is None:
            return body, ""
        try:
            ruling = await self._guard.acheck(
                answer.response, knowledge=answer.knowledge, history=answer.history,
                persona=answer.persona,
            )  # fmt: skip
        except UsageError:  # no sources, so nothing to judge by
            return body, "unjudged"
        if ruling.status == "blocked" or (self._strict and ruling.status == "unjudged"):
            body = json.dumps(self._blocked(reply, ruling)).encode()
        score = "" if ruling.score is None else f"; score={ruling.score:.3f}"
        return body, ruling.status + score

    @property
    def most_bytes(self) -> int:
        """What is held back of a response at most."""
        return self._most


class _Judging:
    """Holds a JSON response back until it is whole; sends all others on at once."""

    def __init__(self, guard: GuardAnswers, asked: bytearray, send: Send) -> None:
        self._guard = guard
        self._asked = asked
        self._send = send
        self._start: Message | None = None
        self._body = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json(message):
            self._start = message
        elif message["type"] == "http.response.body" and self._start is not None:
            self._body += message.get("body", b"")
            if len(self._body) > self._guard.most_bytes:
                await self._let_go(bytes(self._body), more=message.get("more_body", False))
            elif not message.get("more_body", False):
                body, ruling = await self._guard.judged(bytes(self._asked), bytes(self._body))
                await self._let_go(body, ruling)
        else:
            await self._send(message)

    async def _let_go(self, body: bytes, ruling: str = "", more: bool = False) -> None:
        start, self._start = self._start, None
        assert start is not None
        if ruling:
            others = [(k, v) for k, v in start["headers"] if k.lower() != b"content-length"]
            length = (b"content-length", str(len(body)).encode())
            start["headers"] = [*others, length, (HEADER.encode(), ruling.encode())]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": more})


def _is_json(start: Message) -> bool:
    headers = {bytes(name).lower(): bytes(value) for name, value in start.get("headers", ())}
    kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    return kind == _JSON and b"content-encoding" not in headers


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
