"""Replies that nobody labelled, judged by the headline score: `python -m training.taught_pairs`.

Labelled pairs teach the entailment model what follows from what, but few of them look like the
replies of a dialogue model: a piece of the knowledge, small talk around it, something added. Here
the product's own `consistency`, which weighs seven parts, judges such replies, and the entailment
model learns to say the same alone (distillation). Needs `training.silver_data`; reads no dev set.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from staytrue.backends.cache import CachedBackend
from staytrue.metrics.consistency import Consistency
from staytrue.metrics.nli import EndToEndNli
from staytrue.perturb.chat import in_model_style
from staytrue.records import Example, Turn, Verdict
from staytrue.registry import load_backend
from training.common import CHECKPOINTS, DATA, read_rows, sentences
from training.silver_data import CHATTY, DEV_SHARE
from training.silver_text import exchanges
from training.silver_turns import Retriever, content

# Edits of one word have a certain label, which the teacher would only blur.
LABELLED_BETTER = frozenset({"entity-swap", "verb-swap", "inversion", "negation", "antonym"})
LONGEST_WORDS = 75
# Contradictions are rare among replies, and the teacher does not tell them from inventions: so
# much of the entailment model's own odds of contradiction against neutral is kept.
CONTRADICTION_ODDS = 0.3
BATCH = 64


def made_replies(wanted: int, seed: int) -> list[dict[str, Any]]:
    """Replies of the silver pool, as many of each method as there are, up to an equal share."""
    rng = random.Random(f"taught {seed}")
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows(CHECKPOINTS / "silver" / "pool.jsonl.gz"):
        if row["method"] not in LABELLED_BETTER:
            groups.setdefault(row["method"], []).append(row)
    each = wanted // len(groups)
    return [
        row for _, rows in sorted(groups.items()) for row in rng.sample(rows, min(each, len(rows)))
    ]


def talk_replies(wanted: int, seed: int) -> Iterator[dict[str, Any]]:
    """Turns of people's talk with the sentence they come nearest to; no rule labels these."""
    rng = random.Random(f"taught talk {seed}")
    talk = [e for e in exchanges() if 4 <= len(e.response.split()) <= 40]
    talk = [e for e in talk if crc32(e.topic.encode()) % 1000 >= DEV_SHARE * 1000]
    rng.shuffle(talk)
    lines = [
        s
        for row in read_rows(DATA / "text" / "wiki_paragraphs.jsonl.gz")
        for s in sentences(row["text"])[:2]
        if 6 <= len(s.split()) <= 38
    ]
    retriever = Retriever(lines)
    for exchange in talk[:wanted]:
        if exchange.document:
            said = set(content(exchange.response))
            evidence = max(exchange.document, key=lambda s: len(said & set(content(s))))
        else:
            found = retriever.best(f"{exchange.message} {exchange.response}")
            if found is None:
                continue
            evidence = found[0]
        chatty = rng.random() < CHATTY
        reply = in_model_style(exchange.response, rng) if chatty else exchange.response
        yield {"evidence": evidence, "message": exchange.message, "response": reply}


def targets(verdict: Verdict, nli: Verdict) -> tuple[float, float] | None:
    """P(entailment) and P(contradiction) to learn; None where the teacher abstains."""
    if verdict.score is None:
        return None
    given = next(e.details for e in nli.evidence if e.kind == "probabilities")
    contradiction = given["contradiction"] * CONTRADICTION_ODDS
    share = contradiction / (contradiction + given["neutral"] + 1e-9)
    return verdict.score, (1 - verdict.score) * share


def taught(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    backend = CachedBackend(load_backend("embedded"))
    teacher, nli = Consistency(backend), EndToEndNli(backend)
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        examples = [
            Example(
                f"reply{start + number}", row["response"], row["evidence"],
                (Turn("user", row["message"]),),
            )
            for number, row in enumerate(some)
        ]  # fmt: skip
        judged = zip(teacher.judge(examples), nli.judge(examples), strict=True)
        for row, verdicts in zip(some, judged, strict=True):
            found = targets(*verdicts)
            if found is not None:
                yield {
                    "premise": row["evidence"], "hypothesis": row["response"],
                    "entailment": round(found[0], 3), "contradiction": round(found[1], 3),
                }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=CHECKPOINTS / "taught" / "train.jsonl.gz")
    parser.add_argument("--made", type=int, default=6000, help="replies from the silver pool")
    parser.add_argument("--talk", type=int, default=3000, help="turns of people's talk")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = made_replies(options.made, options.seed) + list(talk_replies(options.talk, options.seed))
    rows = [r for r in rows if len(f"{r['evidence']} {r['response']}".split()) <= LONGEST_WORDS]
    random.Random(f"taught order {options.seed}").shuffle(rows)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    aside = options.out.with_suffix(".writing")
    with gzip.open(aside, "wt", encoding="utf-8") as out:
        for count, row in enumerate(taught(rows), start=1):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            if count % 500 == 0:
                print(f"{count} of {len(rows)}", flush=True)
    aside.rename(options.out)


if __name__ == "__main__":
    main()
