"""Blind chats: a person talks to a bot without knowing which, then says how consistent it was."""

from __future__ import annotations

import logging
import random
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean, median

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from staytrue.core.errors import ChatbotError, UsageError
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Example, Turn
from staytrue.core.redaction import redact
from staytrue.runs.writer import RunWriter
from staytrue.stats import intervals
from staytrue.stats.correlation import pearson
from staytrue.web.faults import NotFound
from staytrue.web.tables import Account, Chat, ChatTurn, now

MOST_TURNS = 200
STALE_HOURS = 24
MOST_CHARACTERS = 2_000
_log = logging.getLogger("staytrue.web")


@dataclass(frozen=True)
class BotResult:
    """What people think of one bot."""

    bot: str
    chats: int
    mean: float | None
    low: float | None
    high: float | None
    people: dict[str, float]
    """Each person's mean score."""
    chats_of: dict[str, int]
    """How many chats that count each person had with it."""
    chat_seconds: float | None
    """Median time from the start of a chat to its last message."""
    judging_seconds: float | None
    """Median time from the last message to the score."""
    spread: float | None
    """Mean absolute difference between two people's means; 0 is full agreement."""
    labelled: int
    """Bot utterances that someone labelled."""
    consistent: float | None
    """The share of those that were called consistent."""


def start(session: Session, account_id: int, bots: Sequence[str], practice: int) -> Chat:
    """Begin a chat with a bot drawn at random.

    Each bot is as likely as any other whatever was drawn before: if the ones used least came first,
    whoever talks to two would know the second.
    """
    if not bots:
        raise UsageError("No bot to talk to: start the server with  --bot SPEC.")
    bot = secrets.choice(bots)
    chat = Chat(
        account_id=account_id, bot=bot, seed=secrets.randbelow(2**31),
        practice=practice_left(of_person(session, account_id), practice) > 0,
    )  # fmt: skip
    session.add(chat)
    session.flush()
    return chat


def practice_left(chats: Sequence[Chat], practice: int) -> int:
    """How many practice chats a person with these chats still has before them."""
    return max(0, practice - sum(chat.practice and chat.score is not None for chat in chats))


def get(session: Session, chat_id: int, account_id: int) -> Chat:
    """The chat, if it is this person's."""
    chat = session.get(Chat, chat_id)
    if chat is None or chat.account_id != account_id:
        raise NotFound("There is no such chat.")
    return chat


def of_person(session: Session, account_id: int) -> list[Chat]:
    """A person's chats, the newest first."""
    mine = select(Chat).where(Chat.account_id == account_id).order_by(Chat.id.desc())
    return list(session.scalars(mine))


def _still_open(session: Session, chat_id: int) -> Chat:
    """The chat, locked until the transaction ends; a finished one is refused."""
    chat = session.get(Chat, chat_id, with_for_update=True, populate_existing=True)
    if chat is None or chat.finished is not None:
        raise UsageError("This chat is finished; start another one.")
    return chat


def turns(session: Session, chat_id: int) -> list[ChatTurn]:
    """What was said so far, in order."""
    query = select(ChatTurn).where(ChatTurn.chat_id == chat_id).order_by(ChatTurn.position)
    return list(session.scalars(query))


def reply(
    chat: Chat, transcript: Sequence[ChatTurn], text: str, load: Callable[[str], Chatbot]
) -> str:
    """The bot's answer to one more message; nothing is stored here."""
    if chat.finished is not None:
        raise UsageError("This chat is finished; start another one.")
    text = text.strip()
    if not text or len(text) > MOST_CHARACTERS:
        raise UsageError(f"Write a message of 1 to {MOST_CHARACTERS:,} characters.")
    if len(transcript) >= MOST_TURNS:
        raise UsageError("This chat is long enough; score it now.")
    history = [Turn(turn.speaker, turn.text) for turn in transcript] + [Turn("user", text)]
    seed = random.Random(f"{chat.seed} {len(transcript)}").randrange(2**31)
    try:
        answer = load(chat.bot).reply(history, seed=seed)
        # PostgreSQL keeps no NUL character, and no answer can hold half a surrogate pair.
        return answer.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    except Exception as error:
        # What went wrong may name the bot: the talker reads a neutral sentence, the log the rest.
        # Not the error's own text either, as it may quote what was said.
        _log.warning("Chat %d, bot %s: %s", chat.id, redact(chat.bot), type(error).__name__)
        raise ChatbotError("The bot gave no answer: send your message again.") from None


def add_turns(session: Session, chat_id: int, before: int, text: str, answer: str) -> None:
    """Store a message and its answer, unless another window has talked on meanwhile."""
    _still_open(session, chat_id)
    stored = session.scalar(select(func.count(ChatTurn.id)).where(ChatTurn.chat_id == chat_id))
    if stored != before:
        raise UsageError("This chat went on in another window; reload the page.")
    for number, (speaker, utterance) in enumerate((("user", text.strip()), ("bot", answer))):
        session.add(
            ChatTurn(chat_id=chat_id, position=before + number, speaker=speaker, text=utterance)
        )


def finish(
    session: Session, chat: Chat, score: float, labels: Mapping[int, bool], least: int
) -> None:
    """Store the person's score and the labels of the bot's utterances (position → consistent)."""
    chat = _still_open(session, chat.id)
    transcript = turns(session, chat.id)
    messages = sum(turn.speaker == "user" for turn in transcript)
    if messages < least:
        raise UsageError(f"Keep talking: you have sent {messages} of at least {least} messages.")
    if not 0 <= score <= 1:
        raise UsageError("The score must be between 0 and 1.")
    for turn in transcript:
        if turn.speaker == "bot" and turn.position in labels:
            turn.consistent = labels[turn.position]
    chat.score, chat.finished = score, now()


def give_up(session: Session, chat: Chat) -> None:
    """End a chat without a score; it counts for nothing."""
    _still_open(session, chat.id).finished = now()


@dataclass(frozen=True)
class _Counted:
    """A finished chat that counts."""

    bot: str
    person: str
    score: float
    created: datetime
    last_message: datetime
    """When it was sent."""
    finished: datetime


def results(session: Session, bots: Sequence[str], reader: int) -> list[BotResult]:
    """Scores by bot over the finished chats that count, the most consistent bot first.

    They name the bots, so a reader (by account) who is talking to one must wait. A chat in which
    nothing was said for a day is given up.
    """
    stale = now() - timedelta(hours=STALE_HOURS)
    for chat in of_person(session, reader):
        if chat.finished is None:
            last = session.scalar(
                select(func.max(ChatTurn.created)).where(ChatTurn.chat_id == chat.id)
            )
            if (last or chat.created) > stale:
                raise UsageError(
                    f"Finish or give up your chat {chat.id} first: the results name the bots."
                )
            give_up(session, chat)
    last_message_sent = (
        select(func.max(ChatTurn.created))
        .where(ChatTurn.chat_id == Chat.id)
        .correlate(Chat)
        .scalar_subquery()
    )
    rows = [
        _Counted(bot, person, score, created, last_message, finished)
        for bot, person, score, created, last_message, finished in session.execute(
            select(
                Chat.bot, Account.name, Chat.score, Chat.created, last_message_sent, Chat.finished
            )
            .join(Account, Account.id == Chat.account_id)
            .where(Chat.score.is_not(None), Chat.practice.is_(False))
        )
        if score is not None and finished is not None
    ]
    labels = session.execute(
        select(Chat.bot, ChatTurn.consistent)
        .join(ChatTurn, ChatTurn.chat_id == Chat.id)
        .where(Chat.practice.is_(False), ChatTurn.consistent.is_not(None))
    ).all()
    names = [*bots, *sorted({row.bot for row in rows} - set(bots))]
    by_bot = [
        _result(
            bot,
            [row for row in rows if row.bot == bot],
            [bool(consistent) for b, consistent in labels if b == bot],
        )
        for bot in names
    ]
    return sorted(by_bot, key=lambda one: -1 if one.mean is None else one.mean, reverse=True)


def _result(bot: str, rows: list[_Counted], labels: list[bool]) -> BotResult:
    chats_of = Counter(row.person for row in sorted(rows, key=lambda row: row.person))
    people = {
        name: fmean(row.score for row in rows if row.person == name) for name in chats_of
    }  # fmt: skip
    means = list(people.values())
    gaps = [abs(a - b) for i, a in enumerate(means) for b in means[i + 1 :]]
    interval = intervals.mean([row.score for row in rows])
    return BotResult(
        bot, len(rows), interval.value, interval.low, interval.high, people, dict(chats_of),
        median((row.last_message - row.created).total_seconds() for row in rows) if rows else None,
        median((row.finished - row.last_message).total_seconds() for row in rows) if rows else None,
        fmean(gaps) if gaps else None, len(labels), fmean(labels) if labels else None,
    )  # fmt: skip


def missing(session: Session, account_id: int, bots: Sequence[str], target: int) -> int:
    """How many chats that count a person still has to have, so many with each bot.

    Draws do not depend on it: whoever knew what is missing could guess the next bot.
    """
    had = Counter(
        chat.bot
        for chat in of_person(session, account_id)
        if chat.score is not None and not chat.practice
    )
    return sum(max(0, target - had[bot]) for bot in set(bots))


def expert_agreement(results: Sequence[BotResult]) -> float | None:
    """Mean Pearson correlation of each person's scores by bot with the mean of all people's."""
    people = sorted({name for result in results for name in result.people})
    correlations = []
    for name in people:
        both = [
            (result.people[name], result.mean)
            for result in results
            if name in result.people and result.mean is not None
        ]
        if len(both) > 2:
            own, mean = np.array(both, dtype=float).T
            correlation = pearson(own, mean)
            if correlation is not None:
                correlations.append(correlation)
    return fmean(correlations) if correlations else None


def run_folder(folder: Path, chat_id: int) -> Path:
    """Where the chat is kept as a run."""
    return folder / f"chat-{chat_id}"


def write_run(session: Session, chat: Chat, annotator: str, folder: Path) -> Path:
    """Write a finished chat as a run folder: each of the bot's utterances is an example."""
    transcript = turns(session, chat.id)
    examples = []
    for turn in transcript:
        if turn.speaker != "bot":
            continue
        tags = {
            "bot": chat.bot, "chat": str(chat.id), "annotator": annotator,
            "turn": str(turn.position), "practice": "yes" if chat.practice else "no",
        }  # fmt: skip
        before = tuple(Turn(t.speaker, t.text) for t in transcript[: turn.position])
        examples.append(
            Example(
                f"chat-{chat.id}-{turn.position}", turn.text, history=before,
                consistent=turn.consistent, rating=chat.score, tags=tags,
            )
        )  # fmt: skip
    run = run_folder(folder, chat.id)
    settings = {"made_by": "blind chat", "bot": chat.bot, "annotator": annotator,
                "score": chat.score, "practice": chat.practice}  # fmt: skip
    with RunWriter(run, {}, seed=chat.seed, settings=settings) as writer:
        writer.add(examples)
    return run
