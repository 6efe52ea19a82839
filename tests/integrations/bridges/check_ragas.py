"""Run in an environment with Ragas: see test_bridges.py."""

import math

from ragas import EvaluationDataset, evaluate
from ragas.dataset_schema import SingleTurnSample

from staytrue.integrations.ragas import Staytrue

KNOWLEDGE = ["coffee comes from ethiopia"]


def sample(response):
    return SingleTurnSample(
        user_input="where from?", response=response, retrieved_contexts=KNOWLEDGE
    )


def metric():
    return Staytrue(metric="judge", backend="scripted")


def test_a_sample_gets_a_score():
    assert metric().single_turn_score(sample("coffee comes from ethiopia")) == 1.0
    assert metric().single_turn_score(sample("tea grows in norway")) < 0.5


def test_a_response_that_claims_nothing_is_not_scored():
    assert math.isnan(metric().single_turn_score(sample("")))


def test_ragas_evaluates_a_dataset_with_it():
    samples = [sample("coffee comes from ethiopia"), sample("tea grows in norway")]
    result = evaluate(EvaluationDataset(samples), metrics=[metric()], show_progress=False)
    assert result["staytrue"] == [1.0, 0.0]
