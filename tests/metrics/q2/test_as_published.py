"""`q2,compat=paper` against a second implementation, written from the paper's text alone.

It works on one response at a time, calls the models as they come and shares no code with the
metric: spans, questions and answers of the embedded models, the paper's filter and its scores.
"""

from __future__ import annotations

import string
from statistics import fmean

import pytest

from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Entailment, Pair, Query, Span, Target
from staytrue.core.records import Example
from staytrue.english.parses import pipeline
from staytrue.metrics.q2 import Q2

ROWS = [
    ("coffee is very acidic . it has stimulating effects on humans .",
     "Coffee is slightly acidic and has a stimulating effect on humans because of its caffeine."),
    ("she was born in 1968 and raised in new york city .",
     "Born and raised in Michigan, Madonna moved to New York City in 1978 to pursue a career."),
    ("me too ! it's an american fashion company founded in 1854 .",
     "Sephora is a French chain of cosmetics stores founded in 1969."),
    ("purple is my favorite color . it's between red and blue .",
     "Purple is a color intermediate between blue and red."),
    ("i love you !", "Bowling is a sport in which a player rolls a ball toward pins."),
    ("The museum opened in 1985 in Rome.", "The museum opened in 1985 in Rome."),
    ("Bob Ross hosted The Joy of Painting on PBS.",
     "Ross was the creator and host of The Joy of Painting, which aired on PBS from 1983."),
    ("The museum opened in the U.S. in 1985.", "The museum opened in the US in 1985."),
    ("The museum has 1,000 rooms.", "The museum has 1000 rooms."),
    ("The museum has 1,000 rooms.", "The museum has 2,000 rooms."),
]  # fmt: skip
LABELS = ("entailment", "neutral", "contradiction")


def normal(text: str) -> list[str]:
    """Lower case, no punctuation, a/an/the/in/our removed, white space folded."""
    bare = "".join(c for c in text.lower() if c not in string.punctuation)
    return [word for word in bare.split() if word not in ("a", "an", "the", "in", "our")]


def f1(left: list[str], right: list[str]) -> float:
    common = sum(min(left.count(word), right.count(word)) for word in set(left))
    return 2 * common / (len(left) + len(right)) if common else 0.0


def label(entailment: Entailment) -> str:
    return max(LABELS, key=lambda name: getattr(entailment, name))


def personal(question: str) -> bool:
    """Its subject is "I" or "you", or it has the possessive "my" or "your"."""
    doc = pipeline()(question)
    return any(
        (token.dep_ in ("nsubj", "nsubjpass") and token.lower_ in ("i", "you"))
        or token.lower_ in ("my", "your")
        for token in doc
    )


def published(models: CachedBackend, example: Example, *, nli: bool = True) -> float | None:
    scores = []
    for span in models.spans([example.response])[0]:
        question = first_valid(models, example.response, span)
        if question is None:
            continue
        answer = models.answer([Query(question, example.knowledge)])[0].text
        if answer is None:
            scores.append(0.0)
        elif normal(answer) == normal(span.text):
            scores.append(1.0)
        else:
            overlap = f1(normal(answer), normal(span.text))
            pair = Pair(f"{question} {answer}.", f"{question} {span.text}.")
            judged = {"entailment": 1.0, "neutral": overlap, "contradiction": 0.0}
            scores.append(judged[label(models.infer([pair])[0])] if nli else overlap)
    if scores:
        return fmean(scores)
    whole = label(models.infer([Pair(example.knowledge, example.response)])[0])
    return {"entailment": 1.0, "neutral": 0.5, "contradiction": 0.0}[whole]


def first_valid(models: CachedBackend, response: str, span: Span) -> str | None:
    if span.text.lower() == "i":
        return None
    for question in models.ask([Target(response, span)])[0][:5]:
        if personal(question):
            continue
        back = models.answer([Query(question, response)])[0].text
        if back is not None and normal(back) == normal(span.text):
            return question
    return None


@pytest.fixture(scope="module")
def models() -> CachedBackend:
    return CachedBackend(EmbeddedBackend())


@pytest.mark.parametrize("nli", [True, False])
def test_the_published_method_and_its_second_implementation_agree(
    models: CachedBackend, nli: bool
) -> None:
    examples = [Example(str(n), response, known) for n, (response, known) in enumerate(ROWS)]
    verdicts = Q2(models, compat="paper", nli="on" if nli else "off").judge(examples)
    expected = [published(models, example, nli=nli) for example in examples]
    assert [verdict.score for verdict in verdicts] == pytest.approx(expected)
    assert len(set(expected)) > 2  # several outcomes are among them


def test_the_default_is_another_method(models: CachedBackend) -> None:
    examples = [Example(str(n), response, known) for n, (response, known) in enumerate(ROWS)]
    ours = [verdict.score for verdict in Q2(models).judge(examples)]
    assert ours != pytest.approx([published(models, example) for example in examples])
