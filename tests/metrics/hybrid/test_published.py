"""`hybrid,compat=paper` against a second implementation, written from Appendix B alone.

It has its own way of cutting questions, reading short forms and counting tokens; the lexicon of
short forms, of which the appendix says no more than that there is one, is the one that ships. The
two must give the same score on all judged answers, with the same entailment model.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import staytrue
from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Pair
from staytrue.core.records import Example, Probe
from staytrue.english.numbers import to_digits
from staytrue.metrics.hybrid.metric import Hybrid

GOLDEN = Path(__file__).parents[2] / "golden"
ROWS = [
    json.loads(line)
    for name in ("consistest_judged.jsonl", "consistest_judged_more.jsonl")
    for line in (GOLDEN / name).read_text("utf-8").splitlines()
]
LEXICON = Path(staytrue.__file__).parent / "english" / "lexicon" / "short_answers.txt"
GROUPS: dict[str, list[str]] = {}
for line in LEXICON.read_text("utf-8").splitlines():
    if not line.startswith("#"):
        group, phrases = line.split(": ")
        GROUPS.setdefault(group, []).extend(phrases.split(", "))
WRITTEN_OUT = {
    "can't": "can not", "won't": "will not", "n't": " not", "'m": " am", "'re": " are",
    "'ve": " have", "'ll": " will", "'d": " would", "'s": " is",
}  # fmt: skip
AUXILIARY = "am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|may|might|must"


def one_of(group: str, *left_out: str) -> str:
    """A pattern for the phrases of the group, the longest first."""
    kept = sorted(set(GROUPS[group]) - set(left_out), key=len, reverse=True)
    return "(?:" + "|".join(kept) + ")"


END = rf"(?=\s*(?:[.,!;:?-]|$|{one_of('after')}\b))"
SOFT = rf"(?: {one_of('softeners', 'do')})*"
PRONOUN_FORM = (
    rf"{one_of('pronouns')}{SOFT} (?:{AUXILIARY})(?P<not> not| never)?"
    rf"(?: {one_of('softeners', 'do', 'sure')})*{END}"
)
RUNS_ON = rf"(?:{one_of('may run on')}|never|of course|not|i gave .*|i quit|i stopped)$"


def short_form(response: str, question: str = "") -> bool | None:
    """True for yes, False for no, None without a short form."""
    text = re.sub(r" ?['’] ?(?=(?:m|re|ve|ll|d|s|t)\b)", "'", response.lower())
    for short, full in WRITTEN_OUT.items():
        text = text.replace(short, full)
    text = re.sub(rf"^(?:(?:{one_of('before', 'my', 'why', 'so')}\b|[.,!;: -])\s*)*", "", text)
    if not any(text.startswith(opening) for opening in GROUPS["not short"]):
        for phrase, says in sorted(fixed(question).items(), key=lambda one: -len(one[0])):
            follows = re.match(rf"{phrase}\b(?:{END}| {PRONOUN_FORM})", text)
            if follows or (re.match(rf"{phrase}\b", text) and re.match(RUNS_ON, phrase)):
                return says
    if re.match(r"not\b", text):
        return False
    form = re.match(PRONOUN_FORM, text)
    return form["not"] is None if form else None


def fixed(question: str) -> dict[str, bool]:
    """The fixed phrases; what "i hate it" and "i used to" say depends on the question."""
    asked = question.lower().rstrip("?").split()
    dislikes = bool(set(asked) & set(GROUPS["asks for dislikes"]))
    answers = {phrase: group == "yes" for group in ("yes", "no") for phrase in GROUPS[group]}
    for group in ("likes", "dislikes"):
        for verb in GROUPS[group]:
            for thing in GROUPS["liked"]:
                answers[f"i {verb} {thing}"] = dislikes == (group == "dislikes")
    return answers | ({"i used to": True} if asked[:1] == ["did"] else {})


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
        short = short_form(statement, probe.question)
        wanted = short_form(probe.truth.split("|")[0])
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


@pytest.mark.slow
def test_both_implementations_score_the_judged_answers_alike(models: CachedBackend) -> None:
    probes = [Probe(**row["probe"]) for row in ROWS]
    examples = [
        Example(str(n), row["response"], probe=probe)
        for n, (row, probe) in enumerate(zip(ROWS, probes, strict=True))
    ]
    scores = [verdict.score for verdict in Hybrid(models, compat="paper").judge(examples)]
    expected = [published(models, e.probe or probes[0], e.response) for e in examples]
    differing = [
        (e.probe, e.response, a, b)
        for e, a, b in zip(examples, scores, expected, strict=True)
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
