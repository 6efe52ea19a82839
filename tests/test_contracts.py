"""What every registered metric and backend must keep: length, order, determinism, independence."""

from __future__ import annotations

import pytest

from staytrue.core import protocols
from staytrue.core.protocols import Entailment, Grounding, Pair, Query, Target
from staytrue.core.records import Example, Probe, Turn
from staytrue.plugins.registry import load_backend, load_metric, names

ODD_TEXTS = ("", " ", "🙂🙂", "\x00\x1b[0m", "word " * 300, "?", "中文", "a")
METRICS = tuple(names("metrics"))
BACKENDS = ("embedded", "scripted")  # the others need a network, or weights from a hub


def examples() -> list[Example]:
    """Ordinary and odd examples, with everything that some metric looks at."""
    probe = Probe("do you have two dogs ?", "yes", "i have two dogs .", "yn", "persona")
    turn = (Turn("user", "Do you like coffee?"),)
    knowledge = "Coffee is a drink made from roasted beans. It comes from Ethiopia."
    ordinary = [
        Example("a", "Coffee is made from roasted beans.", knowledge, turn),
        Example("b", "Coffee comes from Norway, and I hate it.", knowledge, turn),
        Example("c", "yes , i have two dogs .", "i have two dogs .", turn, probe=probe),
        Example("d", "That's nice!", knowledge),
    ]
    odd = [Example(f"odd{n}", text, knowledge) for n, text in enumerate(ODD_TEXTS)]
    return [*ordinary, *odd, Example("empty", ""), Example("k", "Coffee is hot.", "")]


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_gives_one_verdict_an_example_in_order(name: str) -> None:
    rows = examples()
    verdicts = load_metric(name).judge(rows)
    assert [v.example_id for v in verdicts] == [e.id for e in rows]
    for verdict in verdicts:
        assert verdict.metric == name
        if verdict.score is None:
            assert verdict.reason, f"{verdict.example_id} abstains without a reason"
        else:
            assert 0 <= verdict.score <= 1
        for evidence in verdict.evidence:
            if evidence.start is not None and evidence.end is not None:
                whole = getattr(
                    rows[[e.id for e in rows].index(verdict.example_id)], evidence.field
                )
                assert 0 <= evidence.start <= evidence.end <= len(whole)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_takes_no_examples(name: str) -> None:
    assert load_metric(name).judge([]) == []


@pytest.mark.parametrize("name", METRICS)
def test_a_verdict_does_not_depend_on_its_batch(name: str) -> None:
    metric = load_metric(name)
    together = metric.judge(examples())
    alone = [metric.judge([example])[0] for example in examples()]
    for one, other in zip(together, alone, strict=True):
        assert one.label == other.label
        assert one.score == (
            other.score if other.score is None else pytest.approx(other.score, abs=1e-4)
        )


@pytest.mark.parametrize("name", BACKENDS)
def test_every_method_of_a_backend_keeps_length_and_takes_nothing(name: str) -> None:
    backend = load_backend(name)
    assert isinstance(backend, protocols.Backend)
    calls = {
        "infer": [Pair(a, b) for a in ODD_TEXTS for b in ODD_TEXTS[:3]],
        "answer": [Query("who?", text) for text in ODD_TEXTS] + [Query("", "a")],
        "spans": list(ODD_TEXTS),
        "classify": [Grounding(text, "hi", text) for text in ODD_TEXTS],
        "encode": list(ODD_TEXTS),
    }
    for method in backend.models():
        if method in calls:
            results = getattr(backend, method)(calls[method])
            assert len(results) == len(calls[method]), method
        assert getattr(backend, method)([]) == [], method


@pytest.mark.parametrize("name", BACKENDS)
def test_answers_and_spans_point_into_their_text(name: str) -> None:
    backend = load_backend(name)
    text = "Marie Curie won two Nobel Prizes, in 1903 and in 1911, in Stockholm."
    if isinstance(backend, protocols.SpanExtractor):
        for span in backend.spans([text])[0]:
            assert text[span.start : span.end] == span.text
    if isinstance(backend, protocols.QuestionAnswerer):
        (answer,) = backend.answer([Query("Who won two Nobel Prizes?", text)])
        if answer.text is not None:
            assert answer.start is not None
            assert text[answer.start : answer.end] == answer.text
        assert 0 <= answer.confidence <= 1


@pytest.mark.parametrize("name", BACKENDS)
def test_questions_are_ranked_and_few(name: str) -> None:
    backend = load_backend(name)
    text = "Marie Curie won two Nobel Prizes."
    if isinstance(backend, protocols.SpanExtractor) and isinstance(
        backend, protocols.QuestionGenerator
    ):
        spans = backend.spans([text])[0]
        for questions in backend.ask([Target(text, span) for span in spans]):
            assert len(questions) == len(set(questions)) <= 5


@pytest.mark.parametrize("name", BACKENDS)
def test_probabilities_sum_to_one(name: str) -> None:
    backend = load_backend(name)
    if isinstance(backend, protocols.EntailmentModel):
        (found,) = backend.infer([Pair("a dog runs", "an animal moves")])
        assert found.entailment + found.neutral + found.contradiction == pytest.approx(1, abs=1e-5)
    if isinstance(backend, protocols.GroundednessModel) and "classify" in backend.models():
        (five,) = backend.classify([Grounding("a dog runs", "hi", "a dog runs")])
        assert sum(five.values()) == pytest.approx(1, abs=1e-5)


def test_the_label_is_the_most_probable_class() -> None:
    assert Entailment(0.2, 0.5, 0.3).label == "neutral"
    assert Entailment(0.2, 0.3, 0.5).label == "contradiction"
