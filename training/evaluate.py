"""Measure the shipped models on the dev sets: `python -m training.evaluate`.

Prints the table of floors and aims, and ends with 1 when a floor is missed. `--limit` takes the
first rows of the large sets only; `--fp32 FOLDER` adds what int8 costs against the same models in
fp32 (`python -m training.export … --fp32 --to FOLDER`); `--speed` adds the comparison with PyTorch
(needs torch and a checkpoint, and an otherwise idle machine).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Backend, Entailment, Pair, Query
from staytrue.core.records import Example
from staytrue.core.text import answer_f1
from staytrue.metrics.nli import EndToEndNli
from staytrue.stats.classification import roc_auc
from training.common import CHECKPOINTS, DATA, LABELS, SHIPPED, read_rows
from training.probabilities import expected_calibration_error, log_softmax


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    floor: float | None = None
    aim: float | None = None
    smaller_is_better: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the floor is reached; None without one."""
        if self.floor is None:
            return None
        return self.value <= self.floor if self.smaller_is_better else self.value >= self.floor

    def line(self) -> str:
        marks = [f"{bound:.2f}" if bound is not None else "" for bound in (self.floor, self.aim)]
        met = {True: "yes", False: "NO", None: ""}[self.met]
        return f"| {self.name} | {self.value:.4f} | {marks[0]} | {marks[1]} | {met} |"


def dev_rows(name: str, limit: int | None) -> list[dict[str, Any]]:
    rows = list(read_rows(DATA / "dev" / f"{name}.jsonl.gz"))
    return rows[:limit] if limit else rows


@lru_cache(maxsize=16)
def judged(
    backend: EmbeddedBackend, name: str, limit: int | None
) -> tuple[list[Entailment], list[str]]:
    rows = dev_rows(name, limit)
    answers = backend.infer([Pair(row["premise"], row["hypothesis"]) for row in rows])
    return answers, [row["label"] for row in rows]


def accuracy(backend: EmbeddedBackend, name: str, limit: int | None) -> float:
    answers, labels = judged(backend, name, limit)
    return float(
        np.mean([answer.label == label for answer, label in zip(answers, labels, strict=True)])
    )


def two_way_accuracy(backend: EmbeddedBackend, name: str, limit: int | None) -> float:
    answers, labels = judged(backend, name, limit)
    return float(
        np.mean(
            [
                (answer.entailment > answer.contradiction) == (label == "entailment")
                for answer, label in zip(answers, labels, strict=True)
            ]
        )
    )


def calibration(
    backend: EmbeddedBackend, folder: Path, name: str, limit: int | None
) -> tuple[float, float]:
    """Expected calibration error as shipped, and without the temperature."""
    answers, labels = judged(backend, name, limit)
    shipped = np.array([[a.entailment, a.neutral, a.contradiction] for a in answers])
    gold = np.array([LABELS.index(label) for label in labels])
    temperature = json.loads((folder / "models.json").read_text())["models"]["entailment"][
        "temperature"
    ]
    plain = np.exp(log_softmax(np.log(shipped) * temperature))
    after, before = (
        expected_calibration_error(p.max(axis=1), p.argmax(axis=1) == gold)
        for p in (shipped, plain)
    )
    return after, before


def reading_f1(backend: EmbeddedBackend, name: str, limit: int | None) -> dict[str, float]:
    rows = dev_rows(name, None)
    if limit:
        rows = rows[:: max(1, len(rows) // limit)]
    answers = backend.answer([Query(row["question"], row["context"]) for row in rows])
    answerable, unanswerable = [], []
    for row, answer in zip(rows, answers, strict=True):
        if row["answers"]:
            best = (
                max(answer_f1(answer.text, gold["text"]) for gold in row["answers"])
                if answer.text
                else 0.0
            )
            answerable.append(best)
        else:
            unanswerable.append(float(answer.text is None))
    return {
        "all": float(np.mean(answerable + unanswerable)),
        "answerable": float(np.mean(answerable)),
        "unanswerable": float(np.mean(unanswerable)) if unanswerable else float("nan"),
    }


def q2_examples() -> list[Example]:
    """Both systems' responses; in the file 1 means inconsistent."""
    return [
        Example(
            f"{number}-{system}",
            row[f"{system}_response"],
            row["knowledge"],
            consistent=row[f"{system}_label"] == "0",
        )
        for number, row in enumerate(dev_rows("q2_cross_annotation", None))
        for system in ("dodeca", "memnet")
    ]


def begin_examples() -> list[Example]:
    return [
        Example(
            str(number), row["response"], row["evidence"], consistent=row["label"] == "entailment"
        )
        for number, row in enumerate(dev_rows("begin_v1_dev", None))
    ]


def begin_later_examples(source: str) -> list[Example]:
    return [
        Example(
            str(number),
            row["response"],
            row["knowledge"],
            consistent=row["label"].strip() == "Fully attributable",
        )
        for number, row in enumerate(dev_rows(f"begin_v2_dev_{source}", None))
    ]


def nli_auc(
    backend: Backend,
    examples: list[Example],
    prior: Literal["replies", "balanced"] = "replies",
) -> float:
    verdicts = EndToEndNli(backend, prior=prior).judge(examples)
    scores = np.array([verdict.score or 0.0 for verdict in verdicts])
    found = roc_auc(scores, np.array([bool(example.consistent) for example in examples]))
    assert found is not None, "every dev set has both classes"
    return found


def speed_ratio(backend: EmbeddedBackend, checkpoint: Path) -> tuple[float, float]:
    """Pairs per second of ours and of PyTorch in fp32, one pair at a time, on 45-token pairs."""
    import torch
    from tokenizers import Tokenizer

    from training.tasks import Entailment as EntailmentTask

    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = dev_rows("mnli_dev", 4000)
    encoded = tokenizer.encode_batch([(row["premise"], row["hypothesis"]) for row in rows])
    chosen = [
        (row, one) for row, one in zip(rows, encoded, strict=True) if 42 <= len(one.ids) <= 48
    ][:256]
    pairs = [Pair(row["premise"], row["hypothesis"]) for row, _ in chosen]
    model = EntailmentTask().model(checkpoint).eval()
    inputs = [(torch.tensor([one.ids]), torch.tensor([one.type_ids])) for _, one in chosen]

    def with_torch() -> None:
        with torch.inference_mode():
            for ids, types in inputs:
                model(ids, token_type_ids=types)

    def fastest(work: Callable[[], object]) -> float:
        """The best of five: what the machine does when nothing else runs."""
        times = []
        for _ in range(5):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return len(pairs) / min(times)

    return fastest(lambda: backend.infer(pairs)), fastest(with_torch)


def speed(backend: EmbeddedBackend) -> Iterator[Figure]:
    checkpoint = CHECKPOINTS / "entailment" / "latest.pt"
    if not checkpoint.exists():
        sys.exit(f"--speed compares with the checkpoint {checkpoint}, which is not there.")
    ours, theirs = speed_ratio(backend, checkpoint)
    yield Figure("entailment, pairs/s", ours)
    yield Figure("PyTorch fp32, one at a time, pairs/s", theirs)
    yield Figure("ratio", ours / theirs, 2.5, 5.0)


def table(backend: EmbeddedBackend, folder: Path, limit: int | None) -> Iterator[Figure]:
    yield Figure("SNLI dev accuracy", accuracy(backend, "snli_dev", limit), 0.82, 0.89)
    yield Figure("MultiNLI dev accuracy", accuracy(backend, "mnli_dev", limit), 0.70, 0.82)
    symmetric = two_way_accuracy(backend, "fever_symmetric_dev", limit)
    yield Figure("FEVER-symmetric dev accuracy", symmetric, 0.68, 0.80)
    yield Figure("DNLI dev accuracy", accuracy(backend, "dnli_dev", limit), 0.78, 0.90)
    yield Figure("FEVER dev accuracy", accuracy(backend, "fever_dev", limit))
    reading = reading_f1(backend, "squad2_part", limit)
    yield Figure("SQuAD 2.0 part F1", reading["all"], 0.64, 0.78)
    yield Figure("… answerable F1", reading["answerable"])
    yield Figure("… unanswerable accuracy", reading["unanswerable"])
    yield Figure("SQuAD 1.1 dev F1", reading_f1(backend, "squad1_dev", limit)["all"])
    cached = CachedBackend(backend)  # each pair is judged once for both priors
    yield Figure("nli, ROC-AUC, Q² cross-annotation", nli_auc(cached, q2_examples()), 0.68, 0.78)
    yield Figure("nli, ROC-AUC, BEGIN v1 dev", nli_auc(cached, begin_examples()), 0.84, 0.90)
    for name, examples in (("Q²", q2_examples()), ("BEGIN v1 dev", begin_examples())):
        plain = nli_auc(cached, examples, prior="balanced")
        yield Figure(f"nli,prior=balanced, ROC-AUC, {name}", plain)
    for source in ("wow", "cmu", "tc"):
        later = nli_auc(backend, begin_later_examples(source))
        yield Figure(f"nli, ROC-AUC, BEGIN v2 dev {source}", later)
    after, before = calibration(backend, folder, "mnli_dev", limit)
    yield Figure("calibration error, MultiNLI, as shipped", after)
    yield Figure("calibration error, MultiNLI, without temperature", before)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    yield Figure("model files, MB", size, 90, 60, smaller_is_better=True)


def int8_cost(
    backend: EmbeddedBackend, whole: EmbeddedBackend, limit: int | None
) -> Iterator[Figure]:
    """Points of accuracy and F1 that fp32 has more; at most half a point is allowed."""
    for name in ("snli_dev", "mnli_dev", "dnli_dev"):
        cost = accuracy(whole, name, limit) - accuracy(backend, name, limit)
        yield Figure(f"int8 cost, {name}", cost, 0.005, None, smaller_is_better=True)
    reading = [reading_f1(one, "squad2_part", limit)["all"] for one in (whole, backend)]
    cost = reading[0] - reading[1]
    yield Figure("int8 cost, squad2_part F1", cost, 0.005, None, smaller_is_better=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=None, help="rows of each large set")
    parser.add_argument("--folder", type=Path, default=SHIPPED)
    parser.add_argument("--fp32", type=Path, help="folder of the same models in fp32")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    backend = EmbeddedBackend(folder=str(options.folder))
    figures = table(backend, options.folder, options.limit)
    if options.fp32:
        whole = EmbeddedBackend(folder=str(options.fp32))
        figures = chain(figures, int8_cost(backend, whole, options.limit))
    if options.speed:
        figures = chain(figures, speed(backend))
    print("| | figure | floor | aim | floor met |\n|---|---|---|---|---|")
    missed = 0
    for figure in figures:
        print(figure.line(), flush=True)
        missed += figure.met is False
    sys.exit(int(missed > 0))


if __name__ == "__main__":
    main()
