from __future__ import annotations

import datetime as dt
import signal
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from training import train as training
from training.masters import MasterWeights
from training.sampling import batches
from training.train import clock, freeze_embeddings, learning_rate, weight_groups

torch.set_num_threads(1)  # the models are tiny
pytestmark = pytest.mark.torch


class Tiny:
    """Learn to give ones; remembers what it was dealt and whether dropout was at work."""

    def __init__(self, rows: int = 40) -> None:
        self.tokens = SimpleNamespace(lengths=np.arange(rows) % 7 + 1)
        self.dealt: list[np.ndarray] = []
        self.losses: list[float] = []
        self.dropped: list[bool] = []
        self.stop_at: int | None = None

    def model(self, start_from: Path) -> Any:
        return torch.nn.Sequential(
            torch.nn.Linear(3, 16), torch.nn.Dropout(0.3), torch.nn.Linear(16, 1)
        )

    def batches(self, size: int, seed: int) -> Iterator[np.ndarray]:
        rows = np.arange(len(self.tokens.lengths))
        return batches(
            {"all": rows}, {"all": 1.0}, self.tokens.lengths, size=size, batches_per_block=2,
            seed=seed,
        )  # fmt: skip

    def loss(self, model: Any, indexes: np.ndarray) -> Any:
        self.dealt.append(indexes)
        if len(self.dealt) == self.stop_at:
            signal.raise_signal(signal.SIGTERM)
        values = torch.ones(len(indexes), 3)
        given = model(values)
        self.dropped.append(not torch.equal(model(values), given))
        loss = ((given - 1) ** 2).mean()
        self.losses.append(loss.item())
        return loss


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Train for some steps, each of which takes a second of a clock that the test moves."""
    before = signal.getsignal(signal.SIGTERM)

    def go(task: Tiny, steps: int, **options: Any) -> list[str]:
        ticks = count()
        moved = SimpleNamespace(time=lambda: float(next(ticks)), strftime=time.strftime)
        monkeypatch.setattr(training, "time", moved)
        lines: list[str] = []
        training.train(
            task, folder=tmp_path, start_from=tmp_path, peak=options.pop("peak", 0.05),
            end=steps + 0.5, hold=options.pop("hold", 0.5), seed=1, batch_size=4,
            say=lines.append, **options,
        )  # fmt: skip
        return lines

    yield go
    signal.signal(signal.SIGTERM, before)


def saved(folder: Path, name: str = "latest.pt") -> dict[str, Any]:
    return torch.load(folder / name, weights_only=True)


def test_the_rate_rises_for_two_minutes_stays_and_falls_to_zero_at_the_end() -> None:
    def rate(now: float) -> float:
        return learning_rate(now, start=1000, anneal=2000, end=3000, peak=0.4)

    assert 0 < rate(1000) < 0.01
    assert rate(1058) == pytest.approx(0.2)
    assert rate(1118) == rate(1500) == rate(1999) == pytest.approx(0.4)
    assert rate(2500) == pytest.approx(0.2)
    assert rate(3000) == rate(3100) == 0


@pytest.mark.parametrize("minutes", [-90, -1, 1, 90])
def test_the_clock_is_read_as_the_next_time_it_shows_that_minute(minutes: int) -> None:
    now = time.time()
    wanted = dt.datetime.fromtimestamp(now + 60 * minutes, dt.timezone.utc).strftime("%H:%M")
    moment = clock(wanted)
    assert dt.datetime.fromtimestamp(moment, dt.timezone.utc).strftime("%H:%M:%S") == f"{wanted}:00"
    assert 0 < moment - now <= 24 * 3600 + 1


def test_embeddings_are_frozen_and_only_matrices_decay() -> None:
    model = torch.nn.ModuleDict(
        {
            "word_embeddings": torch.nn.Embedding(5, 3),
            "position_embeddings": torch.nn.Embedding(4, 3),
            "dense": torch.nn.Linear(3, 2),
            "norm": torch.nn.LayerNorm(2),
        }
    )
    freeze_embeddings(model)
    masters = MasterWeights(model)
    decayed, plain = weight_groups(masters, 0.01)
    assert decayed["weight_decay"] == 0.01
    assert plain["weight_decay"] == 0.0
    assert [id(w) for w in decayed["params"]] == [id(masters.weights["dense.weight"])]
    assert {id(w) for w in plain["params"]} == {
        id(masters.weights[name]) for name in ("dense.bias", "norm.weight", "norm.bias")
    }  # fmt: skip
    assert not model["word_embeddings"].weight.requires_grad
    assert not model["position_embeddings"].weight.requires_grad


def test_training_lowers_the_loss_and_ends_at_its_time(run: Any, tmp_path: Path) -> None:
    task = Tiny()
    lines = run(task, 150, peak=0.1)
    assert len(task.losses) == 150
    assert np.mean(task.losses[-10:]) < 0.1 * np.mean(task.losses[:10])
    assert lines[-1] == "finished at step 150"
    final = saved(tmp_path, "final.pt")
    assert all(torch.equal(final[name], w) for name, w in saved(tmp_path)["model"].items())
    assert not list(tmp_path.glob("*.writing"))


def test_the_same_command_goes_on_at_the_step_saved(run: Any, tmp_path: Path) -> None:
    first, second = Tiny(), Tiny()
    run(first, 5)
    lines = run(second, 4)
    assert lines[0] == "resumed at step 5"
    assert saved(tmp_path)["step"] == 9
    whole = list(islice(Tiny().batches(4, 1), 9))
    assert all(map(np.array_equal, first.dealt + second.dealt, whole))
    assert len(first.dealt + second.dealt) == 9


def test_resuming_takes_over_the_weights_and_the_optimizer(run: Any, tmp_path: Path) -> None:
    run(Tiny(), 5)
    before = saved(tmp_path)
    run(Tiny(), 0)
    after = saved(tmp_path)
    assert after["step"] == 5
    assert all(torch.equal(after["model"][name], w) for name, w in before["model"].items())
    moments = [one["optimizer"]["state"][0]["exp_avg"] for one in (before, after)]
    assert torch.equal(*moments)
    assert moments[0].abs().sum() > 0


def test_what_was_drawn_is_remembered_also_when_rows_were_added(run: Any, tmp_path: Path) -> None:
    first, second = Tiny(rows=40), Tiny(rows=60)
    run(first, 3)
    drawn = saved(tmp_path)["drawn"].numpy()
    assert len(drawn) == 40
    assert set(np.flatnonzero(drawn)) == set(np.concatenate(first.dealt))
    run(second, 6)
    drawn = saved(tmp_path)["drawn"].numpy()
    assert len(drawn) == 60
    assert set(np.flatnonzero(drawn)) == set(np.concatenate(first.dealt + second.dealt))


@pytest.mark.parametrize(("dropout", "at_work"), [(0.5, True), (0.0, False)])
def test_dropout_is_as_the_command_says_not_as_the_model_was_built(
    run: Any, dropout: float, at_work: bool
) -> None:
    task = Tiny()
    run(task, 8, dropout=dropout)
    assert any(task.dropped) == at_work


def test_the_weights_from_before_the_rate_falls_are_kept(run: Any, tmp_path: Path) -> None:
    task = Tiny()
    run(task, 10, hold=0.5)
    # The clock shows 1 at the first step, and the rate falls from 5.25 on.
    assert saved(tmp_path, "before-anneal.pt")["step"] == 5
    assert saved(tmp_path)["step"] == 10


def test_a_signal_to_end_saves_and_the_run_counts_as_unfinished(run: Any, tmp_path: Path) -> None:
    task = Tiny()
    task.stop_at = 3
    lines = run(task, 50)
    assert len(task.dealt) == 3
    assert saved(tmp_path)["step"] == 3
    assert not (tmp_path / "final.pt").exists()
    assert lines[-1] == "stopped at step 3; the same command goes on"


def test_progress_is_said_and_saved_from_time_to_time(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "REPORT_EVERY", 3.0)
    monkeypatch.setattr(training, "SAVE_EVERY", 5.0)
    steps: list[int] = []
    save = training.save

    def noted(path: Path, model: Any, optimizer: Any, step: int, drawn: Any) -> None:
        steps.append(step)
        save(path, model, optimizer, step, drawn)

    monkeypatch.setattr(training, "save", noted)
    lines = run(Tiny(), 13, hold=1.0)
    assert [line.split(" ", 1)[1][:8] for line in lines[:-1]] == [
        "step 4 l",
        "step 8 l",
        "step 12 ",
    ]
    # A batch of four a second.
    assert lines[0].endswith(" 4.0 examples/s")
    assert steps == [6, 12, 13]
