from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from training.probabilities import log_softmax

pytest.importorskip("torch")
pytest.importorskip("transformers")

from training import calibration
from training.calibration import best_lead, best_span, best_temperature, logistic, unseen

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


def span_logits(first: dict[int, float], last: dict[int, float], length: int = 60) -> np.ndarray:
    """Scores of a text in which the passage starts at token 4 and a mark ends it."""
    logits = np.zeros((length, 2))
    for column, scores in enumerate((first, last)):
        for place, score in scores.items():
            logits[place, column] = score
    return logits


def test_the_best_span_has_the_highest_sum_and_leads_over_no_answer() -> None:
    logits = span_logits({0: 1.0, 6: 5.0, 9: 4.0}, {0: 0.5, 8: 3.0, 7: 2.0})
    assert best_span(logits, 4) == (6, 8, 8.0 - 1.5)


@pytest.mark.parametrize(
    ("first", "last", "wrong"),
    [
        ({10: 5.0}, {7: 5.0}, "it would end before it begins"),
        ({5: 5.0}, {35: 5.0}, "it would be longer than the longest answer"),
        ({2: 9.0, 10: 5.0}, {3: 9.0, 7: 5.0}, "the question holds no answer"),
        ({59: 9.0, 10: 5.0}, {59: 9.0, 7: 5.0}, "nor does the mark at the end"),
    ],
)
def test_spans_that_cannot_be_an_answer_are_not_given(
    first: dict[int, float], last: dict[int, float], wrong: str
) -> None:
    start, end, lead = best_span(span_logits(first, last), 4)
    assert 4 <= start <= end < 59, wrong
    assert end - start < calibration.LONGEST_ANSWER, wrong
    assert lead == 5.0, wrong


def test_the_longest_answer_is_allowed() -> None:
    last = 5 + calibration.LONGEST_ANSWER - 1
    assert best_span(span_logits({5: 5.0}, {last: 5.0}), 4) == (5, last, 10.0)


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
    monkeypatch.setattr(calibration, "Entailment", lambda: task)
    monkeypatch.setattr(calibration, "Runner", FakeRunner)
    found = calibration.entailment_settings(tmp_path, None)
    assert found["calibration_examples"] == 20  # made pairs do not count
    assert found["temperature"] == pytest.approx(4 / np.log(6), rel=0.02)
    assert calibration.entailment_settings(tmp_path, drawn)["calibration_examples"] == 18
    assert found["calibration_error_before"] > 0.2
    assert found["calibration_error_after"] < 0.01
    given = calibration.entailment_settings(tmp_path, None, temperature=1.5)
    assert given["temperature"] == 1.5


def reading_task() -> Any:
    """40 hard questions; the model finds all answers, and its lead tells whether there is one."""
    has_answer = np.arange(40) % 2 == 0
    task: Any = Dealer(40)
    task.tokens = tokens_of(
        40,
        sources=np.where(has_answer, 0, 1),
        source_names=np.array(["squad2_kept", "squad2_kept_none"]),
    )
    task.firsts = np.where(has_answer, 4, 0)
    task.lasts = np.where(has_answer, 5, 0)
    FakeRunner.answers = {}
    for number in range(40):
        logits = np.zeros((8, 2))
        lead = (3.0 if has_answer[number] else 1.0) + 0.01 * number
        logits[4, 0] = logits[5, 1] = lead / 2
        FakeRunner.answers[number] = logits
    return task


def test_the_reader_answers_from_the_lead_that_parts_the_hard_questions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(calibration, "Reading", reading_task)
    monkeypatch.setattr(calibration, "Runner", FakeRunner)
    found: Any = calibration.reading_settings(tmp_path, 0, None)
    assert 1.39 < found["threshold"] < 3.0
    assert found["calibration_examples"] == 40
    assert found["calibration_error_after"] < found["calibration_error_before"]
    given: Any = calibration.reading_settings(tmp_path, 0, None, threshold=2.5)
    assert given["threshold"] == 2.5
