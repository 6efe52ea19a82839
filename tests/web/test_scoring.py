"""Scoring on request: batched, fair, within a budget, and open to nothing but allowed metrics."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.web.conftest import App
from tests.web.obedient import load

from staytrue.core.errors import StaytrueError, UsageError
from staytrue.core.records import Example
from staytrue.plugins.registry import RESERVED, NamedMetric, load_part, names, option_parameters
from staytrue.plugins.requested import requested_metric
from staytrue.web.fair import FairQueue
from staytrue.web.faults import Busy, TooFast, TooMuch
from staytrue.web.scoring import Scorer
from staytrue.web.settings import TRIED_METRICS, Settings
from staytrue.web.worker import MOST_METRICS, Metrics

# The worker


@pytest.fixture
def scorer() -> Iterator[Scorer]:
    made = Scorer(load=load, seconds=1.0, workers=2)
    made.start()
    made.judge(["warm"], [Example("0", "up")], timeout=60)
    yield made
    made.close()


def reasons(answer) -> list[str]:
    return [one.verdict.reason if one.verdict else one.error for one in answer.judged]


def test_requests_that_wait_are_judged_together_and_answered_apart(scorer: Scorer) -> None:
    for client in ("busy", "busy too"):
        scorer.submit(["other"], [Example("0", "sleep 0.5")], client)
    before = scorer.batches
    texts = ["x" * n for n in range(1, 21)]
    waiting = [scorer.submit(["m"], [Example(t, t)], t) for t in texts]
    assert [reasons(answer.result(20)["m"]) for answer in waiting] == [[text] for text in texts]
    assert scorer.batches - before <= 6


def test_one_bad_example_spoils_no_other(scorer: Scorer) -> None:
    outcomes = scorer.judge(["m"], [Example("1", "good"), Example("2", "fail")], 20)["m"]
    assert reasons(outcomes) == ["good", "The metric failed: ValueError: bad"]


def test_a_missing_verdict_gives_nobody_the_score_of_another(scorer: Scorer) -> None:
    outcomes = scorer.judge(["m"], [Example("1", "lost"), Example("2", "kept")], 20)["m"]
    assert outcomes.judged[0].verdict is None
    assert "one verdict per example" in outcomes.judged[0].error
    assert reasons(outcomes)[1] == "kept"


def test_a_metric_that_cannot_be_loaded_is_said(scorer: Scorer) -> None:
    with pytest.raises(StaytrueError, match="A model is missing"):
        scorer.judge(["missing"], [Example("1", "x")], 20)


def test_what_waits_is_finished_before_closing() -> None:
    scorer = Scorer(load=load)
    answer = scorer.submit(["m"], [Example("1", "x")])
    scorer.close()
    assert reasons(answer.result(0)["m"]) == ["x"]


def test_work_that_takes_too_long_is_ended_and_others_go_on(scorer: Scorer) -> None:
    slow = scorer.submit(["m"], [Example("1", "sleep 600")], "hostile")
    with pytest.raises(TooMuch, match="more than 1 seconds"):
        slow.result(30)
    assert reasons(scorer.judge(["m"], [Example("1", "x")], 30)["m"]) == ["x"]


def test_the_time_of_a_request_is_shared_by_its_metrics(scorer: Scorer) -> None:
    with pytest.raises(TooMuch):
        scorer.judge(["m", "n", "o"], [Example("1", "sleep 0.6")], 30)


def test_a_process_that_crashes_is_started_again(scorer: Scorer) -> None:
    with pytest.raises(TooMuch):
        scorer.judge(["m"], [Example("1", "crash")], 30)
    assert reasons(scorer.judge(["m"], [Example("1", "x")], 30)["m"]) == ["x"]


def test_a_slow_request_in_a_batch_costs_only_itself(scorer: Scorer) -> None:
    for client in ("busy", "busy too"):
        scorer.submit(["other"], [Example("0", "sleep 0.5")], client)
    slow = scorer.submit(["m"], [Example("1", "sleep 600")], "hostile")
    honest = scorer.submit(["m"], [Example("1", "x")], "honest")
    assert reasons(honest.result(30)["m"]) == ["x"]
    with pytest.raises(TooMuch):
        slow.result(30)


def test_one_client_never_holds_all_workers() -> None:
    scorer = Scorer(load=load, seconds=20.0, workers=2)
    try:
        scorer.judge(["m"], [Example("0", "up")], 60)
        hostile = [
            scorer.submit(["m"], [Example("1", "sleep 8 " + "x" * 5000)], "h") for _ in range(3)
        ]
        scorer.judge(["n"], [Example("0", "x")], 60)  # starts the second process
        begin = time.monotonic()
        scorer.submit(["n"], [Example("0", "x")], "honest").result(20)
        assert time.monotonic() - begin < 4
        assert not any(one.done() for one in hostile[1:])
    finally:
        for one in hostile:
            one.cancel()
        for worker in scorer._workers:
            worker.end()
        scorer.close()


def test_too_much_text_is_refused_at_once(scorer: Scorer) -> None:
    with pytest.raises(TooMuch, match="990,000 characters; send at most 100,000"):
        scorer.submit(["m"], [Example(str(n), "x" * 99_000) for n in range(10)])


def test_only_the_metrics_used_last_stay_loaded() -> None:
    loaded = []

    def counting(spec: str, **_: object) -> NamedMetric:
        loaded.append(spec)
        return load(spec)

    metrics = Metrics(counting, None)
    for number in range(MOST_METRICS + 4):
        metrics.judge(f"m{number}", [Example("1", "x")])
        metrics.judge("m0", [Example("1", "x")])
    assert loaded.count("m0") == 1
    metrics.judge("m1", [Example("1", "x")])
    assert loaded.count("m1") == 2


# The waiting line


@dataclass(frozen=True)
class Job:
    client: str
    number: int


def test_clients_take_turns_however_much_they_ask_for() -> None:
    queue: FairQueue[Job] = FairQueue(at_once=9, of_client=9, of_all=99)
    queue.put([Job("a", n) for n in range(4)])
    queue.put([Job("b", n) for n in range(2)])
    order = [queue.take() for _ in range(6)]
    assert [(job.client, job.number) for job in order if job] == [
        ("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("a", 3),
    ]  # fmt: skip


def test_a_client_with_enough_running_waits() -> None:
    queue: FairQueue[Job] = FairQueue(at_once=1, of_client=9, of_all=99)
    queue.put([Job("a", 0), Job("a", 1)])
    queue.put([Job("b", 0)])
    first = queue.take()
    assert queue.take() == Job("b", 0)
    later: list[Job | None] = []
    thread = threading.Thread(target=lambda: later.append(queue.take()))
    thread.start()
    time.sleep(0.1)
    assert later == []
    assert first is not None
    queue.done(first)
    thread.join(5)
    assert later == [Job("a", 1)]


def test_a_full_line_says_when_to_come_back() -> None:
    queue: FairQueue[Job] = FairQueue(at_once=1, of_client=2, of_all=3)
    queue.put([Job("a", 0), Job("a", 1)])
    with pytest.raises(TooFast) as refused:
        queue.put([Job("a", 2)])
    assert refused.value.retry_after >= 1
    with pytest.raises(Busy):
        queue.put([Job("b", 0), Job("b", 1)])


# What a request may ask for


@pytest.mark.parametrize("spec", ["overlap", "overlap,stopwords=keep", "begin,classes=3"])
def test_an_allowed_metric_takes_options_that_are_choices(spec: str) -> None:
    assert requested_metric(spec, ["overlap", "begin"]) == spec


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("bleu", "not allowed here; choose from: overlap, begin"),
        ("begin,weights=/etc/passwd", "only be set when the server is started"),
        ("begin, weights = /dev/zero", "only be set when the server is started"),
        ("begin,nonsense=1", "no option 'nonsense'"),
        ("begin,backend=huggingface", "no option 'backend'"),
        ("begin,classes=7", "takes one of"),
        ("begin,classes", "not an option"),
    ],
)
def test_what_is_not_allowed_is_refused_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        requested_metric(spec, ["overlap", "begin"])


def test_what_the_operator_set_stays_set() -> None:
    allowed = ["begin,weights=mine.json"]
    assert requested_metric("begin,classes=3,weights=mine.json", allowed) == (
        "begin,weights=mine.json,classes=3"
    )
    for spec in ("begin", "begin,weights=other.json"):
        with pytest.raises(UsageError, match="not allowed here"):
            requested_metric(spec, allowed)


def test_no_metric_takes_free_text_from_a_request(tmp_path: Path) -> None:
    """Whatever metrics there are and will be: an option of free text is the operator's alone."""
    tried = 0
    for name in names("metrics"):
        for option, parameter in option_parameters(load_part("metrics", name), RESERVED).items():
            if isinstance(parameter.default, str) and "Literal" not in str(parameter.annotation):
                tried += 1
                with pytest.raises(UsageError, match="only be set when"):
                    requested_metric(f"{name},{option}={tmp_path}", [name])
    assert tried


def test_a_request_cannot_open_a_file(make_app, tmp_path: Path) -> None:
    app = make_app(metrics=("begin",))
    fifo = tmp_path / "weights.json"
    os.mkfifo(fifo)  # opening it would wait for ever
    body = {"examples": [{"response": "a"}], "metrics": [f"begin,weights={fifo}"]}
    answer = app.client.post("/v1/score", json=body)
    assert answer.status_code == 400
    assert "only be set when the server is started" in answer.json()["error"]


# The API


@pytest.fixture(scope="module")
def scoring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One app for all: its processes take seconds to start."""
    folder = tmp_path_factory.mktemp("scoring")
    database = f"sqlite:///{folder / 'judgements.db'}"
    app = App(Settings(database, metrics=("overlap", "bleu"), chats_folder=folder / "chats"))
    yield app
    app.site.close()


@pytest.mark.slow
def test_the_api_scores_many_with_signatures(scoring: App) -> None:
    body = {"examples": [
        {"id": "a", "response": "coffee is a drink", "knowledge": "coffee is a drink"},
        {"response": "", "knowledge": "coffee"},
    ]}  # fmt: skip
    answer = scoring.client.post("/v1/score", json=body).json()
    first, second = answer["results"]
    assert first["verdicts"]["overlap"]["score"] == 1.0
    assert second["id"] == "1"
    assert second["verdicts"]["overlap"]["score"] is None
    assert "no words" in second["verdicts"]["overlap"]["reason"]
    assert answer["signatures"]["overlap"].startswith("overlap|staytrue:")


def test_the_api_takes_allowed_metrics_and_refuses_others(scoring: App) -> None:
    body = {"examples": [{"response": "a b", "knowledge": "a b"}]}
    metrics = ["overlap,stopwords=keep", "bleu"]
    asked = scoring.client.post("/v1/score", json=body | {"metrics": metrics})
    assert set(asked.json()["results"][0]["verdicts"]) == {"overlap,stopwords=keep", "bleu"}
    unknown = scoring.client.post("/v1/score", json=body | {"metrics": ["nli"]})
    assert unknown.status_code == 400
    assert "choose from: overlap, bleu" in unknown.json()["error"]
    assert scoring.client.post("/v1/score", json={"examples": []}).status_code == 422
    assert scoring.client.post("/v1/score", content=b"{").status_code == 422


def test_a_request_over_the_budget_is_refused(make_app) -> None:
    app = make_app(most_characters=100)
    answer = app.client.post("/v1/score", json={"examples": [{"response": "x" * 101}]})
    assert answer.status_code == 413
    assert "send at most 100" in answer.json()["error"]


@pytest.mark.slow
def test_concurrent_requests_share_batches(scoring: App) -> None:
    before = scoring.site.scorer.examples

    def ask(number: int) -> float:
        words = " ".join(f"word{n}" for n in range(number))
        body = {"examples": [{"response": words, "knowledge": words + " coffee"}]}
        answer = scoring.client.post("/v1/score", json=body | {"metrics": ["overlap"]}).json()
        score: float = answer["results"][0]["verdicts"]["overlap"]["score"]
        return score

    with ThreadPoolExecutor(16) as pool:
        items = list(pool.map(ask, range(1, 33)))
    assert items == [pytest.approx(2 * n / (2 * n + 1)) for n in range(1, 33)]
    metrics = scoring.client.get("/metrics").text
    assert f"staytrue_scored_examples_total {before + 32}" in metrics


TRIED = (
    "They are small cats that live in Rome.",
    "Golden retrievers were bred in Germany to herd sheep.",
    "The breed comes from Scotland and retrieves birds.",
    "It was first recorded in 1868, and I have two of them.",
)


@pytest.mark.slow
@pytest.mark.alone
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
