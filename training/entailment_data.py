"""Collect, clean and tokenise the entailment pairs: `python -m training.entailment_data`.

Writes one compact file of token ids, so that training starts at once and never
tokenises twice. Pairs that also occur in a dev set are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from training import token_files
from training.common import CHECKPOINTS, DATA, TAUGHT, folded, read_rows
from training.made_facts import life_pairs, number_pairs
from training.made_pairs import answer_pairs, grounded_pairs, persona_pairs, role_pairs, talk_pairs

# Besides the three labels: two that leave one question open, trained by the probability of the set
# of labels that remain, and one for pairs that come with probabilities; see `training.tasks`.
LABEL_CODES = {
    "entailment": 0,
    "neutral": 1,
    "contradiction": 2,
    "not_entailment": 3,
    "not_contradiction": 4,
    "taught": TAUGHT,
}

# Longer pairs are left out, not cut: a cut premise may no longer support its label.
LONGEST = 96

# One name for the several cuts of one collection.
SAME_SOURCE = {"mnli3000": "mnli", "snli_train18k": "snli", "snli_100k": "snli"}


def dev_pairs() -> tuple[set[tuple[str, str]], set[str]]:
    """Pairs of the dev sets, and claims of FEVER-symmetric, which come with other evidence too."""
    pairs, claims = set(), set()
    for name in ("snli_dev", "mnli_dev", "dnli_dev", "fever_dev", "fever_symmetric_dev"):
        for row in read_rows(DATA / "dev" / f"{name}.jsonl.gz"):
            pairs.add((folded(row["premise"]), folded(row["hypothesis"])))
            if name == "fever_symmetric_dev":
                claims.add(folded(row["hypothesis"]))
    return pairs, claims


def silver_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """The silver rows of the groundedness model (`training.silver_data`) as entailment pairs.

    They are the only source of what chatbots say beside the point: small talk and opinions
    around a fact. Invented content may be neutral or contradict: only "not entailment" is sure.
    """
    labels = {
        "entailment": "entailment",
        "contradiction": "contradiction",
        "hallucination": "not_entailment",
        "off-topic": "neutral",
        "generic": "neutral",
    }
    for row in read_rows(path):
        yield {
            "premise": row["evidence"],
            "hypothesis": row["response"],
            "label": labels[row["label"]],
            "source": "silver",
        }


def taught_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """Replies that the headline score has judged (`training.taught_pairs`), with probabilities."""
    for row in read_rows(path):
        yield {
            "premise": row["evidence"],
            "hypothesis": row["response"],
            "label": "taught",
            "source": "taught",
            "entailment": row["entailment"],
            "contradiction": row["contradiction"],
        }


def clean_rows(seed: int) -> Iterator[dict[str, Any]]:
    pairs, claims = dev_pairs()
    rows = chain(
        read_rows(DATA / "train" / "nli.jsonl.gz"),
        grounded_pairs(DATA / "text", seed, 36_000),
        answer_pairs(DATA / "train", seed, 24_000),
        persona_pairs(DATA / "text", seed, 12_000),
        silver_pairs(CHECKPOINTS / "silver" / "train.jsonl.gz"),
        taught_pairs(CHECKPOINTS / "taught" / "train.jsonl.gz"),
        life_pairs(seed, 4_000),
        number_pairs(DATA / "text", seed, 6_000),
        talk_pairs(DATA / "text", seed, 16_000),
        role_pairs(DATA / "text", seed, 12_000),
    )
    for row in rows:
        hypothesis = folded(row["hypothesis"])
        if (folded(row["premise"]), hypothesis) in pairs or hypothesis in claims:
            continue
        yield row


def columns(row: dict[str, Any], _: object) -> token_files.Columns:
    source = SAME_SOURCE.get(row["source"], row["source"])
    return {
        "labels": LABEL_CODES[row["label"]],
        "sources": source,
        # In thousandths, and for taught pairs only.
        "entailed": round(1000 * row.get("entailment", 0)),
        "contradicted": round(1000 * row.get("contradiction", 0)),
    }


def prepare(seed: int = 1) -> None:
    token_files.write(
        CHECKPOINTS / "data" / "entailment.npz",
        clean_rows(seed),
        lambda row: (row["premise"], row["hypothesis"]),
        columns,
        longest=LONGEST,
    )


if __name__ == "__main__":
    prepare()
