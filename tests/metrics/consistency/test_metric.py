"""The headline score weighs its parts and marks what the knowledge does not back."""

from __future__ import annotations

import json

import pytest

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.errors import ModelError
from staytrue.core.protocols import Span
from staytrue.core.records import Evidence, Example, Turn, Verdict
from staytrue.metrics.backing import stem
from staytrue.metrics.consistency.metric import Consistency, offending
from staytrue.metrics.consistency.parts import (
    FEATURES,
    Parts,
    SpanSupport,
    Wording,
    features,
    span_support,
)
from staytrue.metrics.weighing import load_weights
from staytrue.plugins.registry import load_backend, load_metric

KNOWLEDGE = "Sondre Norheim built short skis in 1870."
GOOD = Example("good", "Norheim built short skis.", KNOWLEDGE, (Turn("user", "Who?"),))
BAD = Example("bad", "Armstrong painted seventeen bicycles.", KNOWLEDGE)


@pytest.fixture
def weights(tmp_path):
    """Only the overlap of words counts."""
    chosen = [9.0 if name == "overlap" else 0.0 for name in FEATURES]
    path = tmp_path / "weights.json"
    row = {"features": FEATURES, "means": [0.5] * len(FEATURES), "scales": [1.0] * len(FEATURES),
           "weights": [chosen], "offsets": [0.0]}  # fmt: skip
    path.write_text(json.dumps(row))
    return str(path)


def test_a_backed_response_scores_high_and_an_invented_one_low(weights):
    good, bad = Consistency(ScriptedBackend(), weights=weights).judge([GOOD, BAD])
    assert good.score > 0.9
    assert good.label == "consistent"
    assert bad.score < 0.1
    assert bad.label == "inconsistent"


def test_the_spans_that_the_knowledge_lacks_are_marked_in_the_response(weights):
    (bad,) = Consistency(ScriptedBackend(), weights=weights).judge([BAD])
    spans = [e for e in bad.evidence if e.kind == "span"]
    assert {BAD.response[e.start : e.end] for e in spans} >= {"Armstrong", "bicycles"}
    assert "Armstrong" in bad.reason
    (good,) = Consistency(ScriptedBackend(), weights=weights).judge([GOOD])
    assert not [e for e in good.evidence if e.kind == "span"]


@pytest.mark.parametrize(
    ("support", "label", "score", "marked"),
    [
        (1.0, "contradiction", 0.1, True),
        (1.0, "entailment", 0.9, False),
        (0.0, "entailment", 0.9, False),
        (0.0, "neutral", 0.3, True),
    ],
)
def test_a_denied_span_is_marked_although_its_words_are_known(support, label, score, marked):
    span = SpanSupport(Span("1870", 4, 8), support)
    asked = Evidence("question", "When?", "response", 4, 8, score, label)
    other = Verdict("e", "overlap", 0.5)
    q2 = Verdict("e", "q2", score, evidence=(asked,))
    assert (
        bool(offending(Parts(other, other, other, q2, (span,), Wording(0.5, 1.0, False)))) is marked
    )


def test_the_scores_of_the_parts_are_shown(weights):
    (verdict,) = Consistency(ScriptedBackend(), weights=weights).judge([GOOD])
    named = {e.text: e.score for e in verdict.evidence if e.kind == "part"}
    assert set(named) == {"overlap", "nli", "begin", "q2", "span support"}
    assert all(score is not None for score in named.values())


def test_every_feature_is_a_number_in_zero_one(weights):
    metric = Consistency(ScriptedBackend(), weights=weights)
    for parts in metric.parts([GOOD, BAD]):
        values = features(parts)
        assert len(values) == len(FEATURES)
        assert all(0 <= value <= 1 for value in values)


def test_copied_words_count_otherwise_after_a_reaction():
    plain = Example("a", "Norheim built short skis.", KNOWLEDGE)
    reaction = Example("b", "Yes, Norheim built short short skis.", KNOWLEDGE)
    rows = [features(parts) for parts in Consistency(ScriptedBackend()).parts([plain, reaction])]
    told, repeated = ([row[FEATURES.index(name)] for row in rows]
                      for name in ("after a reaction", "different words"))  # fmt: skip
    overlap = rows[1][FEATURES.index("overlap")]
    assert told == [0.0, overlap]
    assert repeated == [1.0, pytest.approx(5 / 6)]


def test_it_abstains_on_empty_texts(weights):
    empty = [Example("a", "", KNOWLEDGE), Example("b", "Hello there", "")]
    for verdict in Consistency(ScriptedBackend(), weights=weights).judge(empty):
        assert verdict.score is None
        assert verdict.reason


def test_verdicts_do_not_depend_on_the_batch(weights):
    metric = Consistency(ScriptedBackend(), weights=weights)
    assert metric.judge([GOOD, BAD]) == [*metric.judge([GOOD]), *metric.judge([BAD])]


def test_endings_do_not_hide_that_a_word_is_known():
    example = Example("x", "He was skiing.", "Skis are narrow.")
    (one,) = span_support(example, [Span("skiing", 7, 13)])
    assert one.support == 1.0
    assert stem("is") == "is"


def test_missing_or_unfitting_weights_are_one_sentence(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        load_weights(str(tmp_path / "none.json"), "x.json", FEATURES)
    path = tmp_path / "old.json"
    path.write_text('{"features": ["other"]}')
    with pytest.raises(ModelError, match="fit them again"):
        load_weights(str(path), "x.json", FEATURES)


def test_weights_of_ones_own_enter_the_signature_by_their_content(weights):
    said = load_metric(f"consistency,weights={weights}", backend=ScriptedBackend()).signature
    assert "weights:weights.json@" in said


DENIED = [
    ("Paris is the capital of France.", "Rome is the capital of France."),
    ("The Pro plan costs $20 per month.", "The Pro plan costs $25 per month."),
    ("The warranty covers water damage.", "The warranty does not cover water damage."),
    ("Aspirin should not be given to children under 16.", "Aspirin is safe for children under 16."),
    ("The store is closed on Sunday.", "The store is open on Sunday."),
]
BACKED = [
    ("Paris is the capital of France.", "The capital of France is Paris."),
    ("The Eiffel Tower was completed in 1889.", "It was completed in 1889."),
    ("Returns are accepted within 30 days of purchase.", "You can return it within 30 days."),
]


@pytest.mark.slow
def test_shared_words_do_not_outvote_a_clear_contradiction():
    pairs = DENIED + BACKED
    examples = [Example(str(n), said, known) for n, (known, said) in enumerate(pairs)]
    verdicts = load_metric("consistency").judge(examples)
    labels = [verdict.label for verdict in verdicts]
    assert labels == ["inconsistent"] * len(DENIED) + ["consistent"] * len(BACKED)
    assert not any("supports" in v.reason for v in verdicts[: len(DENIED)])


def test_a_consistent_response_names_what_is_not_backed(weights):
    example = Example("e", "Norheim built short skis in Oslo.", KNOWLEDGE)
    (verdict,) = Consistency(ScriptedBackend(), weights=weights).judge([example])
    assert verdict.label == "consistent"
    assert verdict.reason == "The knowledge supports the response, all but “Oslo”."


def test_responses_that_claim_nothing_can_be_left_out():
    talk = Example("talk", "Hello! How can I help you today?", KNOWLEDGE)
    scored, good = Consistency(load_backend("embedded")).judge([talk, GOOD])
    left_out, same = Consistency(load_backend("embedded"), generic="abstain").judge([talk, GOOD])
    assert scored.score is not None
    assert left_out.score is None
    assert "claims nothing" in left_out.reason
    assert same == good
