"""The large models as they ship, beside the small ones; skipped where they are not installed."""

from __future__ import annotations

import pytest

from staytrue.backends.embedded import EmbeddedBackend, large_folder
from staytrue.core.protocols import Grounding, Pair

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(large_folder() is None, reason="staytrue-models-large is not installed"),
]

CLEAR = {
    Pair("Sale items cannot be returned.", "You can return sale items."): "contradiction",
    Pair("The hive holds 60,000 bees in summer.", "Bees live in the hive in summer."): "entailment",
    Pair("A man is playing a guitar on stage.", "A man is asleep in bed."): "contradiction",
    Pair("Paris is the capital of France.", "The capital of France is Paris."): "entailment",
    Pair("A woman is reading.", "A woman is reading a novel about pirates."): "neutral",
}


@pytest.fixture(scope="module")
def both() -> EmbeddedBackend:
    return EmbeddedBackend(size="both")


@pytest.mark.parametrize("size", ["both", "cascade"])
def test_clear_pairs_are_judged_right(size: str) -> None:
    answers = EmbeddedBackend(size=size).infer(list(CLEAR))
    assert [answer.label for answer in answers] == list(CLEAR.values())


def test_the_large_model_alone_mistakes_only_the_changed_order() -> None:
    # It has learned from PAWS to look at order, and takes some that means the same for another
    # (its card says so); the small one beside it knows better.
    answers = EmbeddedBackend(size="large").infer(list(CLEAR))
    judged = {
        pair.hypothesis: (answer.label, right)
        for (pair, right), answer in zip(CLEAR.items(), answers, strict=True)
    }
    wrong = {text for text, (label, right) in judged.items() if label != right}
    assert wrong <= {"The capital of France is Paris."}


def test_batch_and_threads_change_nothing(both: EmbeddedBackend) -> None:
    pairs = list(CLEAR)
    alone = [EmbeddedBackend(size="both", threads=1).infer([pair])[0] for pair in pairs[:2]]
    assert both.infer(pairs)[:2] == alone


def test_a_copied_sentence_is_grounded_and_an_invented_one_is_not(both: EmbeddedBackend) -> None:
    evidence = "The blue whale is the largest animal known to have ever existed."
    copied, invented = both.classify(
        [
            Grounding(
                evidence, "What is the largest animal?", "The blue whale is the largest animal."
            ),
            Grounding(
                evidence, "What is the largest animal?", "I saw three of them in Norway once."
            ),
        ]
    )
    assert copied["entailment"] > 0.5 > invented["entailment"]
