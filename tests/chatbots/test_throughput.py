"""With bots behind HTTP, the bots are the limit: the command adds next to nothing."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.chatbots.server import Reply, serving

from staytrue.backends.rules.questions import RuleQuestions, SpacySpans
from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Target
from staytrue.elicit.aih.interrogation import Interrogation, load_bots
from staytrue.elicit.aih.talks import Plan
from staytrue.elicit.talking import Limits
from staytrue.plugins.registry import load_metric

CONCURRENCY = 8
DELAY = 0.2
TURNS = 3
DIALOGUES = 8 * CONCURRENCY
REQUESTS = DIALOGUES * (2 * TURNS - 1 + TURNS)


def warm_up() -> None:
    """Load what loads once, whatever the bots do."""
    text = "I have seven cats in Boston."
    RuleQuestions().ask([Target(text, span) for span in SpacySpans().spans([text])[0]])


def bare_requests(url: str) -> float:
    """Seconds for the same requests by plain threads: the best that this machine can do now."""
    import httpx

    with httpx.Client() as client, ThreadPoolExecutor(CONCURRENCY) as pool:
        start = time.monotonic()
        list(pool.map(lambda n: client.post(url, json={"n": n}), range(REQUESTS)))
        return time.monotonic() - start


def interrogated(url: str, out: Path) -> float:
    backend = ScriptedBackend(
        spans=lambda text: SpacySpans().spans([text])[0],
        questions=lambda target: RuleQuestions().ask([target])[0],
    )
    metric = load_metric("contradiction", backend=backend)
    bots = load_bots([f"http:{url}"])
    limits = Limits(concurrency=CONCURRENCY)
    work = Interrogation(bots, DIALOGUES, Plan(TURNS), metric, backend, limits=limits)
    start = time.monotonic()
    work.sit(out)
    return time.monotonic() - start


@pytest.mark.slow
@pytest.mark.alone
def test_at_least_nine_tenths_of_the_ideal_rate(tmp_path: Path, idle_machine: bool) -> None:
    least = 0.9 if idle_machine else 0.6
    warm_up()
    reply = Reply({"reply": "I have seven cats in Boston."}, delay=DELAY)
    shares = []
    for attempt in range(5):  # another process may take the cores for a while
        with serving(lambda n, body: reply) as server:
            seconds = interrogated(f"{server.url}/bot", tmp_path / str(attempt))
            assert len(server.bodies) == REQUESTS
            assert server.most_at_once == CONCURRENCY
            best = max(REQUESTS * DELAY / CONCURRENCY, bare_requests(f"{server.url}/bot"))
        shares.append(best / seconds)
        if shares[-1] >= least:
            break
    assert max(shares) >= least, shares
