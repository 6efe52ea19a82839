"""BEGIN: what kind of response is it, given the evidence? (Dziri et al., 2021)

A classifier sees evidence, previous turn and response, and gives five probabilities: entailment,
contradiction, hallucination, off-topic, generic. The annotators rated sentences, so each sentence
of a longer response is judged as well. A small regression, learned from the same silver data,
corrects the classifier by the entailment model, which has seen far more pairs, and by what no
encoder of this size sees exactly: which words are copied. `compat=paper` is the classifier alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from staytrue.core.begin_labels import LABELS, TYPICAL_SHARES, coarse, reweighted
from staytrue.core.protocols import Entailment, EntailmentModel, GroundednessModel, Grounding, Pair
from staytrue.core.records import Evidence, EvidenceKind, Example, Verdict
from staytrue.core.text import words
from staytrue.english.words import sentence_spans, spread, without_markup
from staytrue.metrics import word_support
from staytrue.metrics.regression import load_weights, shipped_name, softmax
from staytrue.plugins.registry import settle

FEATURES = (
    *(f"log {label}" for label in LABELS),
    "log nli entailment",
    "log nli contradiction",
    *word_support.FEATURES,
)
"""The names of the regression's features, in the order of its weights."""
_FILE = "begin.json"
_COMPAT: dict[str, dict[str, object]] = {
    "none": {},
    "paper": {"prior": "balanced", "corrected": "off", "sentences": "off"},
}
_LEAST = 1e-4
# A longer response is judged by so much of it, by sentences spread over all of it, and says so:
# the models' time grows with every word, and nobody waits minutes for a response of 200 pages.
_MOST_SENTENCES = 200
_MOST_CHARACTERS = 20_000
_REASONS = {
    "entailment": "The evidence supports the response.",
    "contradiction": "The response contradicts the evidence.",
    "hallucination": "The response is on topic but says what the evidence does not.",
    "off-topic": "The response is about something else.",
    "generic": "The response is too general to be verified.",
    "neutral": "The evidence neither supports nor contradicts the response.",
}


class BeginBackend(GroundednessModel, EntailmentModel, Protocol):
    """What BEGIN asks of a backend."""


@dataclass(frozen=True)
class ResponsePart:
    """A response or one of its sentences, with its probabilities."""

    text: str
    start: int
    probabilities: Mapping[str, float]

    @property
    def label(self) -> str:
        """The most probable class."""
        return max(self.probabilities, key=lambda label: self.probabilities[label])


@dataclass(frozen=True)
class BeginResult:
    """The classes of a response, as a whole and sentence by sentence."""

    whole: ResponsePart
    sentences: tuple[ResponsePart, ...]
    """Its sentences, if it has several and they are judged."""
    omitted: str = ""
    """A sentence that says what of the response was not judged; empty if all of it was."""

    @property
    def probabilities(self) -> dict[str, float]:
        """The five probabilities of the response."""
        return combined(self.whole, self.sentences)


@dataclass(frozen=True)
class Begin:
    """Sort a response into BEGIN's classes; the score is the probability of entailment.

    The response is judged as a whole and sentence by sentence. Its probabilities are the mean of
    the whole's and of the weakest sentence's (the one least likely to be entailed, among those
    that are not generic): one invented sentence spoils a response, small talk around a supported
    one does not. `compat="paper"` takes the classifier's most probable class for the response as a
    whole: no sentences, no prior, no correction.
    """

    uses: ClassVar[tuple[str, ...]] = ("classify", "infer")
    labels: ClassVar[tuple[str, ...]] = LABELS

    backend: BeginBackend
    classes: Literal[5, 3] = 5
    """3 merges hallucination, off-topic and generic into neutral."""
    prior: Literal["typical", "balanced"] = "typical"
    """How common each class is taken to be: as in real dialogues, or all the same."""
    corrected: Literal["on", "off"] = "on"
    """Whether a small regression corrects the classifier by entailment and copied words."""
    weights: str = shipped_name(_FILE)
    """The weights of that regression: the package's, or a file by `training.begin_regression`."""
    sentences: Literal["on", "off"] = "on"
    """Whether the sentences of the response are judged as well."""
    compat: Literal["none", "paper"] = "none"

    def __post_init__(self) -> None:
        settle(self, self.compat, _COMPAT[self.compat])

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where response or knowledge has no words."""
        return [
            self._verdict(example, result) if result else _abstained(example)
            for example, result in zip(examples, self.results(examples), strict=True)
        ]

    def results(self, examples: Sequence[Example]) -> list[BeginResult | None]:
        """The classes of each example; None where response or knowledge has no words."""
        # The papers' classifier read texts as they are.
        read = without_markup if self.compat == "none" else str
        readings = {
            number: _read(example.response, by_sentence=self.sentences == "on")
            for number, example in enumerate(examples)
            if words(example.response) and words(example.knowledge)
        }
        known = {number: read(examples[number].knowledge) for number in readings}
        units = [(number, *unit) for number, reading in readings.items() for unit in reading.units]
        asked = [Grounding(known[n], examples[n].message, read(text)) for n, text, _ in units]
        shares = TYPICAL_SHARES if self.prior == "typical" else dict.fromkeys(LABELS, 1.0)
        parts: dict[int, list[ResponsePart]] = {number: [] for number in readings}
        for (number, text, start), given in zip(units, self._five(asked), strict=True):
            parts[number].append(ResponsePart(text, start, reweighted(given, shares)))
        results: list[BeginResult | None] = [None] * len(examples)
        for number, (whole, *sentences) in parts.items():
            results[number] = BeginResult(whole, tuple(sentences), readings[number].omitted)
        return results

    def _five(self, asked: Sequence[Grounding]) -> list[dict[str, float]]:
        """The five probabilities of each item, as if all classes were equally common."""
        given = self.backend.classify(asked)
        if self.corrected == "off":
            return given
        weights = load_weights(self.weights, _FILE, FEATURES)
        implied = self.backend.infer([Pair(item.evidence, item.response) for item in asked])
        rows = (features(*row) for row in zip(asked, given, implied, strict=True))
        return [dict(zip(LABELS, softmax(weights.logits(row)), strict=True)) for row in rows]

    def _verdict(self, example: Example, result: BeginResult) -> Verdict:
        five = result.probabilities
        shown = five if self.classes == 5 else coarse(five)
        label = max(shown, key=lambda name: shown[name])
        probabilities = {name: round(value, 6) for name, value in shown.items()}
        evidence = [
            Evidence(
                EvidenceKind.PROBABILITIES, label=label, details={"probabilities": probabilities}
            )
        ]
        evidence += [self._sentence(piece) for piece in result.sentences or [result.whole]]
        score = min(1.0, max(0.0, five["entailment"]))
        reason = _REASONS[label] + result.omitted
        return Verdict(example.id, "begin", score, label, reason, tuple(evidence))

    def _sentence(self, piece: ResponsePart) -> Evidence:
        shown = piece.probabilities if self.classes == 5 else coarse(piece.probabilities)
        return Evidence(
            EvidenceKind.SENTENCE,
            text=piece.text,
            field="response",
            start=piece.start,
            end=piece.start + len(piece.text),
            score=min(1.0, piece.probabilities["entailment"]),
            label=max(shown, key=lambda name: shown[name]),
            details={"probabilities": {name: round(value, 6) for name, value in shown.items()}},
        )


def features(item: Grounding, given: Mapping[str, float], implied: Entailment) -> list[float]:
    """What the regression sees: log probabilities of both models, and the words' support."""
    chances = [*(given[label] for label in LABELS), implied.entailment, implied.contradiction]
    logs = [math.log(max(_LEAST, chance)) for chance in chances]
    return [*logs, *word_support.features(item.response, item.evidence, item.message)]


def combined(whole: ResponsePart, pieces: Sequence[ResponsePart]) -> dict[str, float]:
    """Probabilities of the response from those of the whole and of its sentences."""
    claims = [piece for piece in pieces if piece.label != "generic"]
    if not claims:
        return dict(whole.probabilities)
    weakest = min(claims, key=lambda piece: piece.probabilities["entailment"])
    return {
        label: (whole.probabilities[label] + weakest.probabilities[label]) / 2 for label in LABELS
    }


@dataclass(frozen=True)
class _Reading:
    """What of a response is judged."""

    units: list[tuple[str, int]]
    """The response as a whole, then its sentences if it has several, with their offsets."""
    omitted: str
    """A sentence that says what was left out; empty if nothing was."""


def _read(response: str, *, by_sentence: bool) -> _Reading:
    """All of a response; of one that is too long, sentences that are spread over it."""
    spans = _sentences(response)
    too_long = len(response) > _MOST_CHARACTERS
    most = len(spans) * _MOST_CHARACTERS // len(response) if too_long else _MOST_SENTENCES
    kept = spread(spans, max(1, min(most, _MOST_SENTENCES)))
    room = _MOST_CHARACTERS // len(kept) if too_long else len(response)
    pieces = [(response[start : min(end, start + room)], start) for start, end in kept]
    whole = " ".join(text for text, _ in pieces) if too_long else response
    omitted = ""
    if len(kept) < len(spans) and (too_long or by_sentence):
        omitted = f" Only {len(kept):,} of its {len(spans):,} sentences were judged."
    elif too_long:
        omitted = f" Only {_MOST_CHARACTERS:,} of its {len(response):,} characters were judged."
    several = by_sentence and len(pieces) > 1
    return _Reading([(whole, 0), *(pieces if several else [])], omitted)


def _sentences(response: str) -> list[tuple[int, int]]:
    return [span for span in sentence_spans(response) if words(response[slice(*span)])]


def _abstained(example: Example) -> Verdict:
    empty = "response" if not words(example.response) else "knowledge"
    return Verdict(example.id, "begin", None, reason=f"The {empty} has no words to compare.")
