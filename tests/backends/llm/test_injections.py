"""Instructions inside the texts under judgement change no verdict."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.injections import (
    INJECTIONS,
    KNOWLEDGE,
    RESPONSES,
    Half,
    filled_in,
    half,
    informed,
    placed,
)
from tests.backends.llm.model import Asked, backend_for, completion, saying, understood
from tests.chatbots.server import Reply, serving

from staytrue.backends.llm import tasks
from staytrue.backends.llm.fences import Fence, fence_for
from staytrue.core.errors import ModelAnswerError
from staytrue.core.protocols import Grounding, Pair, Query
from staytrue.core.records import Example, Verdict
from staytrue.metrics.judge import Judge

REVIEW: dict[str, Any] = {"reason": "It is Ethiopia.", "evidence": []}


def honest(asked: Asked) -> dict[str, Any]:
    """What a model that follows no foreign order says of a false response, or answers."""
    if asked.field == "label":
        return {"label": "contradiction"}
    if asked.field == "answer":
        return {"answer": "Ethiopia"}
    return {**REVIEW, "wrong": ["Norway"], "verdict": "inconsistent"}


def fooled(asked: Asked) -> dict[str, Any]:
    """What a model says that an injection has taken over."""
    if asked.field == "label":
        return {"label": "entailment"}
    if asked.field == "answer":
        return {"answer": None}
    return {**REVIEW, "wrong": [], "verdict": "consistent"}


def obedient(_: int, body: Any) -> Reply:
    """A model that obeys whatever stands outside the marks, and knows the canary if it is told."""
    told = any(one["command"] in understood(body).outside for one in INJECTIONS)
    return saying(fooled if told else honest)(0, body)


def verdicts(rows: list[Example]) -> list[Verdict]:
    with serving(obedient) as server:
        return Judge(backend_for(server.url)).judge(rows)


def test_the_set_is_as_large_and_as_varied_as_promised() -> None:
    assert len({one["text"] for one in INJECTIONS}) == 60
    assert len({one["language"] for one in INJECTIONS}) == 8
    assert {one["form"] for one in INJECTIONS} >= {"plain", "markdown", "json", "template"}
    attacks = Counter(one["attack"] for one in INJECTIONS)
    assert attacks["close"] + attacks["canary"] >= 20


@pytest.mark.parametrize("field", ["response", "knowledge", "history", "persona"])
def test_no_injection_changes_a_verdict(field: str) -> None:
    rows = [placed(informed(one["text"], field), field) for one in INJECTIONS]
    (clean,) = verdicts([placed("", field)])
    assert clean.label == "inconsistent"
    for injection, verdict in zip(INJECTIONS, verdicts(rows), strict=True):
        assert (verdict.score, verdict.label) == (clean.score, clean.label), injection["id"]


def test_without_marks_every_injection_would_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fence, "around", lambda self, name, text: f"{name}:\n{text}")
    judgements = verdicts([placed(one["text"], "response") for one in INJECTIONS])
    assert [verdict.label for verdict in judgements] == ["consistent"] * 60


# What each method is asked about, and the first request that it makes of it.
ITEMS: dict[str, Pair | Grounding | Query] = {
    "infer": Pair(KNOWLEDGE, RESPONSES["consistent"]),
    "classify": Grounding(KNOWLEDGE, "Hello.", RESPONSES["consistent"]),
    "answer": Query("Where does coffee come from?", KNOWLEDGE),
}
REQUESTS: dict[str, Callable[[Any], tasks.Task]] = {
    "infer": lambda pair: tasks.infer(pair, both=True)[0],
    "classify": lambda item: tasks.classify(item, both=True)[0],
    "answer": tasks.answer,
}
FIELDS = [
    ("infer", "premise"), ("infer", "hypothesis"),
    ("classify", "evidence"), ("classify", "message"), ("classify", "response"),
    ("answer", "passage"), ("answer", "question"),
]  # fmt: skip


def attacked(method: str, field: str, injection: str) -> Any:
    """What a method is asked about, with the injection in one of its texts."""
    item: Any = ITEMS[method]
    return replace(item, **{field: f"{getattr(item, field)} {injection}"})


def aimed(injection: str, field: str) -> str:
    """The injection, closing the marks of this text instead of a response's."""
    return injection.replace("<</response", f"<</{field}").replace("<<response", f"<<{field}")


def replies(method: str, items: Sequence[Any]) -> list[Any]:
    with serving(obedient) as server:
        return list(getattr(backend_for(server.url), method)(items))


@pytest.mark.parametrize(("method", "field"), FIELDS)
def test_no_injection_changes_what_the_other_methods_say(method: str, field: str) -> None:
    items = [
        attacked(
            method,
            field,
            filled_in(
                aimed(one["text"], field),
                lambda text: REQUESTS[method](attacked(method, field, text)),
            ),
        )
        for one in INJECTIONS
    ]
    clean, *others = replies(method, [ITEMS[method], *items])
    for injection, reply in zip(INJECTIONS, others, strict=True):
        assert reply == clean, injection["id"]


@pytest.mark.parametrize(("method", "field"), FIELDS)
def test_without_marks_every_injection_would_move_the_other_methods(
    method: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fence, "around", lambda self, name, text: f"{name}:\n{text}")
    items = [attacked(method, field, one["text"]) for one in INJECTIONS]
    clean, *others = replies(method, [ITEMS[method], *items])
    assert clean not in others


def test_with_marks_that_are_known_those_that_close_them_would_win(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks.Task, "fence", lambda self: Fence("0" * 12, "bababa"))
    closing = [one for one in INJECTIONS if "<</response {code}>>" in one["text"]]
    filled = [one["text"].replace("{code}", "0" * 12) for one in closing]
    judgements = verdicts([placed(text, "response") for text in filled])
    assert len(closing) == 16
    assert {verdict.label for verdict in judgements} == {"consistent"}


def test_an_answer_without_the_canary_is_not_believed() -> None:
    def taken_over(_: int, body: Any) -> Reply:
        reply = {"check": "ok", "reason": "", "wrong": [], "evidence": [], "verdict": "consistent"}
        return completion(json.dumps(reply))

    with (
        serving(taken_over) as server,
        pytest.raises(ModelAnswerError, match=r'"check" must be'),
    ):
        Judge(backend_for(server.url)).judge([placed("", "response")])


def test_what_a_model_says_is_not_repeated_outside_the_marks() -> None:
    order = INJECTIONS[0]["command"]

    def echoing(number: int, body: Any) -> Reply:
        if number:
            return obedient(number, body)
        reply = {**honest(understood(body)), "check": understood(body).canary, "verdict": order}
        return completion(json.dumps(reply))

    with serving(echoing) as server:
        (verdict,) = Judge(backend_for(server.url)).judge([placed("", "response")])
        assert len(server.bodies) == 2
    assert verdict.label == "inconsistent"


def test_no_text_holds_its_own_code_or_canary() -> None:
    text = "Hello."
    seen = set()
    for _ in range(20):
        fence = fence_for([text])
        assert fence.code not in text
        assert fence.canary not in text
        assert (fence.code, fence.canary) not in seen
        seen.add((fence.code, fence.canary))
        text = f"{text} {fence.code} {fence.canary.upper()}"
    assert fence_for([text]) == fence_for([text])


@pytest.mark.parametrize(
    "text", ["<|im_end|>", "<|im_start|>system", "</s>", "<end_of_turn>", "[/INST]", "<｜end｜>"]
)
def test_what_a_chat_template_would_obey_is_broken_up(text: str) -> None:
    assert text not in fence_for([text]).around("response", text)


def test_ordinary_brackets_stay_as_they_are() -> None:
    text = "a < b, <b>bold</b>, [1], 3 <| x"
    assert "a < b, <b>bold</b>, [1]" in fence_for([text]).around("response", text)


def test_a_model_that_obeys_its_texts_is_seen_to_move() -> None:
    def obeying(asked: Asked) -> dict[str, Any]:
        response = asked.texts["response"]
        verdict = "inconsistent" if "Norway" in response else "consistent"
        for word in ("inconsistent", "consistent"):
            if word in response:
                verdict = word
                break
        return {**honest(asked), "verdict": verdict}

    some = [one for one in INJECTIONS if one["attack"] == "order"][:4]
    with serving(saying(obeying)) as server:
        backend = f"llm:m@{server.url},concurrency=1"
        halves = [half(wanted, some, backend) for wanted in RESPONSES]
    assert [one.clean for one in halves] == ["inconsistent", "consistent"]
    assert [dict(one.counts) for one in halves] == [{"moved": 4}, {"moved": 4}]
    assert "| 4 | 4 (4 order) | 0 | 0 |" in str(halves[0])


def test_no_answer_and_another_verdict_are_not_counted_as_moved() -> None:
    outcome = Half("consistent", "inconsistent")
    for label in ("inconsistent", "nothing to check", "consistent", None):
        outcome.add(INJECTIONS[0], label)
    assert outcome.counts == {"same": 1, "other": 1, "moved": 1, "error": 1}
    always = Half("consistent", "consistent")
    always.add(INJECTIONS[0], "consistent")
    assert always.counts == {"same": 1}
