"""Every claim is judged on its own, and score, label, reason and marks agree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.backends.cache import CachedBackend
from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Answer, Entailment, Pair
from staytrue.core.records import Example, Passage, Turn, Verdict, joined_passages
from staytrue.datasets import tabular
from staytrue.metrics.consistency import Consistency
from staytrue.metrics.consistency.result import Abstained
from staytrue.plugins.registry import load_backend

REPOSITORY = Path(__file__).parents[3]
# How a reason opens when nothing is wrong.
HOLDS = re.compile(
    r"The (?:\w+|\w+ and the [\w ]+?) supports? |Nothing in history or persona contr"
)
KNOWLEDGE = "Sondre Norheim built short skis. The skis were made of wood. They were sold in Oslo."


def judge(example: Example, **options: Any) -> Verdict:
    (verdict,) = Consistency(ScriptedBackend(), **options).judge([example])
    return verdict


def kinds(verdict: Verdict, kind: str) -> list[Any]:
    return [evidence for evidence in verdict.evidence if evidence.kind == kind]


def test_a_response_whose_claims_all_hold_is_consistent() -> None:
    verdict = judge(Example("1", "Norheim built short skis. The skis were wood.", KNOWLEDGE))
    assert verdict.score > 0.5
    assert verdict.label == "consistent"
    assert verdict.reason == "The knowledge supports both claims."
    assert [claim.label for claim in kinds(verdict, "claim")] == ["supported", "supported"]
    assert not kinds(verdict, "span")


def test_one_wrong_claim_makes_a_response_inconsistent_and_is_named() -> None:
    example = Example("1", "Norheim built short skis. They were painted in Berlin.", KNOWLEDGE)
    verdict = judge(example)
    assert verdict.score < 0.5
    assert verdict.label == "inconsistent"
    assert [claim.label for claim in kinds(verdict, "claim")] == ["supported", "unsupported"]
    marked = {example.response[e.start : e.end] for e in kinds(verdict, "span")}
    assert marked == {"painted", "Berlin"}
    assert "painted in Berlin" in verdict.reason


def test_words_in_each_others_place_contradict_although_all_of_them_are_known() -> None:
    knowledge = "The class teacher writes the letter, and the principal signs it."
    verdict = judge(Example("1", "The principal writes the letter.", knowledge))
    assert verdict.score < 0.5
    assert verdict.reason == (
        "The response says “The principal”, the knowledge “The class teacher”."
    )
    (marked,) = kinds(verdict, "span")
    assert marked.text == "The principal"
    assert judge(Example("2", "The class teacher writes the letter.", knowledge)).score > 0.5


def test_a_value_of_another_entry_contradicts_and_the_right_one_is_named() -> None:
    hours = "Mon-Fri: 08:30-18:00\nSat: 09:00-13:00\nSun: closed"
    verdict = judge(Example("1", "On Saturdays we are open from 9 a.m. until 3 p.m.", hours))
    assert verdict.score < 0.5
    assert verdict.reason == (
        "The response says “9 a.m. until 3 p.m.”, the knowledge “09:00-13:00”."
    )


def test_where_no_word_stands_out_the_model_tells_which_one_is_wrong() -> None:
    def infer(pair: Pair) -> Entailment:
        wrong = "often" in pair.hypothesis
        return Entailment(0.1, 0.1, 0.8) if wrong else Entailment(0.9, 0.05, 0.05)

    example = Example("1", "The pump is often oiled.", "Oiled pumps, often rusty, are the pump.")

    class Server(ScriptedBackend):
        at_once = 1  # rows at a time, which servers say

    (verdict,) = Consistency(ScriptedBackend(entailments=infer)).judge([example])
    assert [span.text for span in kinds(verdict, "span")] == ["often"]
    # A server is not asked: each pair is a request.
    for server in (Server(entailments=infer), CachedBackend(Server(entailments=infer))):
        (verdict,) = Consistency(server).judge([example])
        assert [span.text for span in kinds(verdict, "span")] == ["The pump is often oiled"]


def test_greetings_do_not_count_and_alone_have_no_score() -> None:
    with_greeting = judge(Example("1", "Hello! Norheim built short skis. Bye!", KNOWLEDGE))
    without = judge(Example("1", "Norheim built short skis.", KNOWLEDGE))
    assert with_greeting.score == without.score
    alone = judge(Example("1", "You're welcome! Have a great day.", KNOWLEDGE))
    assert alone.score is None
    assert "claims nothing" in alone.reason
    assert judge(Example("1", "Have a great day.", KNOWLEDGE), generic="score").score is not None


def test_a_needless_refusal_has_a_label_of_its_own() -> None:
    question = (Turn("user", "Who built short skis?"),)
    example = Example("1", "I couldn't find that in our documentation.", KNOWLEDGE, question)
    backend = ScriptedBackend(answers=lambda query: Answer("Norheim", 0, 7, 0.9))
    (verdict,) = Consistency(backend).judge([example])
    assert (verdict.score, verdict.label) == (None, "needless refusal")
    assert "Norheim" in verdict.reason
    silent = ScriptedBackend(answers=lambda query: Answer(None, confidence=0.9))
    (verdict,) = Consistency(silent).judge([example])
    assert (verdict.score, verdict.label) == (None, None)


def test_a_number_that_the_knowledge_gives_otherwise_keeps_the_claim_below_one_half() -> None:
    knowledge = "A hive holds up to 60,000 bees in summer."
    sure = ScriptedBackend(entailments=lambda pair: Entailment(0.98, 0.01, 0.01))
    wrong = Example("1", "A hive holds up to 900 bees in summer.", knowledge)
    (verdict,) = Consistency(sure).judge([wrong])
    assert verdict.score < 0.5
    assert verdict.reason == "The response says “900”, the knowledge “60,000”."
    (span,) = kinds(verdict, "span")
    assert wrong.response[span.start : span.end] == "900"
    right = Example("2", "A hive holds up to 60000 bees in summer.", knowledge)
    assert Consistency(sure).judge([right])[0].score > 0.5


def test_values_are_written_as_in_the_knowledge_before_the_model_sees_them() -> None:
    asked: list[Pair] = []

    def infer(pair: Pair) -> Entailment:
        asked.append(pair)
        return Entailment(0.9, 0.05, 0.05)

    example = Example("1", "The fair was on 3/14/2024.", "The fair was on 14 March 2024.")
    Consistency(ScriptedBackend(entailments=infer)).judge([example])
    assert asked == [Pair("The fair was on 14 March 2024.", "The fair was on 14 March 2024.")]


def test_a_short_answer_is_read_with_its_question() -> None:
    asked: list[str] = []

    def infer(pair: Pair) -> Entailment:
        asked.append(pair.hypothesis)
        return Entailment(0.05, 0.05, 0.9)

    question = (Turn("user", "Can I return sale items?"),)
    example = Example("1", "Yes.", "Sale items cannot be returned.", question)
    (verdict,) = Consistency(ScriptedBackend(entailments=infer)).judge([example])
    assert set(asked) == {"you can return sale items."}
    assert verdict.label == "inconsistent"


def test_history_can_contradict_but_what_it_does_not_mention_is_no_fault() -> None:
    history = (Turn("bot", "I do not own cats."), Turn("user", "And what else?"))
    contradicts = judge(Example("1", "I own cats.", history=history))
    assert contradicts.label == "inconsistent"
    assert "history contradicts" in contradicts.reason
    told = (Turn("bot", "I own dogs."), Turn("user", "And what else?"))
    new = judge(Example("2", "I play tennis.", history=told))
    assert new.label == "consistent"
    assert kinds(new, "claim")[0].label == "new"


def test_the_user_is_no_source() -> None:
    history = (Turn("user", "I do not own cats."),)
    verdict = judge(Example("1", "I own cats.", history=history))
    assert verdict.score is None
    assert "no knowledge, history or persona" in verdict.reason


def test_any_source_may_support_and_any_may_contradict() -> None:
    persona = ("i own cats.",)
    both = Example("1", "I own cats.", KNOWLEDGE, persona=persona)
    verdict = judge(both)
    assert verdict.label == "consistent"
    assert kinds(verdict, "claim")[0].details["source"] == "persona"
    unknown = judge(both, against="knowledge")
    assert (unknown.score, unknown.label) == (None, None)
    assert "only of the speaker" in unknown.reason
    denied = Example(
        "2", "Norheim built short skis.", KNOWLEDGE, (Turn("bot", "Norheim built no short skis."),)
    )
    assert judge(denied).label == "inconsistent"
    assert judge(denied, against="knowledge").label == "consistent"


def test_what_speakers_tell_of_themselves_does_not_count_beside_what_can_be_checked() -> None:
    chatty = judge(Example("1", "I love skis! Norheim built short skis.", KNOWLEDGE))
    assert chatty.label == "consistent"
    assert [e.text for e in kinds(chatty, "silent")] == ["I love skis!"]


def test_knowledge_that_the_speaker_tells_can_contradict_the_speaker() -> None:
    example = Example("1", "I own cats.", "I do not own cats. My house is small.")
    assert judge(example).label == "inconsistent"


def test_a_row_without_anything_to_judge_against_says_what_it_lacks() -> None:
    assert "no persona" in judge(Example("1", "I own cats.", "Cats."), against="persona").reason


def test_a_row_that_is_not_english_has_no_score_unless_asked_for() -> None:
    text = "Das Museum öffnet um neun Uhr und schließt am Abend um fünf, außer am Montag im Winter."
    example = Example("1", text, text)
    assert judge(example).score is None
    assert "English" in judge(example).reason
    assert judge(example, language="any").score is not None


def test_citations_are_judged_against_the_passage_that_they_name() -> None:
    knowledge, passages = joined_passages(
        [("faq-1", "Skis", "Norheim built short skis."), ("faq-2", "", "They were sold in Oslo.")]
    )
    example = Example("1", "Norheim built short skis [1]. They were sold in Oslo [faq-1].",
                      knowledge, passages=passages)  # fmt: skip
    verdict = judge(example)
    assert verdict.label == "consistent"  # some passage supports each claim
    parts = {e.text: e.score for e in kinds(verdict, "part")}
    assert parts["citation precision"] == 0.5
    assert parts["citation recall"] == 0.5
    assert kinds(verdict, "claim")[0].details["passage"] == "faq-1"


def test_a_passage_that_there_is_not_supports_nothing() -> None:
    knowledge, passages = joined_passages(
        [("", "", "Norheim built short skis."), ("", "", "Oslo.")]
    )
    verdict = judge(Example("1", "Norheim built short skis [7].", knowledge, passages=passages))
    assert verdict.label == "consistent"
    parts = {e.text: e.score for e in kinds(verdict, "part")}
    assert parts["citation precision"] == 0
    assert kinds(verdict, "claim")[0].details["cites"] == ["there is no passage 7"]


def test_the_passage_of_the_evidence_is_named() -> None:
    passages = (Passage(0, 6, title="One"), Passage(7, 30, title="Two"))
    knowledge = "A b c.\nThey were sold in Oslo."
    example = Example("1", "They were sold in Oslo.", knowledge, passages=passages)
    assert kinds(judge(example), "claim")[0].details["passage"] == "Two"


def check_agreement(example: Example, verdict: Verdict) -> None:
    """Score, label, reason and marked words tell one story."""
    if verdict.score is None:
        assert verdict.label in (None, "needless refusal")
        assert not kinds(verdict, "span")
        return
    claims = kinds(verdict, "claim")
    failed = [claim for claim in claims if claim.label in ("contradicted", "unsupported")]
    assert (verdict.score > 0.5) == (verdict.label == "consistent") == (not failed)
    assert all((claim.score > 0.5) != (claim in failed) for claim in claims)
    spans = kinds(verdict, "span")
    assert bool(spans) == bool(failed)
    assert all(span.score < 0.5 for span in spans)
    assert all(example.response[s.start : s.end] == s.text and s.text for s in spans)
    assert bool(HOLDS.match(verdict.reason)) == (not failed)


@given(
    st.lists(st.sampled_from(["norheim built skis.", "skis are wood.", "cats fly.", "skis are not "
                              "wood.", "hello!", "really?", "it has 3 dogs.", "[1]"]), max_size=4),
    st.lists(st.sampled_from(["norheim built skis.", "skis are wood.", "it has 4 dogs."]),
             max_size=3),
    st.lists(st.sampled_from(["i am bob.", "cats fly.", "skis are not wood."]), max_size=2),
)  # fmt: skip
def test_score_label_reason_and_marks_agree(
    response: list[str], knowledge: list[str], persona: list[str]
) -> None:
    example = Example("1", " ".join(response), " ".join(knowledge), persona=tuple(persona))
    check_agreement(example, judge(example))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["examples/grounded", "tests/golden/everyday_seen", "tests/golden/everyday_blind"]
)
def test_score_label_reason_and_marks_agree_on_all_golden_rows(name: str) -> None:
    lines = (REPOSITORY / f"{name}.jsonl").read_text("utf-8").splitlines()
    rows = [tabular.Row(name, json.loads(line)) for line in lines]
    examples = [tabular.example_from_row(row, {}) for row in rows]
    metric = Consistency(load_backend("embedded,size=small"))
    for example, verdict in zip(examples, metric.judge(examples), strict=True):
        check_agreement(example, verdict)


def test_verdicts_do_not_depend_on_the_batch() -> None:
    examples = [
        Example(str(n), "Norheim built short skis. Hello! It has 3 dogs." * (n % 3), KNOWLEDGE)
        for n in range(6)
    ]
    metric = Consistency(ScriptedBackend())
    assert metric.judge(examples) == [metric.judge([e])[0] for e in examples]


def test_values_of_the_history_are_compared_as_values_too() -> None:
    seen: list[Pair] = []

    def infer(pair: Pair) -> Entailment:
        seen.append(pair)
        return Entailment(0.2, 0.7, 0.1)

    turn = Turn("bot", "The layover in Lisbon is 2 hours and 40 minutes.")
    example = Example("1", "The stop in Lisbon lasts 160 minutes.", history=(turn,))
    Consistency(ScriptedBackend(entailments=infer)).judge([example])
    assert [pair.hypothesis for pair in seen] == [
        "The stop in Lisbon lasts 2 hours and 40 minutes."
    ]


def test_results_say_why_there_is_no_score() -> None:
    metric = Consistency(ScriptedBackend())
    greeting, bare = metric.results([Example("1", "Hello there!", KNOWLEDGE), Example("2", "Hi.")])
    assert greeting == Abstained("The response claims nothing that could be right or wrong.")
    assert isinstance(bare, Abstained)
    assert "to judge the response against" in bare.reason
