"""The backend on a real llama.cpp server: SmolLM2-135M, which xllamacpp serves over HTTP."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator

import pytest
from tests.chatbots.local.test_gguf import MODEL, real_model

from staytrue.backends.llm import LlmBackend
from staytrue.core.errors import ModelAnswerError
from staytrue.core.protocols import Answer, Claim, Grounding, Pair, Query, Span, Target
from staytrue.core.records import Example
from staytrue.runs.runner import evaluate

pytestmark = [pytest.mark.slow, pytest.mark.llama, real_model]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server with the small model, on a free port."""
    xllamacpp = importlib.import_module("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = MODEL
    settings.port = 0
    settings.n_ctx = 4096
    settings.n_parallel = 1
    settings.n_gpu_layers = 0
    settings.verbosity = 0
    settings.cpuparams.n_threads = 1
    # What is left of the last prompt changes rounding, and with it the probabilities.
    settings.cache_prompt = False
    settings.cache_ram_mib = 0
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server


def backend(url: str, max_tokens: int = 400) -> LlmBackend:
    return LlmBackend(
        f"smollm2@{url}/v1", concurrency=1, timeout=600, orders="one", max_tokens=max_tokens
    )


def test_answers_have_the_schema_and_probabilities_the_log_probabilities(url: str) -> None:
    pair = Pair("A dog runs in the park.", "An animal is outside.")
    asked = backend(url)
    (three,) = asked.infer([pair])
    assert three.entailment + three.neutral + three.contradiction == pytest.approx(1)
    # A label without log-probabilities would have 0.9 or 0.05.
    assert round(three.entailment, 6) not in (0.9, 0.05)
    assert asked.used()["tokens_in"] > 100
    assert backend(url).infer([pair]) == [three]


def test_all_five_classes_have_a_probability(url: str) -> None:
    (five,) = backend(url).classify([Grounding("Coffee is hot.", "Hi!", "Coffee is hot.")])
    assert sum(five.values()) == pytest.approx(1)
    assert len(five) == 5


def test_a_row_is_judged_or_becomes_an_error_record(url: str) -> None:
    rows = [Example("1", "Coffee comes from Norway.", "Coffee comes from Ethiopia.")]
    result = evaluate(rows, ["judge"], backend=backend(url))
    assert len(result.verdicts) + len(result.failures) == 1
    for verdict in result.verdicts:
        assert verdict.score is None or 0 <= verdict.score <= 1
        for part in verdict.evidence:
            if part.start is not None:
                assert getattr(rows[0], part.field)[part.start : part.end] == part.text


TEXT = "Coffee comes from Ethiopia."
QUOTING: dict[str, Callable[[LlmBackend], list[Span] | list[Claim] | list[Answer]]] = {
    "spans": lambda asked: asked.spans([TEXT])[0],
    "claims": lambda asked: asked.claims([TEXT])[0],
    "answer": lambda asked: asked.answer([Query("Where does coffee come from?", TEXT)]),
}


@pytest.mark.parametrize("method", [*QUOTING, "ask"])
def test_what_it_quotes_is_in_the_text_or_it_is_an_error(url: str, method: str) -> None:
    asked = backend(url, max_tokens=80)  # a small model repeats itself for as long as it may
    try:
        if method == "ask":
            (questions,) = asked.ask([Target(TEXT, Span("Ethiopia", 18, 26))])
            assert all(question.strip() for question in questions)
        else:
            for part in QUOTING[method](asked):
                quoted = None if part.start is None else TEXT[part.start : part.end]
                assert part.text == quoted
    except ModelAnswerError as error:
        assert "no usable answer" in str(error)  # noqa: PT017 (one or the other)
    assert asked.used()["requests"] >= 1
