"""AIH: two chatbots talk, and the second is asked about what it said (Li et al., 2021).

A dialogue is held in two passes. First the bots talk to the end. Then each inquiry is put to the
judged bot on top of the history up to its turn. An inquiry and its answer are therefore in
nobody's context but their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from staytrue.core.protocols import Chatbot
from staytrue.core.records import Turn
from staytrue.core.seeds import derived_seed
from staytrue.elicit.aih.dialogues import (
    Dialogue,
    Inquiry,
    dialogue_id,
    seen_by_first,
    seen_by_second,
)
from staytrue.elicit.aih.inquirer import Inquirer

OPENING = "hello"


@dataclass(frozen=True, slots=True)
class Plan:
    """How every talk of a run is held."""

    turns: int = 15
    """Turns of each bot."""
    delay: int = 0
    """Turns between an utterance and the inquiry about it."""
    seed: int = 0
    opening: str = OPENING


@dataclass(frozen=True, slots=True)
class Party:
    """A chatbot under the name that it was given."""

    name: str
    bot: Chatbot


def plain_reply(party: Party, history: Sequence[Turn], seed: int) -> str:
    """The bot's reply, without limits."""
    return party.bot.reply(history, seed=seed)


def hold(
    first: Party,
    second: Party,
    number: int,
    plan: Plan,
    inquirer: Inquirer,
    ask: Callable[[Party, Sequence[Turn], int], str] = plain_reply,
) -> Dialogue:
    """Let two bots talk and ask the second about it; `ask` gets each reply from its bot."""
    key = (plan.seed, first.name, second.name, number)

    def reply(party: Party, history: Sequence[Turn], *part: str | int) -> str:
        return ask(party, history, derived_seed(*key, *part))

    texts = _talk(first, second, plan, reply)
    inquiries = []
    for turn, question in enumerate(
        inquirer.inquire(texts[1::2], seed=derived_seed(*key, "inquirer"))
    ):
        after = turn + plan.delay
        if question is None or after >= plan.turns:
            continue
        heard = (*seen_by_second(texts[: 2 * after + 2]), Turn("user", question.question))
        inquiries.append(
            Inquiry(
                turn=turn,
                asked_after=after,
                utterance=texts[2 * turn + 1],
                statement=question.statement,
                span=question.span,
                question=question.question,
                answer=reply(second, heard, "inquiry", turn),
                strategy=question.strategy,
            )
        )
    return Dialogue(first.name, second.name, number, texts, tuple(inquiries))


def _talk(first: Party, second: Party, plan: Plan, reply: Callable[..., str]) -> tuple[str, ...]:
    texts: tuple[str, ...] = (plan.opening,)
    for turn in range(plan.turns):
        if turn:
            texts += (reply(first, seen_by_first(texts), "first", turn),)
        texts += (reply(second, seen_by_second(texts), "second", turn),)
    return texts


def pairs(names: Sequence[str], dialogues: int) -> list[tuple[str, str, int]]:
    """Every dialogue to hold: each ordered pair, a bot with itself included.

    Numbers come before pairs, so that a run that is stopped early has all pairs about equally.
    """
    return [(i, j, number) for number in range(dialogues) for i in names for j in names]


def requests_of(dialogues: int, plan: Plan, inquiries: float) -> float:
    """Replies that so many dialogues need, at so many inquiries each."""
    return dialogues * (2 * plan.turns - 1 + inquiries)


__all__ = ["OPENING", "Party", "Plan", "dialogue_id", "hold", "pairs", "requests_of"]
