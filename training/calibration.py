"""Turn scores into probabilities that can be trusted, on examples training has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from staytrue.backends.embedded import ModelFiles
from staytrue.backends.embedded.encoder import Encoder
from staytrue.backends.embedded.heads import Reader
from staytrue.core.protocols import Query
from staytrue.metrics.q2.steps import answer_f1
from training.common import SHIPPED
from training.probabilities import expected_calibration_error, log_softmax
from training.tasks import EntailmentTask, GroundednessTask, ReadingTask, TokenArray, TrainingTask

CALIBRATION_BATCHES = 50
CALIBRATION_SOURCES = ("mnli", "snli", "fever_nli", "SciTail", "gu_dnli2024")
CALIBRATION_PAIRS = 250
HARD_QUESTIONS = 300


class Runner:
    """Runs one exported file on token ids, one example at a time, as the product does."""

    def __init__(self, folder: Path, name: str) -> None:
        vectors = np.load(folder / "vectors.npz")
        self._words = vectors["words"].astype(np.float32) * vectors["scales"][:, None]
        self._positions = vectors["positions"].astype(np.float32)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / f"{name}.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def logits(self, ids: np.ndarray, first_length: int) -> np.ndarray:
        vectors = self._words[ids] + self._positions[: len(ids)]
        segments = (np.arange(len(ids)) >= first_length).astype(np.int64)
        feed = {"vectors": vectors[None], "segments": segments[None]}
        logits: np.ndarray = self._session.run(["logits"], feed)[0][0]
        return logits


def unseen(task: TrainingTask, drawn: np.ndarray | None, steps: int, size: int) -> np.ndarray:
    """Examples of the batches that would have come next, without any that were trained on."""
    dealt = task.batches(size, 1)
    coming = np.concatenate(list(islice(dealt, steps, steps + CALIBRATION_BATCHES)))
    coming = np.unique(coming)
    return coming if drawn is None else coming[~drawn[coming]]


def example(tokens: TokenArray, index: int) -> tuple[np.ndarray, int]:
    start, length = tokens.starts[index], tokens.lengths[index]
    return tokens.ids[start : start + length].astype(np.int64), int(tokens.first_lengths[index])


def best_temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The temperature with the smallest negative log-likelihood, by a fine search."""
    candidates = np.exp(np.linspace(np.log(0.3), np.log(3.0), 231))
    losses = [
        -log_softmax(logits / candidate)[np.arange(len(labels)), labels].mean()
        for candidate in candidates
    ]
    return float(candidates[int(np.argmin(losses))])


def _temperature(
    runner: Runner,
    tokens: TokenArray,
    labels: np.ndarray,
    indexes: np.ndarray,
    temperature: float | None = None,
) -> dict[str, float]:
    logits = np.stack([runner.logits(*example(tokens, index)) for index in indexes])
    gold = labels[indexes]
    temperature = temperature or best_temperature(logits, gold)
    errors = {}
    for moment, scale in (("before", 1.0), ("after", temperature)):
        probabilities = np.exp(log_softmax(logits / scale))
        right = probabilities.argmax(axis=1) == gold
        errors[moment] = expected_calibration_error(probabilities.max(axis=1), right)
    return {
        "temperature": round(temperature, 4),
        "calibration_error_before": round(errors["before"], 4),
        "calibration_error_after": round(errors["after"], 4),
        "calibration_examples": len(indexes),
    }


def kept_from_training(task: EntailmentTask, drawn: np.ndarray | None) -> np.ndarray:
    """Pairs never trained on, as many of each source that people wrote.

    The batches to come would be easier than what users ask: of the hardest sources nearly every
    pair was drawn, and made pairs look like those that were.
    """
    tokens, rng = task.tokens, np.random.default_rng(1)
    left_out = task.labels >= 3 if drawn is None else drawn | (task.labels >= 3)
    there = [name for name in CALIBRATION_SOURCES if name in tokens.arrays["source_names"]]
    return np.concatenate(
        [some_of(tokens, name, left_out, CALIBRATION_PAIRS, rng) for name in there]
    )


def some_of(
    tokens: TokenArray,
    source: str,
    left_out: np.ndarray | None,
    count: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """So many examples of a source, drawn from those that are not left out."""
    names = [str(name) for name in tokens.arrays["source_names"]]
    places = np.flatnonzero(tokens.arrays["sources"] == names.index(source))
    if left_out is not None:
        places = places[~left_out[places]]
    return rng.permutation(places)[:count]


def entailment_settings(
    folder: Path, drawn: np.ndarray | None, temperature: float | None = None
) -> dict[str, float]:
    """Give a `temperature` when earlier runs have seen most pairs: a fit to those is too sure."""
    task = EntailmentTask()
    indexes = kept_from_training(task, drawn)
    runner = Runner(folder, "entailment")
    return _temperature(runner, task.tokens, task.labels, indexes, temperature)


def groundedness_settings(folder: Path, data: Path | None) -> dict[str, float]:
    task = GroundednessTask(data)
    return _temperature(Runner(folder, "groundedness"), task.tokens, task.labels, task.held_out)


def logistic(values: np.ndarray, targets: np.ndarray) -> tuple[float, float]:
    """Slope and offset of P = 1 / (1 + exp(-(slope · value + offset))), by Newton's method."""
    design = np.stack([values, np.ones_like(values)], axis=1)
    weights = np.zeros(2)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (chance - targets) + 1e-3 * weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + 1e-3 * np.eye(2)
        weights = weights - np.linalg.solve(curvature, gradient)
    return float(weights[0]), float(weights[1])


def hard_questions(task: ReadingTask) -> np.ndarray:
    """Questions of SQuAD 2.0's training part that are kept from training, half without answer.

    Their unanswerable questions were written to look answerable. The made ones are easier, and
    alone would set the threshold too low for questions about knowledge on the same topic.
    """
    return np.concatenate(
        [
            some_of(task.tokens, name, None, HARD_QUESTIONS, np.random.default_rng(1))
            for name in ("squad2_kept", "squad2_kept_none")
        ]
    )


def best_lead(lead: np.ndarray, gains: np.ndarray) -> float:
    """The lead from which giving the answer earns more F1 than saying that there is none."""
    order = np.argsort(lead)
    totals = np.concatenate([np.cumsum(gains[order][::-1])[::-1], [0.0]])
    cut = int(totals.argmax())
    bounds = np.concatenate([[lead.min() - 1], lead[order], [lead.max() + 1]])
    return float((bounds[cut] + bounds[cut + 1]) / 2)


def reader(folder: Path) -> Reader:
    """The product's own reader with the models of a folder."""
    return Reader(Encoder(ModelFiles(folder), threads=1))


def as_text(task: ReadingTask, indexes: np.ndarray) -> Iterator[tuple[Query, str]]:
    """Question, passage and answer ("" for none) of examples, written out of their tokens."""
    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    for index in indexes:
        ids, first_length = example(task.tokens, index)
        first, last = task.firsts[index], task.lasts[index]
        question, passage = ids[1 : first_length - 1], ids[first_length:-1]
        answer = ids[first : last + 1] if first > 0 else ids[:0]
        texts = [tokenizer.decode(part.tolist()) for part in (question, passage, answer)]
        yield Query(texts[0], texts[1]), texts[2]


def reading_settings(
    folder: Path, steps: int, drawn: np.ndarray | None, threshold: float | None = None
) -> dict[str, object]:
    """Where "no answer" begins, and how sure an answer is, from the lead of the best span.

    Give a `threshold` when training has seen the hard questions in another form: then they are
    no longer hard, and set it too low.
    """
    task = ReadingTask()
    hard = hard_questions(task)
    indexes = np.union1d(unseen(task, drawn, steps, 24), hard)
    queries, golds = zip(*as_text(task, indexes), strict=True)
    return reading_curves(reader(folder), queries, golds, np.isin(indexes, hard), threshold)


def reading_curves(
    reader: Reader,
    queries: Sequence[Query],
    golds: Sequence[str],
    is_hard: np.ndarray,
    threshold: float | None = None,
) -> dict[str, object]:
    """Threshold and curves of a reader from questions and answers ("" for none).

    The threshold comes from the hard questions alone, the curves from all.
    """
    leads, has_answer, overlaps = [], [], []
    for query, gold, span in zip(queries, golds, reader.best(queries), strict=True):
        assert span is not None, "every example has a question and a passage"
        leads.append(span.lead)
        has_answer.append(bool(gold))
        overlaps.append(answer_f1(query.passage[span.start : span.end], gold))
    lead = np.array(leads)
    answerable = np.array(has_answer, dtype=float)
    gains = np.where(answerable == 1, overlaps, -1.0)
    if threshold is None:
        threshold = best_lead(lead[is_hard], gains[is_hard])
    right = np.where(answerable == 1, np.array(overlaps) >= 0.5, 0.0).astype(float)
    given = lead >= threshold
    outcome = np.where(given, right, 1 - answerable)
    curves = logistic(lead[given], right[given]), logistic(lead[~given], 1 - answerable[~given])
    fitted = np.where(given, _chance(lead, curves[0]), _chance(lead, curves[1]))
    plain = _chance(np.abs(lead), (1.0, 0.0))
    return {
        "threshold": round(threshold, 4),
        "right_if_answered": [round(value, 4) for value in curves[0]],
        "right_if_none": [round(value, 4) for value in curves[1]],
        "calibration_error_before": round(expected_calibration_error(plain, outcome == 1), 4),
        "calibration_error_after": round(expected_calibration_error(fitted, outcome == 1), 4),
        "calibration_examples": len(queries),
    }


def _chance(lead: np.ndarray, curve: tuple[float, float]) -> np.ndarray:
    return 1 / (1 + np.exp(-(curve[0] * lead + curve[1])))
