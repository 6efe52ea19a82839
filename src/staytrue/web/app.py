"""Puts the web app together."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from staytrue.core.errors import StaytrueError
from staytrue.report.page import STATIC as REPORT_STATIC
from staytrue.web import api, pages
from staytrue.web.faults import Busy, Wait, status
from staytrue.web.guard import RequestGuard
from staytrue.web.settings import Settings
from staytrue.web.site import Reader, Site

_STATIC = Path(__file__).parent / "static"


def create_app(settings: Settings) -> FastAPI:
    """The app; its database is opened and brought up to date here."""
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        site.close()

    app = FastAPI(
        title="staytrue", version=_version(), lifespan=lifespan, docs_url=None, redoc_url=None,
        description="Score responses, browse runs, judge by hand and chat blind.",
    )  # fmt: skip
    app.state.site = site
    app.include_router(api.router)
    app.include_router(pages.router)
    _add_service_routes(app, site)
    app.mount("/static/report", StaticFiles(directory=REPORT_STATIC))
    app.mount("/static", StaticFiles(directory=_STATIC))
    _add_error_handlers(app)
    app.add_middleware(RequestGuard, settings=settings, counts=site.counts, clients=site.clients)
    if settings.proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.proxies))
    return app


def _version() -> str:
    from importlib.metadata import version

    return version("staytrue")


def _add_service_routes(app: FastAPI, site: Site) -> None:
    started = time.monotonic()
    version = _version()

    @app.get("/health", tags=["service"])
    async def health() -> dict[str, str]:
        """Whether the server is alive: it answers at once, whatever else is going on."""
        return {"status": "ok", "version": version}

    @app.get("/ready", tags=["service"])
    def ready() -> dict[str, str]:
        """Whether it can do its work: the database answers and the models are loaded (else 503)."""
        try:
            with site.database.reading() as session:
                session.execute(text("SELECT 1"))
        except SQLAlchemyError:
            raise Busy("The database does not answer.", 10) from None
        if not site.scorer.is_ready:
            raise Busy("The models are being loaded.", 10)
        return {"status": "ready"}

    @app.get("/metrics", tags=["service"], response_class=PlainTextResponse)
    def metrics(who: Reader) -> str:
        """Counters in Prometheus' text format."""
        lines = [f"staytrue_uptime_seconds {time.monotonic() - started:.0f}"]
        for name, count in sorted(site.counts.items()):
            kind, _, code = name.partition(" ")
            if kind == "status":
                lines.append(f'staytrue_requests_total{{status="{code}"}} {count}')
        lines += [
            *(
                f'staytrue_guard_total{{status="{status}"}} {site.counts[f"guard {status}"]}'
                for status in ("passed", "blocked", "unjudged")
            ),
            f"staytrue_request_milliseconds_total {site.counts['milliseconds']}",
            f"staytrue_judgements_total {site.counts['judgements']}",
            f"staytrue_scored_examples_total {site.scorer.examples}",
            f"staytrue_scored_batches_total {site.scorer.batches}",
        ]
        return "\n".join(lines) + "\n"


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(StaytrueError)
    async def told(request: Request, error: StaytrueError) -> Response:
        answer = _refusal(request, status(error), str(error))
        if isinstance(error, Wait):
            answer.headers["Retry-After"] = str(error.retry_after)
        return answer

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        messages = {404: "There is nothing here.", 405: "That is not possible here."}
        return _refusal(
            request, error.status_code, messages.get(error.status_code, str(error.detail))
        )

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return _refusal(request, 422, _invalid(error.errors()[0]))


# What the framework says of a body, as one sentence that says what to do.
_COMPLAINTS = {
    "json_invalid": "The body is not valid JSON: {error}.",
    "missing": "The field '{where}' is missing.",
    "extra_forbidden": "Unknown field '{where}'.",
    "too_short": "'{where}' is empty: give at least one.",
    "dataclass_type": "'{where}' must be an object with named fields.",
}


_FOR_PROGRAMS = ("/v1", "/ready", "/health", "/metrics")


def _invalid(error: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"] if part != "body")
    if not where and error["type"] in ("dict_type", "model_attributes_type"):
        return "Send a JSON object, with the header Content-Type: application/json."
    if template := _COMPLAINTS.get(error["type"]):
        return template.format(
            where=where, error=error.get("ctx", {}).get("error", "see its syntax")
        )
    return f"{where or 'the request'}: {error['msg']}."


def _refusal(request: Request, code: int, sentence: str) -> Response:
    """A sentence as JSON for programs, as a page for people."""
    if request.url.path.startswith(_FOR_PROGRAMS) or request.method != "GET":
        return JSONResponse({"error": sentence}, code)
    if code == 401:
        go = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?go={quote(go, safe='')}", 303)
    return pages.show("error.html", None, code, sentence=sentence, back=_back(request, code))


def _back(request: Request, code: int) -> str:
    """Where a page leads that cannot be shown: whoever may not see results yet goes on judging."""
    path = request.url.path
    if code == 403 and path.startswith("/judge/") and path.endswith("/results"):
        return path.removesuffix("/results")
    return next((top for top in ("/judge", "/chat") if path.startswith(f"{top}/")), "/")
