"""Fifty people judge at once: nothing is lost, and the slowest answers are still quick."""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path

import httpx
import pytest

from staytrue.records import Example
from staytrue.runner import evaluate

PEOPLE, ITEMS, EACH = 50, 500, 2
ANSWER = {"answers": {"parts": [{"consistent": "consistent"}]}, "seconds": 1.0}


@pytest.mark.slow
def test_fifty_people_judging_lose_nothing(make_server, database_url: str, tmp_path: Path) -> None:
    run = tmp_path / "many"
    evaluate([Example(f"e{n}", f"response {n}", "k") for n in range(ITEMS)], ["overlap"], out=run)
    server = make_server(database=database_url, runs=(run,))
    logins = []
    with httpx.Client(base_url=server.url) as client:
        for number in range(PEOPLE):
            # Sign-up is slow on purpose and limited; the load is the judging.
            server.app.state.site.login_limit = _no_limit()
            made = client.post(
                "/v1/accounts", json={"name": f"person {number}", "secret": "a long secret"}
            )
            logins.append(made.json()["token"])
            client.cookies.clear()
        headers = {"Authorization": f"Bearer {logins[0]}"}
        body = {"name": "load", "kind": "q2", "run": "many", "annotators": EACH, "limit": ITEMS}
        queue = client.post("/v1/queues", json=body, headers=headers).json()["id"]
    times: list[float] = []
    acknowledged: list[tuple[int, int]] = []
    failures: list[str] = []
    start = threading.Barrier(PEOPLE)

    def work(number: int) -> None:
        headers = {"Authorization": f"Bearer {logins[number]}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
            start.wait()
            item = client.post(f"/v1/queues/{queue}/next").json()["item"]
            while item is not None:
                # A quick judge: one item every second or so.
                time.sleep(0.5 + (number * 37 + item["position"] * 17) % 100 / 100)
                begin = time.perf_counter()
                answer = client.post(f"/v1/items/{item['id']}/judgement", json=ANSWER)
                times.append(time.perf_counter() - begin)
                if answer.status_code != 200:
                    failures.append(answer.text)
                    return
                acknowledged.append((number, item["id"]))
                item = answer.json()["item"]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(PEOPLE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with httpx.Client(base_url=server.url) as client:
        lines = client.get(f"/v1/queues/{queue}/export?form=judgements").text.splitlines()
    assert len(lines) == len(acknowledged) == len(set(acknowledged)) == ITEMS * EACH
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"{len(times)} judgements, p50 {statistics.median(times):.3f} s, p95 {p95:.3f} s")
    assert p95 < 0.3


def _no_limit():
    from staytrue.web.guard import RateLimit

    return RateLimit(1000)
