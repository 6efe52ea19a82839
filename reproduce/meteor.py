"""METEOR on Topical-Chat beside the first version of Q²: `python -m reproduce.meteor`.

Writes its section of docs/results-q2.md; needs nltk (extra `dev`) and the data folder
(STAYTRUE_DATA, or ../shared/data).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reproduce.pages import DATA, REPOSITORY, put_section, table
from reproduce.q2_sets import read
from staytrue.core.records import Example
from staytrue.core.text import words
from staytrue.stats import correlation
from staytrue.stats.bootstrap import interval
from staytrue.stats.intervals import Interval

SECTION = "METEOR on Topical-Chat"
PAGE = REPOSITORY / "docs" / "results-q2.md"
ORIGINAL = "Original Ground Truth"
# Table 6 of the first version, which takes it from the paper on USR.
PAPER = ("0.391", "0.333")


class NoSynonyms:
    """In place of WordNet, in which nltk looks up stems instead of words and finds hardly any."""

    def synsets(self, word: str) -> list[Any]:
        """None."""
        return []


def meteor(reference: str, response: str) -> float:
    """METEOR (Banerjee and Lavie, 2005) of one response by nltk, with its usual constants."""
    from nltk.translate.meteor_score import single_meteor_score

    return float(single_meteor_score(words(reference), words(response), wordnet=NoSynonyms()))


def originals(examples: Sequence[Example]) -> dict[tuple[object, str], str]:
    """What the person said in each context."""
    return {
        (e.history, e.knowledge): e.response for e in examples if e.tags.get("system") == ORIGINAL
    }


def correlations(
    examples: Sequence[Example], references: Sequence[str]
) -> tuple[Interval, Interval]:
    """Spearman and Pearson with the ratings, contexts drawn together."""
    scores = np.array([meteor(r, e.response) for e, r in zip(examples, references, strict=True)])
    ratings = np.array([e.rating for e in examples], dtype=float)
    groups = [repr((e.history, e.knowledge)) for e in examples]

    def on(measure: Any, rows: np.ndarray) -> float | None:
        value: float | None = measure(scores[rows], ratings[rows])
        return value

    spearman, pearson = (
        interval(partial(on, measure), len(scores), groups=groups)
        for measure in (correlation.spearman, correlation.pearson)
    )
    return spearman, pearson


def section(data: Path = DATA) -> list[str]:
    """The section: against the original human response and against the fact."""
    examples = [
        e for e in read(f"usr:{data / 'usr_topical_chat.jsonl.gz'}") if e.rating is not None
    ]
    said = originals(examples)
    facts = [e for e in examples if e.knowledge.strip()]
    without_original = [e for e in facts if e.tags.get("system") != ORIGINAL]
    settings: list[tuple[str, Literal["human", "fact"], list[Example], tuple[str, str]]] = [
        ("all six responses, every context (as in the paper)", "human", examples, PAPER),
        ("all six, contexts with a fact", "human", facts, ("", "")),
        ("five without the original, contexts with a fact", "human", without_original, ("", "")),
        ("all six, contexts with a fact", "fact", facts, ("", "")),
        ("five without the original, contexts with a fact", "fact", without_original, ("", "")),
    ]
    rows = []
    for title, kind, chosen, paper in settings:
        references = [
            said[e.history, e.knowledge] if kind == "human" else e.knowledge for e in chosen
        ]
        figures = correlations(chosen, references)
        against = "the original human response" if kind == "human" else "the fact"
        rows.append((against, title, len(chosen), *map(str, figures), *paper))
    return [
        f"## {SECTION}", "",
        "METEOR as nltk computes it (Banerjee and Lavie, 2005; α = 0.9, β = 3, γ = 0.5) on",
        "lower-case words without punctuation, which match by form or by Porter's stem. Its third",
        "step, synonyms of WordNet, is left out: nltk looks up stems there, not words. The paper",
        "took its figure from the paper on USR. That one counts all responses, also in contexts",
        "without a fact, as the Q² paper says itself; that it compares them with the original",
        "human response is our reading, and which release of METEOR it ran is not known to us.",
        "The paper's Q² is of contexts with a fact only, so the two figures of its table are of",
        "different responses. All rows but the first are of the contexts that Q² is measured on",
        "above: read Q² beside those.", "",
        table(
            (
                "compared with", "responses", "n", "Spearman", "Pearson", "paper: Spearman",
                "paper: Pearson",
            ),
            rows,
        ),
        "Written by `python -m reproduce.meteor`.", "",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, default=PAGE, help="which page to write into")
    put_section(parser.parse_args().page, section(), before="Dialogue NLI")


if __name__ == "__main__":
    main()
