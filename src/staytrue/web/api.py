"""The HTTP API: everything that the pages do, as JSON under /v1."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

from staytrue.core.errors import StaytrueError, UsageError
from staytrue.core.records import JsonDict
from staytrue.integrations.checking import Check
from staytrue.integrations.guard import not_within, ruled, unjudged
from staytrue.plugins.requested import requested_metric
from staytrue.runs.folder import Run
from staytrue.studies.comparison import compare
from staytrue.web import accounts, agreement, chats, export, queues, tasks
from staytrue.web.accounts import LOGIN_DAYS, NewLogin
from staytrue.web.faults import Busy, NotAllowed, TooFast, Wait, WrongPassword
from staytrue.web.guard import COOKIE
from staytrue.web.runs import verdict_fields
from staytrue.web.schemas import (
    AccountIn,
    ChatScoreIn,
    GuardIn,
    Id,
    JudgementIn,
    LoginIn,
    QueueIn,
    SayIn,
    ScoreIn,
)
from staytrue.web.site import (
    Operator,
    Person,
    Reader,
    TheSite,
    address_of,
    bearer,
    client_of,
)
from staytrue.web.tables import JUDGE, OPERATOR, Chat, ChatTurn, Item

router = APIRouter(prefix="/v1")
Offset = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=500)]
# Waiting for others and for models to load included.
_WAIT_SECONDS = 120


# Accounts


@router.post("/accounts", tags=["accounts"], status_code=201)
def create_account(
    body: AccountIn, request: Request, response: Response, site: TheSite
) -> JsonDict:
    """Make an account and log in.

    On a server without a password of its own, which only this machine reaches, the first account is
    the operator's.
    """
    address = address_of(request)
    if site.settings.token is not None and not site.token_fits(body.token, address):
        raise NotAllowed("The site's password is wrong; ask whoever runs this server.")
    if not site.sign_ups.allows(address):
        raise TooFast("Too many new accounts from your address: wait a minute.", 60)
    with site.database.transaction() as session:
        first = site.settings.token is None and accounts.is_empty(session)
        role = OPERATOR if first else JUDGE
        account = accounts.create_account(session, body.name, body.password, role)
        login = accounts.new_login(session, account)
    return _logged_in(login, request, response)


@router.post("/sessions", tags=["accounts"], status_code=201)
def log_in(body: LoginIn, request: Request, response: Response, site: TheSite) -> JsonDict:
    """Log in; the token works as a cookie or as `Authorization: Bearer`."""
    name, address = body.name.strip(), address_of(request)
    site.guesses.check(name, address)
    try:
        with site.database.transaction() as session:
            login = accounts.log_in(session, name, body.password)
    except WrongPassword:
        site.guesses.failed(name, address)
        raise
    site.guesses.succeeded(name, address)
    return _logged_in(login, request, response)


def _logged_in(login: NewLogin, request: Request, response: Response) -> JsonDict:
    response.set_cookie(
        COOKIE, login.token, max_age=LOGIN_DAYS * 86_400, httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    who = login.visitor
    return {"name": who.name, "role": who.role, "token": login.token, "csrf": who.csrf}


@router.delete("/sessions", tags=["accounts"])
def log_out(request: Request, response: Response, site: TheSite, who: Person) -> JsonDict:
    """Log out."""
    with site.database.transaction() as session:
        accounts.log_out(session, bearer(request) or request.cookies.get(COOKIE, ""))
    response.delete_cookie(COOKIE)
    return {"name": who.name}


# Runs


@router.get("/runs", tags=["runs"])
def list_runs(site: TheSite, who: Reader) -> list[JsonDict]:
    """All runs with the mean of each metric, the newest first."""
    return [asdict(line) for line in site.runs_for(who).lines()]


@router.get("/runs/{name}", tags=["runs"])
def run_summary(name: str, site: TheSite, who: Reader) -> JsonDict:
    """A run's counts, and each metric's mean and signature."""
    return site.runs_for(who).summary(name)


@router.get("/runs/{name}/failures", tags=["runs"])
def run_failures(
    name: str, site: TheSite, who: Reader,
    offset: Offset = 0, limit: Limit = 50,
) -> list[JsonDict]:  # fmt: skip
    """Some of what went wrong in a run: where, why, and in which metric."""
    return site.runs_for(who).failures(name, offset, limit)


@router.get("/runs/{name}/examples", tags=["runs"])
def run_examples(
    name: str, site: TheSite, who: Reader,
    offset: Offset = 0, limit: Limit = 50,
) -> list[JsonDict]:  # fmt: skip
    """Some examples of a run with their verdicts."""
    return site.runs_for(who).page(name, offset, limit)


@router.get("/runs/{name}/examples/{example_id:path}", tags=["runs"])
def run_example(name: str, example_id: str, site: TheSite, who: Reader) -> JsonDict:
    """One example with its verdicts and failures."""
    return site.runs_for(who).example(name, example_id)


@router.get("/compare", tags=["runs"])
def compare_runs(a: str, b: str, site: TheSite, who: Reader) -> JsonDict:
    """Two runs of the same signature; refused, with the reason, when it differs."""
    runs = site.runs_for(who)
    comparisons = compare(Run(runs.folder(a)), Run(runs.folder(b)))
    return {metric: asdict(one) for metric, one in comparisons.items()}


# Scoring


@router.post("/score", tags=["score"])
async def score(body: ScoreIn, request: Request, site: TheSite, who: Reader) -> JsonDict:
    """Judge one or many examples now; requests that arrive together share a batch.

    A metric is one that the server was started with, with any of its options that are a choice, a
    switch or a number.
    """
    allowed = site.settings.metrics
    asked = {spec: requested_metric(spec, allowed) for spec in body.metrics or allowed}
    examples = [example.record(number) for number, example in enumerate(body.examples)]
    waiting = site.scorer.submit(list(asked.values()), examples, client_of(request, who))
    # No thread waits: however many ask at once, pages and /health are answered.
    try:
        answers = await asyncio.wait_for(asyncio.wrap_future(waiting), _WAIT_SECONDS)
    except asyncio.TimeoutError:
        raise Busy("The models are busy; try again in a moment.", 10) from None
    results: list[JsonDict] = [{"id": e.id, "verdicts": {}, "errors": {}} for e in examples]
    for spec, loaded in asked.items():
        for result, answer in zip(results, answers[loaded].judged, strict=True):
            if answer.verdict is None:
                result["errors"][spec] = answer.error
            else:
                result["verdicts"][spec] = verdict_fields(answer.verdict)
    signatures = {spec: answers[loaded].signature for spec, loaded in asked.items()}
    return {"signatures": signatures, "results": results}


@router.post("/guard", tags=["score"])
async def guard(body: GuardIn, request: Request, site: TheSite, who: Reader) -> JsonDict:
    """Judge one answer before it is sent: passed, blocked, or unjudged within its deadline.

    With each claim, and the words to strike. A server without room says "unjudged", too.
    """
    spec = requested_metric(body.metric or site.settings.metrics[0], site.settings.metrics)
    example = body.record()
    start = time.monotonic()
    try:
        waiting = site.scorer.submit([spec], [example], client_of(request, who))
        # Cancelled at the deadline, it leaves the queue; nobody would read the verdict.
        answers = await asyncio.wait_for(asyncio.wrap_future(waiting), body.deadline)
    except asyncio.TimeoutError:
        why = "" if site.scorer.is_ready else ": the models are still being loaded, see /ready"
        ruling = unjudged(not_within(body.deadline) + why, time.monotonic() - start)
    except StaytrueError as error:
        if isinstance(error, UsageError) and not isinstance(error, Wait):
            raise  # a wrong call, which no answer can get past
        ruling = unjudged(str(error), time.monotonic() - start)
    else:
        seconds = time.monotonic() - start
        answer = answers[spec].judged[0]
        if answer.verdict is None:
            ruling = unjudged(answer.error, seconds)
        else:
            ruling = ruled([Check(example, answer.verdict)], body.threshold, seconds)
    site.counts[f"guard {ruling.status}"] += 1
    return asdict(ruling)


# Judging


@router.get("/queues", tags=["judge"])
def list_queues(site: TheSite, who: Reader) -> list[JsonDict]:
    """All queues and how far they are."""
    with site.database.reading() as session:
        rows = queues.all_queues(session)
        me = who.account_id if who else None
        return [
            {"id": queue.id, "name": queue.name, "kind": queue.kind, "run": queue.run,
             "annotators": queue.annotators, "share": queue.share,
             "progress": asdict(queues.progress(session, queue.id, me))}
            for queue in rows
        ]  # fmt: skip


@router.post("/queues", tags=["judge"], status_code=201)
def create_queue(body: QueueIn, site: TheSite, who: Person) -> JsonDict:
    """Make a queue from `limit` examples of a run, drawn by the seed or the first of the file."""
    source = site.runs_for(who).examples(body.run)
    if body.order == "file":
        examples = list(islice(source, body.limit))
    else:
        examples = queues.drawn(source, body.limit, body.seed)
    with site.database.transaction() as session:
        queue = queues.create(
            session, body.name, body.kind, body.run, examples,
            annotators=body.annotators, share=body.share, seed=body.seed,
            owner_id=who.account_id,
        )  # fmt: skip
        return {"id": queue.id, "name": queue.name, "items": len(examples)}


@router.delete("/queues/{queue_id}", tags=["judge"])
def delete_queue(
    queue_id: Id, site: TheSite, who: Operator, name: Annotated[str, Query(max_length=500)] = ""
) -> JsonDict:
    """Delete a queue with all its judgements; `name` must repeat the queue's name.

    For a few days it can be restored; then it is gone for good.
    """
    with site.database.transaction() as session:
        queues.purge(session, site.settings.grace_days)
        held = queues.remove(session, queue_id, name, who.name)
    return {"id": queue_id, "items": held.items, "judgements": held.judged + held.skipped,
            "days": site.settings.grace_days}  # fmt: skip


@router.post("/queues/{queue_id}/restore", tags=["judge"])
def restore_queue(queue_id: Id, site: TheSite, who: Operator) -> JsonDict:
    """Take the deletion of a queue back."""
    with site.database.transaction() as session:
        queues.purge(session, site.settings.grace_days)
        queue = queues.restore(session, queue_id)
        return {"id": queue.id, "name": queue.name}


@router.post("/queues/{queue_id}/release", tags=["judge"])
def release(queue_id: Id, site: TheSite, who: Person) -> JsonDict:
    """Stop judging: the item that this person has open is free for others again."""
    with site.database.transaction() as session:
        queues.get_to_judge(session, queue_id)
        queues.give_back(session, queue_id, who.account_id)
    return {"id": queue_id}


@router.post("/queues/{queue_id}/next", tags=["judge"])
def next_item(queue_id: Id, site: TheSite, who: Person) -> JsonDict:
    """The item to judge now, reserved for this person; `item` is null when none is left."""
    with site.database.transaction() as session:
        queues.get_to_judge(session, queue_id)
        item = queues.next_item(session, queue_id, who.account_id, site.settings.claim_minutes)
        return _work(session, queue_id, item, who.account_id)


@router.post("/items/{item_id}/judgement", tags=["judge"])
def judge(item_id: Id, body: JudgementIn, site: TheSite, who: Person) -> JsonDict:
    """Record a judgement; the answer comes when it is safely stored, with the next item."""
    with site.database.transaction() as session:
        queue_id = queues.judge(
            session, item_id, who.account_id,
            answers=body.answers, skipped=body.skipped, seconds=body.seconds,
        )  # fmt: skip
    site.counts["judgements"] += 1
    # A transaction of its own: waiting for the next item never holds up what was just said.
    with site.database.transaction() as session:
        queues.get_to_judge(session, queue_id)
        item = queues.next_item(session, queue_id, who.account_id, site.settings.claim_minutes)
        return _work(session, queue_id, item, who.account_id)


@router.post("/queues/{queue_id}/undo", tags=["judge"])
def undo(queue_id: Id, site: TheSite, who: Person) -> JsonDict:
    """Open the last judgement again; gives its item and what was answered."""
    with site.database.transaction() as session:
        queues.get_to_judge(session, queue_id)
        last = queues.undo(session, queue_id, who.account_id)
        if last is None:
            raise NotAllowed("There is nothing to undo.")
        item, answers = last
        session.flush()
        return {**_work(session, queue_id, item, who.account_id), "answers": answers}


def _work(session: Any, queue_id: int, item: Item | None, account_id: int) -> JsonDict:
    shown = None
    if item is not None:
        shown = {"id": item.id, "position": item.position, **item.payload}
    return {"item": shown, "progress": asdict(queues.progress(session, queue_id, account_id))}


@router.get("/queues/{queue_id}/agreement", tags=["judge"])
def queue_agreement(queue_id: Id, site: TheSite, who: Person) -> JsonDict:
    """Agreement on each question, and each person's figures, as of now."""
    with site.database.reading() as session:
        queue = queues.get_with_answers(session, queue_id, who, site.settings.claim_minutes)
        rows = queues.stored_judgements(session, queue_id)
    return {
        "questions": [asdict(one) for one in agreement.by_question(queue.kind, rows)],
        "people": [asdict(one) for one in agreement.by_person(queue.kind, rows)],
    }


@router.get("/queues/{queue_id}/export", tags=["judge"])
def export_queue(queue_id: Id, site: TheSite, who: Person, form: str = "labels") -> Response:
    """The judgements as a file: `labels` for the command line, `judgements` one by one."""
    with site.database.reading() as session:
        queue = queues.get_with_answers(session, queue_id, who, site.settings.claim_minutes)
        rows = queues.stored_judgements(session, queue_id)
    runs = site.runs_for(who)
    made = export.export(queue.kind, queue.name, rows, form, lambda: runs.sheet_key(queue.run))
    name = {"Content-Disposition": f'attachment; filename="{made.file_name}"'}
    return PlainTextResponse(made.text, headers=name, media_type=made.media_type)


@router.get("/tasks", tags=["judge"])
def list_tasks(who: Reader) -> JsonDict:
    """The questions of each kind of queue."""
    return {kind: task.to_json() for kind, task in tasks.TASKS.items()}


# Chatting


@router.post("/chats", tags=["chat"], status_code=201)
def start_chat(site: TheSite, who: Person) -> JsonDict:
    """Begin a chat with a bot drawn at random; which one is not told."""
    with site.database.transaction() as session:
        chat = chats.start(session, who.account_id, site.settings.bots, site.settings.practice)
        return {"id": chat.id, "practice": chat.practice, "least_messages": site.settings.turns}


@router.post("/chats/{chat_id}/say", tags=["chat"])
async def say(chat_id: Id, body: SayIn, site: TheSite, who: Person) -> JsonDict:
    """Send a message and get the bot's answer."""

    def read() -> tuple[Chat, list[ChatTurn]]:
        with site.database.reading() as session:
            return chats.get(session, chat_id, who.account_id), chats.turns(session, chat_id)

    def store() -> None:
        with site.database.transaction() as session:
            chats.add_turns(session, chat_id, len(turns), body.text, answer)

    chat, turns = await run_in_threadpool(read)
    # The bot may take seconds; neither a transaction nor a thread of the pages waits for it.
    answer = await site.talkers.ask(
        chat.bot, who.account_id, partial(chats.reply, chat, turns, body.text, site.bot)
    )
    await run_in_threadpool(store)
    return {"reply": answer, "position": len(turns) + 1, "messages": len(turns) // 2 + 1}


@router.post("/chats/{chat_id}/score", tags=["chat"])
def score_chat(chat_id: Id, body: ChatScoreIn, site: TheSite, who: Person) -> JsonDict:
    """Finish a chat with a consistency score; it becomes a run folder."""
    with site.database.transaction() as session:
        chat = chats.get(session, chat_id, who.account_id)
        chats.finish(session, chat, body.score, body.labels, site.settings.turns)
        # Before the commit: a chat whose folder could not be written stays open.
        run = chats.write_run(session, chat, who.name, site.settings.chats_folder)
    return {"run": run.name}


@router.delete("/chats/{chat_id}", tags=["chat"])
def give_up_chat(chat_id: Id, site: TheSite, who: Person) -> JsonDict:
    """End a chat without a score; it counts for nothing."""
    with site.database.transaction() as session:
        chats.give_up(session, chats.get(session, chat_id, who.account_id))
    return {"id": chat_id}


@router.get("/chats/results", tags=["chat"])
def chat_results(site: TheSite, who: Operator) -> JsonDict:
    """Scores by bot, and how far people agree; for operators, as it names the bots."""
    with site.database.transaction() as session:
        by_bot = chats.results(session, site.settings.bots, who.account_id)
    return {
        "bots": [asdict(result) for result in by_bot],
        "agreement": chats.expert_agreement(by_bot),
    }


@router.get("/chats", tags=["chat"])
def list_chats(site: TheSite, who: Person) -> list[JsonDict]:
    """This person's chats, the newest first; which bot it was is not told."""
    with site.database.reading() as session:
        return [_chat(chat) for chat in chats.of_person(session, who.account_id)]


@router.get("/chats/{chat_id}", tags=["chat"])
def read_chat(chat_id: Id, site: TheSite, who: Person) -> JsonDict:
    """One of this person's chats with all that was said."""
    with site.database.reading() as session:
        chat = chats.get(session, chat_id, who.account_id)
        turns = [
            {"position": turn.position, "speaker": turn.speaker, "text": turn.text,
             "consistent": turn.consistent}
            for turn in chats.turns(session, chat_id)
        ]  # fmt: skip
    return {**_chat(chat), "least_messages": site.settings.turns, "turns": turns}


def _chat(chat: Chat) -> JsonDict:
    return {"id": chat.id, "practice": chat.practice, "finished": chat.finished is not None,
            "score": chat.score}  # fmt: skip
