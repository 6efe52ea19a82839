"""End-to-end NLI scores P(entailment) unless contradicted, and shows what it rests on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example, Verdict
from staytrue.metrics.nli import EndToEndNli


def scripted(*three: float) -> ScriptedBackend:
    return ScriptedBackend(entailments=lambda pair: Entailment(*three))


def test_the_score_is_entailment_unless_contradicted() -> None:
    metric = EndToEndNli(scripted(0.7, 0.1, 0.2))
    verdict = metric.judge([Example("1", "a b", "c d")])[0]
    assert verdict.score == pytest.approx(0.7 * 0.8)
    assert verdict.label == "entailment"
    expected = {"entailment": 0.7, "neutral": 0.1, "contradiction": 0.2}
    assert verdict.evidence[0].details == expected


@given(st.tuples(*[st.floats(0.01, 1)] * 3))
def test_score_label_and_reason_agree(weights: tuple[float, float, float]) -> None:
    three = [weight / sum(weights) for weight in weights]
    verdict = EndToEndNli(scripted(*three)).judge([Example("1", "a b", "c d")])[0]
    assert verdict.score is not None
    assert (verdict.label == "entailment") == (verdict.score > 0.5)
    assert (verdict.label == "contradiction") == (Entailment(*three).label == "contradiction")
    assert verdict.reason.startswith("The knowledge supports") == (verdict.label == "entailment")
    assert {evidence.label for evidence in verdict.evidence} == {verdict.label, None}


@pytest.mark.parametrize(
    ("three", "score"), [((0.8, 0.1, 0.1), 1.0), ((0.1, 0.8, 0.1), 0.5), ((0.1, 0.1, 0.8), 0.0)]
)
def test_the_papers_scores_are_an_option(three: tuple[float, ...], score: float) -> None:
    metric = EndToEndNli(scripted(*three), score="paper")
    assert metric.judge([Example("1", "a b", "c d")])[0].score == score


@pytest.mark.parametrize("premise", ["knowledge", "response"])
def test_the_premise_is_the_knowledge_unless_told_otherwise(premise: str) -> None:
    asked: list[Pair] = []

    def answer(pair: Pair) -> Entailment:
        asked.append(pair)
        return Entailment(1.0, 0.0, 0.0)

    backend = ScriptedBackend(entailments=answer)
    EndToEndNli(backend, premise=premise).judge([Example("1", "said", "known")])  # type: ignore[arg-type]
    assert asked == [Pair("known", "said") if premise == "knowledge" else Pair("said", "known")]


@pytest.mark.parametrize(("response", "knowledge"), [("", "known"), ("said", ""), (" ", "\n")])
def test_nothing_to_compare_is_an_abstention(response: str, knowledge: str) -> None:
    verdict = EndToEndNli(scripted(1, 0, 0)).judge([Example("1", response, knowledge)])[0]
    assert verdict.score is None
    assert "empty" in verdict.reason


def test_long_knowledge_is_judged_sentence_by_sentence_with_its_evidence() -> None:
    filler = "nothing of note happened on that mild day in the small town. " * 12
    knowledge = filler + "Cats are small animals. " + filler
    response = "cats are small. cats are not small."
    verdict = EndToEndNli(ScriptedBackend()).judge([Example("1", response, knowledge)])[0]
    from_response = [e for e in verdict.evidence if e.field == "response"]
    known = [e for e in verdict.evidence if e.field == "knowledge"]
    assert [e.text for e in from_response] == ["cats are small.", "cats are not small."]
    assert [e.label for e in from_response] == ["entailment", "contradiction"]
    assert known[0].text == "Cats are small animals."
    for evidence in verdict.evidence[1:]:
        text = response if evidence.field == "response" else knowledge
        assert text[evidence.start : evidence.end] == evidence.text


def test_as_published_the_texts_are_one_pair_however_long_and_with_their_markup() -> None:
    pairs: list[Pair] = []

    def answer(pair: Pair) -> Entailment:
        pairs.append(pair)
        return Entailment(1.0, 0.0, 0.0)

    knowledge = "# Days\n" + "Nothing of note happened on that mild day. " * 30
    example = Example("1", " Cats are **small**. Dogs are not.\n", knowledge)
    metric = EndToEndNli(ScriptedBackend(entailments=answer), score="paper")
    (verdict,) = metric.judge([example])
    assert pairs == [Pair(knowledge.strip(), example.response.strip())]
    quote, known = verdict.evidence[1:]
    assert example.response[quote.start : quote.end] == quote.text == example.response.strip()
    assert (known.start, known.end) == (0, len(knowledge) - 1)


def test_order_and_length_are_kept() -> None:
    examples = [Example(str(i), "cats are small" * (i % 2), "cats are small") for i in range(5)]
    verdicts = EndToEndNli(ScriptedBackend()).judge(examples)
    assert [verdict.example_id for verdict in verdicts] == [example.id for example in examples]


def test_what_the_knowledge_leaves_open_has_no_support() -> None:
    example = Example("1", "cats are small", "cats are animals")
    open_, denied = scripted(0.05, 0.9, 0.05), scripted(0.05, 0.05, 0.9)

    def judged(backend: ScriptedBackend) -> Verdict:
        return EndToEndNli(backend).judge([example])[0]

    assert judged(open_).label == "neutral"
    assert judged(open_).score < 0.1
    assert judged(denied).label == "contradiction"
    assert judged(denied).score < judged(open_).score


def test_markup_is_no_part_of_what_is_judged() -> None:
    pairs: list[Pair] = []

    def answer(pair: Pair) -> Entailment:
        pairs.append(pair)
        return Entailment(1.0, 0.0, 0.0)

    example = Example("1", "- It is **free** [1].", "## Prices\n- It is free.")
    EndToEndNli(ScriptedBackend(entailments=answer)).judge([example])
    assert [(pair.premise.split(), pair.hypothesis.split()) for pair in pairs] == [
        (["Prices.", "It", "is", "free."], ["It", "is", "free", "."])
    ]
