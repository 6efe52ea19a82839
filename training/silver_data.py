"""Make the silver data of the groundedness model: `python -m training.silver_data`.

Rows come from `staytrue.silver` on Wikipedia sentences, from FEVER's claims and from people's
talk. A tenth of the topics is kept apart as a dev file. BEGIN itself is never read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from staytrue.silver import make as silver
from staytrue.silver.methods.chat import chatty, in_model_style
from training.common import CHECKPOINTS, GROUNDEDNESS_LABELS, read_rows
from training.silver_text import ask, claims, exchanges, opening_lines, wiki_examples
from training.silver_turns import label_turns

# Share of each method within its label. Methods that are not named are not drawn.
MIX: dict[str, dict[str, float]] = {
    "entailment": {
        "human": 30, "clause-drop": 8, "voice": 3, "sentence-split": 4, "synonym": 8, "number": 3,
        "pronoun": 12, "claim-supported": 22, "human-talk": 10,
    },
    "contradiction": {"negation": 38, "antonym": 22, "claim-refuted": 40},
    "hallucination": {
        "entity-swap": 16, "verb-swap": 7, "inversion": 3, "personal-opinion": 18,
        "invented-addition": 18, "human-personal": 18, "human-informative": 8, "claim-open": 12,
    },
    "off-topic": {"off-topic": 25, "other-talk": 75},
    "generic": {"generic": 40, "human-generic": 60},
}  # fmt: skip
CHATTY = 0.8
# Training time grows with length, and what is judged is mostly one sentence against one or two.
LONGEST_WORDS = 85
DEV_SHARE = 0.1


def all_rows(seed: int, wiki: int) -> Iterator[dict[str, Any]]:
    """Every row that can be made, before the mix is drawn."""
    rng = random.Random(f"silver {seed}")
    talk = list(exchanges())
    messages = [e.message for e in talk if 2 < len(e.message.split()) < 30]
    material = silver.gather(wiki_examples(wiki, seed, messages))
    for row in silver.make(material, seed=seed, chatty_share=CHATTY):
        yield _row(
            row.evidence, row.message, row.response, row.label, row.method, "wiki", row.topic
        )
    methods = {
        "entailment": "claim-supported",
        "contradiction": "claim-refuted",
        "hallucination": "claim-open",
    }
    for claim in claims(seed, 9000):
        message = ask(claim.topic, rng) if rng.random() < 0.7 else rng.choice(messages)
        reply = (
            in_model_style(chatty(claim.text, rng), rng) if rng.random() < CHATTY else claim.text
        )
        yield _row(
            claim.evidence, message, reply, claim.label, methods[claim.label], "fever", claim.topic
        )
    rng.shuffle(talk)
    for turn in label_turns(talk[:45_000], opening_lines(), seed):
        reply = in_model_style(turn.response, rng) if rng.random() < CHATTY else turn.response
        yield _row(turn.evidence, turn.message, reply, turn.label, turn.method, "talk", turn.topic)


def _row(
    evidence: str, message: str, response: str, label: str, method: str, source: str, topic: str
) -> dict[str, Any]:
    return {"evidence": evidence, "message": message, "response": response, "label": label,
            "method": method, "source": source, "topic": topic}  # fmt: skip


def mixed(rows: list[dict[str, Any]], each: int, seed: int) -> list[dict[str, Any]]:
    """`each` rows of every label, its methods in the shares of `MIX` as far as rows go."""
    rng = random.Random(f"mix {seed}")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["label"], row["method"]].append(row)
    drawn: list[dict[str, Any]] = []
    for label in GROUNDEDNESS_LABELS:
        shares = MIX[label]
        chosen, left = [], []
        for method, share in shares.items():
            group = groups[label, method]
            rng.shuffle(group)
            wanted = round(each * share / sum(shares.values()))
            chosen += group[:wanted]
            left += group[wanted:]
        rng.shuffle(left)
        drawn += (chosen + left)[:each]
    rng.shuffle(drawn)
    return drawn


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    counts = Counter((row["label"], row["method"]) for row in rows)
    print(f"{path}: {len(rows)} rows")
    for (label, method), count in sorted(counts.items()):
        print(f"  {label:14} {method:18} {count}")


def is_kept_apart(topic: str) -> bool:
    """Whether the topic belongs to the dev file; the same topics in every run."""
    return crc32(topic.encode()) % 1000 < DEV_SHARE * 1000


def _short(row: dict[str, Any]) -> bool:
    return (
        sum(len(row[part].split()) for part in ("evidence", "message", "response")) <= LONGEST_WORDS
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=CHECKPOINTS / "silver")
    parser.add_argument("--each", type=int, default=5000, help="rows of each label")
    parser.add_argument("--wiki", type=int, default=7000, help="Wikipedia sentences to perturb")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--remix", action="store_true", help="draw another mix from the rows made before"
    )
    options = parser.parse_args()
    if options.remix:
        train = [row for row in read_rows(options.out / "pool.jsonl.gz") if _short(row)]
        write(options.out / "train.jsonl.gz", mixed(train, options.each, options.seed))
        return
    rows = list(all_rows(options.seed, options.wiki))
    train = [row for row in rows if not is_kept_apart(row["topic"])]
    dev = [row for row in rows if is_kept_apart(row["topic"])]
    write(options.out / "pool.jsonl.gz", train)
    write(
        options.out / "train.jsonl.gz",
        mixed([row for row in train if _short(row)], options.each, options.seed),
    )
    write(options.out / "dev.jsonl.gz", mixed(dev, 300, options.seed))


if __name__ == "__main__":
    main()
