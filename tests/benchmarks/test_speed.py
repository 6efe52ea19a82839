"""Benchmarks of speed measure work that is really done, not results that are remembered."""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from benchmarks import batches, begin, consistency, first, q2

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Query
from staytrue.core.records import Example


def test_no_two_rows_are_alike_where_the_shipped_examples_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(begin, "FILE", tmp_path / "absent")
    rows = begin.examples(100)
    assert len({(row.response, row.knowledge) for row in rows}) == len(rows) == 100


def test_knowledge_is_filled_up_with_that_of_other_rows() -> None:
    rows = [Example(str(n), "r", f"fact {n} of ten words or so, it says here.") for n in range(9)]
    long = consistency.lengthened(rows, 50)
    assert all(50 <= len(row.knowledge.split()) < 60 for row in long)
    assert all(b.knowledge.startswith(a.knowledge) for a, b in zip(rows, long, strict=True))
    assert consistency.lengthened(rows, 0) == rows


def test_a_batch_with_a_scale_for_each_pair_rounds_as_each_pair_alone() -> None:
    pytest.importorskip("onnx")
    (ways,) = batches.both_ways(rounds=1, pairs=3, lengths=[5])
    assert ways.difference == 0
    assert ways.alone > 0
    (ways,) = batches.both_ways(rounds=1, pairs=3, lengths=[5], large=True)
    assert ways.difference == 0
    assert list(batches.alone_by_length(1, [4, 6])) == [4, 6]


def test_each_way_of_q2_has_models_of_its_own_and_the_small_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[str] = []

    def backend(size: str) -> ScriptedBackend:
        made.append(size)
        return ScriptedBackend()

    monkeypatch.setattr(q2, "EmbeddedBackend", backend)
    monkeypatch.setattr(sys, "argv", ["q2", q2.EXAMPLES, "--responses", "3", "--json"])
    q2.main()
    ways = [speed["way"] for speed in json.loads(capsys.readouterr().out)]
    assert ways == ["ours", "ours, default", "one at a time"]
    assert made == ["small"] * len(ways)


def test_tokens_that_two_threads_count_at_a_time_all_count() -> None:
    both = Barrier(2, timeout=60)

    def tokens(text: str) -> int:
        both.wait()
        return 7

    counting = q2.Counting(ScriptedBackend(), tokens)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(counting.answer, [[Query("Who?", "Bob.")]] * 2))
    assert counting.read == 14


def test_a_rate_below_its_floor_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(q2, "EmbeddedBackend", lambda size: ScriptedBackend())
    monkeypatch.setattr(begin, "FILE", Path("absent"))
    few = {
        q2.main: ["q2", q2.EXAMPLES, "--responses", "2"],
        begin.main: ["begin", "--rows", "2", "--backend", "scripted"],
        consistency.main: ["consistency", "--rows", "2", "--backend", "scripted"],
    }
    for main, arguments in few.items():
        monkeypatch.setattr(sys, "argv", [*arguments, "--floor", "1e9"])
        with pytest.raises(SystemExit, match=r"per second are below the floor of 1e\+09"):
            main()
        monkeypatch.setattr(sys, "argv", [*arguments, "--floor", "0.001"])
        main()
    assert "per second" in capsys.readouterr().out


@pytest.mark.slow
def test_the_first_verdict_is_that_of_a_fresh_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--metric", "overlap", "--rounds", "1", "--floor", "overlap=0"]
    monkeypatch.setattr(sys, "argv", ["first", *options])
    with pytest.raises(SystemExit, match=r"overlap took [\d.]+ s \(floor 0 s\)"):
        first.main()
    seconds = re.search(r"overlap: ([\d.]+) s until the first verdict, ([\d.]+) s of CPU",
                        capsys.readouterr().out)  # fmt: skip
    assert seconds
    assert all(0 < float(one) < 600 for one in seconds.groups())
