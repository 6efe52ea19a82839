"""One limit on requests per minute holds for all threads and metrics together."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from tests.backends.llm.model import backend_for, saying, sensible
from tests.chatbots.server import serving

from staytrue.backends.llm.budget import RequestPace
from staytrue.core.protocols import Grounding, Pair


def test_two_threads_share_one_limit() -> None:
    waits: list[float] = []
    pace = RequestPace(per_minute=60, clock=lambda: 100.0, sleep=waits.append)
    both_ready = Barrier(2)

    def send_ten() -> None:
        both_ready.wait()
        for _ in range(10):
            pace.wait()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(send_ten) for _ in range(2)]:
            done.result()
    # The clock stands still: the first request goes at once, each other a second after another.
    assert sorted(waits) == pytest.approx([float(second) for second in range(1, 20)])


def test_an_idle_minute_saves_up_no_requests() -> None:
    now, waits = [0.0], []
    pace = RequestPace(per_minute=30, clock=lambda: now[0], sleep=waits.append)
    pace.wait()
    now[0] = 60.0
    pace.wait()
    pace.wait()
    assert waits == [2.0]


def test_without_a_limit_nobody_waits_or_looks_at_the_clock() -> None:
    def never(*_: float) -> float:
        raise AssertionError

    RequestPace(per_minute=0, clock=never, sleep=never).wait()


def test_all_methods_of_a_backend_keep_to_its_limit() -> None:
    start = time.monotonic()
    with serving(saying(sensible)) as server:
        backend = backend_for(server.url, per_minute=1200, concurrency=4, orders="one")
        with ThreadPoolExecutor(2) as pool:
            pairs = pool.submit(backend.infer, [Pair(str(n), "b") for n in range(3)])
            rows = pool.submit(backend.classify, [Grounding(str(n), "", "b") for n in range(3)])
            assert len(pairs.result()) + len(rows.result()) == len(server.bodies) == 6
    # 1,200 per minute are 50 ms apart, whichever thread sends them.
    assert time.monotonic() - start >= 5 * 0.05
