"""Annotation queues: who gets which item next, and what they said of it."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Session

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, JsonDict
from staytrue.web import tasks
from staytrue.web.accounts import Visitor
from staytrue.web.faults import NotAllowed, NotFound
from staytrue.web.tables import Account, DeletedQueue, Item, Judgement, Queue, now

MOST_ITEMS = 20_000
# Longer gaps are a break, not work; the time per item would mean nothing.
MOST_SECONDS = 3_600.0
_TAKEN = "You skipped this item, and someone else has taken it since: go on with the next one."
# Whoever judges keeps the queue from being deleted under them, and nobody else from judging.
_STAYS: dict[str, Any] = {"read": True, "key_share": True}


@dataclass(frozen=True)
class QueueProgress:
    """How far a queue is, for one person and for all."""

    mine: int
    my_skips: int
    judged: int
    wanted: int
    items: int
    skipped: int


@dataclass(frozen=True)
class StoredJudgement:
    """One judgement with what it is about."""

    item_id: int
    position: int
    example_id: str
    payload: JsonDict
    annotator: str
    answers: JsonDict | None
    skipped: str | None
    seconds: float | None


def drawn(source: Iterable[Example], count: int, seed: int) -> list[Example]:
    """So many examples in random order, each equally likely to be among them; one pass."""
    draw = random.Random(f"items {seed}")
    kept: list[Example] = []
    for number, example in enumerate(source):
        if len(kept) < count:
            kept.append(example)
        elif (slot := draw.randrange(number + 1)) < count:
            kept[slot] = example
    draw.shuffle(kept)
    return kept


def create(
    session: Session, name: str, kind: str, run: str, examples: Sequence[Example], *,
    annotators: int = 1, share: float = 1.0, seed: int = 0, owner_id: int | None = None,
) -> Queue:  # fmt: skip
    """Make a queue; a seeded draw gives `share` of the items to `annotators` people each."""
    name = name.strip()
    if not 1 <= len(name) <= 120:
        raise UsageError("Give the queue a name of 1 to 120 characters.")
    if not examples:
        raise UsageError(f"The run '{run}' has no examples to judge: choose another.")
    if len(examples) > MOST_ITEMS:
        raise UsageError(f"A queue holds at most {MOST_ITEMS:,} items, not {len(examples):,}.")
    if not 1 <= annotators <= 50 or not 0 <= share <= 1:
        raise UsageError("Choose 1 to 50 annotators and a share from 0 to 1.")
    queue = Queue(
        id=_unused(session, Queue.id, DeletedQueue.id), name=name, kind=kind, run=run,
        annotators=annotators, share=share, seed=seed, owner_id=owner_id,
    )  # fmt: skip
    try:
        with session.begin_nested():
            session.add(queue)
    except IntegrityError:
        raise UsageError(f"There is a queue '{name}' already; choose another name.") from None
    draw = random.Random(f"queue {seed}")
    shared = set(draw.sample(range(len(examples)), round(share * len(examples))))
    rows = zip(examples, tasks.payloads(kind, examples), strict=True)
    first = _unused(session, Item.id, DeletedQueue.last_item)
    session.add_all(
        Item(
            id=None if first is None else first + position, queue_id=queue.id,
            position=position, example_id=example.id, payload=payload,
            wanted=annotators if position in shared else 1, taken=0,
        )
        for position, (example, payload) in enumerate(rows)
    )  # fmt: skip
    return queue


def _unused(
    session: Session, there: InstrumentedAttribute[int], gone: InstrumentedAttribute[int]
) -> int | None:
    """The first id that no row ever had; None where the database sees to it by itself.

    SQLite gives the highest id again when its row is deleted. A page that still shows the deleted
    queue would then judge items of the new one.
    """
    if session.get_bind().dialect.name != "sqlite":
        return None
    return 1 + max(session.scalar(select(func.max(ids))) or 0 for ids in (there, gone))


def get(session: Session, queue_id: int, lock: bool | dict[str, Any] = False) -> Queue:
    """The queue; `lock` holds its row until the transaction ends."""
    queue = session.get(Queue, queue_id, with_for_update=lock)
    gone = session.get(DeletedQueue, queue_id)
    if gone is not None:
        raise NotFound(f"The queue '{gone.name}' was deleted by {gone.by}.")
    if queue is None:
        raise NotFound("There is no such queue.")
    return queue


def all_queues(session: Session) -> list[Queue]:
    """Every queue that is not deleted, by age."""
    there = select(Queue).where(Queue.id.not_in(select(DeletedQueue.id))).order_by(Queue.id)
    return list(session.scalars(there))


def get_with_answers(session: Session, queue_id: int, who: Visitor, claim_minutes: int) -> Queue:
    """The queue, for someone who may see what people answered.

    That is whoever made it, and the operators. While they have an item of it open themselves, the
    others' answers would sway theirs.
    """
    queue = get(session, queue_id)
    if not may_see_answers(queue, who):
        raise NotAllowed("Only operators and whoever created the queue may see its answers.")
    mine = _claims(queue_id, Judgement.account_id == who.account_id).where(
        Judgement.claimed > now() - timedelta(minutes=claim_minutes)
    )
    if session.scalar(mine.limit(1)) is not None:
        raise NotAllowed("You have an open item of this queue: judge it or give it back first.")
    return queue


def may_see_answers(queue: Queue, who: Visitor) -> bool:
    """Whether the queue's answers are theirs to see."""
    return who.is_operator or queue.owner_id == who.account_id


def get_to_judge(session: Session, queue_id: int) -> Queue:
    """The queue, which is not deleted before the transaction ends."""
    return get(session, queue_id, _STAYS)


def remove(session: Session, queue_id: int, name: str, by: str) -> QueueProgress:
    """Hide the queue with its items and judgements; gives what it holds.

    Until `purge` it can be restored. That `name` must be the queue's is the guard against a slip.
    """
    queue = get(session, queue_id, lock=True)
    if name.strip() != queue.name:
        raise UsageError(f"Repeat the queue's name, '{queue.name}', to delete its judgements.")
    held = progress(session, queue_id)
    last = session.scalar(select(func.max(Item.id)).where(Item.queue_id == queue_id)) or 0
    session.add(DeletedQueue(id=queue_id, name=queue.name, by=by, last_item=last))
    queue.name = f"deleted {queue_id} {secrets.token_hex(8)}"  # another may have the name now
    return held


def restorable(session: Session) -> list[DeletedQueue]:
    """The deleted queues whose items are still there, the last deleted first."""
    there = select(DeletedQueue).where(DeletedQueue.id.in_(select(Queue.id)))
    return list(session.scalars(there.order_by(DeletedQueue.deleted.desc())))


def restore(session: Session, queue_id: int) -> Queue:
    """Take a deletion back."""
    queue = session.get(Queue, queue_id, with_for_update=True)
    gone = session.get(DeletedQueue, queue_id)
    if queue is None or gone is None:
        raise NotFound("There is no such deleted queue, or it is gone for good.")
    taken = session.scalar(select(Queue.id).where(Queue.name == gone.name))
    queue.name = gone.name if taken is None else f"{gone.name[:90]} (restored {queue_id})"
    session.delete(gone)
    return queue


def purge(session: Session, days: int) -> int:
    """Delete for good what was deleted so many days ago; gives the number of queues."""
    old = select(DeletedQueue.id).where(DeletedQueue.deleted < now() - timedelta(days=days))
    ids = session.scalars(select(Queue.id).where(Queue.id.in_(old))).all()
    # The database takes items and judgements with it.
    session.execute(delete(Queue).where(Queue.id.in_(ids)))
    return len(ids)


def give_back(session: Session, queue_id: int, account_id: int) -> None:
    """Whatever this person has open is free for others again."""
    _give_back(session, queue_id, Judgement.account_id == account_id)


def next_item(session: Session, queue_id: int, account_id: int, claim_minutes: int) -> Item | None:
    """The item to judge now: the one this person has open, or the first that wants more people."""
    mine = (
        select(Item)
        .join(Judgement, Judgement.item_id == Item.id)
        .where(Item.queue_id == queue_id, Judgement.account_id == account_id, _open())
        .order_by(Item.position)
        .limit(1)
    )
    item = session.scalar(mine)
    if item is not None:
        return item
    item = _free_item(session, queue_id, account_id, wait=False)
    if item is None:
        # Perhaps someone left theirs open, or the last places were just being given away.
        _free_stale_claims(session, queue_id, claim_minutes)
        item = _free_item(session, queue_id, account_id, wait=True)
    if item is not None:
        item.taken += 1
        session.add(Judgement(item_id=item.id, account_id=account_id))
    return item


def _free_item(session: Session, queue_id: int, account_id: int, *, wait: bool) -> Item | None:
    """The first item with a place left, locked so that it never goes to too many people.

    Without `wait`, items that others are taking right now are passed over: fifty people who
    judge one queue do not stand in line for one another.
    """
    seen = select(Judgement.item_id).where(
        Judgement.item_id == Item.id, Judgement.account_id == account_id
    )
    return session.scalar(
        select(Item)
        .where(Item.queue_id == queue_id, Item.taken < Item.wanted, ~seen.exists())
        .order_by(Item.position)
        .limit(1)
        .with_for_update(skip_locked=not wait)
        .execution_options(populate_existing=True)
    )


def _open() -> ColumnElement[bool]:
    return Judgement.judged.is_(None)


def _claims(queue_id: int, whose: ColumnElement[bool]) -> Select[Any]:
    """The items of the queue that these people have open."""
    of_queue = select(Item.id).where(Item.queue_id == queue_id)
    return select(Judgement.item_id).where(Judgement.item_id.in_(of_queue), _open(), whose)


def _free_stale_claims(session: Session, queue_id: int, claim_minutes: int) -> None:
    _give_back(session, queue_id, Judgement.claimed < now() - timedelta(minutes=claim_minutes))


def _give_back(session: Session, queue_id: int, whose: ColumnElement[bool]) -> None:
    """Items of the queue that these people have open are free for others again."""
    of_queue = select(Item.id).where(Item.queue_id == queue_id)
    freed = session.scalars(
        delete(Judgement)
        .where(Judgement.item_id.in_(of_queue), _open(), whose)
        .returning(Judgement.item_id),
        execution_options={"synchronize_session": False},
    ).all()
    for item_id in sorted(freed):
        _change_taken(session, item_id, -1)


def _change_taken(session: Session, item_id: int, by: int) -> None:
    """Counted by the database, so that two who change it at once both count."""
    session.execute(
        update(Item).where(Item.id == item_id).values(taken=Item.taken + by),
        execution_options={"synchronize_session": False},
    )


def free_place(session: Session, item_id: int) -> None:
    """One more person may judge the item."""
    _change_taken(session, item_id, -1)


def _take_place(session: Session, item_id: int) -> bool:
    """Take a place that was given up, if nobody else has it by now."""
    taken: Any = session.execute(
        update(Item)
        .where(Item.id == item_id, Item.taken < Item.wanted)
        .values(taken=Item.taken + 1),
        execution_options={"synchronize_session": False},
    )
    return bool(taken.rowcount)


def judge(
    session: Session, item_id: int, account_id: int, *, answers: Mapping[str, Any] | None = None,
    skipped: str | None = None, seconds: float | None = None,
) -> int:  # fmt: skip
    """Record a judgement, or why the item is skipped; sending it again replaces it.

    Gives the id of the item's queue.
    """
    queue = session.scalar(
        select(Queue)
        .join(Item, Item.queue_id == Queue.id)
        .where(Item.id == item_id, Queue.id.not_in(select(DeletedQueue.id)))
        .with_for_update(of=Queue, **_STAYS)
    )
    if queue is None:
        raise NotFound("There is no such item.")
    row = session.execute(
        select(Judgement, Item.payload)
        .join(Item, Item.id == Judgement.item_id)
        .where(Item.id == item_id, Judgement.account_id == account_id)
        .with_for_update(of=Judgement)
    ).first()
    if row is None:
        raise UsageError("This item is not open for you now; take the next one.")
    judgement, payload = row
    held = judgement.skipped is None
    if skipped is not None:
        if not skipped.strip():
            raise UsageError("Say in a few words why you are skipping the item.")
        judgement.answers, judgement.skipped = None, skipped.strip()[:2000]
        if held:  # Someone else may know better: the place is free again.
            _change_taken(session, item_id, -1)
    else:
        judgement.answers = tasks.checked(queue.kind, len(payload["parts"]), answers or {})
        judgement.skipped = None
        if not held and not _take_place(session, item_id):
            raise UsageError(_TAKEN)
    judgement.judged = now()
    judgement.seconds = None if seconds is None else min(max(seconds, 0.0), MOST_SECONDS)
    return queue.id


def undo(session: Session, queue_id: int, account_id: int) -> tuple[Item, JsonDict | None] | None:
    """Open this person's last judgement again; gives the item and what was answered."""
    row = session.execute(
        select(Judgement, Item)
        .join(Item, Item.id == Judgement.item_id)
        .where(
            Item.queue_id == queue_id, Judgement.account_id == account_id,
            Judgement.judged.is_not(None),
        )
        .order_by(Judgement.judged.desc(), Judgement.id.desc())
        .limit(1)
        .with_for_update(of=Judgement)
    ).first()  # fmt: skip
    if row is None:
        return None
    judgement, item = row
    answers = judgement.answers
    if judgement.skipped is not None and not _take_place(session, item.id):
        raise NotAllowed(_TAKEN)
    give_back(session, queue_id, account_id)
    judgement.answers, judgement.skipped, judgement.judged = None, None, None
    judgement.claimed = now()
    return item, answers


def progress(session: Session, queue_id: int, account_id: int | None = None) -> QueueProgress:
    """Counts for the page's bar."""
    row = session.execute(_PROGRESS, {"queue": queue_id, "account": account_id}).one()
    mine, my_skips, done, skipped, wanted, items = row
    return QueueProgress(mine - my_skips, my_skips, done - skipped, int(wanted), items, skipped)


def _progress_query() -> Select[Any]:
    of_queue = Item.queue_id == bindparam("queue", type_=Integer)
    is_mine = case((Judgement.account_id == bindparam("account", type_=Integer), 1), else_=0)
    is_skipped = case((Judgement.skipped.is_not(None), 1), else_=0)
    return (
        select(
            func.coalesce(func.sum(is_mine), 0), func.coalesce(func.sum(is_mine * is_skipped), 0),
            func.count(Judgement.id),
            func.coalesce(func.sum(is_skipped), 0),
            select(func.coalesce(func.sum(Item.wanted), 0)).where(of_queue).scalar_subquery(),
            select(func.count(Item.id)).where(of_queue).scalar_subquery(),
        )
        .join(Item, Item.id == Judgement.item_id)
        .where(of_queue, Judgement.judged.is_not(None))
    )  # fmt: skip


# Built once: it runs with every judgement, and building it takes longer than running it.
_PROGRESS = _progress_query()


def stored_judgements(session: Session, queue_id: int) -> list[StoredJudgement]:
    """Every judgement of the queue, skips included, by item and annotator."""
    rows = session.execute(
        select(
            Item.id, Item.position, Item.example_id, Item.payload, Account.name,
            Judgement.answers, Judgement.skipped, Judgement.seconds,
        )
        .join(Judgement, Judgement.item_id == Item.id)
        .join(Account, Account.id == Judgement.account_id)
        .where(Item.queue_id == queue_id, Judgement.judged.is_not(None))
        .order_by(Item.position, Account.name)
    )  # fmt: skip
    return [StoredJudgement(*row) for row in rows]
