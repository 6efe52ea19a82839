"""Natural talk between people and bots (DSTC9): two ways to look for contradictions in it."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import stats

from staytrue.core.protocols import Query
from staytrue.core.records import Example, Probe
from staytrue.core.text import words
from staytrue.datasets import dstc9
from staytrue.english.wording import is_question, statements
from staytrue.english.words import sentences

_STOP = frozenset(
    "i you he she it we they a an the and or but to of in on at for with my your is am are was "
    "were do does did have has had that this not so be me like just really know think".split()
)
_FIRST_PERSON = frozenset("i i'm i've i'd i'll im my mine me".split())
_FEWEST_TURNS = 5
_FEWEST_BOTS = 4  # the interval divides by their number less three


@dataclass(frozen=True)
class BotRow:
    """One bot: what people said of its dialogues, and what we find in them."""

    bot: str
    people: float
    """Share of dialogues that people called inconsistent."""
    searched: float | None
    """Share of compared pairs of its turns that contradict each other; None without pairs."""
    asked: float | None
    """The same for turns that answer a question which an earlier turn answers too."""
    pairs: int
    questions: int


@dataclass(frozen=True)
class FlaggedPairs:
    """What a metric flags in all dialogues."""

    flagged: list[Example]
    others: list[Example]
    dialogues: int


def rows(data: Path, metric: Any, reader: Any, dialogues: int, seed: int = 0) -> list[BotRow]:
    """Compare each bot's turns in so many dialogues."""
    bots = []
    for file in sorted(data.glob("dstc9_*.jsonl.gz")):
        talks: dict[str, list[Example]] = defaultdict(list)
        for item in dstc9.read(str(file)):
            if isinstance(item, Example):
                talks[item.tags["dialogue"]].append(item)
        judged = [t[0].consistent for t in talks.values() if t[0].consistent is not None]
        long = [t for _, t in sorted(talks.items()) if _FEWEST_TURNS <= len(t) + 1 <= 25]
        chosen = random.Random(seed).sample(long, min(dialogues, len(long)))
        searched = [pair for talk in chosen for pair in _related(talk)]
        asked = natural_inquiries(chosen, reader)
        bots.append(
            BotRow(
                file.name.split(".")[0].removeprefix("dstc9_"),
                1 - sum(judged) / len(judged),
                _rate(metric, searched),
                _rate(metric, asked),
                len(searched),
                len(asked),
            )
        )
    return bots


def turns_of(data: Path) -> dict[str, list[str]]:
    """What the bot says in each dialogue, by "bot #number"; the same dialogue only once."""
    by_dialogue: dict[str, list[str]] = {}
    seen: set[tuple[str, ...]] = set()
    for file in sorted(data.glob("dstc9_*.jsonl.gz")):
        talks: dict[str, list[Example]] = defaultdict(list)
        for item in dstc9.read(str(file)):
            if isinstance(item, Example):
                talks[f"{item.tags['bot']} #{item.tags['dialogue']}"].append(item)
        for name, talk in sorted(talks.items()):
            turns = _turns(talk)
            if tuple(turns) not in seen:
                seen.add(tuple(turns))
                by_dialogue[name] = turns
    return by_dialogue


def pairs_of_turns(name: str, turns: list[str]) -> list[Example]:
    """Every two of the turns of a dialogue that are not the same."""
    return [
        Example(f"turns {name} {m} {n}", turns[n], turns[m])
        for n in range(len(turns))
        for m in range(n)
        if turns[m].lower() != turns[n].lower()
    ]


def flags(
    data: Path, metric: Any, without: Iterable[str] = (), most: int | None = None
) -> FlaggedPairs:
    """The pairs of turns that the metric calls contradictions, and others; each text once.

    `most` takes so many dialogues only.
    """
    known = set(without)
    fresh = [(name, turns) for name, turns in turns_of(data).items() if name not in known]
    talks = dict(fresh[:most])
    pairs: dict[tuple[str, str], Example] = {}
    for name, turns in talks.items():
        for pair in pairs_of_turns(name, turns):
            pairs.setdefault((pair.knowledge.lower(), pair.response.lower()), pair)
    examples = list(pairs.values())
    labels = [verdict.label for verdict in metric.judge(examples)]
    judged = list(zip(examples, labels, strict=True))
    return FlaggedPairs(
        [example for example, label in judged if label == "contradiction"],
        [example for example, label in judged if label == "consistent"],
        len(talks),
    )


def _rate(metric: Any, examples: list[Example]) -> float | None:
    labels = [verdict.label for verdict in metric.judge(examples) if verdict.score is not None]
    contradictions: int = sum(label == "contradiction" for label in labels)
    return contradictions / len(labels) if labels else None


def _turns(talk: list[Example]) -> list[str]:
    return [t.text for t in talk[-1].history if t.speaker == "bot"] + [talk[-1].response]


def _related(talk: list[Example]) -> list[Example]:
    """Pairs of the bot's lines about itself that share a content word, at most twelve per dialogue.

    Of other things two turns mostly speak in answer to different people's remarks.
    """
    turns = [" ".join(statements(text)) for text in _turns(talk)]
    content = [set(words(text)) - _STOP for text in turns]
    pairs = [
        Example(f"{talk[0].id} {m} {n}", turns[n], turns[m])
        for n in range(len(turns))
        for m in range(n)
        if content[m] & content[n] and turns[m] != turns[n] and _is_about_itself(turns[m], turns[n])
    ]
    return random.Random(talk[0].id).sample(pairs, min(12, len(pairs)))


def _is_about_itself(*texts: str) -> bool:
    return all(_FIRST_PERSON & set(words(text)) for text in texts)


def natural_inquiries(talks: list[list[Example]], reader: Any) -> list[Example]:
    """People's own questions whose answer an earlier turn of the bot holds: natural inquiries."""
    cases = []
    for talk in talks:
        for example in talk:
            asked = [s for s in sentences(example.message) if is_question(s) and len(words(s)) > 3]
            earlier = [" ".join(statements(t.text)) for t in example.history if t.speaker == "bot"]
            if asked and earlier:
                cases += [
                    (example, asked[-1], text) for text in earlier[-4:] if len(words(text)) > 3
                ]
    answers = reader.answer([Query(question, text) for _, question, text in cases])
    return [
        Example(f"{e.id} {n}", e.response, text, probe=Probe(question, a.text or "", text, "wh"))
        for n, ((e, question, text), a) in enumerate(zip(cases, answers, strict=True))
        if a.text is not None and a.confidence > 0.5
    ]


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's ρ with its p and its 95 % interval."""

    rho: float
    p: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.rho:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"


def with_people(rows: Sequence[BotRow], what: Literal["searched", "asked"]) -> str:
    """How a rate orders the bots that have one, compared with people; needs four bots."""
    pairs = [(row.people, rate) for row in rows if (rate := getattr(row, what)) is not None]
    if len(pairs) < _FEWEST_BOTS:
        return f"– ({len(pairs)} bots)"
    return str(spearman([people for people, _ in pairs], [rate for _, rate in pairs]))


def spearman(left: list[float], right: list[float]) -> RankCorrelation:
    """ρ over bots; the interval is Fisher's with the variance of Fieller et al. (1957)."""
    result = stats.spearmanr(np.array(left), np.array(right))
    rho = float(result.statistic)
    margin = 1.96 * math.sqrt(1.06 / (len(left) - 3))
    centre = math.atanh(max(-0.999, min(0.999, rho)))
    low, high = math.tanh(centre - margin), math.tanh(centre + margin)
    return RankCorrelation(rho, float(result.pvalue), low, high)
