"""Replies that nobody labelled, judged by our own metrics: `python -m training.taught_pairs`.

Labelled pairs teach what follows from what, but few of them look like the replies of a dialogue
model: a piece of the knowledge, small talk around it, something added. Here the product judges
such replies, and the models learn to say the same alone (distillation): the entailment model what
`consistency` says, which weighs all parts, and the groundedness model what `begin` says after its
correction. Needs `training.silver_data`; reads no dev set.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from staytrue.backends.cache import CachedBackend
from staytrue.core.records import Example, Turn, Verdict
from staytrue.metrics.begin import Begin
from staytrue.metrics.consistency.metric import Consistency
from staytrue.metrics.nli import EndToEndNli
from staytrue.plugins.registry import load_backend
from staytrue.silver.methods.chat import in_model_style
from training.common import CHECKPOINTS, read_rows
from training.silver_data import CHATTY, is_kept_apart
from training.silver_text import exchanges, opening_lines
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
    talk = [e for e in talk if not is_kept_apart(e.topic)]
    rng.shuffle(talk)
    retriever = Retriever(opening_lines())
    for exchange in talk[:wanted]:
        if exchange.document:
            response_words = set(content(exchange.response))
            evidence = max(exchange.document, key=lambda s: len(response_words & set(content(s))))
        else:
            match = retriever.best(f"{exchange.message} {exchange.response}")
            if match is None:
                continue
            evidence = match[0]
        chatty = rng.random() < CHATTY
        reply = in_model_style(exchange.response, rng) if chatty else exchange.response
        yield {"evidence": evidence, "message": exchange.message, "response": reply}


def probabilities(verdict: Verdict) -> dict[str, Any]:
    return dict(next(e.details for e in verdict.evidence if e.kind == "probabilities"))


def targets(verdict: Verdict, nli: Verdict) -> tuple[float, float]:
    """P(entailment) and P(contradiction) for the entailment model to learn."""
    given = probabilities(nli)
    contradiction = given["contradiction"] * CONTRADICTION_ODDS
    share = contradiction / (contradiction + given["neutral"] + 1e-9)
    supported = verdict.score or 0.0
    return supported, (1 - supported) * share


def taught(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows with what the teachers say; rows on which they abstain are left out."""
    backend = CachedBackend(load_backend("embedded"))
    teachers = (
        Consistency(backend),
        EndToEndNli(backend),
        Begin(backend, prior="balanced"),
    )
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        examples = [
            Example(
                f"reply{start + number}", row["response"], row["evidence"],
                (Turn("user", row["message"]),),
            )
            for number, row in enumerate(some)
        ]  # fmt: skip
        judged = zip(*(teacher.judge(examples) for teacher in teachers), strict=True)
        for row, (whole, nli, kinds) in zip(some, judged, strict=True):
            if whole.score is None:
                continue
            entailment, contradiction = targets(whole, nli)
            yield {
                "evidence": row["evidence"],
                "message": row["message"],
                "response": row["response"],
                "entailment": round(entailment, 3),
                "contradiction": round(contradiction, 3),
                "begin": {k: round(p, 3) for k, p in probabilities(kinds)["probabilities"].items()},
            }


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
