"""People's turns as generic, personal, supported or unrelated responses, told apart by rules.

The talk has no evidence of its own (or a whole document): the sentence that shares most with the
turn before is taken as evidence, as a retriever would.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from spacy.lang.en.stop_words import STOP_WORDS

from staytrue.core.text import words
from staytrue.silver.methods.entailed import is_personal, looks_entailed
from training.silver_text import TwoTurns

# So many of the commonest content words of everyday talk say nothing specific.
VAGUE = 450
_FILLERS = frozenset(
    "im ive dont didnt its thats lol haha yeah yes hi hello wow ok okay oh hey cool".split()
)


@dataclass(frozen=True)
class LabelledTurn:
    evidence: str
    message: str
    response: str
    label: str
    method: str
    topic: str


def content(text: str) -> list[str]:
    return [
        w
        for w in words(re.sub(r"['’]", "", text))
        if w not in STOP_WORDS and w not in _FILLERS and len(w) > 2
    ]


class Retriever:
    """The sentences that share most rare words with a text."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        tokens = [content(line) for line in lines]
        counts = Counter(w for line in tokens for w in set(line))
        self.index = {w: i for i, w in enumerate(counts)}
        idf = np.array([np.log(len(lines) / n) for n in counts.values()])
        rows, columns, values = [], [], []
        for number, line in enumerate(tokens):
            for word in set(line):
                column = self.index[word]
                rows.append(number)
                columns.append(column)
                values.append(idf[column])
        matrix = sparse.csr_matrix((values, (rows, columns)), shape=(len(lines), len(counts)))
        norms = np.sqrt(matrix.multiply(matrix).sum(axis=1)).A1 + 1.0
        self.matrix = (sparse.diags(1 / norms) @ matrix).tocsc()
        self.idf = idf

    def best(self, text: str) -> tuple[str, float] | None:
        columns = [self.index[w] for w in set(content(text)) if w in self.index]
        if not columns:
            return None
        scores = np.asarray(self.matrix[:, columns] @ self.idf[columns]).ravel()
        number = int(scores.argmax())
        return self.lines[number], float(scores[number])


def label_turns(talk: list[TwoTurns], lines: list[str], seed: int) -> Iterator[LabelledTurn]:
    """Label each exchange that a rule is sure of; the others are left out."""
    rng = random.Random(f"turns {seed}")
    common = Counter(w for e in talk for w in set(content(e.response)))
    vague = {w for w, _ in common.most_common(VAGUE)}
    retriever = Retriever(lines)
    for exchange in talk:
        length = len(exchange.response.split())
        if not 2 <= length <= 45 or len(exchange.message.split()) > 60:
            continue
        evidence = _evidence(exchange, retriever)
        if evidence is None:
            continue
        yield from _label(exchange, evidence, vague)
        other = rng.choice(talk)
        own = set(content(other.response)) - vague
        known = set(content(evidence)) | set(content(exchange.message))
        if (
            other.topic != exchange.topic
            and len(own) > 1
            and not own & known
            and len(other.response.split()) < 40
        ):
            yield LabelledTurn(
                evidence,
                exchange.message,
                other.response,
                "off-topic",
                "other-talk",
                exchange.topic,
            )


def _evidence(exchange: TwoTurns, retriever: Retriever) -> str | None:
    if exchange.document:
        wanted = Counter(content(exchange.message) + content(exchange.response))
        scored = [
            (sum(wanted[w] for w in set(content(s))) / (4 + len(s.split()) ** 0.5), s)
            for s in exchange.document
        ]
        best = max(scored, default=(0.0, ""))
        return best[1] if best[0] > 0.1 else None
    match = retriever.best(exchange.message)
    return match[0] if match and match[1] > 1.5 else None


def _label(exchange: TwoTurns, evidence: str, vague: set[str]) -> Iterator[LabelledTurn]:
    response = set(content(exchange.response))
    specific = response - vague
    shared = response & set(content(evidence))
    share = len(shared) / len(response) if response else 0.0

    def labelled(label: str, method: str) -> LabelledTurn:
        return LabelledTurn(
            evidence, exchange.message, exchange.response, label, method, exchange.topic
        )

    if (
        not specific
        and not shared
        and not re.search(r"\d", exchange.response)
        and len(exchange.response.split()) <= 20
    ):
        yield labelled("generic", "human-generic")
    elif (
        exchange.document
        and share >= 0.6
        and len(response) >= 3
        and looks_entailed(exchange.response, evidence, 0.4)
    ):
        yield labelled("entailment", "human-talk")
    elif is_personal(exchange.response) and shared and 0 < share <= 0.5 and len(response) >= 3:
        yield labelled("hallucination", "human-personal")
    elif len(specific) >= 2 and shared and share <= 0.34 and len(exchange.response.split()) >= 6:
        yield labelled("hallucination", "human-informative")
