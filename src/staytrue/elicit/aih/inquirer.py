"""AIH's Inquirer: from what a bot said to one question about it, in the second person.

Questions in the utterance are left out, then spans are found by strategy, a question is made for
each, and one is drawn at random. Without a span, or without a good question, there is no inquiry.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from staytrue.core.errors import UsageError
from staytrue.core.protocols import QuestionGenerator, Span, SpanExtractor, Target
from staytrue.core.seeds import derived_seed
from staytrue.elicit.aih.one_clause import is_sound
from staytrue.elicit.aih.open_names import widened
from staytrue.elicit.aih.soundness import Phrase, fits, is_stated, phrase_of, whole
from staytrue.elicit.aih.wording import (
    CHOICES,
    is_askable,
    is_good_question,
    names_kin,
    second_person,
    without_lead_in,
)
from staytrue.elicit.consistest import yes_no_questions
from staytrue.english.parses import parsed
from staytrue.english.wording import statements

if TYPE_CHECKING:
    from staytrue.english.parses import Parsed

STRATEGIES = ("entity", "opinion", "yesno", "paper")
# Of the rules that leave out questions which read badly; the strategy paper has none.
_RULES = 3

_OPINION = re.compile(
    r"\b(?:likes?|loves?|enjoys?|prefers?|hates?|dislikes?|adores?|favou?rites?|fan of|"
    r"into|can't stand|best|think|believe|dream of|wants?|hopes?)\b",
    re.I,
)
_CLOCK = re.compile(r"\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)", re.I)
_REST_OF_NAME = re.compile(r"['’]s (?:day|eve|week)\b", re.I)
_EXCEPTED = re.compile(r"\b(?:apart from|besides|except(?: for)?|other than) $", re.I)
_PERSONAL = frozenset("i me you we us he him she her it they them myself yourself".split())


@dataclass(frozen=True, slots=True)
class Question:
    """A question to put to a bot, and where it comes from."""

    statement: str
    span: str
    question: str
    strategy: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A span to ask about, in one statement of one utterance."""

    utterance: int
    target: Target
    strategy: str
    phrase: Phrase


class Inquirer:
    """Makes at most one inquiry per utterance."""

    def __init__(
        self,
        spans: SpanExtractor,
        questions: QuestionGenerator,
        strategies: Sequence[str] = ("entity",),
    ) -> None:
        """`strategies` is one or more of entity, opinion, yesno; or paper, which stands alone.

        paper asks about what the recogniser calls an entity, and draws from all questions made;
        the others add names and numbers that it misses and leave out questions that read badly.
        """
        unknown = [name for name in strategies if name not in STRATEGIES]
        if unknown or not strategies:
            raise UsageError(
                f"There is no strategy '{', '.join(unknown)}'; "
                f"choose from: {', '.join(STRATEGIES)}."
            )
        if "paper" in strategies and len(strategies) > 1:
            raise UsageError("The strategy paper cannot be combined: leave the others out.")
        self._spans = spans
        self._questions = questions
        self.strategies = tuple(strategies)

    @property
    def name(self) -> str:
        """The strategies and the version of their rules, for signatures."""
        names = "+".join(self.strategies)
        return names if self.strategies == ("paper",) else f"{names}@{_RULES}"

    def inquire(self, utterances: Sequence[str], seed: int = 0) -> list[Question | None]:
        """One question per utterance, drawn at random from the good ones, or None."""
        candidates = self.candidates(utterances)
        return [
            random.Random(derived_seed(seed, index)).choice(options) if options else None
            for index, options in enumerate(candidates)
        ]

    def candidates(self, utterances: Sequence[str]) -> list[list[Question]]:
        """Every good question about each utterance."""
        if self.strategies == ("paper",):
            return self._as_published(utterances)
        sentences = [
            (index, bare)
            for index, utterance in enumerate(utterances)
            for sentence in statements(utterance)
            if (bare := without_lead_in(sentence))
        ]
        result: list[list[Question]] = [[] for _ in utterances]
        for index, question in (*self._wh(sentences), *self._yes_no(sentences)):
            result[index].append(question)
        return result

    def _as_published(self, utterances: Sequence[str]) -> list[list[Question]]:
        """The first question about every entity, whatever it reads like."""
        stated = [
            (index, sentence)
            for index, utterance in enumerate(utterances)
            for sentence in statements(utterance)
        ]
        spans = self._spans.spans([sentence for _, sentence in stated])
        targets = [
            (index, Target(sentence, span))
            for (index, sentence), some in zip(stated, spans, strict=True)
            for span in some
            if span.kind == "entity"
        ]
        result: list[list[Question]] = [[] for _ in utterances]
        asked = self._questions.ask([target for _, target in targets])
        for (index, target), options in zip(targets, asked, strict=True):
            for option in options[:1]:
                question = second_person(option, target) or option
                result[index].append(
                    Question(target.text, target.span.text, question, "paper")
                )  # fmt: skip
        return result

    def _wh(self, sentences: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Question]]:
        if not {"entity", "opinion"} & set(self.strategies):
            return
        texts = [sentence for _, sentence in sentences]
        parses = parsed(texts)
        candidates: list[_Candidate] = []
        rows = zip(sentences, self._spans.spans(texts), parses, strict=True)
        for (utterance, sentence), spans, parse in rows:
            if not any(token.pos_ in ("VERB", "AUX") for token in parse.doc):
                continue  # a fragment: there is no clause to ask about
            for strategy, span in self._chosen(sentence, spans, parse):
                phrase = _stated_phrase(sentence, span, parse)
                if phrase is not None:
                    target = Target(sentence, phrase.span)
                    candidates.append(_Candidate(utterance, target, strategy, phrase))
        asked = self._questions.ask([one.target for one in candidates])
        good = [
            _good_questions(options, one) for one, options in zip(candidates, asked, strict=True)
        ]
        sound = _sound([question for some in good for question in some])
        for one, options in zip(candidates, good, strict=True):
            question = next((option for option in options if option in sound), None)
            if question:
                target = one.target
                asks = Question(target.text, target.span.text, question, one.strategy)
                yield one.utterance, asks

    def _chosen(
        self, sentence: str, spans: Sequence[Span], parse: Parsed
    ) -> Iterator[tuple[str, Span]]:
        entities = [_mended(s, sentence) for s in spans if s.kind == "entity"]
        if "entity" in self.strategies:
            runs = [_mended(s, sentence) for s in _runs(parse) if not _overlaps(s, entities)]
            yield from (
                ("entity", s)
                for s in (*entities, *runs)
                if is_askable(s) and not _EXCEPTED.search(sentence[: s.start])
            )
        if "opinion" in self.strategies and _OPINION.search(sentence):
            chunks = [s for s in spans if s.kind == "chunk" and s.text.lower() not in _PERSONAL]
            objects = [s for s in chunks if not _is_subject(s, parse)]
            yield from (("opinion", s) for s in objects if not _overlaps(s, entities))

    def _yes_no(self, sentences: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Question]]:
        if "yesno" not in self.strategies:
            return
        texts = [sentence for _, sentence in sentences]
        for (index, sentence), questions in zip(sentences, yes_no_questions(texts), strict=True):
            for one in questions:
                yield index, Question(sentence, one.truth, one.question, "yesno")


def _stated_phrase(sentence: str, span: Span, parse: Parsed) -> Phrase | None:
    """Where the whole of the span stands, if it is stated as a fact; else None."""
    phrase = phrase_of(span, parse)
    if phrase is None or names_kin(Target(sentence, span)):
        return phrase
    complete = whole(phrase, parse, choices=CHOICES)
    return complete if is_stated(complete) else None


def _good_questions(options: Sequence[str], candidate: _Candidate) -> list[str]:
    """The candidates that make good questions once they are turned to the bot."""
    turned = [second_person(option, candidate.target) for option in options]
    questions = [widened(question, candidate.phrase) for question in turned if question]
    return [
        question
        for question in questions
        if is_good_question(question, candidate.target)
        and (names_kin(candidate.target) or fits(question, candidate.phrase))
    ]


def _sound(questions: Sequence[str]) -> set[str]:
    parses = zip(questions, parsed(questions), strict=True)
    return {question for question, parse in parses if is_sound(parse)}


def _runs(parse: Parsed) -> Iterator[Span]:
    """Runs of proper nouns and of numbers, which the entity recogniser often misses in chat."""
    run: list[int] = []
    for token in (*parse.doc, None):
        same = token is not None and token.pos_ in ("PROPN", "NUM")
        if same and (not run or parse.doc[run[-1]].pos_ == token.pos_):
            run.append(token.i)
            continue
        if run:
            stretch = parse.doc[run[0] : run[-1] + 1]
            start, end = parse.tidy.to_original(stretch.start_char, stretch.end_char)
            label = "CARDINAL" if stretch[0].pos_ == "NUM" else ""
            yield Span(parse.tidy.original[start:end], start, end, "entity", label)
        run = [token.i] if same else []


def _mended(span: Span, text: str) -> Span:
    """The span with its currency sign or the rest of its name, and clock times called times."""
    for clock in _CLOCK.finditer(text):
        if clock.start() < span.end and span.start < clock.end():
            return _stretched(span, text, clock.start(), clock.end(), "TIME")
    if span.start and text[span.start - 1] in "$€£":
        return _stretched(span, text, span.start - 1, span.end, "MONEY")
    rest = _REST_OF_NAME.match(text, span.end)
    return _stretched(span, text, span.start, rest.end(), "EVENT") if rest else span


def _stretched(span: Span, text: str, start: int, end: int, label: str) -> Span:
    return replace(span, text=text[start:end], start=start, end=end, label=label)


def _overlaps(span: Span, others: Iterable[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in others)


def _is_subject(span: Span, parse: Parsed) -> bool:
    start, end = parse.tidy.from_original(span.start, span.end)
    stretch = parse.doc.char_span(start, end, alignment_mode="expand")
    return stretch is not None and stretch.root.dep_ in ("nsubj", "nsubjpass", "csubj")
