"""What the released ConsisTest code decides, slips included, for comparison with published runs.

Its departures from the paper, kept here on purpose: negated short answers of the "i do not" kind
are never recognised ("i'm not" is), a right short form is final without asking the model, only
the words "yes", "yeah", "yep", "no", "nope" and "nah" count, and only the last part of a response
may be cut as a question. Where the released code stops with an error, the model decides instead.
"""

from __future__ import annotations

import re

from staytrue.core.records import Probe
from staytrue.core.text import words
from staytrue.english.numbers import in_words
from staytrue.metrics.hybrid.rules import RuleOutcome

_YES = ("yes", "yeah", "yep")
_NO = ("no", "nope", "nah")
_AFTER_YES_NO = (".", ",", "!", " ", ";")
_AFTER_SHORT = (",", " but ", " and ", " ,", ".", " .", "!", " !")
_QUESTION_OPENINGS = ("who", "what", "when", "where", "do", "did", "does", "are", "how")
_SUBJECTS = {
    "your": "it", "you": "i", "u": "i", "yo": "i", "there": "there", "it": "it", "they": "they",
}  # fmt: skip
_FAMILY = {
    "wife": "she", "mom": "she", "ex": "she", "husband": "he", "father": "he", "dad": "he",
    "brother": "he", "boyfriend": "he", "parents": "they", "family": "they",
}  # fmt: skip
_NUMBERS: dict[str, int] = {in_words(value): value for value in (*range(20), *range(20, 100, 10))}
_NUMBERS |= {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_SHORT_FORMS = {"have": "'ve", "are": "'re", "will": "'ll", "am": "'m", "is": "'s"}


def judge_released(probe: Probe, response: str) -> RuleOutcome:
    """The ruling of the released code on one answer."""
    if not response.strip():
        return RuleOutcome("released:empty", "The response is empty.", 0.0)
    kept = _without_last_question(response)
    golds = [gold.strip() for gold in probe.truth.lower().split("|")]
    if probe.kind == "yn":
        return _yes_no(probe.question, kept, positive="no" not in golds)
    return _wh(golds, kept)


def _without_last_question(response: str) -> str:
    parts = [part.strip() for part in re.split(r"[;,.!]", response)]
    last = parts[-1]
    asks = last.endswith("?") or last.lower().startswith(_QUESTION_OPENINGS)
    return response[: response.find(last)] if len(parts) > 1 and asks else response


def _yes_no(question: str, response: str, *, positive: bool) -> RuleOutcome:
    text = response.strip(" ").lower()
    right, wrong = (_YES, _NO) if positive else (_NO, _YES)
    if text.startswith(tuple(word + mark for word in wrong for mark in _AFTER_YES_NO)):
        return RuleOutcome("released:yes-no-wrong", "The yes or no is wrong.", 0.0)
    opening = next(
        (w + mark for w in right for mark in _AFTER_YES_NO if text.startswith(w + mark)), None
    )
    text = text[len(opening) :].strip() if opening else text
    affirmed, denied = _short_forms(question)
    right_forms, wrong_forms = (affirmed, denied) if positive else (denied, affirmed)
    if text.startswith(tuple(form + mark for form in right_forms for mark in _AFTER_SHORT)):
        return RuleOutcome("released:short-right", "The short form is right.", 1.0)
    if text.startswith(tuple(form + mark for form in wrong_forms for mark in _AFTER_SHORT)):
        return RuleOutcome("released:short-wrong", "The short form is wrong.", 0.0)
    if opening:
        return RuleOutcome("released:yes-no-right", "The yes or no is right.", 1.0, response)
    return _to_model(response)


def _short_forms(question: str) -> tuple[list[str], list[str]]:
    """Affirmed and denied short forms: "i am", "i'm" and "i'm not"; "i am not" is missing there."""
    asked = question.strip().lower().split()
    if len(asked) < 2:
        return [], []
    verb, subject = asked[0], _SUBJECTS.get(asked[1], "it")
    if asked[1] == "your":
        subject = (
            "they" if verb in ("do", "are", "were") else _FAMILY.get(" ".join(asked[2:3]), "it")
        )
    if subject == "they" and verb in ("does", "is"):  # "does your family" has the answer "they do"
        verb = {"does": "do", "is": "are"}[verb]
    verb = {"are": "am", "were": "was"}.get(verb, verb) if subject == "i" else verb
    affirmed, denied = [f"{subject} {verb}"], []
    if verb in _SHORT_FORMS:
        affirmed.append(subject + _SHORT_FORMS[verb])
    if verb in ("have", "are", "am", "is"):
        denied.append(f"{subject}{_SHORT_FORMS[verb]} not")
    elif verb in ("can", "will"):  # spelled with a space too many in the released code
        denied.append(f"{subject}  {'ca' if verb == 'can' else 'wo'}n't")
    return affirmed, denied


def _wh(golds: list[str], response: str) -> RuleOutcome:
    response_tokens = set(_released_tokens(response))
    wanted = [set(_released_tokens(gold)) for gold in golds]
    if max(len(_released_tokens(gold)) for gold in golds) > 5:
        return _to_model(response)
    share = max((len(gold & response_tokens) / len(gold) for gold in wanted if gold), default=0.0)
    reason = f"{share:.0%} of the truth's tokens are in the response."
    return RuleOutcome("released:recall", reason, share, response)


def _released_tokens(text: str) -> list[str]:
    return [word for word in words(_released_digits(text)) if word not in ("a", "the")]


def _released_digits(text: str) -> str:
    """Number words as the released code reads them: no ordinals, no years, millions added up."""
    out: list[str] = []
    run: list[str] = []
    tokens = [*words(text.replace("-", " ")), ""]
    for index, word in enumerate(tokens):
        if word in _NUMBERS:
            run.append(word)
        elif not (word == "and" and index and tokens[index - 1] in ("hundred", "thousand")):
            if run:
                out.append(str(_released_value(run)))
                run = []
            out.append(word)
    return " ".join(out)


def _released_value(run: list[str]) -> int:
    if len(run) == 1 or "thousand" not in run:
        return _below_thousand(run)
    at = run.index("thousand")
    return 1000 * _below_thousand(run[:at]) + (
        _below_thousand(run[at + 1 :]) if run[at + 1 :] else 0
    )


def _below_thousand(run: list[str]) -> int:
    values = [_NUMBERS[word] for word in run]
    if len(values) == 2:
        return values[0] * values[1] if 100 in values else values[0] + values[1]
    if len(values) in (3, 4):
        return values[0] * values[1] + sum(values[2:])
    return values[0] if values else 0


def _to_model(response: str) -> RuleOutcome:
    reason = "The fact must entail the response."
    return RuleOutcome("released:nli", reason, None, response, veto=False)
