"""Which rows may be trained on: splits by a hash of the text, and rows that occur in a dev set.

`faithdial_audit` and `grounded_claims` are cut in three by their knowledge: half for models, a
quarter for constants (thresholds, which score is the headline), a quarter only for reporting. A
thousand PAWS pairs and a thousand unanswerable questions are kept out as well.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

from staytrue.core.records import Example, Turn
from training.common import DATA, folded, read_rows, sentences

Part = Literal["models", "constants", "reporting"]

PAWS_KEPT = 1000
UNANSWERABLE_KEPT = 1000

_KNOWLEDGE_SETS = (
    "q2_cross_annotation", "q2_response_level", "begin_v1_dev", "begin_v2_dev_wow",
    "begin_v2_dev_cmu", "begin_v2_dev_tc", "usr_topical_chat", "usr_persona_chat",
)  # fmt: skip
_PAIR_SETS = ("snli_dev", "mnli_dev", "dnli_dev", "fever_dev", "fever_symmetric_dev")
# Shorter sentences ("He was born in London.") recur by chance.
_TELLING_WORDS = 6
_SHORT_KNOWLEDGE = 2


def text_hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(folded(text).encode()).digest()[:8], "big")


def part(knowledge: str) -> Part:
    """Half of all knowledge is for models, a quarter for constants, a quarter for reporting."""
    quarter = text_hash(knowledge) % 4
    return "models" if quarter < 2 else "constants" if quarter == 2 else "reporting"


def audit(wanted: Part) -> list[dict[str, Any]]:
    """FaithDial's audit: people's BEGIN labels of real responses."""
    rows = read_rows(DATA / "train" / "faithdial_audit.jsonl.gz")
    return [row for row in rows if part(row["knowledge"]) == wanted]


def audit_examples(wanted: Part) -> list[Example]:
    """FaithDial's audit, each response with the turn before it."""
    return [
        Example(
            f"audit-{number}",
            row["response"],
            row["knowledge"],
            tuple(Turn("user", str(text)) for text in row["history"][-1:]),
            consistent=row["label"] == "entailment",
        )
        for number, row in enumerate(audit(wanted))
    ]


def grounded_claims(wanted: Part) -> list[dict[str, Any]]:
    """FoolMeTwice and SummEdits: claims against short and long documents."""
    rows = read_rows(DATA / "train" / "grounded_claims.jsonl.gz")
    return [row for row in rows if part(row["knowledge"]) == wanted]


def paws() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """PAWS pairs to train on, and a thousand that share no sentence with them."""
    rows = [r for r in read_rows(DATA / "train" / "nli2.jsonl.gz") if r["source"] == "PAWS-Wiki"]
    groups: dict[str, str] = {}

    def group(text: str) -> str:
        groups.setdefault(text, text)
        while groups[text] != text:
            groups[text] = groups[groups[text]]
            text = groups[text]
        return text

    for row in rows:
        groups[group(folded(row["premise"]))] = group(folded(row["hypothesis"]))
    members: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        members[group(folded(row["premise"]))].append(row)
    kept: list[dict[str, Any]] = []
    trained: list[dict[str, Any]] = []
    for key in sorted(members, key=text_hash):
        fits = len(kept) + len(members[key]) <= PAWS_KEPT
        (kept if fits else trained).extend(members[key])
    return trained, kept


def unanswerable() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Questions without an answer to train on, and a thousand of other paragraphs."""
    by_context: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_rows(DATA / "train" / "squad2_unanswerable.jsonl.gz"):
        by_context[folded(row["context"])].append(row)
    trained: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    for key in sorted(by_context, key=text_hash):
        fits = len(kept) + len(by_context[key]) <= UNANSWERABLE_KEPT
        (kept if fits else trained).extend(by_context[key])
    return trained, kept


class DevTexts:
    """Knowledge, sentences, pairs and claims of the dev sets, to be kept out of training."""

    def __init__(self) -> None:
        self.knowledge: set[str] = set()
        self.sentences: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()
        self.claims: set[str] = set()
        for name in _KNOWLEDGE_SETS:
            for row in read_rows(DATA / "dev" / f"{name}.jsonl.gz"):
                text = row.get("knowledge") or row.get("evidence") or row.get("fact") or ""
                self.knowledge.add(folded(text))
                # Short knowledge may stand inside a longer premise; of long documents only the
                # whole counts, as their parts are in half of the audit.
                if len(sentences(text)) <= _SHORT_KNOWLEDGE:
                    self.sentences.update(_telling(text))
        for name in _PAIR_SETS:
            for row in read_rows(DATA / "dev" / f"{name}.jsonl.gz"):
                self.pairs.add((folded(row["premise"]), folded(row["hypothesis"])))
                if name == "fever_symmetric_dev":  # its claims come with other evidence, too
                    self.claims.add(folded(row["hypothesis"]))
        self.knowledge.discard("")

    def hold(self, premise: str, hypothesis: str) -> bool:
        """Whether a dev set has this pair, this claim, this knowledge or a sentence of it."""
        first, second = folded(premise), folded(hypothesis)
        return (
            (first, second) in self.pairs
            or second in self.claims
            or first in self.knowledge
            or not self.sentences.isdisjoint(_telling(premise))
        )


def _telling(text: str) -> Iterable[str]:
    folds = (folded(sentence) for sentence in sentences(text))
    return {fold for fold in folds if fold.count(" ") >= _TELLING_WORDS - 1}


@cache
def dev_texts() -> DevTexts:
    return DevTexts()
