"""OpenAI-compatible servers: how they are reached, and what is read from their answers."""

from __future__ import annotations

from typing import Any

import pytest

from staytrue.core.chat_completions import chat_transport, count_tokens, first_choice
from staytrue.core.errors import ModelAnswerError
from staytrue.core.usage import Usage


@pytest.mark.parametrize("base", ["http://host/v1", "http://host/v1/"])
def test_the_key_goes_into_the_header_and_is_kept_out_of_messages(base: str) -> None:
    sender = chat_transport(base, "s3cret", price_in=1.0, price_out=2.0, timeout=7.0)
    assert sender.url == "http://host/v1/chat/completions"
    assert sender.headers == {"Authorization": "Bearer s3cret"}
    assert sender.secrets == ("s3cret",)
    assert (sender.timeout, sender.usage.price_out) == (7.0, 2.0)
    assert "s3cret" not in repr(sender)
    assert chat_transport(base, "", price_in=0.0, price_out=0.0).headers == {}


def test_the_first_choice_is_read_and_an_answer_without_one_is_shown() -> None:
    choice = {"message": {"content": "Yes."}, "logprobs": None}
    assert first_choice({"choices": [choice]}, ModelAnswerError) == (choice, "Yes.")
    answers: list[Any] = [{"choices": []}, {"error": "no"}, [], None]
    for answer in answers:
        with pytest.raises(ModelAnswerError, match=r"choices\[0\]"):
            first_choice(answer, ModelAnswerError)


def test_tokens_are_counted_where_the_server_tells_them() -> None:
    usage = Usage()
    count_tokens(usage, {"usage": {"prompt_tokens": 3, "completion_tokens": None}})
    count_tokens(usage, {"usage": "none"})
    count_tokens(usage, {})
    assert (usage.tokens_in, usage.tokens_out) == (3, 0)
