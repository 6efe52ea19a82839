"""The bodies of the HTTP API say what the records say, with limits."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from staytrue.core.records import Example, Probe, Turn, example_to_json, field_names
from staytrue.web.schemas import ExampleIn, ProbeIn, TurnIn

WHOLE = Example(
    "1",
    "I am a nurse.",
    "Ana is a nurse.",
    (Turn("user", "Hi"), Turn("bot", "Hello")),
    ("i am a nurse.",),
    Probe("What do you do?", "nurse", "I am a nurse.", "wh", "persona"),
)


@pytest.mark.parametrize(
    ("body", "record"), [(ExampleIn, Example), (ProbeIn, Probe), (TurnIn, Turn)]
)
def test_a_body_has_no_field_that_its_record_lacks(body: type[BaseModel], record: type) -> None:
    # What was said last is a turn of the history.
    assert set(body.model_fields) - {"message"} <= set(field_names(record))


def test_an_example_sent_as_it_is_stored_arrives_unchanged() -> None:
    assert ExampleIn.model_validate(example_to_json(WHOLE)).record(7) == WHOLE


def test_an_example_without_an_id_takes_its_number() -> None:
    assert ExampleIn(response="Hi").record(7) == Example("7", "Hi")


def test_passages_and_the_last_message_are_taken_as_in_files() -> None:
    body = ExampleIn(
        response="Five days.", knowledge=["Refunds take 5 days.", "B."], message="How long?"
    )
    example = body.record(3)
    assert example.id == "3"
    assert len(example.passages) == 2
    assert example.message == "How long?"
