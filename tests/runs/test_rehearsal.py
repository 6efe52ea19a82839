"""A rehearsed run counts what a server would be asked, and sends nothing."""

from __future__ import annotations

import pytest

from staytrue.core.errors import UsageError
from staytrue.core.records import Example
from staytrue.runs.rehearsal import asks_server, rehearse

NOBODY = "llm:m@http://127.0.0.1:9/v1,price_in=1,price_out=2"
ROWS = [Example("1", "Coffee is hot.", "Coffee is a drink.")]


def test_each_metric_has_its_requests_and_they_add_up() -> None:
    run = rehearse(ROWS, ["judge", "nli"], NOBODY)
    assert run.rows == 1
    assert {name: used.requests for name, used in run.by_metric.items()} == {"judge": 1, "nli": 2}
    assert run.total.requests == 3
    assert run.total.cost == pytest.approx(sum(used.cost for used in run.by_metric.values()))


def test_a_question_that_two_metrics_share_is_counted_for_the_first() -> None:
    run = rehearse(ROWS, ["nli", "nli,score=paper"], NOBODY)
    assert [used.requests for used in run.by_metric.values()] == [2, 0]


def test_only_a_backend_that_asks_a_server_is_rehearsed() -> None:
    assert asks_server(NOBODY)
    assert not asks_server("scripted")
    with pytest.raises(UsageError, match="calls no server"):
        rehearse(ROWS, ["nli"], "scripted")
