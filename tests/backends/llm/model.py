"""A scripted model behind a real HTTP server: it reads our prompts as a large one would."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.chatbots.server import Reply

from staytrue.backends.llm import LlmBackend

CODE = re.compile(r"marks with the code ([0-9a-f]+)")
CANARY = re.compile(r'"check": "(\w+)"')
NAME = re.compile(r"\b(?!It\b)[A-Z]\w+|\b\d+")


@dataclass(frozen=True)
class Asked:
    """What stands in one request."""

    texts: dict[str, str]
    """The fenced texts by name, in order."""
    outside: str
    """Everything that is not fenced."""
    canary: str
    fields: tuple[str, ...]

    @property
    def field(self) -> str:
        """The last value asked for."""
        return self.fields[-1]


def understood(body: Any) -> Asked:
    """Take a request apart by the marks that its system message names."""
    system = body["messages"][0]["content"]
    code, canary = CODE.search(system), CANARY.search(system)
    assert code
    assert canary
    fenced = re.compile(rf"<<(\w+) {code[1]}>>\n(.*?)\n<</\1 {code[1]}>>", re.S)
    told = "\n".join(m["content"] for m in body["messages"] if m["role"] != "assistant")
    form = system.rsplit("\n", 1)[-1]
    return Asked(
        dict(fenced.findall(told)),
        fenced.sub("", told),
        canary[1],
        tuple(re.findall(r'"(\w+)": ', form)),
    )


def completion(
    text: str, tokens: list[dict[str, Any]] | None = None, used: tuple[int, int] = (100, 10)
) -> Reply:
    """An answer in the form of OpenAI's chat endpoint."""
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}}
    if tokens is not None:
        choice["logprobs"] = {"content": tokens}
    usage = {"prompt_tokens": used[0], "completion_tokens": used[1]}
    return Reply({"choices": [choice], "usage": usage})


def token(text: str, **others: float) -> dict[str, Any]:
    """A token, with the probabilities of what could have stood there."""
    chances = others or {text: 0.9}
    top = [{"token": t, "logprob": math.log(p)} for t, p in chances.items()]
    return {"token": text, "logprob": top[0]["logprob"], "top_logprobs": top}


def saying(values: Callable[[Asked], dict[str, Any]]) -> Callable[[int, Any], Reply]:
    """A model that answers these values, with the right canary."""

    def answer(_: int, body: Any) -> Reply:
        asked = understood(body)
        return completion(json.dumps({"check": asked.canary, **values(asked)}))

    return answer


def sensible(asked: Asked) -> dict[str, Any]:
    """Plausible answers to every kind of task, by plain rules on the fenced texts."""
    texts = asked.texts
    if asked.field == "no_claims":
        return {"claims": [texts["text"]], "no_claims": []}
    if asked.field == "spans":
        return {"spans": NAME.findall(texts["text"])}
    if asked.field == "questions":
        return {"questions": [texts["text"].replace(texts["answer"], "what") + "?"]}
    if asked.field == "answer":
        return {"answer": next(reversed(NAME.findall(texts["passage"])), None)}
    if asked.field == "label" and "premise" in texts:
        inside = texts["hypothesis"].strip(" .") in texts["premise"]
        return {"label": "entailment" if inside else "contradiction"}
    if asked.field == "label":
        inside = texts["response"].strip(" .") in texts["evidence"]
        return {"label": "entailment" if inside else "hallucination"}
    wrong = [
        w
        for w in re.findall(r"\b[A-Z]\w+", texts["response"])
        if w not in str(texts.get("knowledge"))
    ]
    return {
        "reason": "The texts say something else." if wrong else "The texts say so.",
        "wrong": wrong,
        "evidence": [texts["knowledge"][:20]],
        "verdict": "inconsistent" if wrong else "consistent",
    }  # fmt: skip


def backend_for(url: str, **options: Any) -> LlmBackend:
    """The backend, asking a server of this machine."""
    return LlmBackend(f"tiny@{url}/v1", **{"backoff": 0.01, **options})
