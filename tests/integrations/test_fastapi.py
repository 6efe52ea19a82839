"""The middleware: blocked answers are replaced, all others pass with what the guard says."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install '.[web]'")

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, StreamingResponse
from fastapi.testclient import TestClient
from tests.integrations.test_guard import slow

from staytrue.integrations.fastapi import Answer, GuardAnswers
from staytrue.integrations.guard import Guard, Ruling

KNOWLEDGE = "coffee comes from ethiopia"


def answer(asked: Any, body: Any) -> Answer | None:
    if not isinstance(body, dict) or "reply" not in body:
        return None
    return Answer(body["reply"], body.get("sources", ""), history=asked["history"])


def client(**options: Any) -> TestClient:
    app = FastAPI()

    @app.post("/chat")
    def chat(body: dict[str, Any]) -> dict[str, Any]:
        return {"reply": body["say"], "sources": body.get("sources", KNOWLEDGE), "é": "ü"}

    @app.get("/plain")
    def plain() -> PlainTextResponse:
        return PlainTextResponse("tea grows in norway")

    @app.get("/other")
    def other() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/parts")
    def parts() -> StreamingResponse:
        pieces = [b'{"reply": "tea grows', b' in norway", "sources": "coffee"}']
        return StreamingResponse(iter(pieces), media_type="application/json")

    guard = Guard(metric="judge", backend="scripted")
    app.add_middleware(GuardAnswers, **{"guard": guard, "answer": answer, **options})
    return TestClient(app)


def say(to: TestClient, text: str, **more: Any) -> Any:
    return to.post("/chat", json={"say": text, "history": ["hello"], **more})


def test_a_true_answer_passes_unchanged_with_its_score() -> None:
    got = say(client(), KNOWLEDGE)
    assert got.json() == {"reply": KNOWLEDGE, "sources": KNOWLEDGE, "é": "ü"}
    assert got.headers["x-staytrue"] == "passed; score=1.000"


def test_a_false_answer_is_replaced() -> None:
    got = say(client(), "tea grows in norway")
    assert got.headers["x-staytrue"].startswith("blocked; score=0.")
    assert "norway" not in got.json().get("reply", "")
    assert got.json()["error"] == "The answer is not supported by its sources."
    assert int(got.headers["content-length"]) == len(got.content)


def test_an_app_may_use_words_of_its_own() -> None:
    def blocked(body: Any, ruling: Ruling) -> Any:
        return {**body, "reply": "I am not sure.", "struck": [c.text for c in ruling.strike]}

    got = say(client(blocked=blocked), "tea grows in norway").json()
    assert (got["reply"], got["struck"][-1]) == ("I am not sure.", "norway")


def test_an_answer_without_sources_is_unjudged_and_sent() -> None:
    got = say(client(), "tea grows in norway", sources="")
    assert got.json()["reply"] == "tea grows in norway"
    assert got.headers["x-staytrue"] == "unjudged"


def test_what_cannot_be_judged_in_time_is_sent_unless_the_guard_is_strict() -> None:
    late = Guard(metric="judge", backend=slow(0.5), deadline=0.05, warm=False)
    got = say(client(guard=late), KNOWLEDGE)
    assert (got.headers["x-staytrue"], got.json()["reply"]) == ("unjudged", KNOWLEDGE)
    assert "error" in say(client(guard=late, strict=True), KNOWLEDGE).json()


@pytest.mark.parametrize("path", ["/plain", "/other"])
def test_everything_else_passes_untouched(path: str) -> None:
    got = client().get(path)
    assert got.status_code == 200
    assert "x-staytrue" not in got.headers


def test_an_answer_in_parts_is_judged_when_it_is_whole() -> None:
    to = client(answer=lambda asked, body: Answer(body["reply"], body["sources"]))
    assert to.get("/parts").headers["x-staytrue"].startswith("blocked")


def test_a_response_too_large_to_hold_back_passes() -> None:
    got = say(client(most_bytes=200), "tea grows in norway" + " indeed" * 50)
    assert got.json()["reply"].startswith("tea grows in norway")
    assert "x-staytrue" not in got.headers
