"""Scoring on request: batched across requests, in order, and one bad example spoils no other."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Verdict
from staytrue.plugins.registry import NamedMetric
from staytrue.web import scoring
from staytrue.web.scoring import Scorer
from staytrue.web.settings import TRIED_METRICS


class Slow:
    """Scores by length, remembers its batches, and waits until it is let go."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.go = threading.Event()

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        self.go.wait(5)
        self.batches.append(len(examples))
        if any(example.response == "bad" for example in examples):
            raise ValueError("bad")
        return [Verdict(e.id, "slow", len(e.response) / 100, reason=e.response) for e in examples]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    metric = Slow()
    monkeypatch.setattr(
        scoring, "load_metric", lambda spec, **_: NamedMetric(spec, metric, f"{spec}|1")
    )
    return metric


def test_requests_that_wait_are_judged_together_and_answered_apart(slow: Slow) -> None:
    scorer = Scorer()
    first = scorer.submit("slow", [Example("0", "first")])
    waiting = [scorer.submit("slow", [Example(str(n), "x" * n)]) for n in range(1, 21)]
    slow.go.set()
    assert [answer.result(5)[0].verdict.reason for answer in waiting] == [
        "x" * n for n in range(1, 21)
    ]
    first.result(5)
    assert len(slow.batches) <= 3
    scorer.close()


def test_one_bad_example_spoils_no_other(slow: Slow) -> None:
    slow.go.set()
    scorer = Scorer()
    good, bad = scorer.judge(["slow"], [Example("1", "good"), Example("2", "bad")])["slow"]
    assert good.verdict is not None
    assert bad.verdict is None
    assert "bad" in bad.error
    scorer.close()


def test_a_missing_verdict_gives_nobody_the_score_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Forgetful:
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            return [Verdict(e.id, "m", 1.0, reason="") for e in examples if e.response != "lost"]

    metric = NamedMetric("m", Forgetful(), "m")
    monkeypatch.setattr(scoring, "load_metric", lambda spec, **_: metric)
    scorer = Scorer()
    judged = scorer.judge(["m"], [Example("1", "lost"), Example("2", "kept")])["m"]
    assert judged[0].verdict is None
    assert "one verdict per example" in judged[0].error
    assert judged[1].verdict is not None
    assert judged[1].verdict.example_id == "2"
    scorer.close()


def test_what_waits_is_finished_before_closing(slow: Slow) -> None:
    scorer = Scorer()
    answer = scorer.submit("slow", [Example("1", "x")])
    slow.go.set()
    scorer.close()
    assert answer.result(1)[0].verdict is not None


def test_warming_judges_once(slow: Slow) -> None:
    slow.go.set()
    scorer = Scorer()
    scorer.warm(["slow"])
    assert scorer.examples == 1
    scorer.close()


def test_warming_forgives_what_cannot_be_loaded() -> None:
    scorer = Scorer()
    scorer.warm(["nonsense", "overlap"])
    assert scorer.examples == 1
    scorer.close()


def test_an_unknown_metric_is_refused_at_once() -> None:
    scorer = Scorer()
    with pytest.raises(UsageError, match="no metric"):
        scorer.submit("nonsense", [])
    scorer.close()


def test_the_api_scores_many_with_signatures(app) -> None:
    body = {"examples": [
        {"id": "a", "response": "coffee is a drink", "knowledge": "coffee is a drink"},
        {"response": "", "knowledge": "coffee"},
    ]}  # fmt: skip
    answer = app.client.post("/v1/score", json=body).json()
    first, second = answer["results"]
    assert first["verdicts"]["overlap"]["score"] == 1.0
    assert second["id"] == "1"
    assert second["verdicts"]["overlap"]["score"] is None
    assert "no words" in second["verdicts"]["overlap"]["reason"]
    assert answer["signatures"]["overlap"].startswith("overlap|staytrue:")


def test_the_api_takes_other_metrics_and_refuses_nonsense(app) -> None:
    body = {"examples": [{"response": "a b", "knowledge": "a b"}]}
    metrics = ["overlap,stopwords=keep", "bleu"]
    asked = app.client.post("/v1/score", json=body | {"metrics": metrics})
    assert set(asked.json()["results"][0]["verdicts"]) == {"overlap,stopwords=keep", "bleu"}
    unknown = app.client.post("/v1/score", json=body | {"metrics": ["nonsense"]})
    assert unknown.status_code == 400
    assert "no metric" in unknown.json()["error"]
    assert app.client.post("/v1/score", json={"examples": []}).status_code == 422
    assert app.client.post("/v1/score", content=b"{").status_code == 422


def test_concurrent_requests_share_batches(app) -> None:
    def ask(number: int) -> float:
        words = " ".join(f"word{n}" for n in range(number))
        body = {"examples": [{"response": words, "knowledge": words + " coffee"}]}
        answer = app.client.post("/v1/score", json=body).json()
        score: float = answer["results"][0]["verdicts"]["overlap"]["score"]
        return score

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(ask, range(1, 33)))
    assert found == [pytest.approx(2 * n / (2 * n + 1)) for n in range(1, 33)]
    metrics = app.client.get("/metrics").text
    assert "staytrue_scored_examples_total 32" in metrics


TRIED = (
    "They are small cats that live in Rome.",
    "Golden retrievers were bred in Germany to herd sheep.",
    "The breed comes from Scotland and retrieves birds.",
    "It was first recorded in 1868, and I have two of them.",
)


@pytest.mark.slow
def test_a_tried_response_is_answered_within_a_second(make_app) -> None:
    # A time on a machine that others load says nothing about the app.
    busy = os.getloadavg()[0] > 2 * (os.cpu_count() or 1)
    app = make_app(metrics=TRIED_METRICS)
    knowledge = "The Golden Retriever is a large dog. It was first recorded in Scotland in 1868."
    times = []
    for response in TRIED:
        begin = time.perf_counter()
        body = {"examples": [{"response": response, "knowledge": knowledge}]}
        answer = app.client.post("/v1/score", json=body)
        times.append(time.perf_counter() - begin)
        assert set(answer.json()["results"][0]["verdicts"]) == set(TRIED_METRICS)
    warm = statistics.median(times[1:])  # the first one loads the models
    if busy:
        pytest.skip(f"all were judged; {warm:.2f} s is not judged on a machine that is busy")
    assert warm < 1
