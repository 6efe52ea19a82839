"""The Q² page's tables beyond Wizard of Wikipedia: controls, Topical-Chat, Dialogue NLI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from reproduce.pages import percent, table
from reproduce.q2_sets import DATA, NLI, NLI_PAPER, PAPER, Q2, Scored, every, read, score
from staytrue.core.protocols import Backend
from staytrue.core.records import Example, Failure
from staytrue.datasets.files import rows as file_rows
from staytrue.stats import classification
from staytrue.stats.annotators import fleiss_kappa
from staytrue.stats.thresholds import cross_validated_accuracy
from staytrue.studies.agreement import paired_tests
from staytrue.studies.q2 import controls

RANDOM = {"same dialogue": 0.910, "other dialogue": 0.996}
# As many responses as the paper had per group.
CONTROL_RESPONSES = 150

ORIGINAL = "Original Ground Truth"
COVERED, UNCOVERED_ZERO = f"{PAPER},fallback=none", f"{PAPER},fallback=zero"
TOPICAL_METRICS = (
    Q2, PAPER, COVERED, UNCOVERED_ZERO, NLI, NLI_PAPER, "overlap", "bleu",
)  # fmt: skip
# First version, 312 responses. The conference version's table 5 is cut in our text.
TOPICAL = {COVERED: (0.632, 0.591), UNCOVERED_ZERO: (0.677, 0.616)}
TOPICAL_OTHERS = {"METEOR (paper)": (0.391, 0.333), "USR (paper)": (0.447, 0.318)}
TOPICAL_BASELINES = (NLI, NLI_PAPER, "overlap", "bleu")

DNLI_THRESHOLD = 0.1
DNLI_PAIRS = 900
# What is shown and the first version's accuracy on pairs that are not neutral.
_DNLI = "q2,personal=keep,fallback=none"
DNLI_METRICS = {
    _DNLI: ("Q²", None),
    f"{_DNLI},compat=paper": ("Q², as published", 0.689),
    f"{_DNLI},compat=paper,unanswerable=discard": ("Q²*, as published", 0.696),
    f"{_DNLI},compat=paper,nli=off": ("Q² w/o NLI, as published", 0.650),
}
DNLI_BASELINES = {
    NLI_PAPER: ("NLI only, as published: by label", 0.531),
    NLI: ("NLI only, by probability", None),
}


def random_knowledge(single: Scored, work: Path, backend: Backend) -> str:
    """What is still answered when the knowledge is not the response's own."""
    rows: list[list[object]] = []
    own = controls.figures(single.verdicts[Q2])
    chosen = {e.id for e in every(single.examples, CONTROL_RESPONSES)}
    rows.append(
        ["own", own.responses, own.questions, percent(own.unanswered), own.question_score, None]
    )
    for kind, paper in RANDOM.items():
        changed = controls.with_random_knowledge(single.examples, kind)
        changed = [e for e in changed if e.id in chosen]
        cells: list[object] = [0, 0, None, None]
        if changed:
            scored = score(changed, [Q2], work / kind.replace(" ", "-"), backend)
            f = controls.figures(scored.verdicts[Q2])
            cells = [f.responses, f.questions, percent(f.unanswered), f.question_score]
        rows.append([kind, *cells, percent(paper)])
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


def topical_chat(work: Path, backend: Backend, limit: int | None) -> str:
    """Correlation with "Uses Knowledge": six responses per context, then five, then tests."""
    source = DATA / "usr_topical_chat.jsonl.gz"
    facts = [e for e in read(f"usr:{source}", limit) if e.knowledge.strip()]
    settings = {
        "all six responses (first version)": ("topical", facts, TOPICAL),
        "five, without the original human one (conference version)": (
            "topical-five", [e for e in facts if e.tags.get("system") != ORIGINAL], {},
        ),
    }  # fmt: skip
    parts = []
    for title, (folder, examples, paper) in settings.items():
        scored = score(examples, TOPICAL_METRICS, work / folder, backend)
        rows: list[list[object]] = []
        for name, one in scored.figures.items():
            graded = one.graded or {}
            cells = [graded.get("n"), graded.get("spearman"), graded.get("pearson")]
            rows.append([name, *cells, *paper.get(name, (None, None))])
        if paper:
            rows += [[name, None, None, None, *other] for name, other in TOPICAL_OTHERS.items()]
        header = ("metric", "n", "Spearman", "Pearson", "paper: Spearman", "paper: Pearson")
        parts += [f"With {title}:\n", table(header, rows)]
    parts += [significance(scored), annotators(source)]
    return "\n".join(parts)


def significance(scored: Scored) -> str:
    """Is Q² better than each baseline by more than chance? The paper says p < 0.001."""
    asked = [(q2, other) for q2 in (Q2, PAPER) for other in TOPICAL_BASELINES]
    rows = [
        [test.a, test.b, test.n, test.test.difference if test.test else None, test.p,
         test.williams.p if test.williams else None]
        for test in paired_tests(scored.run, asked)
    ]  # fmt: skip
    header = ("metric", "baseline", "n", "difference of Spearman", "p (Holm)", "Williams' p")
    return (
        "Is the difference more than chance? With five responses, by a paired randomisation test "
        "corrected for the number of tests, and by Williams' test. The paper reports p < 0.001 "
        "against its baselines.\n\n" + table(header, rows)
    )


def annotators(source: Path) -> str:
    """Fleiss' κ of the three people who judged "Uses Knowledge"."""
    ratings = [
        row.values["Uses Knowledge"]
        for row in file_rows(str(source))
        if not isinstance(row, Failure) and len(row.values.get("Uses Knowledge") or []) == 3
    ]
    kappa = fleiss_kappa(ratings).value
    return (
        f"Fleiss' κ of the three annotators of “Uses Knowledge”: {kappa:.3f} ({len(ratings)} "
        "responses). For its own annotations the paper reports 0.853 on 100 responses; its "
        "annotators' single votes are not published.\n"
    )


def dialogue_nli(work: Path, backend: Backend, limit: int | None) -> str:
    """Accuracy at the paper's threshold, and at each metric's own best one."""
    examples = [
        replace(e, consistent=e.label == "entailment")
        for e in read(f"dnli:{DATA / 'dnli_dev.jsonl.gz'}", limit or DNLI_PAIRS)
    ]
    plain = [e for e in examples if e.label != "neutral"]
    shown = {**DNLI_METRICS, **DNLI_BASELINES}
    scored = score(examples, list(shown), work / "dnli", backend)
    rows = []
    for name, (title, paper) in shown.items():
        cells: list[object] = [title]
        for pairs in (plain, examples):
            cells += _dnli_cells(scored, name, pairs)
        rows.append([*cells, paper])
    header = (
        "metric", "not neutral: coverage", "accuracy, the paper's decision",
        "at its best threshold", "all pairs: coverage", "accuracy, the paper's decision",
        "at its best threshold", "paper: not neutral",
    )  # fmt: skip
    return table(header, rows)


def _dnli_cells(scored: Scored, name: str, pairs: Sequence[Example]) -> list[object]:
    verdicts = {v.example_id: v for v in scored.verdicts[name]}
    kept = [e for e in pairs if e.id in verdicts and verdicts[e.id].score is not None]
    scores = np.array([verdicts[e.id].score for e in kept], dtype=float)
    good = np.array([bool(e.consistent) for e in kept])
    if name in DNLI_BASELINES:
        # The paper's NLI decides by its label; neutral pairs may be neutral or contradicting.
        right = [
            verdicts[e.id].label == e.label
            or (e.label == "neutral" and verdicts[e.id].label == "contradiction")
            for e in kept
        ]
        decided = sum(right) / len(right) if right else None
    else:
        decided = classification.accuracy(scores, good, DNLI_THRESHOLD)
    best = cross_validated_accuracy(scores, good)
    return [percent(len(kept) / len(pairs)) if pairs else None, decided, best]
