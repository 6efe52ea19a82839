"""The hybrid evaluator as a metric: rules, the model's veto, and the released behaviour."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from staytrue.backends.embedded import large_folder
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example, Probe, Verdict
from staytrue.metrics.hybrid.metric import Hybrid
from staytrue.plugins.registry import load_metric

JUDGED = Path(__file__).parents[2] / "golden" / "consistest_judged.jsonl"
MORE = JUDGED.with_name("consistest_judged_more.jsonl")
NEW = JUDGED.with_name("consistest_judged_new.jsonl")
YES_NO = Probe("do you drive a mercedes?", "no", "i drive a bmw .", "yn")
WH = Probe("what are your cats called?", "snow and winter", "my cats are snow and winter .", "wh")


class Opinion:
    """An entailment model that always says the same, and remembers what it was asked."""

    def __init__(self, label: str = "neutral", probability: float = 0.9) -> None:
        others = (1 - probability) / 2
        names = ("entailment", "neutral", "contradiction")
        self.said = Entailment(*(probability if n == label else others for n in names))
        self.calls: list[list[Pair]] = []

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        self.calls.append(list(pairs))
        return [self.said for _ in pairs]


def judge(probe: Probe | None, response: str, metric: Hybrid) -> Verdict:
    return metric.judge([Example("1", response, probe=probe)])[0]


def test_it_abstains_without_a_probe_and_never_with_one() -> None:
    metric = Hybrid(Opinion())
    verdict = judge(None, "yes", metric)
    assert verdict.score is None
    assert "probe" in verdict.reason
    for response in ("", " ", "?", "…", "yes", "x" * 1000):
        for probe in (YES_NO, WH, Probe("", "", "", "wh"), Probe("", "", "", "yn")):
            verdict = judge(probe, response, metric)
            assert verdict.score is not None
            assert verdict.label


@pytest.mark.parametrize(
    ("label", "score", "rule"),
    [("contradiction", 0.0, "contradiction"), ("neutral", 1.0, "short-answer-right"),
     ("entailment", 1.0, "short-answer-right")],
)  # fmt: skip
def test_a_contradiction_vetoes_a_right_short_answer(label: str, score: float, rule: str) -> None:
    verdict = judge(YES_NO, "no . i ride a bike everywhere", Hybrid(Opinion(label)))
    assert (verdict.score, verdict.label) == (score, rule)


def test_a_contradiction_vetoes_recalled_keywords() -> None:
    assert judge(WH, "snow hates winter weather", Hybrid(Opinion("contradiction"))).score == 0.0
    assert judge(WH, "snow hates winter weather", Hybrid(Opinion("neutral"))).score == 1.0


def test_without_a_short_answer_entailment_decides() -> None:
    answer = "my car is from germany"
    assert judge(YES_NO, answer, Hybrid(Opinion("entailment"))).score == 1.0
    assert judge(YES_NO, answer, Hybrid(Opinion("neutral"))).score == 0.0


def test_an_unsure_model_counts_as_neutral() -> None:
    unsure = Opinion("contradiction", 0.55)
    assert judge(YES_NO, "no . i ride a bike everywhere", Hybrid(unsure)).score == 1.0
    assert judge(YES_NO, "no . i ride a bike", Hybrid(unsure, certainty=0.0)).score == 0.0


def test_the_model_is_called_once_for_a_batch_and_once_for_equal_pairs() -> None:
    model = Opinion("entailment")
    examples = [Example(str(n), "my car is german", probe=YES_NO) for n in range(5)]
    assert [v.score for v in Hybrid(model).judge(examples)] == [1.0] * 5
    assert [len(call) for call in model.calls] == [1]
    assert Hybrid(model).judge([]) == []


def test_the_model_alone_is_a_baseline() -> None:
    # "yes i drive a bmw" is entailed by the fact, and still the wrong answer (ConsisTest, §4).
    entails = Opinion("entailment")
    assert judge(YES_NO, "yes i drive a bmw", Hybrid(entails, nli="only")).score == 1.0
    assert judge(YES_NO, "yes i drive a bmw", Hybrid(entails)).score == 0.0


def test_the_rules_alone_ask_no_model() -> None:
    model = Opinion("contradiction")
    assert judge(WH, "snow hates winter weather", Hybrid(model, nli="off")).score == 1.0
    assert model.calls == []


@pytest.mark.parametrize(
    ("response", "score", "rule"),
    [
        ("yes.", 0.0, "released:yes-no-wrong"),
        ("i do. i drive a bmw", 0.0, "released:short-wrong"),
        # The negative short form is not recognised there, so the model decides.
        ("i do not. i drive a bmw", 0.0, "released:nli:neutral"),
        ("no, i drive a bmw", 1.0, "released:yes-no-right"),
        ("nope", 0.0, "released:nli:neutral"),
        ("", 0.0, "released:empty"),
    ],
)
def test_released_behaviour_is_reproduced(response: str, score: float, rule: str) -> None:
    verdict = judge(YES_NO, response, Hybrid(Opinion("neutral"), compat="released"))
    assert (verdict.score, verdict.label) == (score, rule)


def test_released_recall_takes_the_best_alternative_and_leaves_long_truths_to_the_model() -> None:
    metric = Hybrid(Opinion("entailment"), compat="released")
    probe = Probe("what are you?", "girl | young woman", "i am a girl .", "wh")
    assert judge(probe, "a woman", metric).score == 0.5
    long = Probe("what?", "one two three four five six seven dogs in a row at home", "f", "wh")
    assert judge(long, "x", metric).label == "released:nli:entailment"


def test_released_numbers_are_read_as_they_were() -> None:
    metric = Hybrid(Opinion("neutral"), compat="released")

    def share(truth: str, response: str) -> float | None:
        return judge(Probe("q?", truth, "f", "wh"), response, metric).score

    assert share("21", "twenty one") == 1.0
    assert share("205", "two hundred and five") == 1.0
    assert share("1992", "nineteen ninety two") == 0.0  # no years there
    assert share("3rd", "third") == 0.0  # no ordinals
    assert share("1000002", "two million") == 1.0  # millions are added, not multiplied


def test_the_paper_s_examples_of_inconsistency_score_zero() -> None:
    # Table 8 of the paper.
    cases = [
        (Probe("how old are you?", "30", "I'm 30.", "wh"),
         "I've a german shepherd named barnaby ."),
        (Probe("What comic books do you like?", "spawn and the x men",
               "I like spawn and the x men", "wh"), "I like all kinds of comic books ."),
        (YES_NO, "I do. I drive a bmw."),
    ]  # fmt: skip
    for probe, response in cases:
        assert judge(probe, response, Hybrid(Opinion("neutral"))).score == 0.0
    student = Probe("are you going to school at all?", "no", "I don't go to school anymore.", "yn")
    contradicts = Hybrid(Opinion("contradiction"))
    assert judge(student, "no. I am a student. what do you do for fun?", contradicts).score == 0.0


def test_the_judged_set_is_large_varied_and_halved_by_probe() -> None:
    rows = [json.loads(line) for line in JUDGED.read_text().splitlines()]
    assert len(rows) >= 300
    halves: dict[str, set[str]] = {"dev": set(), "test": set()}
    for row in rows:
        halves[row["half"]].add(json.dumps(row["probe"]))
        assert row["rating"] in (0.0, 0.5, 1.0)
    assert not halves["dev"] & halves["test"]


def test_further_judged_answers_for_development_are_apart() -> None:
    more = [json.loads(line) for line in MORE.read_text().splitlines()]
    tested = {
        json.dumps(row["probe"])
        for row in map(json.loads, JUDGED.read_text().splitlines())
        if row["half"] == "test"
    }
    assert {row["half"] for row in more} == {"more"}
    assert not tested & {json.dumps(row["probe"]) for row in more}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "field", "part", "size", "limit"),
    [
        (JUDGED, "half", "test", "small", 0.05),
        (NEW, "part", "dev", "small", 0.05),
        # Rules are not to be fitted to this part.
        (NEW, "part", "kept", "small", 0.05),
        (NEW, "part", "kept", "both", 0.05),
    ],
    ids=["written by hand", "real bots", "kept out, small models", "kept out, default"],
)
def test_with_the_embedded_models_it_is_near_the_judged_scores(
    file: Path, field: str, part: str, size: str, limit: float
) -> None:
    if size == "both" and large_folder() is None:
        pytest.skip("needs the large models: packages/staytrue-models-large")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row[field] == part]
    examples = [Example(row["id"], row["response"], probe=Probe(**row["probe"])) for row in rows]
    verdicts = load_metric("hybrid", backend=f"embedded,size={size}").judge(examples)
    assert _mean_squared_error(verdicts, rows) <= limit


def _mean_squared_error(verdicts: Sequence[Verdict], rows: Sequence[dict[str, Any]]) -> float:
    errors = [
        ((verdict.score or 0.0) - row["rating"]) ** 2
        for verdict, row in zip(verdicts, rows, strict=True)
    ]
    return sum(errors) / len(errors)


def test_the_rules_alone_are_near_the_judged_scores_of_wh_answers() -> None:
    rows = [json.loads(line) for line in JUDGED.read_text().splitlines()]
    rows = [row for row in rows if row["probe"]["kind"] == "wh"]
    examples = [Example(row["id"], row["response"], probe=Probe(**row["probe"])) for row in rows]
    verdicts = Hybrid(Opinion(), nli="off").judge(examples)
    assert _mean_squared_error(verdicts, rows) <= 0.05
