from __future__ import annotations

from pathlib import Path

import pytest

from staytrue.chatbots.local import python
from staytrue.core.errors import ChatbotError, UsageError
from staytrue.core.records import Turn

SOURCE = """
def echo(history):
    return "you said " + history[-1].text

def seeded(history, *, seed, persona):
    return f"{seed} {persona}"

def anything(history, **options):
    return str(sorted(options))

def wrong(history):
    return 3

class Parrot:
    def reply(self, history, persona=(), seed=0):
        return "polly"

class Picky:
    def __init__(self, mood):
        self.mood = mood

number = 4
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_little_bots.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("echo", "you said hello"),
        ("seeded", "5 ('i am bob',)"),
        ("anything", "['persona', 'seed']"),
        ("Parrot", "polly"),
    ],
)
def test_functions_get_what_they_ask_for(name: str, expected: str) -> None:
    bot = python.load(f"my_little_bots:{name}")
    assert bot.reply([Turn("user", "hello")], persona=["i am bob"], seed=5) == expected


def test_a_function_that_returns_no_text_is_an_error() -> None:
    with pytest.raises(ChatbotError, match="int instead of text"):
        python.load("my_little_bots:wrong").reply([Turn("user", "hello")])


@pytest.mark.parametrize("source", ["1 / 0", "def (", "raise RuntimeError('no model\\nhere')"])
def test_a_module_that_raises_on_import_is_one_sentence(source: str, tmp_path: Path) -> None:
    (tmp_path / "broken_bots.py").write_text(source)
    with pytest.raises(UsageError, match="Importing broken_bots fails, so fix it first") as error:
        python.load("broken_bots:f")
    assert "\n" not in str(error.value)


def test_a_class_that_wants_arguments_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="made without arguments"):
        python.load("my_little_bots:Picky")


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("my_little_bots", "module:function"),
        ("my_little_bots:nobody", "nothing called nobody"),
        ("no_such_module_here:f", "Cannot import"),
        ("my_little_bots:number", "neither a function"),
    ],
)
def test_a_wrong_name_is_a_usage_error(rest: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        python.load(rest)
