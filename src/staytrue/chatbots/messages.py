"""A dialogue as chat messages: the form that chat models and chat endpoints take."""

from __future__ import annotations

from collections.abc import Sequence

from staytrue.core.records import Turn

# The speaker of the turns that the replying bot said itself; every other speaker is its partner.
OWN = "bot"
# What the partner is taken to have said where the bot opened: the word that AIH opens with.
GREETING = "hello"
# What a chat model is told to be, unless the user says otherwise.
FRIENDLY = "You are a friendly person who chats. Answer in one or two short sentences."


def system_prompt(prompt: str, persona: Sequence[str]) -> str:
    """The instruction, followed by the sentences that describe the bot."""
    lines = [prompt] if prompt else []
    if persona:
        lines.append("This is you: " + " ".join(_sentence(line) for line in persona))
    return "\n".join(lines)


def _sentence(line: str) -> str:
    line = line.strip()
    return line if line.endswith((".", "!", "?")) else line + "."


def chat_messages(
    history: Sequence[Turn], *, prompt: str = "", persona: Sequence[str] = ()
) -> list[dict[str, str]]:
    """System, user and assistant messages; the bot's own turns are the assistant's.

    Neighbouring turns of one side are joined, and the user begins, as many chat templates demand
    that sides alternate and that the user is first.
    """
    system = system_prompt(prompt, persona)
    messages = [{"role": "system", "content": system}] if system else []
    if not history or history[0].speaker == OWN:
        messages.append({"role": "user", "content": GREETING})
    for turn in history:
        role = "assistant" if turn.speaker == OWN else "user"
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += "\n" + turn.text
        else:
            messages.append({"role": role, "content": turn.text})
    return messages


def without_system(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The messages with the system's words put before the user's first ones."""
    if not messages or messages[0]["role"] != "system":
        return list(messages)
    system, first, *rest = messages
    return [{"role": first["role"], "content": f"{system['content']}\n\n{first['content']}"}, *rest]
