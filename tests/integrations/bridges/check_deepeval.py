"""Run in an environment with DeepEval: see test_bridges.py."""

import asyncio

import pytest
from deepeval import assert_test
from deepeval.metrics.utils import copy_metrics
from deepeval.test_case import LLMTestCase

from staytrue.integrations.deepeval import StaytrueMetric

KNOWLEDGE = ["coffee comes from ethiopia"]


def metric(**options):
    return StaytrueMetric(metric="judge", backend="scripted", **options)


def case(output, **more):
    return LLMTestCase(
        input="where from?", actual_output=output, **{"retrieval_context": KNOWLEDGE, **more}
    )


def test_a_true_output_passes_with_a_reason():
    judge = metric()
    assert judge.measure(case("coffee comes from ethiopia")) == 1.0
    assert judge.is_successful()
    assert judge.reason


def test_a_false_output_fails():
    judge = metric()
    assert asyncio.run(judge.a_measure(case("tea grows in norway"))) < 0.5
    assert not judge.is_successful()


def test_context_is_used_where_nothing_was_retrieved():
    output = "coffee comes from ethiopia"
    assert metric().measure(case(output, retrieval_context=None, context=KNOWLEDGE)) == 1.0


def test_deepeval_asserts_with_it():
    assert_test(case("coffee comes from ethiopia"), [metric()], run_async=False)
    with pytest.raises(AssertionError, match="staytrue"):
        assert_test(case("tea grows in norway"), [metric()], run_async=False)


def test_an_output_that_claims_nothing_has_no_score_and_passes():
    judge = metric()
    assert judge.measure(case("")) is None
    assert judge.is_successful()
    assert judge.reason


def test_the_copies_that_deepeval_makes_judge_as_the_original_does():
    original = metric(threshold=0.7)
    (copied,) = copy_metrics([original])
    assert copied.threshold == 0.7
    assert copied.evaluation_model == original.evaluation_model
