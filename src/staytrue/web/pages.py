"""The pages: rendered on the server, made lively by a little script that uses the API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup
from sqlalchemy import select

from staytrue.core.records import JsonDict
from staytrue.report.page import embedded_json, environment, page_data
from staytrue.runs.folder import Run
from staytrue.studies.comparison import compare
from staytrue.web import agreement, chats, queues, tasks
from staytrue.web.accounts import Visitor
from staytrue.web.runs import Runs
from staytrue.web.schemas import Id
from staytrue.web.site import Person, Reader, TheSite
from staytrue.web.tables import Queue

router = APIRouter(include_in_schema=False)
_MOST_CHANGES = 50


def show(template: str, who: Visitor | None, status: int = 200, **values: Any) -> HTMLResponse:
    """A page; `data` is what its script reads."""
    data = embedded_json(values.pop("data", {}))
    page = environment("staytrue.web").get_template(template)
    return HTMLResponse(page.render(who=who, data=data, **values), status)


@router.get("/")
def home(site: TheSite, who: Reader) -> HTMLResponse:
    """The list of runs."""
    return show("home.html", who, runs=site.runs.lines())


@router.get("/runs/{name}")
def run(name: str, site: TheSite, who: Reader) -> HTMLResponse:
    """One run: its figures and examples."""
    view = site.runs.view(name)
    figures = Markup(site.runs.figures(name))
    data = {**page_data(view), "links": f"/runs/{quote(name)}/examples/"}
    return show("run.html", who, run=view, name=name, figures=figures, data=data)


@router.get("/runs/{name}/examples/{example_id:path}")
def example(name: str, example_id: str, site: TheSite, who: Reader) -> HTMLResponse:
    """One example with all its evidence."""
    row = site.runs.example(name, example_id)
    data = {"metrics": list(row["verdicts"]), "example": row}
    return show("example.html", who, name=name, example_id=example_id, data=data)


@router.get("/compare")
def compare_runs(a: str, b: str, site: TheSite, who: Reader) -> HTMLResponse:
    """Two runs of one signature side by side."""
    found = compare(Run(site.runs.folder(a)), Run(site.runs.folder(b)))
    metric = next(iter(found))
    changes = _changes(site.runs, a, b, metric)
    return show("compare.html", who, a=a, b=b, found=found, metric=metric, changes=changes)


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
    # Only a path of this site: a login page must not send people elsewhere.
    safe = go if go.startswith("/") and not go.startswith(("//", "/\\")) else "/"
    return show("login.html", None, go=safe, invited=site.settings.token is not None)


@router.get("/judge")
def judge(site: TheSite, who: Person) -> HTMLResponse:
    """The queues, and a form for a new one."""
    with site.database.reading() as session:
        found = session.scalars(select(Queue).order_by(Queue.id.desc())).all()
        rows = [(queue, queues.progress(session, queue.id, who.account_id)) for queue in found]
    return show("judge.html", who, rows=rows, runs=site.runs.lines(), tasks=tasks.TASKS)


@router.get("/judge/{queue_id}")
def work(queue_id: Id, site: TheSite, who: Person) -> HTMLResponse:
    """Judge item after item."""
    with site.database.reading() as session:
        queue = queues.get(session, queue_id)
    task = tasks.task(queue.kind)
    return show("work.html", who, queue=queue, task=task,
                data={"queue": queue_id, "task": task.to_json()})  # fmt: skip


@router.get("/judge/{queue_id}/results")
def results(queue_id: Id, site: TheSite, who: Reader) -> HTMLResponse:
    """Agreement and majorities as of now."""
    with site.database.reading() as session:
        queue = queues.get(session, queue_id)
        rows = queues.given(session, queue_id)
        progress = queues.progress(session, queue_id)
    return show(
        "results.html", who, queue=queue, progress=progress, task=tasks.task(queue.kind),
        questions=agreement.by_question(queue.kind, rows),
        people=agreement.by_person(queue.kind, rows),
    )  # fmt: skip


@router.get("/chat")
def chat_list(site: TheSite, who: Person) -> HTMLResponse:
    """This person's chats."""
    with site.database.reading() as session:
        mine = chats.of_person(session, who.account_id)
    practised = sum(1 for chat in mine if chat.practice and chat.finished)
    return show("chats.html", who, chats=mine, settings=site.settings,
                practice_left=max(0, site.settings.practice - practised))  # fmt: skip


@router.get("/chat/results")
def chat_results(site: TheSite, who: Reader) -> HTMLResponse:
    """Scores by bot."""
    with site.database.reading() as session:
        found = chats.results(session, site.settings.bots, who.account_id if who else None)
    return show("chat_results.html", who, results=found, agreement=chats.expert_agreement(found))


@router.get("/chat/{chat_id}")
def talk(chat_id: Id, site: TheSite, who: Person) -> HTMLResponse:
    """One chat."""
    with site.database.reading() as session:
        chat = chats.get(session, chat_id, who.account_id)
        said = [
            {"speaker": turn.speaker, "text": turn.text, "position": turn.position}
            for turn in chats.turns(session, chat_id)
        ]
    data = {
        "chat": chat.id, "turns": said, "least": site.settings.turns,
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
