"""`hybrid,compat=paper` against a second implementation, written from Appendix B alone.

It has its own way of cutting questions, reading short forms and counting tokens. Where the two
read a short form differently, which a lexicon decides, nothing follows; everywhere else they must
give the same score, on all judged answers and with the same entailment model.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Pair
from staytrue.core.records import Example, Probe
from staytrue.english.numbers import to_digits
from staytrue.english.yes_no import read_short_answer
from staytrue.metrics.hybrid.metric import Hybrid

GOLDEN = Path(__file__).parents[2] / "golden"
ROWS = [
    json.loads(line)
    for name in ("consistest_judged.jsonl", "consistest_judged_more.jsonl")
    for line in (GOLDEN / name).read_text("utf-8").splitlines()
]
YES = "yes|yeah|yea|yep|yup|sure|of course|definitely|absolutely|certainly|correct|right|indeed"
NO = "no|nope|nah|never|not really|not at all|not anymore|of course not"
FORMS = (
    r"(?:i|we|he|she|it|they|there)(?: do| does| did| am| are| is| was| were| have| has| had| can"
    r"| could| will| would|'m|'re|'s|'ve|'ll|'d)"
)
END = r"(?=\s*(?:[.,!;]|$|but\b|and\b|because\b))"
FILLER = r"^(?:(?:well|oh|haha|lol|hmm|um|actually|honestly|so|hey|hi)\b[\s,.!]*)*"


def short_form(response: str) -> bool | None:
    """True for yes, False for no, None without a short form."""
    text = re.sub(FILLER, "", response.lower().replace("’", "'").replace(" ' ", "'").strip())
    if re.match(rf"(?:{NO})\b", text) and not re.match(r"no (?:one|idea|clue|problem)", text):
        return False
    if re.match(rf"(?:{YES})\b{END}", text) or re.match(r"(?:yes|yeah|yep|yup)\b", text):
        return True
    if re.match(rf"{FORMS}(?: not|n't| never){END}", text):
        return False
    return True if re.match(rf"{FORMS}{END}", text) else None


def stated(response: str) -> str:
    """The response without its interrogative parts, number words as digits."""
    parts = re.split(r"(?<=[.,;!?])", response)
    return to_digits("".join(part for part in parts if not part.endswith("?"))).strip()


def tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", to_digits(text).lower())


def published(models: CachedBackend, probe: Probe, response: str) -> float:
    statement = stated(response)
    if not tokens(statement):
        return 0.0
    entailment = models.infer([Pair(probe.fact, statement)])[0]
    chances = {n: getattr(entailment, n) for n in ("entailment", "neutral", "contradiction")}
    label = max(chances, key=lambda name: chances[name])
    if probe.kind == "yn":
        short, wanted = short_form(statement), short_form(probe.truth.split("|")[0])
        if short is None or wanted is None:
            return float(label == "entailment")
        return float(short == wanted and label != "contradiction")
    if label == "contradiction":
        return 0.0
    given = tokens(statement)
    shares = []
    for truth in filter(None, map(tokens, probe.truth.split("|"))):
        shares.append(sum(token in given for token in truth) / len(truth))
    return max(shares, default=0.0)


@pytest.fixture(scope="module")
def models() -> CachedBackend:
    return CachedBackend(EmbeddedBackend())


def read_alike(row: dict[str, Any]) -> bool:
    """Whether both lexicons find the same short form, in the answer and in the truth."""
    if row["probe"]["kind"] != "yn":
        return True
    for text in (stated(row["response"]), row["probe"]["truth"].split("|")[0]):
        ours = read_short_answer(text, row["probe"]["question"])
        if (ours.polarity if ours else None) != short_form(text):
            return False
    return True


@pytest.mark.slow
def test_both_implementations_score_the_judged_answers_alike(models: CachedBackend) -> None:
    rows = [row for row in ROWS if read_alike(row)]
    assert len(rows) >= 0.9 * len(ROWS)
    probes = [Probe(**row["probe"]) for row in rows]
    examples = [
        Example(str(n), row["response"], probe=probe)
        for n, (row, probe) in enumerate(zip(rows, probes, strict=True))
    ]
    found = [verdict.score for verdict in Hybrid(models, compat="paper").judge(examples)]
    expected = [published(models, e.probe or probes[0], e.response) for e in examples]
    differing = [
        (e.probe, e.response, a, b)
        for e, a, b in zip(examples, found, expected, strict=True)
        if a != pytest.approx(b)
    ]
    assert not differing
    assert 0.3 < sum(expected) / len(expected) < 0.8


@pytest.mark.slow
def test_our_rules_are_another_method(models: CachedBackend) -> None:
    examples = [
        Example(str(n), row["response"], probe=Probe(**row["probe"])) for n, row in enumerate(ROWS)
    ]
    ours, paper = (
        [verdict.score for verdict in Hybrid(models, compat=way).judge(examples)]
        for way in ("none", "paper")
    )
    assert sum(a != b for a, b in zip(ours, paper, strict=True)) > 20
