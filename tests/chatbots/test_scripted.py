from __future__ import annotations

import pytest

from staytrue.chatbots import scripted
from staytrue.core.errors import ChatbotError, UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot


def test_says_its_lines_in_order_and_starts_again() -> None:
    bot = load_chatbot("scripted:one | two")
    history: list[Turn] = []
    replies = []
    for _ in range(3):
        history.append(Turn("user", "go on"))
        replies.append(bot.reply(history))
        history.append(Turn("bot", replies[-1]))
    assert replies == ["one", "two", "one"]


def test_answers_and_failures_go_by_the_last_turn_and_histories_are_kept() -> None:
    bot = scripted.ScriptedChatbot(("one",), {"who?": "me"}, frozenset({"boom"}))
    assert bot.reply([Turn("user", "who?")]) == "me"
    with pytest.raises(ChatbotError, match="boom"):
        bot.reply([Turn("user", "boom")])
    assert bot.received == [(Turn("user", "who?"),), (Turn("user", "boom"),)]


def test_no_lines_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="Write the lines"):
        load_chatbot("scripted: | ")
