"""Measure the embedded models, small and large, on the dev sets: `python -m training.evaluate`.

Prints one table for each size with its floors and aims, and exits with status 1 if a floor is
missed. "both", the mean of small and large, is what users get where the large models are installed
and has the floors of the large ones.

`--limit` takes some rows of each set only; `--all` adds further sets; `--large FOLDER` reads the
large models from elsewhere; `--checkpoint FILE --base FOLDER` measures a checkpoint of
`training.mixed` in fp32, for a look during training. `--fp32 FOLDER` adds what int8 costs the small
models against the same in fp32 (`python -m training.export … --fp32 --to FOLDER`); `--speed` adds
the comparison with PyTorch (needs a checkpoint, and an otherwise idle machine).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from tokenizers import Tokenizer

from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend, large_folder
from staytrue.core.protocols import Entailment, EntailmentModel, Metric, Pair, Query
from staytrue.core.records import Example, Turn
from staytrue.metrics.begin import Begin, BeginBackend
from staytrue.metrics.nli import EndToEndNli
from staytrue.metrics.q2 import Q2
from staytrue.metrics.q2.steps import answer_f1
from staytrue.stats.classification import class_figures, roc_auc
from training import splits
from training.common import CHECKPOINTS, DATA, LABELS, SHIPPED, read_rows
from training.probabilities import expected_calibration_error, log_softmax


@dataclass(frozen=True, slots=True)
class MeasuredFigure:
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
            str(number),
            row["response"],
            row["evidence"],
            (Turn("user", row["previous turn"]),) if row.get("previous turn") else (),
            consistent=row["label"] == "entailment",
            label=row["label"],
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


def speed_ratio(backend: EmbeddedBackend, checkpoint: Path) -> tuple[float, float]:
    """Pairs per second of ours and of PyTorch in fp32, one pair at a time, on 45-token pairs."""
    import torch

    from training.tasks import EntailmentTask

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


def speed(backend: EmbeddedBackend) -> Iterator[MeasuredFigure]:
    checkpoint = CHECKPOINTS / "entailment" / "latest.pt"
    if not checkpoint.exists():
        sys.exit(f"--speed compares with the checkpoint {checkpoint}, which is not there.")
    ours, theirs = speed_ratio(backend, checkpoint)
    yield MeasuredFigure("entailment, pairs/s", ours)
    yield MeasuredFigure("PyTorch fp32, one at a time, pairs/s", theirs)
    yield MeasuredFigure("ratio", ours / theirs, 2.5, 5.0)


# Floor and aim of each row, for the small and for the large models.
BOUNDS: dict[str, dict[str, tuple[float, float | None]]] = {
    "MultiNLI accuracy": {"small": (0.75, None), "large": (0.83, 0.87)},
    "SNLI accuracy": {"small": (0.86, None), "large": (0.88, 0.91)},
    "Dialogue NLI accuracy": {"small": (0.86, None), "large": (0.89, 0.93)},
    "FEVER-symmetric accuracy": {"small": (0.82, None), "large": (0.86, 0.91)},
    "PAWS-Wiki, kept pairs, ROC-AUC": {"small": (0.65, None), "large": (0.80, 0.92)},
    "SQuAD 2.0 part F1": {"small": (0.70, None), "large": (0.75, 0.80)},
    "nli, ROC-AUC, Q²": {"small": (0.73, None), "large": (0.76, 0.80)},
    "nli, ROC-AUC, BEGIN v1": {"small": (0.86, None), "large": (0.87, 0.90)},
    "q2, ROC-AUC, Q²": {"small": (0.78, None), "large": (0.80, 0.84)},
    "begin, ROC-AUC, FaithDial's audit": {"small": (0.84, None), "large": (0.88, 0.93)},
    "entailment, pairs/s": {"small": (190, None), "large": (20, 40)},
}
# BEGIN v1 has no fixed bounds: the large models are to be better than the small ones by this.
BEGIN_GAIN, BEGIN_AIM = 0.03, 0.08
# A class with fewer rows than this share (contradictions: 5 of 836) would move the mean by chance.
COUNTED_SHARE = 1 / 20


def some(examples: list[Example], limit: int | None) -> list[Example]:
    """About so many examples, from the whole set."""
    return examples[:: max(1, len(examples) // limit)] if limit else examples


def bounded(name: str, value: float, size: str) -> MeasuredFigure:
    return MeasuredFigure(name, value, *BOUNDS[name].get(size, (None, None)))


def paws_auc(backend: EntailmentModel, limit: int | None) -> float:
    """Whether entailment ranks a thousand pairs that share no sentence with training."""
    rows = splits.paws()[1][:limit]
    judged = backend.infer([Pair(row["premise"], row["hypothesis"]) for row in rows])
    return auc([one.entailment for one in judged], [row["label"] == "entailment" for row in rows])


def auc(scores: list[float], positive: list[bool]) -> float:
    area = roc_auc(np.array(scores), np.array(positive))
    assert area is not None, "both classes occur"
    return area


def verdict_auc(metric: Metric, examples: list[Example]) -> float:
    """ROC-AUC of a metric; an abstention counts as the lowest score."""
    scores = [verdict.score or 0.0 for verdict in metric.judge(examples)]
    return auc(scores, [bool(example.consistent) for example in examples])


def begin_figures(metric: Begin, examples: list[Example]) -> tuple[float, float]:
    """Accuracy, and F1 averaged over the classes with enough rows."""
    actual = np.array([example.label for example in examples])
    predicted = np.array([verdict.label or "" for verdict in metric.judge(examples)])
    names, counts = np.unique(actual, return_counts=True)
    enough = names[counts > COUNTED_SHARE * len(examples)]
    scores = [class_figures(predicted == name, actual == name).f1 or 0.0 for name in enough]
    return float((predicted == actual).mean()), float(np.mean(scores))


def pairs_per_second(backend: EntailmentModel, count: int = 96) -> float:
    """Pairs of 45 tokens, the best of three rounds."""
    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = dev_rows("mnli_dev", 6000)
    encoded = tokenizer.encode_batch([(row["premise"], row["hypothesis"]) for row in rows])
    pairs = [
        Pair(row["premise"], row["hypothesis"])
        for row, one in zip(rows, encoded, strict=True)
        if 43 <= len(one.ids) <= 47
    ]
    backend.infer(pairs[:2])  # loads the model
    times = []
    for turn in range(3):
        chosen = pairs[turn * count : (turn + 1) * count]  # a pair asked again may be remembered
        start = time.perf_counter()
        backend.infer(chosen)
        times.append((time.perf_counter() - start) / len(chosen))
    return 1 / min(times)


def audit_examples() -> list[Example]:
    """People's labels of real responses, from the quarter that is only reported."""
    return splits.audit_examples("reporting")


def table(
    backend: EmbeddedBackend, size: str, limit: int | None, small_begin: Sequence[float] = ()
) -> Iterator[MeasuredFigure]:
    """The rows that must be reached; `small_begin` are the small models' best BEGIN figures."""
    for name, file in (
        ("MultiNLI", "mnli_dev"),
        ("SNLI", "snli_dev"),
        ("Dialogue NLI", "dnli_dev"),
    ):
        yield bounded(f"{name} accuracy", accuracy(backend, file, limit), size)
    symmetric = two_way_accuracy(backend, "fever_symmetric_dev", limit)
    yield bounded("FEVER-symmetric accuracy", symmetric, size)
    yield bounded("PAWS-Wiki, kept pairs, ROC-AUC", paws_auc(backend, limit), size)
    reading = reading_f1(backend, "squad2_part", limit)
    yield bounded("SQuAD 2.0 part F1", reading["all"], size)
    cached = CachedBackend(backend)  # metrics ask many pairs alike
    annotated, labelled = some(q2_examples(), limit), some(begin_examples(), limit)
    yield bounded("nli, ROC-AUC, Q²", verdict_auc(EndToEndNli(cached), annotated), size)
    yield bounded("nli, ROC-AUC, BEGIN v1", verdict_auc(EndToEndNli(cached), labelled), size)
    yield bounded("q2, ROC-AUC, Q²", verdict_auc(Q2(cached), annotated), size)
    yield from begin_rows(cached, labelled, small_begin)
    audited = verdict_auc(Begin(cached), some(audit_examples(), limit))
    yield bounded("begin, ROC-AUC, FaithDial's audit", audited, size)
    yield bounded("entailment, pairs/s", pairs_per_second(backend), size)


def begin_rows(
    backend: BeginBackend, examples: list[Example], small: Sequence[float]
) -> Iterator[MeasuredFigure]:
    """BEGIN v1 without label shares of any set: as if every class were equally common."""
    ways: dict[str, Literal["on", "off"]] = {"prior=balanced": "on", "classifier alone": "off"}
    for way, corrected in ways.items():
        metric = Begin(backend, prior="balanced", corrected=corrected)
        values = begin_figures(metric, examples)
        for kind, value, best in zip(
            ("accuracy", "macro-F1"), values, small or (None, None), strict=True
        ):
            bounds = (None, None) if best is None else (best + BEGIN_GAIN, best + BEGIN_AIM)
            yield MeasuredFigure(f"BEGIN v1 {kind}, {way}", value, *bounds)


def best_begin(figures: list[MeasuredFigure]) -> list[float]:
    """The better way's accuracy, and the better way's macro-F1."""
    return [
        max(one.value for one in figures if one.name.startswith(f"BEGIN v1 {kind}"))
        for kind in ("accuracy", "macro-F1")
    ]


def further(backend: EmbeddedBackend, folder: Path, limit: int | None) -> Iterator[MeasuredFigure]:
    """Sets and figures without a bound."""
    yield MeasuredFigure("FEVER accuracy", accuracy(backend, "fever_dev", limit))
    reading = reading_f1(backend, "squad2_part", limit)
    yield MeasuredFigure("SQuAD 2.0 part, answerable F1", reading["answerable"])
    yield MeasuredFigure("SQuAD 2.0 part, unanswerable accuracy", reading["unanswerable"])
    yield MeasuredFigure("SQuAD 1.1 F1", reading_f1(backend, "squad1_dev", limit)["all"])
    for source in ("wow", "cmu", "tc"):
        later = verdict_auc(EndToEndNli(backend), some(begin_later_examples(source), limit))
        yield MeasuredFigure(f"nli, ROC-AUC, BEGIN v2 {source}", later)
    after, before = calibration(backend, folder, "mnli_dev", limit)
    yield MeasuredFigure("calibration error, MultiNLI, as shipped", after)
    yield MeasuredFigure("calibration error, MultiNLI, without temperature", before)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    yield MeasuredFigure("model files, MB", size)


def int8_cost(
    backend: EmbeddedBackend, whole: EmbeddedBackend, limit: int | None
) -> Iterator[MeasuredFigure]:
    """Points of accuracy and F1 that fp32 has more; at most half a point is allowed."""
    for name in ("snli_dev", "mnli_dev", "dnli_dev"):
        cost = accuracy(whole, name, limit) - accuracy(backend, name, limit)
        yield MeasuredFigure(f"int8 cost, {name}", cost, 0.005, None, smaller_is_better=True)
    reading = [reading_f1(one, "squad2_part", limit)["all"] for one in (whole, backend)]
    cost = reading[0] - reading[1]
    yield MeasuredFigure("int8 cost, squad2_part F1", cost, 0.005, None, smaller_is_better=True)


def show(title: str, figures: Iterable[MeasuredFigure]) -> list[MeasuredFigure]:
    """Print each figure when it is there."""
    print(f"\n## {title}\n\n| | figure | floor | aim | floor met |\n|---|---|---|---|---|")
    shown = []
    for figure in figures:
        print(figure.line(), flush=True)
        shown.append(figure)
    return shown


def large_backend(options: argparse.Namespace, aside: Path) -> tuple[str, Path] | None:
    """A name for the large models, and where they are; None without any."""
    if options.checkpoint:
        from training.export_large import export, weights_of

        export(weights_of(options.checkpoint, options.base), options.base, aside, int8=False)
        return f", {options.checkpoint.name} in fp32", aside
    folder = options.large or large_folder()
    return ("", folder) if folder else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=None, help="about so many rows of each set")
    parser.add_argument("--sizes", default="small,both", help="which tables: small, large, both")
    parser.add_argument("--all", action="store_true", help="further sets, too")
    parser.add_argument("--folder", type=Path, default=SHIPPED, help="the small models")
    parser.add_argument("--large", type=Path, help="the large models; else the installed ones")
    parser.add_argument("--checkpoint", type=Path, help="of training.mixed, instead of large files")
    parser.add_argument("--base", type=Path, help="folder of all-mpnet-base-v2, for --checkpoint")
    parser.add_argument("--fp32", type=Path, help="folder of the small models in fp32")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    if options.checkpoint and not options.base:
        parser.error("--checkpoint needs --base, the folder of all-mpnet-base-v2")
    shown: list[MeasuredFigure] = []
    small_begin: list[float] = []
    small = EmbeddedBackend(folder=str(options.folder), size="small")
    if "small" in options.sizes:
        shown += show("small", table(small, "small", options.limit))
        small_begin = best_begin(shown)
        if options.all:
            shown += show("small, further", further(small, options.folder, options.limit))
        if options.fp32:
            whole = EmbeddedBackend(folder=str(options.fp32), size="small")
            shown += show("small, cost of int8", int8_cost(small, whole, options.limit))
        if options.speed:
            shown += show("small, speed", speed(small))
    with TemporaryDirectory() as aside:
        sizes: tuple[Literal["large", "both"], ...] = ("large", "both")
        wanted = [size for size in sizes if size in options.sizes.split(",")]
        large = large_backend(options, Path(aside)) if wanted else None
        for size in wanted:
            if large is None:
                break
            detail, folder = large
            backend = EmbeddedBackend(folder=str(options.folder), size=size, large=str(folder))
            title = f"{size}{detail}"
            shown += show(title, table(backend, "large", options.limit, small_begin))
            if options.all:
                shown += show(f"{title}, further", further(backend, folder, options.limit))
    sys.exit(int(any(figure.met is False for figure in shown)))


if __name__ == "__main__":
    main()
