from __future__ import annotations

from staytrue.chatbots.messages import GREETING, chat_messages, without_system
from staytrue.core.records import Turn
from staytrue.elicit.aih.talks import OPENING

TALK = [
    Turn("bot", "hey"),
    Turn("user", "who are you?"),
    Turn("user", "tell me."),
    Turn("bot", "bob"),
]


def checked(messages: list[dict[str, str]]) -> list[str]:
    """Roles after the system's, refused as the templates of Mistral, Gemma and Llama 2 do."""
    roles = [message["role"] for message in messages if message["role"] != "system"]
    for position, role in enumerate(roles):
        assert role == ("assistant" if position % 2 else "user")
    return roles


def test_sides_alternate_and_the_user_begins_whoever_opened() -> None:
    assert checked(chat_messages(TALK)) == ["user", "assistant", "user", "assistant"]
    assert checked(chat_messages(TALK[1:])) == ["user", "assistant"]
    assert checked(chat_messages([])) == ["user"]
    assert checked(chat_messages(TALK, prompt="Be brief.", persona=["i am bob"]))


def test_the_turn_put_before_the_bots_own_opening_is_the_word_that_talks_open_with() -> None:
    assert chat_messages(TALK)[0]["content"] == GREETING == OPENING


def test_a_talk_that_the_user_opened_is_left_as_it_is() -> None:
    assert chat_messages(TALK[1:]) == [
        {"role": "user", "content": "who are you?\ntell me."},
        {"role": "assistant", "content": "bob"},
    ]


def test_the_systems_words_can_stand_before_the_users_first_ones() -> None:
    messages = without_system(chat_messages(TALK[1:], prompt="Be brief.", persona=["i am bob"]))
    assert [message["role"] for message in messages] == ["user", "assistant"]
    first = "Be brief.\nThis is you: i am bob.\n\nwho are you?\ntell me."
    assert messages[0]["content"] == first
    assert without_system(chat_messages(TALK)) == chat_messages(TALK)
