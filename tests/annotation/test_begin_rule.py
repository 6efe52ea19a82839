"""The label rule of Appendix B, case by case and over every possible set of answers."""

from __future__ import annotations

from itertools import product

import pytest

from staytrue.annotation.begin_rule import KINDS, Answers, label, read_answer
from staytrue.core.begin_labels import LABELS
from staytrue.core.errors import DataError

SCALE = (None, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (Answers(topic=2, kind="generic"), "generic"),
        (Answers(topic=1, kind="off-topic"), "off-topic"),
        (Answers(topic=3, kind="both"), "generic"),
        (Answers(topic=1, kind="neither", personal=4), "hallucination"),
        (Answers(topic=5, personal=3), "hallucination"),
        (Answers(topic=5, personal=2, informs=5, contradicts=1, supported=5), "entailment"),
        (Answers(topic=5, personal=1, informs=5, contradicts=1, supported=4), "entailment"),
        (Answers(topic=5, personal=1, informs=5, contradicts=1, supported=3), "hallucination"),
        (Answers(topic=5, personal=1, informs=5, contradicts=3, supported=4), "contradiction"),
        (Answers(topic=5, personal=1, informs=5, contradicts=5), "contradiction"),
        (Answers(topic=5, personal=1, informs=1), "hallucination"),
        (Answers(topic=5, personal=1), None),
        (Answers(), None),
    ],
)
def test_each_case_of_the_rule(answers, expected):
    assert label(answers) == expected


def test_a_contradicted_response_that_is_not_supported_counts_as_hallucination():
    # The order of the paper's rule: support of 3 or less is asked before contradiction.
    assert label(Answers(topic=5, personal=1, contradicts=5, supported=1)) == "hallucination"


def test_generic_takes_precedence_over_all_later_answers():
    for personal, contradicts, supported in product(SCALE, repeat=3):
        answers = Answers(
            topic=2, kind="generic", personal=personal, contradicts=contradicts, supported=supported
        )
        assert label(answers) == "generic"


def test_a_kind_noted_for_an_on_topic_sentence_does_not_count():
    assert label(Answers(topic=5, kind="generic", personal=1, supported=5)) == "entailment"


def test_every_set_of_answers_has_a_label_or_none_and_entailment_needs_support():
    for topic, kind, personal, informs, contradicts, supported in product(
        (None, 1, 4), (None, *KINDS), SCALE, (None, 1, 4), SCALE, SCALE
    ):
        answers = Answers(
            topic=topic, kind=kind, personal=personal, informs=informs,
            contradicts=contradicts, supported=supported,
        )  # fmt: skip
        judgement = label(answers)
        assert judgement is None or judgement in LABELS
        if judgement == "entailment":
            assert supported >= 4
            assert (personal or 0) < 3
            assert (contradicts or 0) < 3
        if judgement is None:
            assert supported is None


def test_cooperativeness_never_changes_the_label():
    for cooperative in SCALE:
        assert label(Answers(topic=5, cooperative=cooperative, supported=5)) == "entailment"


def test_cells_are_read_as_numbers_kinds_or_nothing():
    assert read_answer("topic", " 4 ") == 4
    assert read_answer("topic", "4.0") == 4
    assert read_answer("kind", "Off-Topic") == "off-topic"
    assert read_answer("kind", "") is None


@pytest.mark.parametrize(("field", "text"), [("topic", "6"), ("topic", "yes"), ("kind", "maybe")])
def test_a_cell_that_is_no_answer_says_what_to_write(field, text):
    with pytest.raises(DataError, match="write"):
        read_answer(field, text)
