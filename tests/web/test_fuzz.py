"""Requests made from the API's own description, valid and not: none of them is a mistake of ours.

`make fuzz` runs five minutes, `make fuzz SECONDS=60` one.
"""

from __future__ import annotations

import contextlib
import os
import time

import hypothesis
import pytest

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("STAYTRUE_FUZZ_SECONDS", "10"))
# A log-out would make all that follows strangers' requests.
LEFT_OUT = {("DELETE", "/v1/sessions")}


def test_no_request_that_the_description_allows_gives_a_500(make_app) -> None:
    app = make_app(metrics=("bleu",), requests_per_second=1e6, practice=0)
    ann = app.person("ann")
    ann.post("/v1/queues", {"name": "q", "kind": "q2", "run": "pets"}, 201)
    ann.post("/v1/queues/1/next")
    chat = ann.post("/v1/chats", status=201)["id"]
    assert chat == 1
    schema = schemathesis.openapi.from_dict(app.app.openapi())
    operations = [
        described.ok()
        for described in schema.get_all_operations()
        if (described.ok().method.upper(), described.ok().path) not in LEFT_OUT
    ]
    assert len(operations) > 25
    tried = 0

    def send(case) -> None:
        nonlocal tried
        made = case.as_transport_kwargs(base_url="http://127.0.0.1")
        sent = {key: made[key] for key in ("params", "json", "data", "files") if key in made}
        headers = {**dict(made.get("headers") or {}), "X-CSRF-Token": ann.csrf}
        answer = ann.client.request(made["method"], made["url"], headers=headers, **sent)
        tried += 1
        assert answer.status_code < 500 or "Retry-After" in answer.headers, (made, answer.text)

    end, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < end or number < 2 * len(operations):
        operation = operations[number % len(operations)]
        # What the description forbids, then what it allows.
        modes = (schemathesis.GenerationMode.NEGATIVE, schemathesis.GenerationMode.POSITIVE)
        strategy = operation.as_strategy(generation_mode=modes[number // len(operations) % 2])
        quick = hypothesis.settings(
            max_examples=4, deadline=None, database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )  # fmt: skip
        # Nothing can be wrong with a request that has no parameters.
        with contextlib.suppress(hypothesis.errors.Unsatisfiable):
            hypothesis.seed(number)(quick(hypothesis.given(case=strategy)(send)))()
        number += 1
    assert tried > 2 * len(operations)
    print(f"\n{tried} requests to {len(operations)} operations")
