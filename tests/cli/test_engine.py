"""`score --engine`: wrong options, and Ray that is not installed, are one sentence."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from staytrue.cli.dry_run import clock
from staytrue.cli.score import command
from staytrue.core.errors import MissingExtra, UsageError
from staytrue.core.installing import install_line
from staytrue.runs.engines.driver import DriverSeconds


def score(folder: Path, *options: str) -> str:
    path = folder / "in.jsonl"
    path.write_text('{"id": "1", "response": "tea", "knowledge": "tea"}\n' * 200 + "{broken\n")
    arguments = [str(path), "--metric", "overlap", "--out", str(folder / "run"), *options]
    return CliRunner().invoke(command, arguments, catch_exceptions=False).output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", "2"), "--workers is for runs on Ray: add --engine ray"),
        (("--cpu-hour-price", "2"), "--cpu-hour-price is for runs on Ray"),
        (("--memory-per-worker", "2"), "--memory-per-worker is for runs on Ray"),
        (("--engine", "spark"), "Unknown engine 'spark'; choose from: local, ray"),
        (("--engine", "ray", "--workers", "1", "--min-workers", "2"), "greater than --workers"),
        (("--engine", "ray", "--backend", "llm:m@http://x/v1,max_cost=1,price_in=1"),
         "each worker would count max_cost separately"),
    ],
)  # fmt: skip
def test_wrong_options_are_one_sentence_and_nothing_is_written(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        score(tmp_path, *options)
    assert not (tmp_path / "run").exists()


def test_without_ray_the_line_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=re.escape(f"run  {install_line('ray')}  first")):
        score(tmp_path, "--engine", "ray")
    assert not (tmp_path / "run").exists()


def test_a_dry_run_tells_rows_time_and_cost_and_writes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    options = ("--engine", "ray", "--workers", "4", "--cpu-hour-price", "100")
    printed = score(tmp_path, *options, "--dry-run")
    cells = [cell.strip() for cell in printed.splitlines()[4].split("│")[1:-1]]
    rows, unreadable, workers, rate, time, hours, cost = cells
    assert (rows, unreadable, workers) == ("200", "1", "4")
    assert float(rate.replace(",", "")) > 100
    assert re.fullmatch(r"\d+:\d\d:\d\d", time)
    assert float(cost) == pytest.approx(100 * float(hours), abs=1)
    assert not (tmp_path / "run").exists()


def test_a_time_is_told_in_hours_minutes_and_seconds() -> None:
    assert clock(3723.4) == "1:02:03"


def test_reading_and_staging_are_part_of_the_time_that_a_dry_run_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(
        "staytrue.runs.engines.estimate.measure_driver", lambda *_, **__: DriverSeconds(18.0, 0.0)
    )
    printed = score(tmp_path, "--engine", "ray", "--workers", "4", "--dry-run")
    (time,) = re.findall(r"│ (\d+:\d\d:\d\d) │", printed)
    assert time.startswith("1:00:")
    assert "includes 1:00:0" in printed


def test_a_shard_has_its_share_of_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int | None] = []

    @contextmanager
    def bar(total: int | None, **_: object) -> Iterator[None]:
        heard.append(total)
        yield

    monkeypatch.setattr("staytrue.cli.score.check_installed", lambda: None)
    monkeypatch.setattr("staytrue.cli.score.progress_bar", bar)
    monkeypatch.setattr(
        "staytrue.runs.scoring.judge_on_ray", lambda *_, rows, **__: heard.append(rows)
    )
    score(tmp_path, "--engine", "ray", "--shard", "2/4")
    assert heard == [51, 51]  # of 201 rows
