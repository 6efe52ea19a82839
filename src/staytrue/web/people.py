"""All that the database holds about one person: to hand it out, or to erase it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from staytrue.core.records import JsonDict
from staytrue.web import accounts, chats, queues
from staytrue.web.tables import JUDGE, Chat, Item, Judgement, Queue


@dataclass(frozen=True)
class Erased:
    """What was deleted with an account."""

    judgements: int
    chats: int


def data_of(session: Session, name: str) -> JsonDict:
    """The person's account, judgements, chats and queues."""
    account = accounts.find(session, name)
    judgements = session.execute(
        select(Queue.name, Item.example_id, Judgement)
        .join(Item, Item.queue_id == Queue.id)
        .join(Judgement, Judgement.item_id == Item.id)
        .where(Judgement.account_id == account.id)
        .order_by(Judgement.id)
    )
    owned = select(Queue).where(Queue.owner_id == account.id).order_by(Queue.id)
    return {
        "account": {
            "name": account.name, "role": account.role, "created": account.created.isoformat(),
        },
        "judgements": [
            {"queue": queue, "example_id": example_id, "answers": given.answers,
             "skipped": given.skipped, "seconds": given.seconds,
             "judged": given.judged.isoformat() if given.judged else None}
            for queue, example_id, given in judgements
        ],
        "chats": [_chat(session, chat) for chat in chats.of_person(session, account.id)],
        "queues": [queue.name for queue in session.scalars(owned)],
    }  # fmt: skip


def _chat(session: Session, chat: Chat) -> JsonDict:
    # Which bot it was is not the person's data, and telling it would unblind an open chat.
    return {
        "id": chat.id, "practice": chat.practice, "created": chat.created.isoformat(),
        "score": chat.score,
        "turns": [
            {"speaker": turn.speaker, "text": turn.text, "consistent": turn.consistent}
            for turn in chats.turns(session, chat.id)
        ],
    }  # fmt: skip


def erase(session: Session, name: str, chats_folder: Path) -> Erased:
    """Delete the account with its judgements and chats, the chats' run folders included.

    Queues that the person made stay and become the operators'.
    """
    account = accounts.find(session, name)
    accounts.set_role(session, name, JUDGE)  # refused for the only operator
    items = session.execute(
        delete(Judgement)
        .where(Judgement.account_id == account.id)
        .returning(Judgement.item_id, Judgement.skipped),
        execution_options={"synchronize_session": False},
    ).all()
    for item_id, skipped in items:
        if skipped is None:  # a skipped item's place is free already
            queues.free_place(session, item_id)
    talked = [chat.id for chat in chats.of_person(session, account.id)]
    session.execute(
        update(Queue).where(Queue.owner_id == account.id).values(owner_id=None),
        execution_options={"synchronize_session": False},
    )
    session.delete(account)
    session.flush()
    for chat_id in talked:
        folder = chats.run_folder(chats_folder, chat_id)
        if folder.is_dir():
            shutil.rmtree(folder)
    return Erased(len(items), len(talked))
