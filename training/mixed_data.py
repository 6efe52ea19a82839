"""Collect, clean and tokenise what the models learn: `python -m training.mixed_data`.

Entailment pairs, groundedness rows and questions with passages go into one token file;
`--only` chooses one kind. The small models learn from the same file
(`training.small_rows`). Only sets with a stated licence are used. Rows that
occur in a dev set are dropped, and counted by source.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tokenizers import Encoding, Tokenizer

from training import reading_data, splits, written_pairs
from training.bundles import ALONE
from training.common import (
    CHECKPOINTS,
    DATA,
    GROUNDEDNESS_AS_ENTAILMENT,
    GROUNDEDNESS_LABELS,
    TAUGHT,
    folded,
    read_rows,
    sentences,
)
from training.evidence import evidence
from training.groundedness_data import echoed, first_segment
from training.made_facts import life_pairs, number_pairs
from training.made_pairs import answer_pairs, grounded_pairs, persona_pairs, role_pairs, talk_pairs
from training.made_support import support_pairs

ENTAILMENT, GROUNDEDNESS, READING = 0, 1, 2
LONGEST = 144
LONGEST_READING = 288
AROUND = {"mnli", "PAWS-Wiki", "fever_nli", "SciTail", "dnli_rcdg", "ScoNe"}

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

_UNSTATED_LICENCE = frozenset(
    "lingnli tenp dnc_partial nli_joci decode_pairs nli_mpe nli_commitment_bank nli_fracas "
    "help_part nli_rte_glue rte123 nli_add_one_rte".split()
) | {"semi-automatic NLI"}
# One name for the several cuts of one collection.
_SAME_SOURCE = {
    "mnli3000": "mnli", "MultiNLI": "mnli", "snli_train18k": "snli", "snli_100k": "snli",
    "SNLI": "snli", "nli_scitail": "SciTail",
}  # fmt: skip

_WORD = re.compile(r"[a-z0-9]+")


def public_pairs() -> Iterator[dict[str, Any]]:
    """The public NLI pairs; PAWS in both directions, without its thousand kept pairs."""
    for name in ("nli", "nli2"):
        for row in read_rows(DATA / "train" / f"{name}.jsonl.gz"):
            if row["source"] in _UNSTATED_LICENCE or row["source"] == "PAWS-Wiki":
                continue
            yield row | {"source": _SAME_SOURCE.get(row["source"], row["source"])}
    for row in splits.paws()[0]:
        yield row
        yield row | {"premise": row["hypothesis"], "hypothesis": row["premise"]}


def silver_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """The silver rows of the groundedness model (`training.silver_data`) as entailment pairs.

    They are the only source of what chatbots say beside the point: small talk and opinions
    around a fact.
    """
    for row in read_rows(path):
        yield {
            "premise": row["evidence"],
            "hypothesis": row["response"],
            "label": GROUNDEDNESS_AS_ENTAILMENT[row["label"]],
            "source": "silver",
        }


class Neighbours:
    """Wikipedia sentences that share a rare word with a text, or any others."""

    def __init__(self, rng: random.Random, size: int = 60_000) -> None:
        self._rng = rng
        lines = [
            line
            for row in read_rows(DATA / "text" / "wiki_paragraphs.jsonl.gz")
            for line in sentences(row["text"])
            if 5 <= len(line.split()) <= 25
        ]
        self._lines = rng.sample(lines, min(size, len(lines)))
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self._lines):
            for word in set(_WORD.findall(line.lower())):
                self._by_word[word].append(number)

    def near(self, text: str, wanted: int) -> list[str]:
        words = [word for word in set(_WORD.findall(text.lower())) if len(word) > 3]
        words = [word for word in words if 3 <= len(self._by_word.get(word, ())) <= 400]
        if not words:
            return self._rng.sample(self._lines, wanted)
        words.sort(key=lambda word: len(self._by_word[word]))
        numbers = [n for word in words[:3] for n in self._by_word[word]]
        return [self._lines[n] for n in self._rng.sample(numbers, min(wanted, len(numbers)))]


def surrounded(
    rows: Iterable[dict[str, Any]], rng: random.Random, share: float
) -> Iterator[dict[str, Any]]:
    """Some pairs again, the premise among other sentences: it is judged wherever it stands."""
    near = Neighbours(rng)
    for row in rows:
        # A neutral FEVER claim may well be true by another sentence about the same thing.
        weak = row["source"] == "fever_nli" and row["label"] == "neutral"
        if row["source"] not in AROUND or weak or rng.random() > share:
            continue
        if len(row["premise"].split()) > 40:
            continue
        others = near.near(row["premise"], rng.choice([1, 1, 2, 2, 3, 4]))
        others.insert(rng.randrange(len(others) + 1), row["premise"])
        yield row | {"premise": " ".join(others), "source": f"{row['source']}/around"}


def claim_pairs() -> Iterator[dict[str, Any]]:
    """FoolMeTwice and SummEdits, the half for models; a changed summary is "not entailed"."""
    for row in splits.grounded_claims("models"):
        source = row["source"].split("/")[0]
        for sentence in sentences(row["response"]) if row["consistent"] else [row["response"]]:
            text = evidence(row["knowledge"], sentence)
            if text:
                label = "entailment" if row["consistent"] else "not_entailment"
                yield {"premise": text, "hypothesis": sentence, "label": label, "source": source}


AUDIT_LABELS = {
    "entailment": ("entailment", "entailment"),
    "hallucination": ("not_entailment", "hallucination"),
    "partial hallucination": ("not_entailment", "hallucination"),
    "generic": ("neutral", "generic"),
}


def audit_rows() -> Iterator[tuple[str, str, str, str]]:
    """Knowledge, previous turn, response and label of FaithDial's audit, the half for models."""
    for row in splits.audit("models"):
        if row["label"] in AUDIT_LABELS:
            history = row["history"]
            message = history[-1] if isinstance(history, list) and history else ""
            yield row["knowledge"], str(message), row["response"], row["label"]


def audit_pairs() -> Iterator[dict[str, Any]]:
    for knowledge, _, response, label in audit_rows():
        yield {
            "premise": evidence(knowledge, response, 100),
            "hypothesis": response,
            "knowledge": knowledge,
            "label": AUDIT_LABELS[label][0],
            "source": "audit",
        }


def grounded_rows(silver: Path) -> Iterator[dict[str, Any]]:
    """Rows for the groundedness head: silver data and people's labels."""
    for number, row in enumerate(read_rows(silver)):
        row = echoed(number, row)
        yield {
            "premise": first_segment(row["evidence"], row.get("message", "")),
            "hypothesis": row["response"],
            "knowledge": row["evidence"],
            "label": row["label"],
            "source": "silver-grounded",
        }
    for knowledge, message, response, label in audit_rows():
        text = evidence(knowledge, response, 100)
        yield {
            "premise": first_segment(text, " ".join(message.split()[-30:])),
            "hypothesis": response,
            "knowledge": knowledge,
            "label": AUDIT_LABELS[label][1],
            "source": "audit-grounded",
        }
    for row in written_pairs.replies():
        yield {
            "premise": first_segment(row["knowledge"], row["message"]),
            "hypothesis": row["response"],
            "knowledge": row["knowledge"],
            "label": row["label"],
            "source": "written-grounded",
        }


def entailment_rows(seed: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(f"mixed {seed}")
    silver = CHECKPOINTS / "silver" / "train.jsonl.gz"
    public = list(public_pairs())
    yield from public
    yield from surrounded(public, rng, 0.12)
    yield from chain(
        claim_pairs(),
        audit_pairs(),
        written_pairs.pairs(),
        support_pairs(seed, 24_000),
        grounded_pairs(DATA / "text", seed, 24_000),
        answer_pairs(DATA / "train", seed, 12_000),
        persona_pairs(DATA / "text", seed, 8_000),
        life_pairs(seed, 4_000),
        number_pairs(DATA / "text", seed, 6_000),
        talk_pairs(DATA / "text", seed, 10_000),
        role_pairs(DATA / "text", seed, 16_000),
        silver_pairs(silver),
    )


def reading_rows(seed: int) -> Iterator[dict[str, Any]]:
    """Questions with passages; "knowledge" is the passage, which no dev set may hold."""
    rng = random.Random(f"reading {seed}")
    readings = chain(
        reading_data.squad_readings(rng),
        reading_data.squad2_readings(rng),
        reading_data.other_readings(rng),
        unanswerable_readings(rng),
    )
    for row in readings:
        yield {
            "premise": row.question,
            "hypothesis": row.passage,
            "knowledge": row.passage,
            "source": f"reading/{row.source}",
            "reading": row,
        }


def unanswerable_readings(rng: random.Random) -> Iterator[reading_data.ReadingRow]:
    """People's questions without an answer, with the whole paragraph and with the nearest part."""
    for row in splits.unanswerable()[0]:
        question, context = row["question"], row["context"]
        yield reading_data.ReadingRow("unanswerable", question, context, -1, -1)
        near = reading_data.nearest_sentences(context, question, rng)
        yield reading_data.ReadingRow("unanswerable_near", question, near, -1, -1)


class Targets(NamedTuple):
    """What is to be learned of a row: its label, or first and last token of the answer."""

    label: int
    last: int = 0


def answer_place(row: dict[str, Any], encoding: Encoding) -> Targets | None:
    """Both 0, the first token, where there is no answer; None where the tokens miss it."""
    columns = reading_data.columns(row["reading"], encoding)
    return None if columns is None else Targets(int(columns["firsts"]), int(columns["lasts"]))


TargetsOf = Callable[[dict[str, Any], Encoding], Targets | None]


def label_of(codes: Mapping[str, int]) -> Callable[[dict[str, Any], Encoding], Targets]:
    return lambda row, _: Targets(codes[row["label"]])


def prepare(
    tokenizer_file: Path, out: Path, seed: int, *, pairs: bool = True, reading: bool = False
) -> None:
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    dev = splits.dev_texts()
    dropped: Counter[str] = Counter()
    ids: list[np.ndarray] = []
    columns: dict[str, list[int]] = {
        "labels": [], "lasts": [], "tasks": [], "sources": [], "bundles": [],
    }  # fmt: skip
    names: dict[str, int] = {}
    silver = CHECKPOINTS / "silver" / "train.jsonl.gz"
    grounded = {label: code for code, label in enumerate(GROUNDEDNESS_LABELS)}
    tasks: list[tuple[int, Iterator[dict[str, Any]], TargetsOf, int]] = []
    if pairs:
        tasks += [
            (ENTAILMENT, entailment_rows(seed), label_of(LABEL_CODES), LONGEST),
            (GROUNDEDNESS, grounded_rows(silver), label_of(grounded), LONGEST),
        ]
    if reading:
        tasks.append((READING, reading_rows(seed), answer_place, LONGEST_READING))
    for task, rows, targets_of, longest in tasks:
        coming = iter(rows)
        while batch := list(islice(coming, 2000)):
            kept = []
            for row in batch:
                if dev.hold(row.get("knowledge", row["premise"]), row["hypothesis"]):
                    dropped[row["source"]] += 1
                elif folded(row["hypothesis"]):
                    kept.append(row)
            encoded = tokenizer.encode_batch([(r["premise"], r["hypothesis"]) for r in kept])
            for row, encoding in zip(kept, encoded, strict=True):
                targets = targets_of(row, encoding)
                if targets is None or len(encoding.ids) > longest:
                    continue
                ids.append(np.array(encoding.ids, dtype=np.uint16))
                columns["labels"].append(targets.label)
                columns["lasts"].append(targets.last)
                columns["tasks"].append(task)
                columns["sources"].append(names.setdefault(row["source"], len(names)))
                columns["bundles"].append(row.get("bundle", ALONE))
    lengths = np.array([len(one) for one in ids], dtype=np.int32)
    out.parent.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {
        name: np.array(column, dtype=np.int32) for name, column in columns.items()
    }
    np.savez(
        out, ids=np.concatenate(ids), lengths=lengths, source_names=np.array(list(names)), **arrays
    )
    print("dropped, as a dev set has them:", dict(dropped))
    counts = Counter(columns["sources"])
    print({name: counts[code] for name, code in names.items()})
    print(f"{len(ids)} rows, {lengths.mean():.1f} tokens on average")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the base")
    parser.add_argument("--out", type=Path, default=CHECKPOINTS / "data" / "mixed.npz")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", choices=["pairs", "reading"], help="one kind of rows; both without it"
    )
    options = parser.parse_args()
    prepare(
        options.tokenizer, options.out, options.seed,
        pairs=options.only != "reading", reading=options.only != "pairs",
    )  # fmt: skip


if __name__ == "__main__":
    main()
