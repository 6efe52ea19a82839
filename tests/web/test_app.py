"""A request that cannot be read is refused in one sentence that says what to do."""

from __future__ import annotations

import pytest
from tests.web.conftest import App

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "headers", "error"),
    [
        ('{"examples": [{"response": "x"}]}', {}, "with the header Content-Type: application/json"),
        ("{", JSON, "The body is not valid JSON"),
        ("{}", JSON, "The field 'examples' is missing."),
        ('{"examples": []}', JSON, "'examples' is empty: give at least one."),
        ('{"examples": [{"response": "x"}], "metrik": 1}', JSON, "Unknown field 'metrik'."),
    ],
)
def test_a_wrong_body_is_explained(
    app: App, body: str, headers: dict[str, str], error: str
) -> None:
    answer = app.client.post("/v1/score", content=body, headers=headers)
    assert answer.status_code == 422
    assert error in answer.json()["error"]
