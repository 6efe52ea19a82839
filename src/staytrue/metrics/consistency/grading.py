"""From probabilities to a claim's verdict; pure arithmetic, no model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from staytrue.core.protocols import Claim, Entailment, Pair
from staytrue.core.records import Example
from staytrue.english.roles import Exchange
from staytrue.metrics.consistency.amounts import Difference, compare_values
from staytrue.metrics.consistency.entries import misplaced
from staytrue.metrics.consistency.marks import (
    Stretch,
    found_in,
    telling_words,
    whole,
    without_each_word,
    wrong_words,
)
from staytrue.metrics.consistency.result import Citation, ClaimLabel, ClaimResult, Signs
from staytrue.metrics.consistency.retrieval import Index, keywords
from staytrue.metrics.consistency.sources import Line, Source
from staytrue.metrics.consistency.timetables import for_claim

# Lines of the knowledge that a claim is judged against, joined; the nearest also alone. With three
# lines one by one and joined it costs twice as much and agrees less with people (ROC-AUC 0.765
# against 0.792 on the rows for constants, each kind of data left out in turn).
JOINED = 6
# Lines of history or persona, each judged alone: together they are about many things.
NEAREST = 3
# A claim that fails stays below this, one that holds above it.
_LIMIT = 0.5
_BELOW, _ABOVE = 0.45, 0.55
# How probable a contradiction by history or persona must be. Their lines are about many things, and
# an entailment model sees contradictions too easily where two lines share no word.
_CLEAR = 0.5
_CLEAR_APART = 0.8
_LEAST = 1e-3


@dataclass(frozen=True, slots=True)
class ClaimWeights:
    """How much each sign counts for a claim, in log odds.

    Fitted on the quarter of FaithDial's audit and of the grounded claims that is set aside for
    constants, with an offset of its own for each source (`python -m training.headline --limit
    700`). Questions as in Q² had a weight of −0.06 there, which is none: they are not asked.
    """

    entailed: float = 1.390
    contradicted: float = 0.457
    offset: float = 0.237

    def log_odds(self, signs: Signs) -> float:
        """Of the claim being right."""
        return self.offset + self.entailed * signs.entailed - self.contradicted * signs.contradicted


# The small models are sure of less: what they say counts less (`--backend embedded,size=small`).
_SMALL = "staytrue-entailment@"
_OF_SMALL = ClaimWeights(entailed=0.835, contradicted=0.277, offset=0.144)


def weights_for(models: Mapping[str, str]) -> ClaimWeights:
    """The weights that were fitted with these models (`Backend.models`), else those of both."""
    return _OF_SMALL if models.get("infer", "").startswith(_SMALL) else ClaimWeights()


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim with the lines it is judged against."""

    claim: Claim
    statement: str
    nearest: Mapping[Source, tuple[Line, ...]]
    differences: tuple[Difference, ...] = ()
    cited: tuple[tuple[int, tuple[Line, ...]], ...] = ()
    """Passages that the claim cites, each with its nearest lines."""

    @classmethod
    def of(
        cls,
        claim: Claim,
        statement: str,
        indexes: Mapping[Source, Index],
        cites: Sequence[int] = (),
    ) -> Asked:
        """The claim with the nearest lines of each source, its values compared with theirs."""
        nearest = {
            source: tuple(index.nearest(statement, JOINED if source == "knowledge" else NEAREST))
            for source, index in indexes.items()
        }
        differences: tuple[Difference, ...] = ()
        if "knowledge" in nearest:
            known = tuple(for_claim(statement, nearest["knowledge"])) or nearest["knowledge"]
            nearest["knowledge"] = known
            lines = [line.text for line in known]
            compared = compare_values(statement, lines, lambda: indexes["knowledge"].values)
            differences = compared.differences
            if not differences:
                elsewhere = misplaced(statement, [line.premise for line in known])
                differences = (elsewhere,) if elsewhere else ()
            statement = compared.text
        else:
            # What the bot said before need not be the same thing; only the wording is taken over.
            lines = [line.text for own in nearest.values() for line in own]
            statement = compare_values(statement, lines, tuple).text
        cited = []
        for number in cites:
            own = [line for line in indexes["knowledge"].lines if line.number == number]
            cited.append((number, tuple(Index.of(own).nearest(statement, NEAREST))))
        return cls(claim, statement, nearest, differences, tuple(cited))

    def with_exchange(self, exchange: Exchange | None) -> Asked:
        """The claim with one difference more where a part of it stands in another's place."""
        if exchange is None:
            return self
        return replace(self, differences=(*self.differences, Difference(*exchange)))

    def evidence(self, source: Source) -> str:
        """The nearest lines of a source in the order of the text, joined."""
        return _in_order(self.nearest.get(source, ()))

    def premises(self, source: Source) -> list[tuple[Line, str]]:
        """The texts to judge by, each with the line it stands for.

        Of history and persona each nearest line alone; of knowledge the nearest, and all joined.
        """
        own = self.nearest.get(source, ())
        if source != "knowledge" or len(own) < 2:
            return [(line, line.premise) for line in own]
        return [(own[0], own[0].premise), (own[0], self.evidence(source))]

    def citation(self, lines: Sequence[Line]) -> Pair:
        """What shows whether a cited passage supports the claim."""
        return Pair(_in_order(lines), self.statement)

    @property
    def cited_together(self) -> tuple[Line, ...]:
        """The nearest lines of all passages that the claim cites."""
        return tuple(line for _, lines in self.cited for line in lines)

    @property
    def pairs(self) -> list[Pair]:
        own = [Pair(text, self.statement) for s in self.nearest for _, text in self.premises(s)]
        cited = [lines for _, lines in self.cited if lines]
        together = [self.cited_together] if len(cited) > 1 else []
        return own + [self.citation(lines) for lines in (*cited, *together)]


@dataclass(frozen=True, slots=True)
class Grader:
    """Grades claims by what the entailment model said of their pairs."""

    inferred: Mapping[Pair, Entailment]
    weights: ClaimWeights

    def grade(self, asked: Asked, example: Example) -> ClaimResult:
        """The claim's verdict: any source may support it, any may contradict it."""
        graded = [self._against(source, asked) for source in asked.nearest]
        against = [one for one in graded if one.label == "contradicted"]
        held = [one for one in graded if one.label == "supported"]
        missing = [one for one in graded if one.label == "unsupported"]
        choice = (
            min(against, key=lambda one: one.score) if against
            else max(held, key=lambda one: one.score) if held
            else (missing or graded)[0]
        )  # fmt: skip
        choice = replace(choice, citations=self._citations(asked))
        return choice if choice.holds else _with_marks(choice, asked, example)

    def left_out(self, asked: Asked, result: ClaimResult) -> dict[Stretch, Pair]:
        """Pairs that tell which word of a failing claim is wrong, where none stands out."""
        if result.holds or result.wrong:
            return {}
        left = without_each_word(asked.statement)
        return {word: Pair(_basis(asked, result), text) for word, text in left.items()}

    def with_telling_words(
        self, asked: Asked, result: ClaimResult, example: Example,
        inferred: Mapping[Stretch, Entailment],
    ) -> ClaimResult:  # fmt: skip
        """The claim with the words marked without which it is better supported, or all of them."""
        if result.holds or result.wrong:
            return result
        alone = self.inferred[Pair(_basis(asked, result), asked.statement)]
        gains = {
            word: _log_odds(one.entailment) - _log_odds(alone.entailment)
            for word, one in inferred.items()
        }
        words = [asked.statement[a:b] for a, b in telling_words(asked.statement, gains)]
        marked = _in_response(asked.claim, words, example)
        start = asked.claim.start
        first, last = whole(example.response[start : asked.claim.end])
        return replace(result, wrong=marked or ((start + first, start + last),))

    def _judged(self, source: Source, asked: Asked) -> list[tuple[Line, Entailment]]:
        return [
            (line, self.inferred[Pair(text, asked.statement)])
            for line, text in asked.premises(source)
        ]

    def _citations(self, asked: Asked) -> tuple[Citation, ...]:
        """Whether each cited passage supports the claim, by itself or else all of them together."""
        citations = [
            Citation(number, bool(lines) and self._is_cited_right(asked, lines))
            for number, lines in asked.cited
        ]
        several = sum(bool(lines) for _, lines in asked.cited) > 1
        alone = any(one.supports for one in citations)
        if several and not alone and self._is_cited_right(asked, asked.cited_together):
            citations = [Citation(number, bool(lines)) for number, lines in asked.cited]
        return tuple(citations)

    def _is_cited_right(self, asked: Asked, lines: Sequence[Line]) -> bool:
        """By the rule for claims: a claim that holds by this passage alone is rightly cited."""
        said = self.inferred[asked.citation(lines)]
        signs = Signs(_log_odds(said.entailment), _log_odds(said.contradiction))
        return self.weights.log_odds(signs) > 0

    def _against(self, source: Source, asked: Asked) -> ClaimResult:
        judged = self._judged(source, asked)
        if source != "knowledge":
            return _by_own_words(source, asked, judged)
        supporting, most = max(judged, key=lambda one: one[1].entailment)
        signs = _signs(judged)
        score = 1 / (1 + math.exp(-self.weights.log_odds(signs)))
        if asked.differences:
            score = min(score, _BELOW)
        label: ClaimLabel = "supported" if score > _LIMIT else "unsupported"
        shown, line = most, supporting
        if label == "unsupported":
            line, shown = max(judged, key=lambda one: one[1].contradiction)
            if asked.differences or shown.contradiction > max(shown.neutral, shown.entailment):
                label = "contradicted"
        return ClaimResult(asked.claim, asked.statement, label, score, source, line, shown,
                           asked.differences, signs=signs)  # fmt: skip


def _signs(judged: Sequence[tuple[Line, Entailment]]) -> Signs:
    """What speaks for and against a claim; the joined lines, which come last, tell what opposes."""
    most = max(inferred.entailment for _, inferred in judged)
    _, joined = judged[-1]
    return Signs(_log_odds(most), _log_odds(joined.contradiction))


def _in_order(lines: Sequence[Line]) -> str:
    ordered = sorted(lines, key=lambda line: (line.number, line.start))
    return " ".join(line.premise for line in ordered)


def _by_own_words(
    source: Source, asked: Asked, judged: Sequence[tuple[Line, Entailment]]
) -> ClaimResult:
    """History and persona: what they do not mention is new, not wrong."""
    supporting, most = max(judged, key=lambda one: one[1].entailment)
    opposing, least = max(judged, key=lambda one: one[1].contradiction)
    related = not keywords(asked.statement).isdisjoint(keywords(opposing.text))
    clear = _CLEAR if related else _CLEAR_APART
    if least.contradiction > clear and least.contradiction > most.entailment:
        return ClaimResult(asked.claim, asked.statement, "contradicted",
                           1 - least.contradiction, source, opposing, least)  # fmt: skip
    label: ClaimLabel = "supported" if most.entailment > _LIMIT else "new"
    score = max(most.entailment, 1 - least.contradiction, _ABOVE)
    return ClaimResult(asked.claim, asked.statement, label, score, source, supporting, most)


def _basis(asked: Asked, result: ClaimResult) -> str:
    """The text that a claim was judged by: its lines of the knowledge, or one line of others."""
    if result.source == "knowledge" or result.line is None:
        return asked.evidence(result.source)
    return result.line.premise


def _with_marks(result: ClaimResult, asked: Asked, example: Example) -> ClaimResult:
    """The claim with the words that its evidence does not have; no mark where it has them all."""
    text = asked.claim.text
    if result.differences:
        wrong = [one.claimed for one in result.differences]
    else:
        lines = [line.text for line in asked.nearest[result.source]]
        before = " ".join(turn.text for turn in example.history)
        wrong = [text[a:b] for a, b in wrong_words(text, lines, before)]
    return replace(result, wrong=_in_response(asked.claim, wrong, example))


def _in_response(claim: Claim, words: Sequence[str], example: Example) -> tuple[Stretch, ...]:
    """Where words of a claim stand in the response, which may tell the claim otherwise."""
    marked = found_in(example.response[claim.start : claim.end], words)
    return tuple((a + claim.start, b + claim.start) for a, b in marked)


def overall(claims: Sequence[ClaimResult]) -> float:
    """The response's score: above one half exactly when every claim holds.

    Half of it is the mean of the claims' log odds, half the weakest claim's: one wrong claim among
    many right ones makes a response wrong. On the 229 rows for constants with three claims or more
    that has ROC-AUC 0.810, the mean alone 0.765; with fewer claims both are alike. Where a claim
    fails the score counts half, so that no number of right claims hides a wrong one.
    """
    odds = [_log_odds(claim.score) for claim in claims]
    score = 1 / (1 + math.exp(-(sum(odds) / len(odds) + min(odds)) / 2))
    return score if all(claim.holds for claim in claims) else score / 2


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))
