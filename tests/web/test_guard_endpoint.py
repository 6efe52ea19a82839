"""POST /v1/guard: one answer before it is sent, within its deadline, claim by claim."""

from __future__ import annotations

import time

import pytest
from tests.web.conftest import App, MakeApp
from tests.web.obedient import load

from staytrue.core.records import Example
from staytrue.web.scoring import Scorer

KNOWLEDGE = "The shop opens at 9 am and closes at 6 pm."


@pytest.fixture
def obedient(make_app: MakeApp) -> App:
    """An app whose metric does what an answer says."""
    app = make_app()
    app.site.scorer.close()
    app.site.scorer = Scorer(load=load, seconds=20.0, workers=1)
    app.site.scorer.judge(["overlap"], [], 60)
    return app


def guard(app: App, response: str, **more: object) -> dict[str, object]:
    answer = app.client.post("/v1/guard", json={"response": response, "knowledge": "k", **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    return body


def warmed(app: App) -> App:
    """The app once its models are loaded, however busy the machine is."""
    app.site.scorer.judge(app.settings.metrics, [Example("0", "x", "x")], 300)
    return app


@pytest.mark.slow
def test_an_answer_passes_or_is_blocked_by_the_threshold(app: App) -> None:
    case = {"response": "the shop opens at 9 am", "knowledge": KNOWLEDGE}
    low = (
        warmed(app).client.post("/v1/guard", json={**case, "threshold": 0.2, "deadline": 30}).json()
    )
    high = app.client.post("/v1/guard", json={**case, "threshold": 1.0, "deadline": 30}).json()
    assert (low["status"], high["status"]) == ("passed", "blocked")
    assert low["score"] == high["score"]
    assert low["reason"]


def test_an_answer_that_takes_too_long_is_said_to_be_unjudged(obedient: App) -> None:
    begin = time.monotonic()
    ruling = guard(obedient, "sleep 3", deadline=0.2)
    assert time.monotonic() - begin < 2.5
    assert (ruling["status"], ruling["score"]) == ("unjudged", None)
    assert ruling["reason"] == "The answer was not judged: not within 0.2 seconds."


def test_a_server_that_still_loads_its_models_says_so(
    obedient: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Scorer, "is_ready", False)
    ruling = guard(obedient, "sleep 3", deadline=0.2)
    assert "the models are still being loaded" in str(ruling["reason"])


@pytest.mark.slow
def test_what_nobody_waits_for_any_more_is_not_judged(obedient: App) -> None:
    guard(obedient, "sleep 9", deadline=0.1)
    before = obedient.site.scorer.examples
    for _ in range(5):
        guard(obedient, "sleep 1", deadline=0.05)  # the only worker is busy with the first
    assert guard(obedient, "x" * 80, deadline=30)["status"] == "passed"
    assert obedient.site.scorer.examples - before <= 2


def test_a_metric_that_fails_leaves_the_answer_unjudged(obedient: App) -> None:
    ruling = guard(obedient, "fail now", deadline=20)
    assert ruling["status"] == "unjudged"
    assert "ValueError" in str(ruling["reason"])


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"response": "x"}, 400, "nothing to check the response against"),
        ({"response": "x", "knowledge": "k", "metric": "q2"}, 400, "is not allowed here"),
        ({"response": "x", "knowledge": "k", "deadline": 0}, 422, "deadline"),
        ({"response": "x", "knowledge": "k", "history": ["hi"]}, 422, "'history.0' must be an"),
        ({"response": "x", "knowledge": "k", "history": [{"role": "user"}]}, 422, "history.0"),
        ({"response": "x" * 99_999, "knowledge": "k" * 9_999}, 413, "characters"),
    ],
)
def test_a_wrong_call_is_refused_in_one_sentence(
    app: App, body: dict[str, object], status: int, sentence: str
) -> None:
    answer = app.client.post("/v1/guard", json=body)
    assert answer.status_code == status
    assert sentence in answer.json()["error"]


def test_rulings_are_counted(obedient: App) -> None:
    guard(obedient, "x" * 80, deadline=20)
    guard(obedient, "x", deadline=20)
    counted = obedient.client.get("/metrics").text
    assert 'staytrue_guard_total{status="passed"} 1' in counted
    assert 'staytrue_guard_total{status="blocked"} 1' in counted


@pytest.mark.slow
def test_wrong_words_are_named_claim_by_claim(make_app: MakeApp) -> None:
    app = warmed(make_app(metrics=("consistency",)))
    response = "The shop opens at 9 am. It closes at 8 pm."
    body = {"response": response, "knowledge": [KNOWLEDGE, "It is in Leeds."], "deadline": 30}
    ruling = app.client.post("/v1/guard", json=body).json()
    assert ruling["status"] == "blocked"
    assert len(ruling["claims"]) == 2
    (struck,) = ruling["strike"]
    assert "8" in struck["text"]
    assert response[struck["start"] : struck["end"]] == struck["text"]
