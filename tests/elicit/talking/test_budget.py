from __future__ import annotations

import pytest

from staytrue.core.errors import UsageError
from staytrue.core.usage import Usage
from staytrue.elicit.aih.interrogation import needed
from staytrue.elicit.aih.talks import Plan
from staytrue.elicit.talking import Budget, BudgetSpent, Limits

PLAN = Plan(turns=4)
MOST = 11  # 7 turns of both bots and an inquiry after each of the second's


class Counted:
    """A bot that only has its counts."""

    def __init__(self, price_out: float = 0.0) -> None:
        self.usage = Usage(price_out=price_out)

    def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
        raise AssertionError("a budget never asks")


NEED = needed(PLAN, ("one", "one", 0))


def budget(bot: Counted, **limits: float) -> Budget:
    made = Budget({"one": bot}, Limits(**limits))  # type: ignore[arg-type]
    made.check(NEED)
    return made


def hold(of: Budget, bot: Counted, number: int, replies: int, tries: int = 1) -> None:
    for _ in range(replies):
        of.spend(number, "one")
        bot.usage.add(requests=tries, tokens_out=1)


def test_as_many_begin_as_can_end() -> None:
    of = budget(Counted(), max_requests=3 * MOST + 10)
    assert [of.begin(n, NEED) for n in range(5)] == [True, True, True, False, False]


def test_what_a_dialogue_did_not_use_lets_another_begin() -> None:
    bot = Counted()
    of = budget(bot, max_requests=2 * MOST)
    assert of.begin(0, NEED)
    assert of.begin(1, NEED)
    hold(of, bot, 0, MOST - 1)
    assert not of.begin(2, NEED)
    of.end(0)
    assert not of.begin(2, NEED)
    of = budget(bot := Counted(), max_requests=2 * MOST + 5)
    for number in (0, 1):
        assert of.begin(number, NEED)
        hold(of, bot, number, MOST - 3)
        of.end(number)
    assert of.begin(2, NEED)


def test_a_dialogue_is_expected_to_need_the_tries_that_replies_took_before() -> None:
    bot = Counted()
    of = budget(bot, max_requests=60)
    assert of.begin(0, NEED)
    hold(of, bot, 0, MOST, tries=3)
    of.end(0)
    assert not of.begin(1, NEED)
    assert "after 33 requests: what is left of --max-requests" in of.why_stopped(NEED)


def test_no_reply_is_asked_for_beyond_the_limit() -> None:
    bot = Counted()
    of = budget(bot, max_requests=MOST)
    of.begin(0, NEED)
    with pytest.raises(BudgetSpent):
        hold(of, bot, 0, MOST + 1)
    assert bot.usage.requests == MOST


def test_the_first_dialogue_begins_whatever_it_may_cost_and_teaches_what_others_will() -> None:
    bot = Counted(price_out=1e6)  # one per token
    of = budget(bot, max_cost=3 * MOST)
    assert of.begin(0, NEED)
    assert not of.begin(1, NEED)  # replies may have 80 tokens, for all that is known
    hold(of, bot, 0, MOST)
    of.end(0)
    assert [of.begin(n, NEED) for n in (1, 2, 3)] == [True, True, False]
    assert "--max-cost" in of.why_stopped(NEED)


def test_without_limits_everything_begins() -> None:
    of = budget(Counted())
    assert all(of.begin(n, NEED) for n in range(100))


def test_a_closed_budget_gives_nothing_more() -> None:
    of = budget(Counted())
    of.close()
    with pytest.raises(BudgetSpent):
        of.spend(0, "one")


def test_a_limit_below_one_dialogue_is_refused() -> None:
    with pytest.raises(UsageError, match=f"give at least {MOST}"):
        budget(Counted(), max_requests=MOST - 1)
