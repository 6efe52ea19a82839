from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from staytrue.chatbots import retrieval
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

ROWS = [
    {"message": "do you like it ?", "response": "i do ."},
    {"message": "what do you do for a living ?", "response": "i am a nurse ."},
    {"message": "what do you do for fun ?", "response": "i paint ."},
    {"history": ["hi", "hello", "do you have any pets ?"], "response": "two cats ."},
    {"message": "do you have any pets ?", "response": "none ."},
]


@pytest.fixture
def bot(tmp_path: Path) -> retrieval.RetrievalChatbot:
    text = "\n".join(json.dumps(row) for row in ROWS)
    (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return retrieval.load(str(tmp_path / "rows.jsonl.gz"))


def asked(bot: retrieval.RetrievalChatbot, question: str) -> str:
    return bot.reply([Turn("bot", "i paint ."), Turn("user", question)])


def test_the_nearest_message_gives_the_response_and_rare_words_count_most(
    bot: retrieval.RetrievalChatbot,
) -> None:
    assert asked(bot, "What do you do for a living?") == "i am a nurse ."
    assert asked(bot, "what do you do with pets ?") == "two cats ."
    assert asked(bot, "any fun ?") == "i paint ."


def test_of_equally_near_messages_the_first_answers(bot: retrieval.RetrievalChatbot) -> None:
    assert asked(bot, "do you have any pets ?") == "two cats ."


def test_without_a_shared_word_or_a_history_it_says_its_first_response(
    bot: retrieval.RetrievalChatbot,
) -> None:
    assert asked(bot, "zyzzyva") == "i do ."
    assert bot.reply([]) == "i do ."


def test_only_the_last_turn_is_looked_at(bot: retrieval.RetrievalChatbot) -> None:
    persona = ["i am a nurse ."]
    question = Turn("user", "what do you do for fun ?")
    assert bot.reply([Turn("user", "pets"), question], persona=persona, seed=3) == "i paint ."


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="write retrieval:FILE"):
        load_chatbot("retrieval:nowhere.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError, match=r"empty.jsonl has no message"):
        load_chatbot(f"retrieval:{tmp_path / 'empty.jsonl'}")
