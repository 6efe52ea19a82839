"""The pages: rendered on the server, made lively by a little script that uses the API."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from staytrue.core.records import JsonDict
from staytrue.report.page import embedded_json, environment, page_data
from staytrue.runs.folder import Run
from staytrue.studies.comparison import compare
from staytrue.web import agreement, chats, queues, tasks
from staytrue.web.accounts import Visitor
from staytrue.web.runs import RunLine, Runs
from staytrue.web.schemas import Id
from staytrue.web.site import Operator, Person, Reader, TheSite

router = APIRouter(include_in_schema=False)
_MOST_CHANGES = 50
# A login page must not send people elsewhere. Browsers drop tabs and line breaks from an address
# and read a backslash as a slash, so that "/\t/host" would be another site.
_OWN_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")


def show(template: str, who: Visitor | None, status: int = 200, **values: Any) -> HTMLResponse:
    """A page; `data` is what its script reads."""
    data = embedded_json(values.pop("data", {}))
    page = environment("staytrue.web").get_template(template)
    return HTMLResponse(page.render(who=who, data=data, **values), status)


@router.get("/")
def home(site: TheSite, who: Reader) -> HTMLResponse:
    """The list of runs."""
    lines = site.runs_for(who).lines()
    a, b = _proposed(lines, "", "")
    return show("home.html", who, runs=lines, a=a, b=b)


@router.get("/runs")
def list_of_runs() -> RedirectResponse:
    """Where an address ends up whose last part was deleted."""
    return RedirectResponse("/")


@router.get("/runs/{name}")
def run(name: str, site: TheSite, who: Reader) -> HTMLResponse:
    """One run: its figures and examples."""
    runs = site.runs_for(who)
    view = runs.view(name)
    figures = Markup(runs.figures(name))
    data = {**page_data(view), "links": f"/runs/{quote(name)}/examples/"}
    return show("run.html", who, run=view, name=name, figures=figures, data=data)


@router.get("/runs/{name}/examples/{example_id:path}")
def example(name: str, example_id: str, site: TheSite, who: Reader) -> HTMLResponse:
    """One example with all its evidence."""
    row = site.runs_for(who).example(name, example_id)
    data = {"metrics": list(row["verdicts"]), "example": row}
    return show("example.html", who, name=name, example_id=example_id, data=data)


@router.get("/compare")
def compare_runs(site: TheSite, who: Reader, a: str = "", b: str = "") -> HTMLResponse:
    """Two runs of one signature side by side; without them, which there are to choose from."""
    runs = site.runs_for(who)
    if not (a and b):
        lines = runs.lines()
        a, b = _proposed(lines, a, b)
        return show("compare_choose.html", who, runs=lines, a=a, b=b)
    comparisons = compare(Run(runs.folder(a)), Run(runs.folder(b)))
    metric = next(iter(comparisons))
    changes = _changes(runs, a, b, metric)
    return show(
        "compare.html", who, a=a, b=b, comparisons=comparisons, metric=metric, changes=changes
    )


def _proposed(lines: Sequence[RunLine], a: str, b: str) -> tuple[str, str]:
    """The newest run as B and the one before it as A, where nothing is chosen; never one twice.

    Runs that share a metric go first: others cannot be compared.
    """
    names = [line.name for line in lines]
    if not (a or b):
        runs_with = Counter(metric for line in lines for metric in line.metrics)
        comparable = (one.name for one in lines if any(runs_with[m] > 1 for m in one.metrics))
        b = next(comparable, names[0] if names else "")
    place = names.index(a or b) if (a or b) in names else -1
    metrics = set(lines[place].metrics) if place >= 0 else set()

    def rank(other: int) -> tuple[bool, bool, int]:
        wrong_order = other > place if a else other < place
        return metrics.isdisjoint(lines[other].metrics), wrong_order, other

    others = (n for n in range(len(names)) if n != place)
    best = min(others, key=rank, default=place)
    partner = names[best] if names else ""
    return (a, partner) if a else (partner, b)


def _changes(runs: Runs, a: str, b: str, metric: str) -> list[JsonDict]:
    """The examples of both runs whose score moved most."""
    one, other = (_scores(Run(runs.folder(name)), metric) for name in (a, b))
    moved = [
        {"id": key, "a": one[key], "b": other[key], "by": other[key] - one[key]}
        for key in one
        if key in other and one[key] != other[key]
    ]
    return sorted(moved, key=lambda row: -abs(float(row["by"])))[:_MOST_CHANGES]  # type: ignore[arg-type]


def _scores(run: Run, metric: str) -> dict[str, float]:
    return {
        verdict.example_id: verdict.score
        for verdict in run.verdicts()
        if verdict.metric == metric and verdict.score is not None
    }


@router.get("/login")
def login(site: TheSite, request: Request, go: str = "/") -> HTMLResponse:
    """Log in or make an account."""
    return show(
        "login.html",
        None,
        go=go if _OWN_PATH.fullmatch(go) else "/",
        invited=site.settings.token is not None,
    )


@router.get("/judge")
def judge(site: TheSite, who: Person) -> HTMLResponse:
    """The queues, and a form for a new one."""
    with site.database.reading() as session:
        rows = [
            (queue, queues.progress(session, queue.id, who.account_id),
             queues.may_see_answers(queue, who))
            for queue in reversed(queues.all_queues(session))
        ]  # fmt: skip
        deleted = queues.restorable(session) if who.is_operator else []
    return show(
        "judge.html", who, rows=rows, runs=site.runs_for(who).lines(), tasks=tasks.TASKS,
        deleted=deleted, days=site.settings.grace_days,
    )  # fmt: skip


@router.get("/judge/{queue_id}")
def work(queue_id: Id, site: TheSite, who: Person) -> HTMLResponse:
    """Judge item after item."""
    with site.database.reading() as session:
        queue = queues.get(session, queue_id)
    task = tasks.task(queue.kind)
    answers = queues.may_see_answers(queue, who)
    data = {"queue": queue_id, "task": task.to_json(), "answers": answers}
    return show("work.html", who, queue=queue, task=task, answers=answers, data=data)


@router.get("/judge/{queue_id}/results")
def results(queue_id: Id, site: TheSite, who: Person) -> HTMLResponse:
    """Agreement and majorities as of now."""
    with site.database.reading() as session:
        queue = queues.get_with_answers(session, queue_id, who, site.settings.claim_minutes)
        rows = queues.stored_judgements(session, queue_id)
        progress = queues.progress(session, queue_id)
    return show(
        "results.html", who, queue=queue, progress=progress, task=tasks.task(queue.kind),
        questions=agreement.by_question(queue.kind, rows),
        people=agreement.by_person(queue.kind, rows), days=site.settings.grace_days,
    )  # fmt: skip


@router.get("/chat")
def chat_list(site: TheSite, who: Person) -> HTMLResponse:
    """This person's chats."""
    with site.database.reading() as session:
        mine = chats.of_person(session, who.account_id)
        missing = chats.missing(session, who.account_id, site.settings.bots, site.settings.target)
    left = chats.practice_left(mine, site.settings.practice)
    return show(
        "chats.html", who, chats=mine, settings=site.settings, practice_left=left, missing=missing
    )


@router.get("/chat/results")
def chat_results(site: TheSite, who: Operator) -> HTMLResponse:
    """Scores by bot."""
    with site.database.transaction() as session:
        by_bot = chats.results(session, site.settings.bots, who.account_id)
    return show(
        "chat_results.html", who, results=by_bot, agreement=chats.expert_agreement(by_bot),
        target=site.settings.target,
    )  # fmt: skip


@router.get("/chat/{chat_id}")
def talk(chat_id: Id, site: TheSite, who: Person) -> HTMLResponse:
    """One chat."""
    with site.database.reading() as session:
        chat = chats.get(session, chat_id, who.account_id)
        turns = [
            {"speaker": turn.speaker, "text": turn.text, "position": turn.position}
            for turn in chats.turns(session, chat_id)
        ]
    data = {
        "chat": chat.id, "turns": turns, "least": site.settings.turns,
        "finished": chat.finished is not None, "score": chat.score,
    }  # fmt: skip
    return show("talk.html", who, chat=chat, least=site.settings.turns, data=data)


@router.get("/try")
def try_page(site: TheSite, who: Reader) -> HTMLResponse:
    """Paste knowledge and a response."""
    return show("try.html", who, metrics=site.settings.metrics,
                data={"metrics": list(site.settings.metrics)})  # fmt: skip


@router.get("/docs")
def docs(request: Request, who: Reader) -> HTMLResponse:
    """The API, from its OpenAPI description."""
    described = request.app.openapi()
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            row = {"method": method.upper(), "path": path, **one}
            groups.setdefault((one.get("tags") or ["service"])[0], []).append(row)
    return show("docs.html", who, groups=groups, schemas=described["components"]["schemas"])


@router.get("/favicon.ico")
def icon() -> Response:
    """The icon is in the page's head; old browsers ask here."""
    return RedirectResponse("/static/icon.svg")
