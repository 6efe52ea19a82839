"""`staytrue list`: what is registered, with the options and defaults of each part."""

from __future__ import annotations

import inspect

import pytest
from click.testing import CliRunner

from staytrue.cli.list import command
from staytrue.plugins.registry import load_part, names


def listed(group: str) -> dict[str, str]:
    """What is printed of each name."""
    printed = CliRunner().invoke(command, [group], catch_exceptions=False).output
    parts: dict[str, str] = {}
    for line in printed.splitlines():
        if not line.startswith(" "):
            name = line.split()[0]
        parts[name] = parts.get(name, "") + line + "\n"
    return parts


def test_every_chatbot_is_listed() -> None:
    assert sorted(listed("chatbots")) == sorted(names("chatbots"))


@pytest.mark.parametrize("bot", names("chatbots"))
def test_a_chatbot_is_listed_with_its_options_and_their_defaults(bot: str) -> None:
    parameters = inspect.signature(load_part("chatbots", bot)).parameters.values()
    options = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    shown = listed("chatbots")[bot]
    assert ("options: " in shown) == bool(options)
    for option in options:
        default = "" if option.default is None else option.default
        assert f"{option.name}={default}" in shown


def test_the_defaults_of_a_bot_on_a_server_are_those_that_help_with_slow_ones() -> None:
    shown = listed("chatbots")["openai"]
    assert "timeout=60.0, retries=5" in shown
    assert "concurrency=8" in shown
