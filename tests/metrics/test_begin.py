"""BEGIN sorts responses and their sentences into the taxonomy."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.begin_labels import COARSE_LABELS, LABELS, reweighted
from staytrue.core.protocols import Grounding
from staytrue.core.records import Example, Turn
from staytrue.metrics.begin import FEATURES, Begin, ResponsePart, combined
from staytrue.plugins.registry import load_metric


def chances(label: str, sure: float = 0.8) -> dict[str, float]:
    rest = (1 - sure) / 4
    return {name: sure if name == label else rest for name in LABELS}


def scripted(labels: dict[str, str]) -> ScriptedBackend:
    return ScriptedBackend(groundings=lambda item: chances(labels.get(item.response, "entailment")))


def example(response: str, knowledge: str = "A ski is narrow.") -> Example:
    return Example("x", response, knowledge, (Turn("user", "What is a ski?"),))


@pytest.mark.parametrize("label", LABELS)
def test_the_most_probable_class_is_the_label_and_the_score_is_p_entailment(label):
    backend = scripted({"It is narrow.": label})
    (verdict,) = Begin(backend, prior="balanced", corrected="off").judge([example("It is narrow.")])
    assert verdict.label == label
    assert verdict.score == pytest.approx(0.8 if label == "entailment" else 0.05)
    assert set(verdict.evidence[0].details["probabilities"]) == set(LABELS)


def test_three_classes_merge_the_neutral_kinds():
    backend = scripted({"Nice.": "generic"})
    (verdict,) = Begin(backend, classes=3, corrected="off").judge([example("Nice.")])
    assert verdict.label == "neutral"
    assert set(verdict.evidence[0].details["probabilities"]) == set(COARSE_LABELS)


def test_each_sentence_has_its_label_and_its_place_in_the_response():
    response = "It is narrow. I love skis!"
    backend = scripted({response: "hallucination", "I love skis!": "hallucination"})
    (verdict,) = Begin(backend, corrected="off").judge([example(response)])
    pieces = [e for e in verdict.evidence if e.kind == "sentence"]
    assert [p.label for p in pieces] == ["entailment", "hallucination"]
    assert [response[p.start : p.end] for p in pieces] == ["It is narrow.", "I love skis!"]
    assert verdict.label == "hallucination"


def test_a_regression_corrects_the_classifier(tmp_path):
    """Weights on copied words alone make a copy entailed, whatever the classifier says."""
    rows = [[0.0] * len(FEATURES) for _ in LABELS]
    rows[0][FEATURES.index("copied words")] = 20.0
    path = tmp_path / "weights.json"
    flat = {"features": FEATURES, "means": [0.5] * len(FEATURES), "scales": [1.0] * len(FEATURES)}
    path.write_text(json.dumps({**flat, "weights": rows, "offsets": [0.0] * len(LABELS)}))
    backend = ScriptedBackend(groundings=lambda item: chances("generic"))
    metric = Begin(backend, prior="balanced", weights=str(path))
    copied, invented = metric.judge([example("A ski is narrow."), example("Cats eat bread.")])
    assert copied.label == "entailment"
    assert invented.score < 0.01


def test_small_talk_beside_a_supported_sentence_does_not_spoil_it():
    whole = ResponsePart("Hi! It is narrow.", 0, chances("entailment"))
    pieces = [
        ResponsePart("Hi!", 0, chances("generic")),
        ResponsePart("It is narrow.", 4, chances("entailment")),
    ]
    assert combined(whole, pieces)["entailment"] == pytest.approx(0.8)


def test_an_invented_sentence_spoils_a_supported_one():
    whole = ResponsePart("It is narrow. It is red.", 0, chances("entailment"))
    pieces = [
        ResponsePart("a", 0, chances("entailment")),
        ResponsePart("b", 4, chances("hallucination")),
    ]
    assert combined(whole, pieces)["entailment"] < 0.5


def test_the_typical_prior_makes_rare_classes_rarer_and_keeps_the_sum():
    given = dict.fromkeys(LABELS, 0.2)
    shares = {label: 0.1 + 0.05 * n for n, label in enumerate(LABELS)}
    chances = reweighted(given, shares)
    assert sum(chances.values()) == pytest.approx(1)
    assert chances["generic"] > chances["entailment"]


@pytest.mark.parametrize(("response", "knowledge"), [("", "A ski."), ("It is.", ""), ("!!", "x")])
def test_it_abstains_with_a_reason_where_there_is_nothing_to_compare(response, knowledge):
    (verdict,) = Begin(ScriptedBackend(), corrected="off").judge([example(response, knowledge)])
    assert verdict.score is None
    assert "no words" in verdict.reason


def test_verdicts_do_not_depend_on_the_batch():
    metric = Begin(ScriptedBackend(), corrected="off")
    many = [example("It is narrow."), example(""), example("I like it. It is narrow.")]
    assert metric.judge(many) == [v for one in many for v in metric.judge([one])]


def test_a_response_of_very_many_sentences_is_judged_by_some_and_says_so():
    judged = []

    def grounding(item):
        judged.append(item.response)
        return chances("entailment")

    response = " ".join(f"The ski number {n} is narrow." for n in range(6_000))
    backend = ScriptedBackend(groundings=grounding)
    (verdict,) = Begin(backend, corrected="off").judge([example(response)])
    assert verdict.reason.endswith("Only 200 of its 6,000 sentences were judged.")
    assert len(judged) == 201
    assert judged[1] == "The ski number 0 is narrow."
    assert judged[-1] == "The ski number 5999 is narrow."


@pytest.mark.parametrize("sentences", ["on", "off"])
def test_of_a_response_without_sentence_ends_a_part_is_judged_and_the_reason_says_so(
    sentences,
) -> None:
    judged: list[str] = []

    def grounding(item: Grounding) -> dict[str, float]:
        judged.append(item.response)
        return dict.fromkeys(LABELS, 0.2)

    backend = ScriptedBackend(groundings=grounding)
    metric = Begin(backend, corrected="off", sentences=sentences)
    (verdict,) = metric.judge([example("word " * 40_000)])
    assert verdict.reason.endswith("Only 20,000 of its 200,000 characters were judged.")
    assert [len(text) for text in judged] == [20_000]


def test_every_sentence_of_a_short_response_is_judged_without_a_word_about_it() -> None:
    (verdict,) = Begin(ScriptedBackend(), corrected="off", sentences="off").judge(
        [example("Skis are long. " * 300)]
    )
    assert "judged" not in verdict.reason


def published(backend, example, classes):
    """The paper's classifier, written down a second time: evidence and previous turn, response."""
    five = backend.classify([Grounding(example.knowledge, example.message, example.response)])[0]
    if classes == 3:
        neutral = sum(five[name] for name in ("hallucination", "off-topic", "generic"))
        five = {
            "entailment": five["entailment"], "contradiction": five["contradiction"],
            "neutral": neutral,
        }  # fmt: skip
    return max(five, key=five.get), five["entailment"]


@pytest.mark.parametrize("classes", [5, 3])
def test_the_published_way_is_the_classifier_alone(classes):
    examples = [
        example("It is narrow. I love skis!"),
        example("Skis are wide and made of cheese."),
        example("I don't know. What do you think?"),
        example("A ski is narrow."),
        example("The Eiffel Tower is in Paris."),
    ]
    backend = CachedBackend(EmbeddedBackend())
    paper = Begin(backend, compat="paper", classes=classes).judge(examples)
    expected = [published(backend, one, classes) for one in examples]
    assert [verdict.label for verdict in paper] == [label for label, _ in expected]
    assert [verdict.score for verdict in paper] == pytest.approx([score for _, score in expected])
    ours = Begin(backend, classes=classes).judge(examples)
    assert [v.score for v in ours] != pytest.approx([v.score for v in paper])


def test_the_signature_says_what_the_published_way_does():
    signature = load_metric("begin,compat=paper", backend=ScriptedBackend()).signature
    for part in ("prior:balanced", "corrected:off", "sentences:off", "compat:paper"):
        assert part in signature


def test_markup_is_no_part_of_what_is_judged() -> None:
    read: list[Grounding] = []

    class Recording(ScriptedBackend):
        def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
            read.extend(items)
            return super().classify(items)

    Begin(Recording()).judge([Example("1", "1. It is **free** [1].", "| It | free |")])
    assert read[0].response.split() == ["It", "is", "free", "."]
    assert read[0].evidence.split() == ["It", ",", "free", "."]


def test_results_hold_the_probabilities_of_the_whole_and_of_each_sentence():
    response = "It is narrow. I love skis!"
    metric = Begin(scripted({"I love skis!": "generic"}), prior="balanced", corrected="off")
    result, empty = metric.results([example(response), example("")])
    assert empty is None
    assert (result.whole.text, result.whole.label) == (response, "entailment")
    assert [part.label for part in result.sentences] == ["entailment", "generic"]
    (verdict,) = metric.judge([example(response)])
    assert verdict.score == result.probabilities["entailment"]
