"""The steps of Q²: what is asked about a response, what is kept, how answers compare."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Protocol

from staytrue.core.protocols import (
    Answer,
    Entailment,
    EntailmentModel,
    Pair,
    Query,
    QuestionAnswerer,
    QuestionGenerator,
    Span,
    SpanExtractor,
    Target,
)
from staytrue.core.records import Example
from staytrue.english.words import name_a_person, sentence_spans, spread, token_f1

# The words that Q² ignores when it compares answers (papers.md §1, step 3).
IGNORED_IN_ANSWERS = frozenset({"a", "an", "the", "in", "our"})
# A question about the speaker or the listener: its subject is "I" or "you", or it has the
# possessive "my" or "your". "You" at the very end is an object ("what can help you?").
_PERSONAL = re.compile(r"\b(?:i|my|your)\b|\byou\b(?!\s*\?*$)", re.IGNORECASE)
# After a name that does not open the question, "I" is a number: "World War I".
_NUMERAL = re.compile(r"(?<=\S )([A-Z][a-z]+) I\b")
_SPEAKERS = frozenset({"i", "me", "myself", "you", "yourself", "mine", "yours"})
# What a third-person pronoun stands for is never its own text, so the two cannot be compared.
_PRONOUN = re.compile(r"(?:he|she|it|they|him|her|them|this|that|these|those)", re.IGNORECASE)
# A response that has more is asked about so many only, and the verdict says so: each question
# is a pass of the reader, and nobody waits minutes for a list of a thousand names.
MOST_SPANS = 100
_LONG_RESPONSE = 4_000
# A longer one repeats a list, and leaves the reader's window no room for the passage.
_LONGEST_QUESTION = 400
_POSSESSIVE = re.compile(r" s$")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
NO_ANSWER = "no answer"
"""The label of a question that the knowledge does not answer."""


class Q2Backend(SpanExtractor, QuestionGenerator, QuestionAnswerer, EntailmentModel, Protocol):
    """What Q² asks of a backend."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the resolved text and the stretch of the response that it stands for."""

    text: str
    start: int
    end: int
    replaced: bool


@dataclass(frozen=True, slots=True)
class Resolved:
    """A response with names for pronouns, and the way back to the response as given."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The resolved text."""
        return "".join(piece.text for piece in self.pieces)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the response; a name put for a pronoun maps to that pronoun."""
        at, first, last = 0, None, 0
        for piece in self.pieces:
            here, at = at, at + len(piece.text)
            if at <= start or here >= end:
                continue
            low = piece.start if piece.replaced else piece.start + max(0, start - here)
            high = piece.end if piece.replaced else piece.start + min(end, at) - here
            first = low if first is None else first
            last = high
        return (first or 0, last)


def unresolved(example: Example) -> Resolved:
    """The response as it stands."""
    return Resolved((Piece(example.response, 0, len(example.response), False),))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that a response raises about one of its spans."""

    owner: int
    """Which response it belongs to."""
    span: Span
    rank: int
    """0 is the generator's best question for the span."""
    question: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """A question that was not used, and why."""

    candidate: Candidate
    why: str
    """"personal" or "round trip"."""
    answer: str | None = None
    """What the response itself answered, if that was the reason."""


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A kept question, the two answers and its score."""

    candidate: Candidate
    from_knowledge: str | None
    confidence: float
    score: float
    label: str
    """"match", "no answer", "pronoun", an entailment label, or "overlap" without entailment."""
    f1: float
    entailments: Mapping[str, Entailment] = field(default_factory=dict)
    """What the entailment model said of the two "answers" and of the "sentence"."""


def is_personal(question: str, span: str = "") -> bool:
    """Whether the question, or the span it asks for, is about the speaker or the listener."""
    asked = _NUMERAL.sub(r"\1", question)
    return bool(_PERSONAL.search(asked)) or span.lower() in _SPEAKERS


def same_answer(left: str, right: str, *, published: bool = False) -> bool:
    """Whether two answers match token for token; unless published, a possessive 's is ignored."""
    return _folded(left, published) == _folded(right, published)


def _folded(text: str, published: bool) -> str:
    words = normalise_answer(text, published=published)
    return words if published else _POSSESSIVE.sub("", words)


@dataclass(frozen=True, slots=True)
class Spans:
    """What is asked about in a response, and how many spans beyond the limit are not."""

    asked: Sequence[Span]
    unasked: int


def bounded_spans(backend: SpanExtractor, responses: Sequence[str]) -> list[Spans]:
    """The spans of each response; of more than `MOST_SPANS`, as many spread over all of it."""
    return [
        Spans(spread(spans, MOST_SPANS), max(0, len(spans) - MOST_SPANS))
        for spans in backend.spans(responses)
    ]


def raise_questions(
    backend: Q2Backend, responses: Sequence[str], top: int, bounded: Sequence[Spans]
) -> list[Candidate]:
    """Every span's best `top` questions, in order of response, span and rank."""
    spans = [(owner, span) for owner, mine in enumerate(bounded) for span in mine.asked]
    asked = backend.ask([Target(responses[owner], span) for owner, span in spans])
    return [
        Candidate(owner, span, rank, question)
        for (owner, span), questions in zip(spans, asked, strict=True)
        for rank, question in enumerate(questions[:top])
        if len(question) <= _LONGEST_QUESTION
    ]


def keep_valid(
    backend: QuestionAnswerer,
    responses: Sequence[str],
    candidates: Sequence[Candidate],
    *,
    single: bool,
    personal: bool,
    published: bool = False,
) -> tuple[list[Candidate], list[Dropped]]:
    """Keep questions that the response itself answers with the span.

    With `single`, a span's next question is tried only when the one before it failed, so the
    reader is asked in rounds of one rank; the result is that of trying all and keeping the first.
    """
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    open_ = list(candidates)
    if not personal:
        # As published, the question alone decides.
        about = {c for c in open_ if is_personal(c.question, "" if published else c.span.text)}
        dropped += [Dropped(c, "personal") for c in open_ if c in about]
        open_ = [c for c in open_ if c not in about]
    settled: set[tuple[int, Span]] = set()
    while open_:
        turn, open_ = _next_round(open_) if single else (open_, [])
        queries = [Query(c.question, _near(responses[c.owner], c.span)) for c in turn]
        answers = answer_once(backend, queries)
        for candidate, answer in zip(turn, answers, strict=True):
            span = candidate.span.text
            if answer.text is not None and same_answer(answer.text, span, published=published):
                kept.append(candidate)
                settled.add((candidate.owner, candidate.span))
            else:
                dropped.append(Dropped(candidate, "round trip", answer.text))
        if single:
            open_ = [c for c in open_ if (c.owner, c.span) not in settled]
    order = {candidate: n for n, candidate in enumerate(candidates)}
    kept.sort(key=order.__getitem__)
    dropped.sort(key=lambda d: order[d.candidate])
    return kept, dropped


def _near(response: str, span: Span) -> str:
    """The response; of a long one what stands around the span, or reading is quadratic."""
    if len(response) <= _LONG_RESPONSE:
        return response
    start = response.rfind(" ", 0, max(0, span.start - _LONG_RESPONSE // 2)) + 1
    end = response.find(" ", min(len(response), span.end + _LONG_RESPONSE // 2))
    return response[start : end if end >= 0 else len(response)]


def _next_round(candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """The first question of each span, and the others."""
    seen: set[tuple[int, Span]] = set()
    turn: list[Candidate] = []
    later: list[Candidate] = []
    for candidate in candidates:
        key = (candidate.owner, candidate.span)
        (later if key in seen else turn).append(candidate)
        seen.add(key)
    return turn, later


def answer_once(backend: QuestionAnswerer, queries: Sequence[Query]) -> list[Answer]:
    """Answer each different query once."""
    different = list(dict.fromkeys(queries))
    known = dict(zip(different, backend.answer(different), strict=True)) if different else {}
    return [known[query] for query in queries]


@dataclass(frozen=True, slots=True)
class Comparing:
    """How two answers that are not the same are compared."""

    nli: bool
    soft: bool
    """Use the probabilities of the entailment model, not its label alone."""
    answers: bool
    """Ask whether one answer entails the other."""
    sentence: bool
    """Ask whether the knowledge entails the span's sentence; with both, their mean counts."""
    pronouns_match: bool
    """Count any thing or person that the knowledge names as what a pronoun stands for."""
    published: bool = False
    """Delete punctuation, as the authors do, where we put a space."""


def judge_questions(
    backend: Q2Backend,
    kept: Sequence[Candidate],
    responses: Sequence[str],
    passages: Sequence[str],
    how: Comparing,
) -> list[JudgedQuestion]:
    """Answer each question from the knowledge and compare with the span."""
    answers = answer_once(backend, [Query(c.question, passages[c.owner]) for c in kept])
    pairs = [
        _pairs(c, a, responses[c.owner], passages[c.owner], how)
        for c, a in zip(kept, answers, strict=True)
    ]
    different = list(dict.fromkeys(pair for mine in pairs for pair in mine.values()))
    inferred = dict(zip(different, backend.infer(different), strict=True)) if different else {}
    return [
        _judged(candidate, answer, {what: inferred[pair] for what, pair in mine.items()}, how)
        for candidate, answer, mine in zip(kept, answers, pairs, strict=True)
    ]


def _pairs(
    candidate: Candidate, answer: Answer, response: str, passage: str, how: Comparing
) -> dict[str, Pair]:
    """What the entailment model is asked about this question; nothing when it is settled."""
    pairs: dict[str, Pair] = {}
    if not how.nli or _settled(candidate, answer, how):
        return pairs
    if how.answers and answer.text is not None:
        question = candidate.question
        span = candidate.span.text
        pairs["answers"] = Pair(f"{question} {answer.text}.", f"{question} {span}.")
    if how.sentence:
        pairs["sentence"] = Pair(passage, sentence_around(response, candidate.span))
    return pairs


def _settled(candidate: Candidate, answer: Answer, how: Comparing) -> str:
    """The label where the two answers need no comparison, else an empty string."""
    if answer.text is None:
        return ""
    span = candidate.span.text
    if same_answer(answer.text, span, published=how.published):
        return "match"
    pronoun = how.pronouns_match and _PRONOUN.fullmatch(span.strip())
    return "pronoun" if pronoun and _can_stand_for(span.strip().lower(), answer.text) else ""


def _can_stand_for(pronoun: str, text: str) -> bool:
    """Whether the answer can be what the pronoun means: a bare number or date is nobody."""
    words = normalise_answer(text).split()
    if pronoun in ("he", "she", "him", "her"):
        named = any(word[:1].isupper() for word in text.split())
        return named or name_a_person(words)
    return any(word.isalpha() for word in words)


def _judged(
    candidate: Candidate, answer: Answer, inferred: Mapping[str, Entailment], how: Comparing
) -> JudgedQuestion:
    f1 = 0.0
    if answer.text is not None:
        f1 = answer_f1(answer.text, candidate.span.text, published=how.published)
    label = _settled(candidate, answer, how)
    score = 1.0
    if not label:
        label = NO_ANSWER if answer.text is None else "overlap"
        scores = [_entailed(one, f1, how) for one in inferred.values()]
        if answer.text is None and how.answers and scores:
            scores.append(0.0)  # what the answers alone would give
        score = fmean(scores) if scores else f1
    if answer.text is not None and inferred:
        label = next(iter(inferred.values())).label
    return JudgedQuestion(
        candidate, answer.text, answer.confidence, score, label, f1, dict(inferred)
    )


def _entailed(entailment: Entailment, f1: float, how: Comparing) -> float:
    if how.soft:
        return min(1.0, entailment.entailment + entailment.neutral * f1)
    return {"entailment": 1.0, "contradiction": 0.0}.get(entailment.label, f1)


def sentence_around(text: str, span: Span) -> str:
    """The sentence of the text that holds the span, without its closing mark."""
    spans = sentence_spans(text)
    start = max((first for first, _ in spans if first <= span.start), default=0)
    end = min((last for _, last in spans if last >= span.end), default=len(text))
    return text[start:end].rstrip(" .!?…\n\t") or text


def normalise_answer(text: str, *, published: bool = False) -> str:
    """Lower case, no punctuation, none of the ignored words, white space folded.

    Punctuation parts words ("10-year-old"); as published it leaves no gap ("U.S.", "1,000").
    """
    if published:
        kept = text.lower().translate(_NO_PUNCTUATION)
    else:
        kept = "".join(" " if unicodedata.category(c)[0] in "PS" else c for c in text.lower())
    return " ".join(word for word in kept.split() if word not in IGNORED_IN_ANSWERS)


def answer_f1(left: str, right: str, *, published: bool = False) -> float:
    """Token F1 of two answers after normalisation."""
    one, two = (normalise_answer(text, published=published).split() for text in (left, right))
    return token_f1(one, two)
