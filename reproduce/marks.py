"""Write docs/results-marks.md: `python -m reproduce.marks` (ten minutes on two cores).

Which words does `consistency` mark in a response that is known to be wrong, and by which words? Two
sets tell: SummEdits, where people edited a right summary into a wrong one, and right responses of
FaithDial's audit that a swapped name, a negation or an opposite makes wrong. Both come from the
reporting quarter.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from training.headline import rows

from reproduce.pages import REPOSITORY, limited, table, weights
from staytrue.core.records import Example
from staytrue.metrics.consistency import Consistency
from staytrue.metrics.consistency.result import ConsistencyResult
from staytrue.plugins.registry import load_backend, load_metric
from staytrue.silver.make import gather, make

PAGE = REPOSITORY / "docs" / "results-marks.md"
SWAPS = ("entity-swap", "negation", "antonym")
# An edited summary has one small change; where more differs, it is another summary.
MOST_CHANGED = 0.3
_WORD = re.compile(r"\w+(?:['’]\w+)*")


@dataclass(frozen=True)
class WrongResponse:
    """A wrong response, and the words that make it wrong, as numbers of words."""

    example: Example
    changed: frozenset[int]


@dataclass(frozen=True)
class Score:
    """Word by word: how many marked words are wrong, and how many wrong words are marked."""

    cases: int
    caught: int
    """Cases that the score puts below one half, the only ones with marks."""
    right: int
    marked: int
    changed: int

    @property
    def precision(self) -> float | None:
        return self.right / self.marked if self.marked else None

    @property
    def recall(self) -> float | None:
        """Of the changed words in the cases that were caught."""
        return self.right / self.changed if self.changed else None


def changed_words(original: str, edited: str) -> frozenset[int]:
    """Numbers of the edited text's words that the original does not have there.

    Where words were only left out, those beside the gap count.
    """
    before, after = (_WORD.findall(text.lower()) for text in (original, edited))
    numbers: set[int] = set()
    for kind, _, _, start, end in SequenceMatcher(None, before, after, False).get_opcodes():
        if kind != "equal":
            numbers |= set(range(start, end)) or {max(0, start - 1), min(start, len(after) - 1)}
    return frozenset(numbers)


def words_of(phrases: Sequence[str], text: str) -> frozenset[int]:
    """Numbers of the text's words that stand in one of the phrases."""
    places = [
        (start, start + len(phrase))
        for phrase in phrases
        if phrase and (start := text.lower().find(phrase.lower())) >= 0
    ]
    return _in_spans(text, places)


def _in_spans(text: str, spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    return frozenset(
        number
        for number, word in enumerate(_WORD.finditer(text))
        if any(start < word.end() and word.start() < end for start, end in spans)
    )


def edited_summaries(limit: int | None) -> list[WrongResponse]:
    """Wrong summaries of SummEdits, each beside the right one of the same text that is nearest."""
    by_text: defaultdict[str, list[Example]] = defaultdict(list)
    for example, source in rows("reporting", None):
        if source.startswith("SummEdits"):
            by_text[example.knowledge].append(example)
    cases = []
    for examples in by_text.values():
        originals = [example.response for example in examples if example.consistent]
        for example in examples:
            if example.consistent or not originals:
                continue
            changed = min((changed_words(one, example.response) for one in originals), key=len)
            if 0 < len(changed) <= MOST_CHANGED * len(_WORD.findall(example.response)):
                cases.append(WrongResponse(example, changed))
    return sorted(cases, key=lambda case: case.example.id)[:limit]


def swapped_responses(limit: int | None) -> list[WrongResponse]:
    """Right responses of the audit with one thing swapped, so that they are wrong."""
    right = [e for e, source in rows("reporting", None) if source == "audit" and e.consistent]
    cases = []
    for row in make(gather(right), methods=SWAPS, seed=1):
        if row.changed == "response":
            changed = changed_words(row.original, row.response)
        else:
            # The response repeats evidence that was edited, and is judged by the original.
            changed = words_of([edit.new for edit in row.edits], row.response)
        if changed:
            example = Example(f"{row.source}/{row.method}", row.response, row.evidence)
            cases.append(WrongResponse(example, changed))
    return sorted(cases, key=lambda case: case.example.id)[:limit]


def score(cases: Sequence[WrongResponse], metric: Consistency) -> Score:
    caught = right = marked = changed = 0
    results = metric.results([case.example for case in cases])
    for case, result in zip(cases, results, strict=True):
        if not isinstance(result, ConsistencyResult) or result.score > 0.5:
            continue
        spans = [span for claim in result.claims if not claim.holds for span in claim.wrong]
        words = _in_spans(case.example.response, spans)
        caught += 1
        right += len(words & case.changed)
        marked += len(words)
        changed += len(case.changed)
    return Score(len(cases), caught, right, marked, changed)


def page(scores: Sequence[tuple[str, Score]], signature: str, limit: int | None) -> str:
    lines = [
        [name, score.cases, score.caught, _share(score.precision), _share(score.recall)]
        for name, score in scores
    ]
    header = ["wrong responses", "cases", "scored below 0.5", "precision", "recall"]
    return "\n".join(
        [
            "# The marked words", "",
            "Written by `python -m reproduce.marks`; do not edit. Of the words that `consistency`",
            "marks as wrong, how many were changed (precision), and of the changed words in the",
            "responses that it scores below 0.5, how many are marked (recall).",
            limited(limit, "cases"), weights(),
            f"`{signature}`", "", table(header, lines), "",
        ]
    )  # fmt: skip


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="embedded")
    parser.add_argument("--limit", type=int, default=None, help="cases per set")
    parser.add_argument("--print", action="store_true", help="print instead of writing the page")
    options = parser.parse_args()
    backend: Any = load_backend(options.backend)
    metric = Consistency(backend, against="knowledge")
    scores = [
        ("SummEdits", score(edited_summaries(options.limit), metric)),
        ("made swaps", score(swapped_responses(options.limit), metric)),
    ]
    signature = load_metric("consistency,against=knowledge", backend=options.backend).signature
    text = page(scores, signature, options.limit)
    if options.print:
        print(text)
    else:
        PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
