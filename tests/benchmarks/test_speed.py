"""Benchmarks of speed measure work that is really done, not results that are remembered."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from benchmarks import begin, first, q2

from staytrue.backends.scripted import ScriptedBackend


def test_no_two_rows_are_alike_where_the_shipped_examples_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(begin, "FILE", tmp_path / "absent")
    rows = begin.examples(100)
    assert len({(row.response, row.knowledge) for row in rows}) == len(rows) == 100


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
