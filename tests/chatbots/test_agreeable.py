"""A bot that agrees with everything."""

from __future__ import annotations

import pytest

from staytrue.core.errors import UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot


@pytest.mark.parametrize(
    ("text", "reply"),
    [("hi . do you sing ?", "yes, i do."), ("are you ok", "yes, i am."),
     ("where do you live?", "yes, of course!"), ("hello", "yes, of course!")],
)  # fmt: skip
def test_it_says_yes_to_everything(text: str, reply: str) -> None:
    assert (
        load_chatbot("agreeable:").reply([Turn("user", text)], persona=["i never sing ."]) == reply
    )


def test_it_says_yes_to_silence_and_takes_no_options() -> None:
    assert load_chatbot("agreeable:").reply([]) == "yes, of course!"
    with pytest.raises(UsageError, match="no options"):
        load_chatbot("agreeable:mood=good")
