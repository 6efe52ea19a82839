from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from training.common import SHIPPED
from training.probabilities import log_softmax

from staytrue.backends.embedded.heads import BestSpan
from staytrue.core.protocols import Query

pytest.importorskip("torch")
pytest.importorskip("transformers")

from training import calibration
from training.calibration import best_lead, best_temperature, logistic, unseen

pytestmark = pytest.mark.torch


class Dealer:
    """Batch n holds the examples 2n and 2n + 1, modulo the number of examples."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def batches(self, size: int, seed: int) -> Iterator[np.ndarray]:
        return (np.array([2 * n, 2 * n + 1]) % self.rows for n in count())


def test_the_unseen_are_the_batches_that_would_have_come_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calibration, "CALIBRATION_BATCHES", 3)
    task: Any = Dealer(100)
    assert unseen(task, None, 5, 2).tolist() == [10, 11, 12, 13, 14, 15]


def test_what_was_drawn_before_is_not_unseen_and_nothing_comes_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calibration, "CALIBRATION_BATCHES", 8)
    drawn = np.zeros(10, dtype=bool)
    drawn[[0, 3]] = True
    task: Any = Dealer(10)
    assert unseen(task, drawn, 5, 2).tolist() == [1, 2, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("heat", [0.5, 1.0, 2.0])
def test_the_temperature_undoes_how_much_too_sure_the_scores_are(heat: float) -> None:
    rng = np.random.default_rng(2)
    honest = rng.normal(scale=2.0, size=(4000, 3))
    chances = np.exp(log_softmax(honest))
    labels = (chances.cumsum(axis=1) > rng.random((4000, 1))).argmax(axis=1)
    assert best_temperature(honest * heat, labels) == pytest.approx(heat, rel=0.08)


def test_a_logistic_curve_is_recovered() -> None:
    values = np.linspace(-6, 6, 400)
    chances = 1 / (1 + np.exp(-(0.7 * values - 0.4)))
    assert logistic(values, chances) == pytest.approx((0.7, -0.4), abs=1e-2)


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ([-1.0, -1.0, 1.0, 1.0], 2.5),
        ([1.0, 1.0, 1.0, 1.0], 0.5),
        ([-1.0, -1.0, -1.0, -1.0], 4.5),
        ([0.5, -1.0, 0.8, -0.2], 2.5),
    ],
)
def test_answers_are_given_from_the_lead_on_at_which_they_gain_most(
    gains: list[float], expected: float
) -> None:
    order = np.array([2, 0, 3, 1])
    leads = np.array([1.0, 2.0, 3.0, 4.0])
    assert best_lead(leads[order], np.array(gains)[order]) == expected


def test_hard_questions_are_those_kept_from_training_and_half_of_them_without_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calibration, "HARD_QUESTIONS", 5)
    sources = np.arange(60) % 4
    names = np.array(["squad2_kept_none", "squad2", "squad2_kept", "squad2_none"])
    tokens = SimpleNamespace(arrays={"sources": sources, "source_names": names})
    task: Any = SimpleNamespace(tokens=tokens)
    chosen = calibration.hard_questions(task)
    assert len(set(chosen)) == 10
    assert np.bincount(sources[chosen], minlength=4).tolist() == [5, 0, 5, 0]


class FakeRunner:
    """Instead of an exported model: logits by the first token of the example."""

    answers: dict[int, np.ndarray]

    def __init__(self, folder: Path, name: str) -> None:
        pass

    def logits(self, ids: np.ndarray, first_length: int) -> np.ndarray:
        return self.answers[int(ids[0])]


def tokens_of(count_: int, length: int = 8, **arrays: Any) -> Any:
    """Examples of one length; the first token is the example's number."""
    ids = np.zeros((count_, length), dtype=np.uint16)
    ids[:, 0] = np.arange(count_)
    return SimpleNamespace(
        ids=ids.ravel(), lengths=np.full(count_, length), first_lengths=np.full(count_, 3),
        starts=np.arange(count_) * length, arrays=arrays,
    )  # fmt: skip


def test_open_labels_are_not_calibrated_on_and_scores_too_sure_are_cooled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Right three times in four, but sure as if always: honest is a lead of log(6) over the two.
    labels = np.repeat([0, 0, 0, 1] * 5 + [3] * 5, 2)
    FakeRunner.answers = {n: np.array([4.0, 0.0, 0.0]) for n in range(50)}
    task = Dealer(50)
    sources = {"sources": np.arange(50) % 2, "source_names": np.array(["mnli", "made_grounded"])}
    task.tokens, task.labels = tokens_of(50, **sources), labels  # type: ignore[attr-defined]
    drawn = np.arange(50) < 4
    monkeypatch.setattr(calibration, "EntailmentTask", lambda: task)
    monkeypatch.setattr(calibration, "Runner", FakeRunner)
    settings = calibration.entailment_settings(tmp_path, None)
    assert settings["calibration_examples"] == 20  # made pairs do not count
    assert settings["temperature"] == pytest.approx(4 / np.log(6), rel=0.02)
    assert calibration.entailment_settings(tmp_path, drawn)["calibration_examples"] == 18
    assert settings["calibration_error_before"] > 0.2
    assert settings["calibration_error_after"] < 0.01
    given = calibration.entailment_settings(tmp_path, None, temperature=1.5)
    assert given["temperature"] == 1.5


class FakeReader:
    """Instead of the product's reader: it finds every answer; its lead tells if there is one."""

    def best(self, queries: Sequence[Query]) -> list[BestSpan]:
        spans = []
        for number, query in enumerate(queries):
            start = query.passage.index("1790") if "1790" in query.passage else 0
            spans.append(BestSpan(start, start + 4, (3.0 if start else 1.0) + 0.01 * number))
        return spans


def reading_task() -> Any:
    """40 hard questions, every other one with its answer in the passage."""
    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    tokenizer.no_padding()
    there = tokenizer.encode("When was it built?", "The mill was built in 1790.")
    nowhere = tokenizer.encode("When was it burnt?", "The mill was sold by the town.")
    has_answer = np.arange(40) % 2 == 0
    chosen = [there if has else nowhere for has in has_answer]
    lengths = np.array([len(one.ids) for one in chosen])
    task: Any = Dealer(40)
    task.tokens = SimpleNamespace(
        ids=np.concatenate([one.ids for one in chosen]), lengths=lengths,
        first_lengths=np.array([one.type_ids.index(1) for one in chosen]),
        starts=np.concatenate([[0], np.cumsum(lengths)[:-1]]),
        arrays={
            "sources": np.where(has_answer, 0, 1),
            "source_names": np.array(["squad2_kept", "squad2_kept_none"]),
        },
    )  # fmt: skip
    task.firsts = task.lasts = np.where(has_answer, there.tokens.index("1790"), 0)
    return task


def test_examples_are_written_out_of_their_tokens() -> None:
    texts = list(calibration.as_text(reading_task(), np.array([0, 1])))
    assert texts == [
        (Query("when was it built?", "the mill was built in 1790."), "1790"),
        (Query("when was it burnt?", "the mill was sold by the town."), ""),
    ]


def test_the_reader_answers_from_the_lead_that_parts_the_hard_questions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(calibration, "ReadingTask", reading_task)
    monkeypatch.setattr(calibration, "reader", lambda folder: FakeReader())
    settings: Any = calibration.reading_settings(tmp_path, 0, None)
    assert 1.39 < settings["threshold"] < 3.0
    assert settings["calibration_examples"] == 40
    assert settings["calibration_error_after"] < settings["calibration_error_before"]
    given: Any = calibration.reading_settings(tmp_path, 0, None, threshold=2.5)
    assert given["threshold"] == 2.5
