"""Sets for measuring contradiction recognition, built from published data."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
from collections import defaultdict
from pathlib import Path

from staytrue.core.records import Example, Probe
from staytrue.metrics.q2.steps import normalise_answer

# Questions that have one answer: two different ones contradict each other.
_ONE_ANSWER = re.compile(
    r"your favou?rite (?:color|food|movie|band|singer|season|snack|artist)|how (?:many|old)|"
    r"your name|where do you live|where (?:are|were) you (?:from|born)|your job|for a living|"
    r"what color (?:is|are) your"
)


def dialogue_nli(data: Path) -> list[Example]:
    """Dialogue NLI dev: persona sentence and utterance; label is the class."""
    with gzip.open(data / "dnli_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Example(f"dnli {n}", row["hypothesis"], row["premise"], label=row["label"])
        for n, row in enumerate(rows)
    ]


def answers(data: Path, seed: int = 0) -> list[Example]:
    """ConsisTest's statements as answers to each other: the same question, asked of two people.

    An answer that gives the same truth in other words is consistent, one that gives another truth
    contradicts. Both sides are sentences that people wrote.
    """
    truths: dict[str, dict[str, str]] = defaultdict(dict)
    for row in _questions(data / "consistest"):
        question = re.sub(r"\s+([?.,!])", r"\1", row["q"]).strip()
        if row["type"] == "wh" and _ONE_ANSWER.search(question.lower()) and "|" not in row["a"]:
            truths[question.lower()][row["c"].strip()] = normalise_answer(row["a"])
    same, other = [], []
    for question, facts in sorted(truths.items()):
        for (left, a), (right, b) in itertools.permutations(sorted(facts.items()), 2):
            probe = Probe(question, a, left, "wh")
            example = Example(f"{question} / {left} / {right}", right, left, probe=probe)
            if a == b:
                same.append(example)
            elif not set(a.split()) & set(b.split()):
                other.append(example)
        same += [
            Example(f"{question} / {fact} / {truth}", f"{truth}.", fact,
                    probe=Probe(question, truth, fact, "wh"))
            for fact, truth in sorted(facts.items())
        ]  # fmt: skip
    return _balanced(same, other, seed)


def balanced_nli(examples: list[Example], seed: int = 0) -> list[Example]:
    """As many contradictions as other pairs, entailed and neutral ones in equal parts."""
    by_label: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_label[example.label or ""].append(example)
    half = min(len(by_label["entailment"]), len(by_label["neutral"]), 500)
    draw = random.Random(seed)
    rest = [*draw.sample(by_label["entailment"], half), *draw.sample(by_label["neutral"], half)]
    return _balanced(rest, by_label["contradiction"], seed)


def _balanced(same: list[Example], other: list[Example], seed: int) -> list[Example]:
    from dataclasses import replace

    size = min(len(same), len(other))
    draw = random.Random(seed)
    return [
        *(replace(e, consistent=True) for e in draw.sample(same, size)),
        *(replace(e, consistent=False) for e in draw.sample(other, size)),
    ]


def _questions(folder: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for name in ("persona_qas.json", "history_qas.json"):
        groups = json.loads((folder / name).read_text("utf-8"))
        rows += [row for group in groups.values() for row in group]
    return rows
