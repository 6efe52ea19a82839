"""The page's section on single rules: each is really switched off, and what follows is counted."""

from __future__ import annotations

import pytest
from reproduce import consistest, consistest_rules
from reproduce.consistest_judged import JudgedAnswer, ScoredAnswer
from reproduce.consistest_rules import RULES, STAYS, Change, change, changes, without, without_gain
from reproduce.pages import section_of

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Entailment
from staytrue.core.records import Example, Probe
from staytrue.metrics.hybrid import Hybrid

DOGS = Probe("how many dogs do you have?", "two", "i have two dogs .", "wh")
NEVER_OBJECTS = Hybrid(ScriptedBackend(entailments=lambda pair: Entailment(0.0, 1.0, 0.0)))


def answer(response: str, rating: float, part: str) -> JudgedAnswer:
    example = Example(f"{part} {response}", response, probe=DOGS, rating=rating)
    return JudgedAnswer(example, "a", part)


def test_a_rule_is_off_only_while_it_is_switched_off() -> None:
    denied = answer("Not two.", 0.0, "hard")
    scores = [consistest_rules.judge([denied], NEVER_OBJECTS)[0].score]
    with without("WH: the truth must not be denied"):
        scores.append(consistest_rules.judge([denied], NEVER_OBJECTS)[0].score)
    scores.append(consistest_rules.judge([denied], NEVER_OBJECTS)[0].score)
    assert scores == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("rule", RULES)
def test_every_switch_replaces_something_that_exists(rule: str) -> None:
    before = [getattr(switch.module, switch.name) for switch in RULES[rule]]
    with without(rule):
        after = [getattr(switch.module, switch.name) for switch in RULES[rule]]
    assert all(old is not new for old, new in zip(before, after, strict=True))


def test_a_change_is_the_rise_of_the_error_in_one_group() -> None:
    kept, other = answer("two", 1.0, "kept"), answer("two", 1.0, "dev")
    before = [ScoredAnswer(kept, 1.0), ScoredAnswer(other, 1.0), ScoredAnswer(other, 0.0)]
    after = [ScoredAnswer(kept, 0.5), ScoredAnswer(other, 0.0), ScoredAnswer(other, 0.0)]
    assert change(before, after, "kept") == Change("kept", 0.25, 1)
    assert change(before, after, "written for") == Change("written for", 0.5, 1)
    assert [str(change(before, after, group)) for group in ("kept", "test")] == ["+0.2500 (1)", "–"]


def test_a_rule_without_gain_pays_only_where_it_was_written_for() -> None:
    found = {
        "pays": [Change("kept", 0.01, 1), Change("written for", 0.0, 0)],
        "does not": [Change("kept", -0.01, 1), Change("written for", 0.1, 3)],
    }
    assert without_gain(found) == ["does not"]


def test_every_rule_and_the_certainty_are_measured() -> None:
    answers = [answer("Not two.", 0.0, "hard"), answer("two", 1.0, "kept")]
    found = changes(answers, {"scripted": NEVER_OBJECTS})
    assert list(found) == [*RULES, consistest_rules.CERTAINTY]
    assert all(len(cells) == len(consistest_rules.GROUPS) for cells in found.values())


def test_every_rule_on_the_page_that_does_not_pay_says_why_it_stays() -> None:
    section = section_of(consistest.PAGE, consistest_rules.SECTION)
    bullets = [line for line in section if line.startswith("- ")]
    assert bullets
    for bullet in bullets:
        assert any(bullet == f"- {name}: {why}." for name, why in STAYS.items()), bullet
    assert set(STAYS) <= set(RULES)


def test_all_judged_answers_have_a_part_that_is_counted() -> None:
    answers = consistest_rules.all_answers(
        consistest.NEW, consistest.earlier_answers(), consistest.HARD
    )
    counted = {part for parts in consistest_rules.GROUPS.values() for part in parts}
    assert {one.part for one in answers} == counted
    assert len({one.example.id for one in answers}) == len(answers)
