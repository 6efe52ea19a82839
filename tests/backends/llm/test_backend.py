from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.backends.llm.model import (
    backend_for,
    completion,
    saying,
    sensible,
    token,
    understood,
)
from tests.chatbots.server import Reply, serving

from staytrue.backends.llm import LlmBackend, client
from staytrue.core.begin_labels import LABELS
from staytrue.core.errors import ModelAnswerError, SpendingLimit, UsageError
from staytrue.core.protocols import Grounding, Pair, Query, Span, Target
from staytrue.core.records import Example, FailureKind, Probe, Turn
from staytrue.plugins.registry import load_backend, load_metric
from staytrue.runs.folder import Run
from staytrue.runs.runner import Evaluation, at_once, evaluate, judge_all, load_metrics
from staytrue.runs.writer import RunWriter

PAIR = Pair("Coffee comes from Ethiopia.", "Coffee comes from Norway.")
COFFEE = Example(
    "1", "It comes from Norway.", "Coffee comes from Ethiopia.", (Turn("user", "Where from?"),)
)
TRUE = Example("2", "Coffee comes from Ethiopia.", "Coffee comes from Ethiopia. It is hot.")
PROBE = Probe("Do you live in Rome?", "yes", "I live in Rome with two dogs.", "yn")


def test_a_spec_names_model_server_and_options() -> None:
    backend = load_backend("llm:qwen3:4b@http://localhost:11434/v1,orders=one,max_tokens=50")
    assert isinstance(backend, LlmBackend)
    assert backend.models()["infer"].startswith("qwen3:4b@")


@pytest.mark.parametrize("spec", ["llm", "llm:model", "llm:@http://x/v1", "llm:m@localhost"])
def test_a_spec_without_model_or_url_says_what_to_write(spec: str) -> None:
    with pytest.raises(UsageError, match="llm:MODEL@URL"):
        load_backend(spec)


def test_a_target_of_a_backend_that_has_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no option 'target'"):
        load_backend("scripted:something")


@pytest.mark.parametrize(
    "option", ["max_tokens=0", "concurrency=0", "max_cost=-1", "cache_megabytes=0"]
)
def test_options_that_cannot_work_are_refused(option: str) -> None:
    with pytest.raises(UsageError, match=f"{option.partition('=')[0]} of backend llm takes"):
        load_backend(f"llm:m@http://localhost/v1,{option}")


def test_a_spending_limit_needs_prices() -> None:
    with pytest.raises(UsageError, match="price_in"):
        load_backend("llm:m@http://localhost/v1,max_cost=1")


def test_the_signature_has_what_changes_scores_and_nothing_else() -> None:
    def revision(spec: str) -> str:
        return load_backend(f"llm:m@{spec}").models()["infer"]

    assert revision("http://a/v1") == revision("http://b/v1,per_minute=5,retries=1,cache=")
    assert revision("http://a/v1") != revision("http://a/v1,orders=one")
    assert revision("http://a/v1") != revision("http://a/v1,sampling_seed=1")


def test_a_request_is_deterministic_structured_and_fenced() -> None:
    with serving(saying(sensible)) as server:
        backend_for(server.url, sampling_seed=7).infer([PAIR])
    body = server.bodies[0]
    assert (body["model"], body["temperature"], body["seed"]) == ("tiny", 0, 7)
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert set(schema["schema"]["required"]) == {"check", "label"}
    assert body["logprobs"] is True
    assert understood(body).texts == {"premise": PAIR.premise, "hypothesis": PAIR.hypothesis}
    assert PAIR.premise not in understood(body).outside


def test_order_effects_cancel() -> None:
    def prefers_what_comes_first(_: int, body: Any) -> Reply:
        asked = understood(body)
        first = next(iter(asked.texts))
        label = "entailment" if first == "premise" else "contradiction"
        return completion(json.dumps({"check": asked.canary, "label": label}))

    with serving(prefers_what_comes_first) as server:
        (both,) = backend_for(server.url).infer([PAIR])
        (one,) = backend_for(server.url, orders="one").infer([PAIR])
    assert both.entailment == pytest.approx(both.contradiction)
    assert one.entailment > 0.8
    assert len(server.bodies) == 3
    labels = [b["response_format"]["json_schema"]["schema"]["properties"]["label"]["enum"]
              for b in server.bodies[:2]]  # fmt: skip
    assert labels[0] == labels[1][::-1]


def test_probabilities_come_from_log_probabilities() -> None:
    def answer(_: int, body: Any) -> Reply:
        asked = understood(body)
        text = json.dumps({"check": asked.canary, "label": "neutral"})
        start = text.index("neutral")
        tokens = [
            token(text[:start]),
            token("ne", **{"ne": 0.6, "ent": 0.3, "x": 0.05, "contr": 0.05}),
            token('utral"}'),
        ]
        return completion(text, tokens)

    with serving(answer) as server:
        (entailment,) = backend_for(server.url).infer([PAIR])
    assert entailment.neutral == pytest.approx(0.6 / 0.95)
    assert entailment.entailment == pytest.approx(0.3 / 0.95)
    assert entailment.entailment + entailment.neutral + entailment.contradiction == pytest.approx(1)


def test_without_log_probabilities_the_label_is_taken_as_nearly_sure() -> None:
    with serving(saying(lambda asked: {"label": "contradiction"})) as server:
        (entailment,) = backend_for(server.url).infer([PAIR])
        (five,) = backend_for(server.url).classify([Grounding("e", "m", "r")])
    assert entailment.contradiction == pytest.approx(0.9)
    assert five["contradiction"] == pytest.approx(0.9)
    assert list(five) == list(LABELS)


@pytest.mark.parametrize(("part", "refusal"), [
    ("response_format", "'response_format' of type 'json_schema' is not supported"),
    ("logprobs", "logprobs is not supported by this model"),
    ("seed", "Unrecognized request argument: seed"),
])  # fmt: skip
def test_what_a_server_does_not_know_is_left_out(part: str, refusal: str) -> None:
    def answer(number: int, body: Any) -> Reply:
        if part in body:
            return Reply({"error": {"message": refusal}}, 400)
        return saying(sensible)(number, body)

    with serving(answer) as server:
        backend = backend_for(server.url, orders="one")
        backend.infer([PAIR, Pair("a", "b")][:1])
        backend.infer([Pair("a", "b")])
    assert [part in body for body in server.bodies] == [True, False, False]


def test_newer_models_are_told_the_length_by_its_other_name() -> None:
    def answer(number: int, body: Any) -> Reply:
        if "max_tokens" in body:
            return Reply({"error": "Use 'max_completion_tokens' instead of 'max_tokens'."}, 400)
        return saying(sensible)(number, body)

    with serving(answer) as server:
        backend_for(server.url, max_tokens=33, orders="one").infer([PAIR])
    assert server.bodies[-1]["max_completion_tokens"] == 33


def test_text_around_the_json_is_no_obstacle() -> None:
    def answer(_: int, body: Any) -> Reply:
        canary = understood(body).canary
        reply = f'Sure {{here}}:\n```json\n{{"check": "{canary}", "label": "Neutral"}}\n```'
        return completion(reply)

    with serving(answer) as server:
        backend = backend_for(server.url, structured="text", orders="one")
        assert backend.infer([PAIR])[0].label == "neutral"
    assert "response_format" not in server.bodies[0]
    assert backend.used()["repaired"] == 0


@pytest.mark.parametrize("bad", [
    "entailment", "{", '{"check": "CANARY"}', '{"check": "wrong", "label": "neutral"}',
    '{"check": "CANARY", "label": "maybe"}', '{"check": "CANARY", "label": null}', "[1]", "",
])  # fmt: skip
def test_an_answer_that_cannot_be_used_is_repaired_once(bad: str) -> None:
    def answer(number: int, body: Any) -> Reply:
        if number == 0:
            return completion(bad.replace("CANARY", understood(body).canary))
        return saying(sensible)(number, body)

    with serving(answer) as server:
        backend = backend_for(server.url, orders="one")
        assert backend.infer([PAIR])[0].label == "contradiction"
    assert "could not be used" in understood(server.bodies[1]).outside
    assert backend.used()["repaired"] == 1


def test_after_one_repair_only_that_row_becomes_an_error_record() -> None:
    def answer(number: int, body: Any) -> Reply:
        if "Norway" in understood(body).texts.get("response", ""):
            return completion("I would rather not say.")
        return saying(sensible)(number, body)

    with serving(answer) as server:
        backend = backend_for(server.url)
        result = evaluate([COFFEE, TRUE], ["judge"], backend=backend)
        asked = len(server.bodies)
    assert [v.example_id for v in result.verdicts] == ["2"]
    (failure,) = result.failures
    assert (failure.where, failure.metric, failure.kind) == ("1", "judge", FailureKind.METRIC)
    assert "no usable answer, twice" in failure.error
    assert "I would rather not say." in failure.error
    assert asked == 3  # judging the batch again row by row asks nothing again
    assert result.usage["backend llm"]["requests"] == 3


def test_a_failure_is_raised_however_long_the_others_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_FAILURE_SECONDS", -1.0)
    with serving(lambda n, body: completion("no")) as server:
        backend = backend_for(server.url, orders="one")
        with pytest.raises(ModelAnswerError, match="no usable answer"):
            backend.infer([PAIR])


def test_spans_point_into_the_text_and_inventions_are_lost() -> None:
    reply = {"spans": ["Coffee", "Rome", "coffee", "“ethiopia”", ""]}
    with serving(saying(lambda asked: reply)) as server:
        (spans,) = backend_for(server.url).spans(["Coffee, good coffee from Ethiopia."])
    assert spans == [
        Span("Coffee", 0, 6, "chunk"), Span("coffee", 13, 19, "chunk"),
        Span("Ethiopia", 25, 33, "chunk"),
    ]  # fmt: skip


def test_claims_are_those_of_the_model_and_none_is_forgotten() -> None:
    text = "Hi there! Coffee is hot and comes from Ethiopia. I love it. Tea is green."
    claims = ["coffee is hot", "comes from Ethiopia", "Milk is white"]
    reply = {"claims": claims, "no_claims": ["I love it"]}
    with serving(saying(lambda asked: reply)) as server:
        (split,) = backend_for(server.url).claims([text])
        assert backend_for(server.url).claims(["", "?"]) == [[], []]
        assert len(server.bodies) == 1
    assert all(text[claim.start : claim.end] for claim in split)
    assert [(claim.text, claim.kind == "statement") for claim in split] == [
        ("Hi there!", False), ("Coffee is hot", True), ("comes from Ethiopia", True),
        ("I love it.", False), ("Tea is green.", True),
    ]  # fmt: skip


def test_an_answer_is_a_span_of_the_passage_or_none() -> None:
    query = Query("Where does it come from?", "It comes from Ethiopia.")
    for reply, expected in (
        ("ethiopia", "Ethiopia"),
        (None, None),
        ("Norway", None),
        ("thio", None),
    ):
        with serving(saying(lambda asked, reply=reply: {"answer": reply})) as server:
            (answer,) = backend_for(server.url).answer([query])
        assert answer.text == expected
        if answer.text:
            assert query.passage[answer.start : answer.end] == answer.text


def test_questions_are_few_and_different() -> None:
    target = Target("It is hot.", Span("hot", 6, 9))
    reply = {"questions": ["How?", "How?", *(f"Q{n}?" for n in range(9))]}
    with serving(saying(lambda asked: reply)) as server:
        (questions,) = backend_for(server.url).ask([target])
    assert questions == ["How?", "Q0?", "Q1?", "Q2?"]


@pytest.mark.parametrize("metric", [
    "judge", "q2", "nli", "begin", "contradiction", "consistency",
])  # fmt: skip
def test_metrics_run_on_it_unchanged(metric: str) -> None:
    with serving(saying(sensible)) as server:
        verdicts = load_metric(metric, backend=backend_for(server.url)).judge([COFFEE, TRUE])
    assert [v.example_id for v in verdicts] == ["1", "2"]
    assert verdicts[0].score is not None
    assert verdicts[1].score is not None
    assert verdicts[0].score < verdicts[1].score


def test_hybrid_asks_it_whether_the_fact_of_a_probe_denies_the_answer() -> None:
    rows = [
        Example("false", "Yes, but I live in Paris with two dogs.", probe=PROBE),
        Example("true", "Yes, I live in Rome with two dogs.", probe=PROBE),
    ]
    with serving(saying(sensible)) as server:
        verdicts = load_metric("hybrid", backend=backend_for(server.url)).judge(rows)
    assert {understood(body).texts["premise"] for body in server.bodies} == {PROBE.fact}
    assert [verdict.score for verdict in verdicts] == [0.0, 1.0]


def test_the_same_question_is_asked_once() -> None:
    with serving(saying(sensible)) as server:
        backend = backend_for(server.url, orders="one")
        assert len(backend.infer([PAIR, PAIR, PAIR])) == 3
        backend.infer([PAIR])
    assert len(server.bodies) == 1


def test_answers_on_disk_serve_another_process(tmp_path: Path) -> None:
    with serving(saying(sensible)) as server:
        first = backend_for(server.url, cache=str(tmp_path / "c"))
        second = backend_for(server.url, cache=str(tmp_path / "c"))
        assert first.infer([PAIR]) == second.infer([PAIR])
        other_seed = backend_for(server.url, cache=str(tmp_path / "c"), sampling_seed=1)
        assert len(server.bodies) == 2
        other_seed.infer([PAIR])
        assert len(server.bodies) == 4
    assert (second.used()["requests"], second.used()["cached"]) == (0, 2)


def test_the_limit_on_requests_stops_and_keeps_what_is_paid_for(tmp_path: Path) -> None:
    rows = rows_of(6)
    with serving(saying(sensible)) as server:
        backend = backend_for(server.url, max_requests=4, concurrency=1)
        with pytest.raises(SpendingLimit, match="max_requests=4"):
            evaluate(rows, ["judge"], backend=backend, out=tmp_path / "run")
        assert len(server.bodies) == 4
        again = backend_for(server.url)
        result = evaluate(rows, ["judge"], backend=again, out=tmp_path / "run")
    assert len(result.verdicts) == 6
    assert len(server.bodies) == 6
    assert result.usage["backend llm"]["requests"] == 6


def rows_of(count: int) -> list[Example]:
    return [Example(str(n), f"It is {n}.", "It is 1.") for n in range(count)]


def slow_at(slow: str, until: Event) -> Callable[[int, Any], Reply]:
    """A server that thinks about one response until it is told to go on."""

    def answer(number: int, body: Any) -> Reply:
        if slow in understood(body).texts["response"]:
            assert until.wait(10)
        return saying(sensible)(number, body)

    return answer


def test_progress_moves_while_one_row_takes_long() -> None:
    done: list[int] = []
    others_done = Event()

    def advance(rows: int) -> None:
        done.append(rows)
        if sum(done) == 5:
            others_done.set()

    with serving(slow_at("It is 0.", others_done)) as server:
        backend = backend_for(server.url, concurrency=2)
        metrics = load_metrics(["judge"], backend=backend)
        judge_all(rows_of(6), metrics, Evaluation({}), at_once=at_once(backend), progress=advance)
    assert done == [1] * 6
    assert server.most_at_once == 2


def test_rows_judged_before_a_stop_are_stored(tmp_path: Path) -> None:
    class Stop(BaseException):
        """Ends the run as Ctrl-C does."""

    stored: list[list[str]] = []
    stopping = Event()

    def advance(_: int) -> None:
        stored.append([verdict.example_id for verdict in Run(tmp_path).verdicts()])
        if len(stored) == 3:
            stopping.set()
            raise Stop

    with serving(slow_at("It is 0.", stopping)) as server:
        backend = backend_for(server.url, concurrency=2)
        metrics = load_metrics(["judge"], backend=backend)
        with (
            pytest.raises(Stop),
            RunWriter(tmp_path, {"judge": metrics[0].signature}) as writer,
        ):
            judge_all(rows_of(6), metrics, writer, at_once=at_once(backend), progress=advance)
    assert stored == [["1"], ["1", "2"], ["1", "2", "3"]]
    assert [verdict.example_id for verdict in Run(tmp_path).verdicts()] == ["1", "2", "3"]


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_rows_side_by_side_get_the_verdicts_of_one_batch_in_their_order(concurrency: int) -> None:
    def answer(number: int, body: Any) -> Reply:
        return replace(saying(sensible)(number, body), delay=0.01 * (number % 3))

    with serving(answer) as server:
        backend = backend_for(server.url, concurrency=concurrency)
        whole = load_metric("judge", backend=backend_for(server.url)).judge(rows_of(12))
        result = evaluate(rows_of(12), ["judge"], backend=backend)
    assert result.verdicts == whole


def test_rows_that_ask_the_same_at_the_same_time_ask_once() -> None:
    rows = [Example(str(n), "It is 1.", "It is 1.") for n in range(4)]
    with serving(lambda n, body: replace(saying(sensible)(n, body), delay=0.1)) as server:
        result = evaluate(rows, ["judge"], backend=backend_for(server.url, concurrency=4))
    assert len(result.verdicts) == 4
    assert len(server.bodies) == 1


def test_a_limit_reached_side_by_side_keeps_every_answer_that_was_paid_for(tmp_path: Path) -> None:
    with serving(saying(sensible)) as server:
        backend = backend_for(server.url, max_requests=5, concurrency=3)
        with pytest.raises(SpendingLimit, match="max_requests=5"):
            evaluate(rows_of(9), ["judge"], backend=backend, out=tmp_path)
        assert len(server.bodies) == len(list(Run(tmp_path).verdicts())) == 5


def test_the_limit_on_money_counts_what_is_under_way() -> None:
    with serving(saying(sensible)) as server:
        backend = backend_for(
            server.url, price_in=10, price_out=10, max_cost=0.02, max_tokens=500, concurrency=4
        )
        with pytest.raises(SpendingLimit, match=r"max_cost=0\.02"):
            backend.infer([Pair(str(n), "b") for n in range(20)])
        assert 1 <= len(server.bodies) < 20
    assert 0 < backend.used()["cost"] <= 0.02


def test_a_failing_server_is_tried_again_and_a_row_that_fails_is_an_error() -> None:
    replies = [Reply({}, 503), Reply({}, 429)]

    def answer(number: int, body: Any) -> Reply:
        return replies[number] if number < 2 else saying(sensible)(number, body)

    with serving(answer) as server:
        backend = backend_for(server.url, orders="one")
        assert backend.infer([PAIR])
        assert backend.used()["retries"] == 2
    with serving(lambda n, body: Reply({}, 503)) as server:
        backend = backend_for(server.url, retries=1)
        with pytest.raises(ModelAnswerError, match="status 503"):
            backend.infer([PAIR])


def test_a_wrong_key_ends_the_run_and_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAYTRUE_LLM_KEY", "sk-very-secret")
    with serving(lambda n, body: Reply({"error": "bad key sk-very-secret"}, 401)) as server:
        with pytest.raises(UsageError, match="check the key") as error:
            evaluate([COFFEE, TRUE], ["judge"], backend=backend_for(server.url, concurrency=1))
        assert server.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in str(error.value)


def test_the_key_of_openai_goes_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STAYTRUE_LLM_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with serving(saying(sensible)) as server:
        backend_for(server.url).infer([PAIR])
        backend_for(server.url, key_env="OPENAI_API_KEY").infer([PAIR])
    assert "Authorization" not in server.headers[0]
    assert server.headers[-1]["Authorization"] == "Bearer sk-very-secret"


def test_a_key_that_is_not_set_is_asked_for_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(UsageError, match="The variable MY_KEY, which key_env names, is not set"):
        backend_for("http://localhost/v1", key_env="MY_KEY")


def test_a_rehearsal_sends_nothing_and_counts_about_what_is_sent() -> None:
    def asked(backend: LlmBackend) -> Any:
        for metric in ("judge", "nli", "begin"):
            load_metric(metric, backend=backend).judge([COFFEE, TRUE])
        return backend.used()

    with serving(saying(sensible)) as server:
        backend = backend_for(server.url, price_in=1, price_out=2)
        expected = asked(backend.rehearsal())
        assert not server.bodies
        real = asked(backend)
    # One label per sentence is the same whatever the model says, so the requests are exact.
    assert expected["requests"] == real["requests"] == len(server.bodies)
    assert expected["cost"] > 0


def test_a_rehearsal_goes_through_all_steps_of_q2() -> None:
    backend = backend_for("http://127.0.0.1:9").rehearsal()
    load_metric("q2", backend=backend).judge([COFFEE, TRUE])
    assert backend.used()["requests"] > 6
