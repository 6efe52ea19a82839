"""The bodies of the HTTP API say what the records say, with limits."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from staytrue.core.records import Example, Probe, Turn, example_to_json, field_names
from staytrue.web.schemas import ExampleIn, ProbeIn, TurnIn

WHOLE = Example(
    "1",
    "I am a nurse.",
    "Ana is a nurse.",
    (Turn("user", "Hi"), Turn("bot", "Hello")),
    ("i am a nurse.",),
    Probe("What do you do?", "nurse", "I am a nurse.", "wh", "persona", turn=0, distance=2),
)


def test_a_probe_and_a_turn_have_the_fields_of_their_records() -> None:
    for body, record in ((ProbeIn, Probe), (TurnIn, Turn)):
        assert set(field_names(body)) == set(field_names(record))
    # What was said last is a turn of the history.
    assert set(ExampleIn.model_fields) - {"message"} <= set(field_names(Example))


@pytest.mark.parametrize(
    "turn",
    [
        {"text": "Hi", "mood": "calm"},
        {"text": "a" * 100_001},
        {"text": "H\0i"},
        {"text": "Hi", "speaker": "u" * 81},
    ],
)
def test_a_turn_beyond_the_limits_is_refused(turn: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        ExampleIn.model_validate({"response": "Hi", "history": [turn]})


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


def test_a_history_may_be_the_messages_of_a_chat_service() -> None:
    history = [
        {"role": "system", "content": "Be kind."},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "Hi"},
    ]
    body = ExampleIn.model_validate({"response": "r", "history": history})
    assert body.turns() == (Turn("bot", "Hello"), Turn("user", "Hi"))
