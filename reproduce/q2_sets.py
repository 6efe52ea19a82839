"""The sets of the Q² page, scored into run folders, and the metrics that it compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reproduce.pages import write_picture
from staytrue.core.protocols import Backend
from staytrue.core.records import Example, Failure, Verdict
from staytrue.runs import runner
from staytrue.runs.folder import Run
from staytrue.studies.agreement import Agreement, agreement

Q2, WITHOUT_NLI = "q2", "q2,nli=off"
PAPER, PAPER_WITHOUT_NLI = "q2,compat=paper", "q2,compat=paper,nli=off"
NLI, NLI_PAPER = "nli", "nli,score=paper"
BASELINES = ("overlap", "bleu", "embedding", NLI, NLI_PAPER)
METRICS = (Q2, WITHOUT_NLI, PAPER, PAPER_WITHOUT_NLI, "q2,coref=on", *BASELINES)
# The first version, step upon step: each adds one thing to the one before it.
FIRST = "q2,compat=paper,nli=off,fallback=none"
CUMULATIVE = {
    "base": f"{FIRST},personal=keep,top=1",
    "+ filter personal": f"{FIRST},top=1",
    "+ top-k": FIRST,
    "+ coreference": f"{FIRST},coref=dialogue",
}
# What the first version reports unless it says otherwise: one greedy question per span, personal
# ones too, token F1; responses without a valid question are left out. And with NLI.
BASE = CUMULATIVE["base"]
BASE_WITH_NLI = "q2,compat=paper,fallback=none,personal=keep,top=1"
NAMES = {
    Q2: "Q²", WITHOUT_NLI: "Q² w/o NLI", PAPER: "Q², as published",
    PAPER_WITHOUT_NLI: "Q² w/o NLI, as published", "q2,coref=on": "Q², pronouns resolved",
    "overlap": "overlap", "bleu": "BLEU", "embedding": "BERTScore-like",
    NLI: "end-to-end NLI, by probability", NLI_PAPER: "end-to-end NLI, as published",
    BASE: "Q² of the first version",
}  # fmt: skip


@dataclass(frozen=True)
class ScoredQ2Set:
    """One set, scored."""

    run: Run
    examples: list[Example]
    verdicts: dict[str, list[Verdict]]
    figures: dict[str, Agreement]


def read(source: str, limit: int | None = None) -> list[Example]:
    """The examples of a set, or the first of them."""
    examples = [item for item in runner.read_inputs([source]) if not isinstance(item, Failure)]
    return examples[:limit]


def score(
    examples: Sequence[Example], metrics: Sequence[str], folder: Path, backend: Backend
) -> ScoredQ2Set:
    """Score a set into a run folder, or take what is there, and compare with people."""
    runner.evaluate(examples, list(metrics), out=folder, backend=backend)
    run = Run(folder)
    verdicts: dict[str, list[Verdict]] = {name: [] for name in metrics}
    for verdict in run.verdicts():
        verdicts[verdict.metric].append(verdict)
    labelled = any(e.consistent is not None or e.rating is not None for e in run.examples())
    figures = agreement(run) if labelled else {}
    return ScoredQ2Set(run, list(run.examples()), verdicts, figures)


def every(examples: Sequence[Example], most: int) -> list[Example]:
    """At most so many of the examples, evenly taken."""
    step = max(1, len(examples) // most)
    return list(examples)[::step][:most]


def draw(page: Path, name: str, chart: str, what: str) -> str:
    """Write a picture and return the line that shows it."""
    write_picture(page, f"{name}.svg", chart)
    return f"![{what}](pictures/{name}.svg)\n"
