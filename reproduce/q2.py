"""Write docs/results-q2.md: `python -m reproduce.q2` (about five minutes on two idle cores).

Scores the Q² annotations, Topical-Chat and Dialogue NLI with Q², its variants and its baselines,
and sets the figures beside the paper's where they are known. Needs the data folder (STAYTRUE_DATA,
or ../shared/data). Run folders are kept in --work, so that a second call goes on where the first
one stopped. Readers of other precision are folders of exported models in CHECKPOINTS/readers
(`python -m training.export reading entailment --bits 4 --to FOLDER`), or --reader NAME=FOLDER.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Backend
from staytrue.core.records import Example, Failure, Verdict
from staytrue.plugins.registry import load_metric
from staytrue.report.lines import Line, line_chart
from staytrue.runs import runner
from staytrue.runs.folder import Run
from staytrue.stats import classification
from staytrue.stats.curve import curve
from staytrue.studies.agreement import Agreement, agreement, judged
from staytrue.studies.q2 import controls, systems

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data")) / "dev"
CHECKPOINTS = Path(os.environ.get("STAYTRUE_CHECKPOINTS", REPOSITORY.parent / "checkpoints"))
READERS = CHECKPOINTS / "readers"
PAGE = REPOSITORY / "docs" / "results-q2.md"
PICTURES = REPOSITORY / "docs" / "pictures"

Q2, WITHOUT_NLI = "q2", "q2,nli=off"
PAPER, PAPER_WITHOUT_NLI = "q2,compat=paper", "q2,compat=paper,nli=off"
BASELINES = ("overlap", "bleu", "embedding", "nli")
METRICS = (Q2, WITHOUT_NLI, PAPER, PAPER_WITHOUT_NLI, "q2,coref=on", *BASELINES)
NAMES = {
    Q2: "Q²", WITHOUT_NLI: "Q² w/o NLI", PAPER: "Q², as published",
    PAPER_WITHOUT_NLI: "Q² w/o NLI, as published", "q2,coref=on": "Q², pronouns resolved",
    "overlap": "overlap", "bleu": "BLEU", "embedding": "BERTScore-like", "nli": "end-to-end NLI",
}  # fmt: skip
# Figures of the papers, as far as their text is known to us; models of full size, whole data.
# They belong to step 5 as published; the default is read against them, too.
ACCURACY = {Q2: 0.773, PAPER: 0.773, WITHOUT_NLI: 0.731, PAPER_WITHOUT_NLI: 0.731, "nli": 0.653}
SPEARMAN = {
    Q2: 0.9798, PAPER: 0.9798, "nli": 0.9216, "overlap": 0.878, "embedding": 0.8467, "bleu": 0.3051,
}  # fmt: skip
# First version: contexts whose two responses both have a valid question.
SPEARMAN_FIRST = {PAPER: 0.9697, "overlap": 0.8736, "bleu": 0.3032}
# First version, table 2: score without NLI, with NLI; share of questions without an answer.
ABSOLUTE = {
    ("dodeca", False): (0.175, 0.233, 0.606), ("dodeca", True): (0.515, 0.669, 0.205),
    ("memnet", False): (0.079, 0.099, 0.664), ("memnet", True): (0.644, 0.722, 0.165),
}  # fmt: skip
GOLD = {False: (0.463, 0.540), True: (0.472, 0.573)}
RANDOM = {"same dialogue": 0.910, "other dialogue": 0.996}
TOPICAL = {"q2,fallback=none": (0.632, 0.591), "q2,fallback=zero": (0.677, 0.616)}
TOPICAL_OTHERS = {"METEOR (paper)": (0.391, 0.333), "USR (paper)": (0.447, 0.318)}
# Variants of the paper: coverage, simulated systems.
PAPER_VARIANTS = {
    "paper: T5-base, ALBERT-xlarge": ("86–98 %", 0.9798),
    "paper: T5-small": (None, 0.9722),
    "paper: ALBERT-base": (None, 0.9797),
}
DNLI_THRESHOLD = 0.1
DNLI_PAIRS = 900
# As many responses as the paper had a group.
CONTROL_RESPONSES = 150
# What is shown, the paper's accuracy, and the metric whose best threshold on the
# cross-annotation is used.
DNLI_METRICS = {
    "q2,personal=keep,fallback=none": ("Q²", None, Q2),
    "q2,personal=keep,fallback=none,compat=paper": ("Q², as published", 0.689, PAPER),
    "q2,personal=keep,fallback=none,compat=paper,unanswerable=discard": (
        "Q²*, as published", 0.696, PAPER,
    ),
    "q2,personal=keep,fallback=none,compat=paper,nli=off": (
        "Q² w/o NLI, as published", 0.650, PAPER_WITHOUT_NLI,
    ),
    "nli": ("NLI only", 0.531, "nli"),
}  # fmt: skip
TOPICAL_METRICS = ("q2", "q2,fallback=none", "q2,fallback=zero", "nli", "overlap", "bleu")


@dataclass(frozen=True)
class Scored:
    """One set, scored."""

    run: Run
    examples: list[Example]
    verdicts: dict[str, list[Verdict]]
    figures: dict[str, Agreement]


def read(source: str, limit: int | None = None) -> list[Example]:
    """The examples of a set, or the first of them."""
    found = [item for item in runner.read_inputs([source]) if not isinstance(item, Failure)]
    return found[:limit]


def score(
    examples: Sequence[Example], metrics: Sequence[str], folder: Path, backend: Backend
) -> Scored:
    """Score a set into a run folder, or take what is there, and compare with people."""
    runner.evaluate(examples, list(metrics), out=folder, backend=backend)
    run = Run(folder)
    verdicts: dict[str, list[Verdict]] = {name: [] for name in metrics}
    for verdict in run.verdicts():
        verdicts[verdict.metric].append(verdict)
    labelled = any(e.consistent is not None or e.rating is not None for e in run.examples())
    figures = agreement(run) if labelled else {}
    return Scored(run, list(run.examples()), verdicts, figures)


def every(examples: Sequence[Example], most: int) -> list[Example]:
    """At most so many of the examples, evenly taken."""
    step = max(1, len(examples) // most)
    return list(examples)[::step][:most]


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; None is an empty cell."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(c) for c in line) + " |" for line in lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value).replace("|", "\\|")


def percent(value: float | None) -> str | None:
    """A share as people read it."""
    return None if value is None else f"{value:.1%}"


def draw(name: str, chart: str, what: str) -> str:
    """Write a picture and return the line that shows it."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(chart, encoding="utf-8")
    return f"![{what}](pictures/{name}.svg)\n"


def response_level(cross: Scored, single: Scored) -> str:
    """ROC-AUC and accuracy of every metric on both sets."""
    rows = []
    for name in METRICS:
        cells: list[object] = [NAMES[name]]
        for scored in (cross, single):
            figures = scored.figures.get(name)
            yes_no = figures.yes_no if figures else None
            cells += [yes_no["roc_auc"], yes_no["accuracy_at_0.5"]] if yes_no else [None, None]
        rows.append([*cells, ACCURACY.get(name)])
    header = (
        "metric", "cross-annotation: ROC-AUC", "accuracy at 0.5", "response level: ROC-AUC",
        "accuracy at 0.5", "paper: accuracy at 0.5",
    )  # fmt: skip
    return table(header, rows)


def curves(cross: Scored) -> str:
    """Precision and recall over thresholds."""
    pictures = []
    for name in (Q2, WITHOUT_NLI, "nli"):
        one = judged(cross.run)[name]
        points = curve(np.array(one.scores), np.array(one.consistent, dtype=bool))
        lines = [
            Line(f"{kind} {side}", [(p.threshold, getattr(getattr(p, side), full)) for p in points],
                 dashed=side == "inconsistent")
            for side in ("consistent", "inconsistent")
            for kind, full in (("P", "precision"), ("R", "recall"))
        ]  # fmt: skip
        title = f"{NAMES[name]}: precision and recall"
        plain = "".join(c if c.isalnum() else "-" for c in name)
        pictures.append(
            draw(f"q2-curve-{plain}", line_chart(title, "threshold", "share", lines), title)
        )
    return "\n".join(pictures)


def simulated(cross: Scored) -> str:
    """Spearman of simulated systems."""
    rows, lines = [], []
    for name in METRICS:
        scores = {v.example_id: v.score for v in cross.verdicts[name]}
        pairs = systems.mixed_contexts(cross.examples, scores)
        result, apart = systems.simulate(pairs), systems.simulate(pairs, shared=False)
        rows.append(
            [NAMES[name], result.contexts, _spearman(result), _spearman(apart),
             SPEARMAN.get(name), SPEARMAN_FIRST.get(name)]
        )  # fmt: skip
        if name in (Q2, "nli", "overlap"):
            points = [(s.share, s.mean) for s in result.systems]
            band = [(s.share, s.low, s.high) for s in result.systems]
            lines.append(Line(NAMES[name], points, band))
    chart = line_chart("Simulated systems", "share of inconsistent responses", "score", lines)
    header = (
        "metric", "contexts", "Spearman [95 % of draws], one draw of contexts for all systems",
        "a draw for each system", "paper", "paper, first version",
    )  # fmt: skip
    return table(header, rows) + "\n" + draw("q2-systems", chart, "Scores of simulated systems")


def _spearman(result: systems.SystemsResult) -> str:
    return f"{result.spearman:.4f} [{result.low:.3f}, {result.high:.3f}]"


def robustness(cross: Scored) -> str:
    """Score against the share of inconsistent responses."""
    lines, rows = [], []
    for name in (Q2, WITHOUT_NLI, "overlap"):
        one = judged(cross.run)[name]
        scores, good = np.array(one.scores), np.array(one.consistent, dtype=bool)
        points = systems.robustness(scores[good], scores[~good])
        small = systems.robustness(
            scores[good], scores[~good], shares=systems.ROBUSTNESS_SMALL_SHARES
        )
        lines.append(
            Line(NAMES[name], [(p.share, p.mean) for p in points],
                 [(p.share, p.low, p.high) for p in points])
        )  # fmt: skip
        rows.append([NAMES[name], *(f"{p.mean:.3f} ±{(p.high - p.low) / 2:.3f}" for p in small)])
    chart = line_chart("Score robustness", "share of inconsistent responses", "score", lines)
    shares = [f"c = {share:.0%}" for share in systems.ROBUSTNESS_SMALL_SHARES]
    return (
        table(("metric", *shares), rows) + "\n" + draw("q2-robustness", chart, "Score robustness")
    )


def absolute(single: Scored, gold: Scored) -> str:
    """Absolute scores by system and judgement, and those of the human responses."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for example in single.examples:
        if example.consistent is not None:
            groups.setdefault((example.tags.get("system", ""), example.consistent), []).append(
                example.id
            )
    rows = []
    for (system, consistent), ids in sorted(groups.items()):
        paper = ABSOLUTE.get((system, consistent), (None, None, None))
        kind = "consistent" if consistent else "inconsistent"
        rows.append(
            [system, kind, *_group(single, set(ids)), paper[0], paper[1], percent(paper[2])]
        )
        human = {f"{i}-gold" for i in ids}
        said = GOLD.get(consistent, (None, None)) if system == "dodeca" else (None, None)
        rows.append([f"human, where {system} was", kind, *_group(gold, human), *said, None])
    header = (
        "responses", "people say", "n", "coverage", "questions", "no answer", "Q² w/o NLI", "Q²",
        "paper: w/o NLI", "paper: Q²", "paper: no answer",
    )  # fmt: skip
    return table(header, rows)


def _group(scored: Scored, ids: set[str]) -> list[object]:
    plain = controls.figures([v for v in scored.verdicts[WITHOUT_NLI] if v.example_id in ids])
    full = controls.figures([v for v in scored.verdicts[Q2] if v.example_id in ids])
    covered = full.covered / full.responses if full.responses else None
    return [
        full.responses, percent(covered), full.questions, percent(full.unanswered),
        plain.question_score, full.question_score,
    ]  # fmt: skip


def variants(cross: Scored, smaller: dict[str, Scored]) -> str:
    """Coverage and correlation of Q²'s variants, and of smaller parts."""
    rows = []
    for name, scored, metric in (
        ("default: 5 questions a span", cross, Q2),
        ("as published, step 5", cross, PAPER),
        ("pronouns resolved first", cross, "q2,coref=on"),
        *((other, one, metric) for other, one in smaller.items() for metric in one.verdicts),
    ):
        verdicts = scored.verdicts[metric]
        figures = controls.figures(verdicts)
        scores = {v.example_id: v.score for v in verdicts}
        result = systems.simulate(systems.mixed_contexts(scored.examples, scores))
        yes_no = scored.figures[metric].yes_no
        auc = yes_no["roc_auc"].value if yes_no else None
        cover = percent(figures.covered / figures.responses)
        rows.append([name, cover, figures.questions, auc, round(result.spearman, 4)])
    rows += [[name, cover, None, None, rho] for name, (cover, rho) in PAPER_VARIANTS.items()]
    return table(("variant", "coverage", "questions", "ROC-AUC", "simulated systems"), rows)


def random_knowledge(single: Scored, work: Path, backend: Backend) -> str:
    """What is still answered when the knowledge is not the response's own."""
    rows = []
    own = controls.figures(single.verdicts[Q2])
    chosen = {e.id for e in every(single.examples, CONTROL_RESPONSES)}
    rows.append(
        ["own", own.responses, own.questions, percent(own.unanswered), own.question_score, None]
    )
    for kind, paper in RANDOM.items():
        changed = controls.with_random_knowledge(single.examples, kind)
        changed = [e for e in changed if e.id in chosen]
        scored = score(changed, [Q2], work / kind.replace(" ", "-"), backend)
        f = controls.figures(scored.verdicts[Q2])
        rows.append(
            [
                kind,
                f.responses,
                f.questions,
                percent(f.unanswered),
                f.question_score,
                percent(paper),
            ]
        )
    header = ("knowledge", "responses", "questions", "no answer", "Q²", "paper: no answer")
    length = controls.lengths(single.examples)
    rows_length = [
        [g.group, g.responses, round(g.characters, 1), round(g.tokens, 1)] for g in length
    ]
    found = controls.length_correlation(single.examples, single.verdicts[Q2])
    return (
        table(header, rows)
        + "\nLength of the responses, by human judgement:\n\n"
        + table(("people say", "responses", "characters", "tokens"), rows_length)
        + f"\nSpearman of a response's tokens and its Q² score: {found or 0:.3f}.\n"
    )


def topical_chat(scored: Scored) -> str:
    """Correlation with "Uses Knowledge"."""
    rows = []
    for name, one in scored.figures.items():
        graded = one.graded or {}
        paper = TOPICAL.get(name, (None, None))
        rows.append([name, graded.get("n"), graded.get("spearman"), graded.get("pearson"), *paper])
    rows += [[name, None, None, None, *paper] for name, paper in TOPICAL_OTHERS.items()]
    return table(("metric", "n", "Spearman", "Pearson", "paper: Spearman", "paper: Pearson"), rows)


def dialogue_nli(
    work: Path, backend: Backend, tuned: Mapping[str, float], limit: int | None
) -> str:
    """Accuracy at the paper's threshold, and at the one that is best on the cross-annotation."""
    examples = [
        replace(e, consistent=e.label == "entailment")
        for e in read(f"dnli:{DATA / 'dnli_dev.jsonl.gz'}", limit or DNLI_PAIRS)
    ]
    plain = {e.id for e in examples if e.label != "neutral"}
    right = {e.id: bool(e.consistent) for e in examples}
    scored = score(examples, list(DNLI_METRICS), work / "dnli", backend)
    rows = []
    for name, (shown, paper, like) in DNLI_METRICS.items():
        found = {v.example_id: v.score for v in scored.verdicts[name] if v.score is not None}
        cells: list[object] = [shown]
        for ids in (plain, right.keys()):
            kept = [i for i in found if i in ids]
            scores = np.array([found[i] for i in kept], dtype=float)
            good = np.array([right[i] for i in kept])
            cells += [
                percent(len(kept) / len(ids)),
                classification.accuracy(scores, good, DNLI_THRESHOLD),
                classification.accuracy(scores, good, tuned[like]),
            ]
        rows.append([*cells, paper])
    header = (
        "metric", "not neutral: coverage", f"accuracy at {DNLI_THRESHOLD}",
        "at the metric's best threshold on the cross-annotation", "all pairs: coverage",
        f"accuracy at {DNLI_THRESHOLD}", "at that threshold", "paper: not neutral, at 0.1",
    )  # fmt: skip
    return table(header, rows)


def page(work: Path, readers: dict[str, str], limit: int | None) -> str:
    """Score everything and write the page."""
    backend = CachedBackend(EmbeddedBackend())
    cross_examples = read(f"q2:{DATA / 'q2_cross_annotation.jsonl.gz'}", limit)
    cross = score(cross_examples, METRICS, work / "cross", backend)
    single_examples = read(f"q2:{DATA / 'q2_response_level.jsonl.gz'}", limit)
    single = score(single_examples, (Q2, WITHOUT_NLI, PAPER, *BASELINES), work / "single", backend)
    human = [
        replace(e, id=f"{e.id}-gold", response=e.tags.get("gold", ""), consistent=None)
        for e in every(single.examples, CONTROL_RESPONSES)
    ]
    gold = score(human, (Q2, WITHOUT_NLI), work / "gold", backend)
    smaller = {
        "1 question a span": score(cross_examples, ["q2,top=1"], work / "top1", backend),
        **{
            f"reader: {name}": score(
                cross_examples, [Q2], work / f"reader-{name}",
                CachedBackend(EmbeddedBackend(folder=folder)),
            )
            for name, folder in readers.items()
        },
    }  # fmt: skip
    facts = [
        e for e in read(f"usr:{DATA / 'usr_topical_chat.jsonl.gz'}", limit) if e.knowledge.strip()
    ]
    topical = score(facts, TOPICAL_METRICS, work / "topical", backend)
    tuned = {
        name: float(one.yes_no["best_threshold"])
        for name, one in cross.figures.items()
        if one.yes_no
    }
    used = (*METRICS, "q2,top=1", *TOPICAL_METRICS, *DNLI_METRICS)
    signatures = {load_metric(name, backend=backend).signature for name in used}
    parts = [
        "# Q²: results\n",
        "Written by `python -m reproduce.q2`; do not edit. Our figures are on the dev half of "
        "each set, with the models that ship with the product; the papers' are on the whole data "
        "with models a hundred times the size. An empty cell: the paper's figure is not known to "
        "us. Brackets hold seeded 95 % bootstrap intervals.\n",
        "“As published” is `compat=paper`: answers are compared by label, pronouns as words. By "
        "default, where answers differ or there is none, half of a question's score is whether "
        "the knowledge entails the sentence.\n",
        "## Response level\n", response_level(cross, single), curves(cross),
        "## System level: simulated systems\n",
        "The papers do not say whether all systems of a repetition answer the same drawn contexts. "
        "The first figure draws once for all of them, the second for each of them anew; "
        "`staytrue agree RUN --systems` prints the first.\n",
        simulated(cross),
        "## Score robustness (first version)\n", robustness(cross),
        "## Absolute scores (response-level set)\n", absolute(single, gold),
        "## Variants and smaller parts\n", variants(cross, smaller),
        "## Controls\n", random_knowledge(single, work, backend),
        "## Topical-Chat, “Uses Knowledge”\n", topical_chat(topical),
        "## Dialogue NLI\n",
        f"The first {DNLI_PAIRS} pairs: those that are not neutral, as in the first version, and "
        "all of them, neutral counted as inconsistent, as in the second. Our entailment model saw "
        "training pairs of Dialogue NLI; the paper's models did not.\n",
        dialogue_nli(work, backend, tuned, limit),
        "## Signatures\n", "\n".join(f"- `{s}`" for s in sorted(signatures)) + "\n",
    ]  # fmt: skip
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=REPOSITORY / "runs" / "results-q2")
    parser.add_argument("--reader", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--limit", type=int, help="only the first N examples of each set")
    arguments = parser.parse_args()
    start = time.monotonic()
    kept = sorted(path for path in READERS.glob("*") if (path / "models.json").exists())
    readers = {path.name: str(path) for path in kept}
    readers |= dict(item.split("=", 1) for item in arguments.reader)
    PAGE.write_text(page(arguments.work, readers, arguments.limit), encoding="utf-8")
    print(f"{PAGE} in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
