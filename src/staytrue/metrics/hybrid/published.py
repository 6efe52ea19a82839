"""The hybrid evaluator to the letter of the paper's Appendix B, for `compat=paper`.

Three steps and nothing else: questions are cut off and number words become digits; a yes/no answer
must not open with the wrong short form; a WH answer is the recall of the truth's tokens. The
entailment model compares the response with the fact. (In one place the appendix writes
NLI(Response, Truth); a truth of "no" entails nothing, and its own description of the model says
"between Response and Fact", so the fact it is.)
"""

from __future__ import annotations

import re

from staytrue.core.records import Probe
from staytrue.core.text import words
from staytrue.english.numbers import to_digits
from staytrue.english.yes_no import read_short_answer, truth_polarity
from staytrue.metrics.hybrid.rules import RuleOutcome

_ASKED = re.compile(r"[^.,;!?]*\?+")


def judge_published(probe: Probe, response: str) -> RuleOutcome:
    """The ruling of Appendix B on one answer."""
    answer = to_digits(_ASKED.sub("", response)).strip()
    if not words(answer):
        return RuleOutcome("paper:empty", "The response states nothing.", 0.0)
    if probe.kind == "yn":
        return _yes_no(probe, answer)
    return _wh(probe.truth, answer)


def _yes_no(probe: Probe, answer: str) -> RuleOutcome:
    short = read_short_answer(answer, probe.question)
    wanted = truth_polarity(probe.truth)
    if short is None or wanted is None:
        reason = "The fact must entail the response."
        return RuleOutcome("paper:no-short-form", reason, None, answer, veto=False)
    if short.polarity != wanted:
        return RuleOutcome("paper:short-form-wrong", "The short form is wrong.", 0.0)
    return RuleOutcome("paper:short-form-right", "The short form is right.", 1.0, answer)


def _wh(truth: str, answer: str) -> RuleOutcome:
    given = set(words(answer))
    wanted = [words(to_digits(alternative)) for alternative in truth.split("|")]
    share = max((sum(w in given for w in one) / len(one) for one in wanted if one), default=0.0)
    reason = f"{share:.0%} of the truth's tokens are in the response."
    return RuleOutcome("paper:recall", reason, share, answer if share else "")
