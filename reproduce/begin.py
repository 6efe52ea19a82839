"""Write docs/results-begin.md: `python -m reproduce.begin` (about five minutes on two cores).

Scores BEGIN's dev sets and the Q² cross-annotation with every part and with the headline score,
and sets the figures beside the paper's. Needs the data folder (STAYTRUE_DATA, or ../shared/data).
Variants of the classifier (other training data) are folders of exported models in
CHECKPOINTS/variants; of one that is absent the page keeps its row and picture.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from reproduce.begin_figures import confusion_svg
from reproduce.begin_rows import AccuracyRow, kept_row, row, three_way
from reproduce.pages import (
    DATA,
    REPOSITORY,
    drop_old_pictures,
    signatures,
    significance,
    table,
    weights,
    write_picture,
)
from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.begin_labels import COARSE_LABELS, LABELS
from staytrue.core.records import Example, Verdict
from staytrue.core.text import words
from staytrue.metrics.begin import Begin
from staytrue.metrics.nli import EndToEndNli
from staytrue.runs import runner
from staytrue.runs.folder import Run
from staytrue.stats import classification, intervals
from staytrue.stats.bootstrap import paired
from staytrue.stats.intervals import Interval
from staytrue.stats.ranks import ranks

CHECKPOINTS = Path(os.environ.get("STAYTRUE_CHECKPOINTS", REPOSITORY.parent / "checkpoints"))
PAGE = REPOSITORY / "docs" / "results-begin.md"
AUC_HEADER = ("metric", "ROC-AUC [95 %]", "accuracy at 0.5", "consistency is better by")
HEADLINE = "consistency,generic=score"  # the benchmarks count responses without a claim
# The default weighs the classes by the shares of this very set.
BALANCED = "begin,prior=balanced"
METRICS = ("overlap", "nli", BALANCED, "q2,compare=answers", HEADLINE)
LATER_METRICS = ("overlap", "nli", BALANCED)
ALL_WORDS = "overlap,stopwords=keep"
PUBLISHED, NLI_PUBLISHED = "begin,compat=paper", "nli,score=paper"
NO_LABEL = "no label"
SIZE: Literal["small"] = "small"
# Token overlap above this is "entailment" for the trivial rule, all else "hallucination".
OVERLAP_RULE = 0.3
# Dev set, table 3 of the paper: 3-way accuracy and macro-F1, 5-way accuracy and macro-F1.
PAPER: dict[str, tuple[float | None, ...]] = {
    "paper: BERT, DNLI": (0.507, 0.339, None, None),
    "paper: BERT, MNLI": (0.672, 0.483, None, None),
    "paper: BERT, silver": (0.709, 0.485, 0.437, 0.308),
    "paper: BERT, MNLI + silver": (0.696, 0.504, 0.464, 0.335),
    "paper: T5, DNLI": (0.512, 0.338, None, None),
    "paper: T5, MNLI": (0.691, 0.503, None, None),
    "paper: T5, silver": (0.693, 0.505, 0.452, 0.324),
    "paper: T5, MNLI + silver": (0.710, 0.526, 0.455, 0.335),
}
NEGATIVE = frozenset("not never no none nothing nobody n t isnt dont didnt doesnt wasnt".split())
LATER = ("wow", "cmu", "tc")


@dataclass(frozen=True)
class ScoredBeginSet:
    """One set, scored: examples and, for each metric, its verdicts in the same order."""

    run: Run
    examples: list[Example]
    verdicts: dict[str, list[Verdict]]

    def labels(self, metric: str) -> list[str]:
        return [verdict.label or "" for verdict in self.verdicts[metric]]

    def scores(self, metric: str) -> list[float | None]:
        return [verdict.score for verdict in self.verdicts[metric]]

    def arrays(self, *metrics: str) -> tuple[list[np.ndarray], np.ndarray]:
        """Scores of several metrics and the human yes/no, where all of them have a score."""
        columns = [self.scores(metric) for metric in metrics]
        kept = [
            n for n, e in enumerate(self.examples)
            if e.consistent is not None and all(column[n] is not None for column in columns)
        ]  # fmt: skip
        truth = np.array([bool(self.examples[n].consistent) for n in kept])
        return [np.array([column[n] for n in kept], dtype=float) for column in columns], truth


def score(
    source: str, folder: Path, metrics: Sequence[str], limit: int | None = None
) -> ScoredBeginSet:
    items = [item for item in runner.read_inputs([source]) if isinstance(item, Example)][:limit]
    # The metrics ask much alike: remembered answers halve the time.
    shared = CachedBackend(EmbeddedBackend(size=SIZE))
    runner.evaluate(items, metrics, out=folder, backend=shared)
    run = Run(folder)
    examples = list(run.examples())
    by_id: dict[str, dict[str, Verdict]] = {metric: {} for metric in metrics}
    for verdict in run.verdicts():
        by_id[verdict.metric][verdict.example_id] = verdict
    verdicts = {metric: [by_id[metric][e.id] for e in examples] for metric in metrics}
    return ScoredBeginSet(run, examples, verdicts)


# The table of the paper.


def trivial(scored: ScoredBeginSet, metric: str) -> list[str]:
    return [
        "entailment" if (value or 0.0) > OVERLAP_RULE else "hallucination"
        for value in scored.scores(metric)
    ]


def variant(name: str) -> EmbeddedBackend | None:
    """The models of `training.variants`, if they were trained."""
    folder = CHECKPOINTS / "variants" / name
    return EmbeddedBackend(folder=str(folder)) if (folder / "models.json").exists() else None


def dnli_row(first: ScoredBeginSet, actual: Sequence[str], file: Path) -> AccuracyRow:
    backend, name = variant("dnli"), "ours: DNLI only"
    if backend is None:
        return kept_row(name, file)
    labels = [v.label or "" for v in EndToEndNli(backend, score="paper").judge(first.examples)]
    draw(file, "DNLI only", labels, actual, "begin-dnli.svg")
    return row(name, actual, None, labels)


def silver_row(first: ScoredBeginSet, actual: Sequence[str], file: Path) -> AccuracyRow:
    backend, name = variant("silver"), "ours: silver only"
    if backend is None:
        return kept_row(name, file)
    five, three = (
        [v.label or "" for v in Begin(backend, compat="paper", classes=n).judge(first.examples)]
        for n in (5, 3)
    )
    draw(file, "silver only", five, actual, "begin-silver.svg")
    return row(name, actual, five, three)


def our_rows(first: ScoredBeginSet, file: Path) -> list[AccuracyRow]:
    actual = [e.label or "" for e in first.examples]
    rows = []
    for name, metric in (("", "overlap"), (", stop words kept", ALL_WORDS)):
        rule = trivial(first, metric)
        name = f"**trivial rule: overlap > {OVERLAP_RULE}{name}**"
        rows.append(row(name, actual, rule, three_way(rule)))
    rows += [dnli_row(first, actual, file), silver_row(first, actual, file)]
    rows.append(
        row(f"ours: NLI only (`{NLI_PUBLISHED}`)", actual, None, first.labels(NLI_PUBLISHED))
    )
    for name, spec in (
        (f"ours: NLI + silver, as published (`{PUBLISHED}`)", PUBLISHED),
        (f"**ours: NLI + silver, corrected (`{BALANCED}`)**", BALANCED),
        ("ours, knowing this set's label shares (`begin`)", "begin"),
    ):
        five, three = first.labels(spec), first.labels(f"{spec},classes=3")
        rows.append(row(name, actual, five, three))
    return rows


def draw(
    page: Path, title: str, predicted: Sequence[str], actual: Sequence[str], file: str
) -> None:
    told = [label or NO_LABEL for label in predicted]
    columns: tuple[str, ...] = COARSE_LABELS if "neutral" in told else LABELS
    if NO_LABEL in told:
        columns = (*columns, NO_LABEL)
    counts = Counter(zip(actual, told, strict=True))
    matrix = [[counts[a, p] for p in columns] for a in LABELS]
    write_picture(page, file, confusion_svg(title, LABELS, columns, matrix))


# Pieces of the page.


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def auc(scored: ScoredBeginSet, metric: str) -> Interval:
    (scores,), truth = scored.arrays(metric)
    return intervals.roc_auc(scores, truth)


def auc_rows(scored: ScoredBeginSet) -> list[list[object]]:
    rows: list[list[object]] = []
    for metric in METRICS:
        (own,), right = scored.arrays(metric)
        tested = "–"
        if metric != HEADLINE:
            (ours, theirs), truth = scored.arrays(HEADLINE, metric)
            ours, theirs = ranks(ours), ranks(theirs)

            def statistic(
                scores: np.ndarray, i: np.ndarray, truth: np.ndarray = truth
            ) -> float | None:
                return classification.roc_auc(scores[i], truth[i])

            test = paired(statistic, ours, theirs)
            if test is not None:
                tested = f"{test.difference.value:+.3f} (p = {test.p_bootstrap:.3f})"
        rows.append(
            [
                f"`{metric}`",
                auc(scored, metric),
                number(classification.accuracy(own, right)),
                tested,
            ]
        )
    return rows


def beaten(rows: Sequence[Sequence[object]]) -> str:
    """Say plainly which parts the headline score beats, which beat it, and which do neither."""
    groups: dict[str, list[str]] = {"better than": [], "worse than": [], "neither": []}
    for metric, _, _, tested in rows[:-1]:
        difference, _, p = str(tested).partition(" (p = ")
        how = "better than" if difference.startswith("+") else "worse than"
        clear = p and float(p.rstrip(")")) < 0.05
        groups[how if clear else "neither"].append(str(metric))
    return significance("`consistency`", groups, " (p < 0.05)")


def calibration_error(scored: ScoredBeginSet, metric: str) -> float:
    pairs = [
        (s, bool(e.consistent))
        for s, e in zip(scored.scores(metric), scored.examples, strict=True)
        if s is not None
    ]
    values, truth = np.array([p for p, _ in pairs]), np.array([t for _, t in pairs], dtype=float)
    bins = np.minimum((values * 10).astype(int), 9)
    gaps = [
        abs(values[bins == b].mean() - truth[bins == b].mean()) * np.mean(bins == b)
        for b in range(10)
        if (bins == b).any()
    ]
    return float(sum(gaps))


def error_types(first: ScoredBeginSet) -> list[list[object]]:
    """Where the published classifier errs: misleading words, negations, personal statements."""
    groups: dict[str, Callable[[Example, float], bool]] = {
        "all": lambda e, o: True,
        "hallucination with overlap above 0.6": lambda e, o: e.label == "hallucination" and o > 0.6,
        "hallucination with overlap up to 0.6": lambda e, o: (
            e.label == "hallucination" and o <= 0.6
        ),
        "entailment with overlap up to 0.3": lambda e, o: e.label == "entailment" and o <= 0.3,
        "response has a negation": lambda e, o: not NEGATIVE.isdisjoint(words(e.response)),
        "response speaks in the first person": lambda e, o: (
            not {"i", "my", "me"}.isdisjoint(words(e.response))
        ),
    }
    rows = []
    for name, belongs in groups.items():
        picked = [
            (label, e.label)
            for e, label, o in zip(
                first.examples, first.labels(PUBLISHED), first.scores("overlap"), strict=True
            )
            if belongs(e, o or 0.0)
        ]
        if not picked:
            continue
        right = np.mean([p == a for p, a in picked])
        commonest = Counter(p for p, a in picked if p != a).most_common(1)
        wrong = f"{commonest[0][0]} ({commonest[0][1]})" if commonest else "–"
        rows.append([name, len(picked), f"{right:.2f}", wrong])
    return rows


def mixed_content(first: ScoredBeginSet) -> list[list[object]]:
    """What else the annotators said of each class: invented content, cooperativeness."""
    rows = []
    for label in LABELS:
        sets = [
            e.tags.get("full_labels", "").split(";") for e in first.examples if e.label == label
        ]
        if not sets:
            continue
        invented = np.mean([any(part.startswith("hallucination") for part in s) for s in sets])
        helpful = np.mean(["cooperative" in s for s in sets])
        rows.append([label, len(sets), f"{invented:.0%}", f"{helpful:.0%}"])
    return rows


def page(
    first: ScoredBeginSet,
    later: dict[str, ScoredBeginSet],
    cross: ScoredBeginSet,
    rows: list[AccuracyRow],
) -> str:
    header = ["training data", "3-way acc", "3-way F1", "5-way acc", "5-way F1"]
    paper = [AccuracyRow(name, values) for name, values in PAPER.items()]
    human = AccuracyRow("humans (paper)", (0.90, None, 0.75, None))
    body = [[r.name, *map(number, r.figures)] for r in [*paper, *rows, human]]
    on_begin, on_cross = auc_rows(first), auc_rows(cross)
    errors = [calibration_error(one, HEADLINE) for one in (first, cross)]
    by_source = [later_row(name, one) for name, one in later.items()]
    silver = (REPOSITORY / "docs" / "silver.md").read_text("utf-8")
    return f"""# Results: BEGIN and the headline score

Generated by `python -m reproduce.begin`; do not edit. All figures are on dev sets, which chose
between variants but were never trained on.

{weights(SIZE)}
## The paper's table, on BEGIN v1 dev ({len(first.examples)} responses)

The trivial rule calls a response entailed when its token overlap with the evidence is above
{OVERLAP_RULE}, and a hallucination otherwise. Read every figure beside it. How words are split and
which stop words are dropped moves it by a point or two.

{table(header, body)}

The bold row is the one to compare: it knows nothing of how common each class is. `begin` itself
weighs the classes as table 1 of the paper counts them (`prior=typical`), which are the shares of
this very dev set, so its row flatters it here. `compat=paper` is the paper's way: the classifier
alone on evidence, previous turn and the whole response, its most probable class, no prior and no
correction. In the other two, a small regression on silver data corrects the classifier
by the entailment model and by the copied words (`corrected=on`). A row without figures is a variant
that has not been trained. Macro-F1 counts all classes, also contradiction with its 5 responses.

{silver_differs(rows)}

{pictures(rows)}

Rows are human labels; the classifiers are those of the table that know no label shares. The paper's
figure 2 shows the same for its models.

## How well scores separate entailed responses (ROC-AUC)

BEGIN v1 dev. The last column: `consistency` minus the part, paired bootstrap.

{table(AUC_HEADER, on_begin)}

{beaten(on_begin)}

Q² cross-annotation, dev half ({len(cross.examples)} responses):

{table(AUC_HEADER, on_cross)}

{beaten(on_cross)}

Expected calibration error of `consistency`: {errors[0]:.3f} on BEGIN v1 dev, {errors[1]:.3f} on the
Q² cross-annotation. Its weights come from other data (`python -m training.headline`), whose share
of entailed responses is not that of these sets.

## Errors, as in section 6 of the paper

Of `{PUBLISHED}`, the five-way classifier that knows no label shares.

{table(["responses", "n", "right label", "commonest wrong label"], error_types(first))}

What the annotators said besides the label. The paper gives 78 % invented content for generic and
71 % for off-topic responses.

{table(["label", "n", "also invented or personal", "cooperative"], mixed_content(first))}

## The later release: three labels, three sources

Other data and other labels; its figures are not to be mixed with those above. ROC-AUC for
"fully attributable":

{table(["source", "n", *(f"`{m}`" for m in LATER_METRICS)], by_source)}

{silver}
{signatures(first.run.signatures.values())}"""


def silver_differs(rows: Sequence[AccuracyRow]) -> str:
    """In words: other silver rows than the paper's, and what a rule without a model reaches."""
    ours = next(one.figures[0] for one in rows if PUBLISHED in one.name)
    rules = [one.figures[0] or 0.0 for one in rows if "trivial rule" in one.name]
    best = max(figures[0] or 0.0 for figures in PAPER.values())
    return (
        "Our classifier is not the paper's on the same data: its silver rows come from Wikipedia, "
        "FEVER's claims and human dialogues, the paper's from Wizard of Wikipedia and GPT-2. On "
        f"three classes it has an accuracy of {number(ours)}, the better trivial rule "
        f"{number(max(rules))}, the paper's best model {number(best)}."
        + (" The rule, too, is above the paper's models." if max(rules) > best else "")
    )


def pictures(rows: Sequence[AccuracyRow]) -> str:
    """The matrices of all that has figures."""
    known = {row.name for row in rows if any(value is not None for value in row.figures)}
    shown = {
        "NLI only": "nli",
        "DNLI only": "dnli",
        "silver only": "silver",
        "NLI + silver": "both",
    }
    return " ".join(
        f"![{title}](pictures/begin-{name}.svg)"
        for title, name in shown.items()
        if name in ("nli", "both") or f"ours: {title}" in known
    )


def later_row(name: str, scored: ScoredBeginSet) -> list[object]:
    return [name, len(scored.examples), *(auc(scored, metric) for metric in LATER_METRICS)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="keep the runs here and resume from them")
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write the page")
    parser.add_argument("--limit", type=int, help="only the first N examples of each set")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or Path(scratch)
        first = score(
            f"begin:{DATA / 'begin_v1_dev.jsonl.gz'}",
            work / "begin-1",
            [
                *METRICS,
                ALL_WORDS,
                NLI_PUBLISHED,
                "begin,classes=3",
                PUBLISHED,
                f"{PUBLISHED},classes=3",
                "begin",
                f"{BALANCED},classes=3",
            ],
            options.limit,
        )
        later = {
            name: score(
                f"begin:{DATA / f'begin_v2_dev_{name}.jsonl.gz'}",
                work / f"begin-2-{name}",
                LATER_METRICS,
                options.limit,
            )
            for name in LATER
        }
        cross = score(
            f"q2:{DATA / 'q2_cross_annotation.jsonl.gz'}", work / "q2", METRICS, options.limit
        )
        actual = [e.label or "" for e in first.examples]
        draw(options.page, "NLI only", first.labels(NLI_PUBLISHED), actual, "begin-nli.svg")
        draw(options.page, "NLI + silver", first.labels(PUBLISHED), actual, "begin-both.svg")
        rows = our_rows(first, options.page)
        text = page(first, later, cross, rows)
        options.page.write_text(text, encoding="utf-8")
        drop_old_pictures(options.page, "begin")
    print(f"Wrote {options.page}.")


if __name__ == "__main__":
    main()
