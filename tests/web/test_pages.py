"""Browsing: the list of runs, a run, an example, two runs compared, the API's description."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from staytrue.core.records import Example, Failure, Turn, Verdict
from staytrue.runs import parquet
from staytrue.runs.runner import evaluate
from staytrue.runs.writer import RunWriter
from staytrue.web.runs import Runs

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


def test_the_list_shows_runs_and_means(app) -> None:
    page = app.client.get("/").text
    assert 'href="/runs/pets"' in page
    assert "overlap" in page


def test_the_list_says_when_runs_were_made_as_people_do(app) -> None:
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", app.client.get("/").text)


def test_the_newest_run_comes_first_and_is_compared_with_the_one_before(
    make_app, tmp_path: Path
) -> None:
    for name, day in (("b", 2), ("a", 1), ("c", 3)):
        evaluate([Example("x", "x", "x")], ["overlap"], out=tmp_path / name)
        manifest = tmp_path / name / "manifest.json"
        told = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**told, "created": f"2026-01-0{day}T00:00:00Z"}))
    client = make_app(runs=(tmp_path,)).client
    page = client.get("/").text
    assert re.findall(r'href="/runs/(\w)"', page) == ["c", "b", "a"]
    assert re.findall(r'name="(\w)" value="(\w)" checked', page) == [("b", "c"), ("a", "b")]
    for chosen, proposed in (("", ["b", "c"]), ("?a=c", ["c", "b"]), ("?b=b", ["a", "b"])):
        page = client.get(f"/compare{chosen}").text
        assert re.findall(r"<option selected>(\w)<", page) == proposed


def test_runs_without_a_common_metric_are_not_proposed_for_comparison(
    make_app, tmp_path: Path
) -> None:
    metrics = {"a": "overlap", "b": "bleu", "c": "overlap", "d": "overlap,stopwords=keep"}
    for day, (name, metric) in enumerate(metrics.items(), 1):
        evaluate([Example("x", "x", "x")], [metric], out=tmp_path / name)
        manifest = tmp_path / name / "manifest.json"
        told = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**told, "created": f"2026-01-0{day}T00:00:00Z"}))
    client = make_app(runs=(tmp_path,)).client
    chosen = re.findall(r'name="(\w)" value="(\w)" checked', client.get("/").text)
    assert sorted(chosen) == [("a", "a"), ("b", "c")]
    for asked, proposed in (("", ["a", "c"]), ("?b=d", ["c", "d"]), ("?a=a", ["a", "c"])):
        page = client.get(f"/compare{asked}").text
        assert re.findall(r"<option selected>(\w)<", page) == proposed


def test_an_address_without_its_last_part_leads_to_the_list(app) -> None:
    answer = app.client.get("/runs", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/")


def test_a_folder_of_runs_is_looked_into(make_app, pets: Path) -> None:
    app = make_app(runs=(pets.parent,))
    assert [line["name"] for line in app.client.get("/v1/runs").json()] == ["pets"]


def test_no_runs_say_how_to_make_one(make_app) -> None:
    assert "staytrue score" in make_app(runs=()).client.get("/").text


def test_a_run_shows_its_figures_and_examples(app) -> None:
    page = app.client.get("/runs/pets").text
    assert "95 % interval" in page
    assert "overlap|staytrue:" in page
    assert "they are nice" in page


def test_a_run_that_grew_is_read_again(make_app, tmp_path: Path) -> None:
    run = tmp_path / "growing"
    evaluate([Example("a", "x", "x")], ["overlap"], out=run)
    app = make_app(runs=(run,))
    assert ", 1 response<br>" in app.client.get("/runs/growing").text
    evaluate([Example("b", "y", "y")], ["overlap"], out=run)
    assert ", 2 responses<br>" in app.client.get("/runs/growing").text


def test_a_run_that_was_packed_is_read_again(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    evaluate([Example("a", "x", "x")], ["overlap"], out=tmp_path / "run")
    runs = Runs((tmp_path / "run",))
    before = runs.view("run")
    assert runs.view("run") is before
    parquet.pack(tmp_path / "run")
    assert runs.view("run") is not before
    assert runs.view("run").metrics == before.metrics


def test_an_example_is_found_by_its_id_whatever_it_holds(make_app, tmp_path: Path) -> None:
    run = tmp_path / "odd"
    evaluate([Example("a/b?c#d é", "x", "x")], ["overlap"], out=run)
    app = make_app(runs=(run,))
    answer = app.client.get("/v1/runs/odd/examples/a%2Fb%3Fc%23d%20%C3%A9")
    assert answer.json()["verdicts"]["overlap"]["score"] == 1.0
    assert app.client.get("/runs/odd/examples/a%2Fb%3Fc%23d%20%C3%A9").status_code == 200


def test_the_api_pages_through_a_run(app) -> None:
    rows = app.client.get("/v1/runs/pets/examples", params={"offset": 4, "limit": 5}).json()
    assert [row["id"] for row in rows] == ["e4", "e5"]
    assert rows[0]["verdicts"]["overlap"]["reason"]
    assert app.client.get("/v1/runs/pets/examples?limit=9999").status_code == 422


def test_a_run_is_summed_up_and_tells_its_failures(make_app, tmp_path: Path) -> None:
    with RunWriter(tmp_path / "odd", {"overlap": "overlap|v", "q2": "q2|v"}) as writer:
        writer.add(
            [Example("a", "x", "x")], [Verdict("a", "overlap", 1.0)],
            [Failure("a", "out of memory", "q2"), Failure("rows.jsonl:3", "not JSON")],
        )  # fmt: skip
    client = make_app(runs=(tmp_path / "odd",)).client
    summary = client.get("/v1/runs/odd").json()
    assert (summary["examples"], summary["errors"], summary["unreadable"]) == (1, 2, 1)
    overlap = summary["metrics"]["overlap"]
    assert (overlap["signature"], overlap["mean"], overlap["scored"]) == ("overlap|v", 1.0, 1)
    assert summary["metrics"]["q2"]["failed"] == 1
    failures = client.get("/v1/runs/odd/failures").json()
    assert failures[1] == {
        "where": "rows.jsonl:3",
        "error": "not JSON",
        "metric": "",
        "kind": "row",
    }
    assert client.get("/v1/runs/odd/failures?offset=1").json() == failures[1:]
    example = client.get("/v1/runs/odd/examples/a").json()
    assert [failure["error"] for failure in example["failures"]] == ["out of memory"]
    assert "out of memory" in client.get("/runs/odd/examples/a").text
    assert client.get("/v1/runs/none").status_code == 404
    assert client.get("/v1/runs/none/failures").status_code == 404


def test_two_runs_are_compared_only_with_one_signature(make_app, tmp_path: Path) -> None:
    evaluate([Example("a", "x y", "x"), Example("b", "x", "x")], ["overlap"], out=tmp_path / "one")
    evaluate([Example("a", "x", "x"), Example("b", "x", "x")], ["overlap"], out=tmp_path / "two")
    with RunWriter(tmp_path / "other", {"overlap": "overlap|staytrue:0.0.1"}) as writer:
        writer.add([Example("a", "x", "x")], [Verdict("a", "overlap", 1.0)])
    app = make_app(runs=(tmp_path,))
    comparison = app.client.get("/v1/compare", params={"a": "one", "b": "two"}).json()["overlap"]
    assert comparison["mean_b"] > comparison["mean_a"]
    page = app.client.get("/compare", params={"a": "one", "b": "two"}).text
    assert 'href="/runs/two/examples/a"' in page
    refused = app.client.get("/compare", params={"a": "one", "b": "other"})
    assert refused.status_code == 400
    assert "0.0.1 in the other" in html.unescape(refused.text)


def test_a_difference_that_rounds_to_zero_has_no_sign(make_app, tmp_path: Path) -> None:
    for name, score in (("one", 0.5), ("two", 0.4999)):
        with RunWriter(tmp_path / name, {"overlap": "overlap|staytrue:0.0.1"}) as writer:
            writer.add([Example("a", "x", "x")], [Verdict("a", "overlap", score)])
    page = make_app(runs=(tmp_path,)).client.get("/compare", params={"a": "one", "b": "two"}).text
    assert "<b>0.000</b>" in page
    assert "-0.000" not in page
    assert "+0.000" not in page


def test_compare_without_runs_says_what_it_needs(make_app, tmp_path: Path) -> None:
    none = make_app(runs=()).client.get("/compare").text
    assert "Comparing takes two runs, and there is none" in none
    assert none.count("staytrue score") == 2
    for name in ("one", "two"):
        evaluate([Example("a", "x", "x")], ["overlap"], out=tmp_path / name)
    page = make_app(runs=(tmp_path,)).client.get("/compare?a=two")
    assert page.status_code == 200
    assert "<option selected>two</option>" in page.text


def test_with_one_run_the_other_is_made_with_its_metrics_and_nothing_is_chosen(app) -> None:
    page = app.client.get("/compare").text
    assert "staytrue score other.jsonl --metric overlap --out runs/other" in page
    assert 'type="radio"' not in app.client.get("/").text


def test_the_home_page_says_what_this_is(app) -> None:
    assert "scores what a chatbot says against its knowledge" in app.client.get("/").text


def test_what_is_not_there_is_said(app) -> None:
    for path in ("/runs/none", "/runs/pets/examples/none", "/nothing", "/runs/..%2F..%2Fetc"):
        assert app.client.get(path).status_code == 404
    assert app.client.get("/v1/runs/none/examples").json()["error"] == "There is no run 'none'."


def test_hostile_text_is_shown_as_text_on_every_page(make_app, tmp_path: Path) -> None:
    run = tmp_path / "hostile"
    evaluate([Example(HOSTILE, HOSTILE, HOSTILE, (Turn(HOSTILE, HOSTILE),))], ["overlap"], out=run)
    app = make_app(runs=(run,), bots=(f"scripted:{HOSTILE}",), practice=0, turns=1)
    ann = app.person("ann")
    queue = {"name": HOSTILE, "kind": "q2", "run": "hostile"}
    ann.post("/v1/queues", queue, 201)
    chat = ann.post("/v1/chats", status=201)["id"]
    ann.post(f"/v1/chats/{chat}/say", {"text": HOSTILE})
    ann.post(f"/v1/chats/{chat}/score", {"score": 1})
    paths = ("/", "/runs/hostile", "/judge", "/judge/1", "/judge/1/results", "/chat",
             f"/chat/{chat}", "/chat/results", f"/login?go=/{HOSTILE}",
             f"/runs/hostile/examples/{HOSTILE.replace('/', '%2F')}")  # fmt: skip
    for path in paths:
        page = ann.client.get(path)
        assert page.status_code == 200, path
        assert "<img" not in page.text, path
        assert "<script>" not in page.text, path


def test_the_api_describes_itself_without_a_network(app) -> None:
    page = app.client.get("/docs").text
    assert "POST /v1/score" in page
    assert "//cdn" not in page
    described = app.client.get("/openapi.json").json()
    assert "/v1/items/{item_id}/judgement" in described["paths"]


def test_health_and_metrics(both) -> None:
    assert both.client.get("/health").json()["status"] == "ok"
    assert 'staytrue_requests_total{status="200"} 1' in both.client.get("/metrics").text
