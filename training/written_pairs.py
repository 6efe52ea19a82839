"""Pairs written for training: passages in two versions, with claims that hold in one of them.

`training/written/*.jsonl` has one passage per line. `edits` turn it into a second one; each claim
has its label under the first and under the second, and mostly they differ, so that a model cannot
judge a claim by its own words. One passage in ten is kept out of training, to measure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from staytrue.english.statements import answered
from training.common import GROUNDEDNESS_AS_ENTAILMENT
from training.evidence import evidence, lines_of
from training.splits import text_hash

FOLDER = Path(__file__).resolve().parent / "written"
LABELS = {"e": "entailment", "n": "neutral", "c": "contradiction"}
# A longer passage is cut to the sentences nearest to the claim, as the metrics do it.
LONGEST_PASSAGE = 95
# Where the claim stays open, whatever is cut: training time grows with a passage's length.
CUT_PASSAGE = 45
_ASKED = re.compile(r"(?P<question>[^?]+\?) (?P<answer>yes|no)\b(?:, [^.!]{1,25})?[.!]?", re.I)


def records(*, kept: bool) -> list[dict[str, Any]]:
    """The passages to train on, or the tenth that is kept out."""
    lines = [
        line
        for path in sorted(FOLDER.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if (text_hash(row["a"]) % 10 == 0) == kept]


def versions(record: dict[str, Any]) -> tuple[str, str]:
    """The passage as written and as edited."""
    first = second = record["a"]
    for old, new in record["edits"]:
        second = second.replace(old, new)
    return first, second


def as_statement(claim: str) -> str:
    """ "Is it open? No." as the metrics read it: "It is not open."; others stay as they are."""
    asked = _ASKED.fullmatch(claim)
    if asked is None:
        return claim
    return answered(asked["question"], negated=asked["answer"].lower() == "no") or claim


def premises(record: dict[str, Any], claim: str, labels: Sequence[str]) -> tuple[str, str] | None:
    """Both versions of the passage, cut where the labels still hold; None where they may not.

    Which edit turns a claim's label, and which sentences it follows from, is not written down. So a
    passage is given whole, or, where it is long, with every sentence that an edit changed.
    """
    both = versions(record)
    # What a passage leaves open its parts leave open, too.
    if labels[0] == labels[1] == "n" and text_hash(claim) % 3 > 0:
        parts = [evidence(text, claim, CUT_PASSAGE) for text in both]
        if all(parts):
            return parts[0], parts[1]
    if len(both[0].split()) <= LONGEST_PASSAGE:
        return both
    if labels[0] == labels[1] != "n":
        return None
    changed = set(lines_of(both[0])) ^ set(lines_of(both[1]))
    first, second = (evidence(text, claim, LONGEST_PASSAGE, changed) for text in both)
    kept = {*lines_of(first), *lines_of(second)}
    return (first, second) if first and second and changed <= kept else None


def pairs(*, kept: bool = False) -> Iterator[dict[str, Any]]:
    """Each claim against both versions of its passage; the two have one bundle number."""
    bundle = 0
    for record in records(kept=kept):
        # Replies in talk have BEGIN's labels.
        names = GROUNDEDNESS_AS_ENTAILMENT if "message" in record else LABELS
        for claim, *labels in record["claims"]:
            bundle += 1
            for premise, label in zip(premises(record, claim, labels) or (), labels, strict=False):
                yield {
                    "premise": premise,
                    "hypothesis": as_statement(claim),
                    "label": names[label],
                    "source": "written",
                    "kind": record["k"],
                    "bundle": bundle,
                }


def replies(*, kept: bool = False) -> Iterator[dict[str, Any]]:
    """Replies in talk with BEGIN's labels, under both versions of their knowledge."""
    for record in records(kept=kept):
        if "message" not in record:
            continue
        for knowledge, column in zip(versions(record), (1, 2), strict=True):
            for reply in record["claims"]:
                yield {
                    "knowledge": knowledge,
                    "message": record["message"],
                    "response": reply[0],
                    "label": reply[column],
                }
