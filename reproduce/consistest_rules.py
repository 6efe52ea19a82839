"""The ConsisTest page's section on single rules: what each one of `hybrid` gains, and where.

Every rule is switched off in turn and the judged answers are judged again. A rule that was written
after reading an answer gains there by construction, so it must pay on the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from reproduce.consistest_judged import JudgedAnswer, ScoredAnswer, read_answers, squared_error
from reproduce.pages import table
from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import large_folder
from staytrue.english import yes_no
from staytrue.metrics.hybrid import Hybrid, rules, words
from staytrue.plugins import registry

SECTION = "What each rule gains"
HARD = "hard"
WRITTEN_FOR = "written for"
# Where an answer's part is counted: rules were written after reading some answers, not others.
GROUPS = {
    "kept": ("kept",),
    "test": ("test",),
    WRITTEN_FOR: ("dev", "more", "new dev"),
    HARD: (HARD,),
}
_NEVER = re.compile(r"(?!)()")


@dataclass(frozen=True)
class Switch:
    """What replaces a rule to switch it off."""

    module: Any
    name: str
    instead: Any


def _no(*_: object) -> bool:
    return False


def _none(*_: object) -> None:
    return None


# A rule of `hybrid` beyond Appendix B, and what switches it off.
RULES: dict[str, tuple[Switch, ...]] = {
    "amounts after a right yes or no must not clash": (Switch(words, "_amounts", lambda text: {}),),
    "the long answer must not repeat the question with the other answer": (
        Switch(rules, "echo", _none),
    ),
    "several short answers must agree": (Switch(rules, "_disagree", _no),),
    "“yes and no” is two answers": (Switch(yes_no, "_takes_back", _no),),
    "“i love it”, “i hate it” are short answers": (
        Switch(yes_no, "_AFTER_LIKING", yes_no._FIXED),
        Switch(yes_no, "_AFTER_DISLIKING", yes_no._FIXED),
    ),
    "“i sure do”, “i do not really” are short answers": (
        Switch(yes_no, "_SOFTENERS", frozenset()),
    ),
    "repeating the question says yes or no": (Switch(rules, "find_echo", _none),),
    "“used to”, “wish”, “if” repeat it without saying yes": (Switch(rules, "_HEDGES", _NEVER),),
    "unrelated answers must be entailed beyond doubt": (Switch(rules, "_SURE_IF_UNRELATED", 0.0),),
    "WH: the answer must not be about someone else": (Switch(rules, "_about_another", _no),),
    "WH: the truth must not be denied": (Switch(rules, "_denies", _no),),
    "WH: another number is wrong, the bare number right": (Switch(rules, "_number_ruling", _none),),
    "WH: words of the question are no answer": (
        Switch(words, "_new_in_answer", lambda wanted, question: wanted),
    ),
    "WH: “fire fighter” is “firefighter”": (Switch(words, "_joined", lambda plain: []),),
    "endings do not count (lemmas)": (Switch(words, "lemma", lambda word: word),),
    "“teach” is said of a teacher": (Switch(words, "JOB_HEADS", frozenset()),),
    "“mom” is “mother” (words that name one thing)": (
        Switch(words, "SAME", {}),
        Switch(rules, "SAME", {}),
    ),
    "a question without a full stop before it is cut off": (
        Switch(rules, "_RUN_ON_QUESTION", _NEVER),
    ),
    "“a dog?” alone is an answer": (Switch(rules, "_asks", lambda sentence: True),),
}
_SHORT_FORM = "lists more of the paper's short answers, which the paper does not list in full"
# Why a rule stays that pays on no answer but those it was written for.
STAYS = {
    "“i love it”, “i hate it” are short answers": _SHORT_FORM,
    "“i sure do”, “i do not really” are short answers": _SHORT_FORM,
    "WH: another number is wrong, the bare number right": "without it “ten years” has a share of "
    "“five years”, and a bare number is at the mercy of the model; it replaces two rules that "
    "did the same and were deleted",
    "endings do not count (lemmas)": "“dogs” is the answer “dog”; it took the place of compared "
    "prefixes and one-letter slips, which called more wrong answers right",
}
CERTAINTY = "entailment and contradiction must have a probability of 0.6"


@contextmanager
def without(rule: str) -> Iterator[None]:
    """Judge with this rule switched off."""
    with ExitStack() as patches:
        for switch in RULES[rule]:
            patches.enter_context(patch.object(switch.module, switch.name, switch.instead))
        yield


def judge(answers: Sequence[JudgedAnswer], metric: Hybrid) -> list[ScoredAnswer]:
    """Every answer with its score."""
    verdicts = metric.judge([answer.example for answer in answers])
    return [
        ScoredAnswer(answer, verdict.score or 0.0)
        for answer, verdict in zip(answers, verdicts, strict=True)
    ]


def evaluators() -> dict[str, Hybrid]:
    """By size of the models, each of which is asked about the same pair once."""
    sizes = ("small", "both") if large_folder() is not None else ("small",)
    return {
        size: Hybrid(CachedBackend(registry.load_backend(f"embedded,size={size}")))
        for size in sizes
    }


@dataclass(frozen=True)
class Change:
    """What happens to a group of answers when a rule is switched off."""

    group: str
    error: float
    """How much the mean squared error rises."""
    changed: int
    """How many answers have another score."""

    def __str__(self) -> str:
        return f"{self.error:+.4f} ({self.changed})" if self.changed else "–"


def change(before: Sequence[ScoredAnswer], after: Sequence[ScoredAnswer], group: str) -> Change:
    """How the error of a group changes, and in how many answers the score does."""
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a.answer.part in GROUPS[group]]
    rise = sum(b.error - a.error for a, b in pairs) / max(1, len(pairs))
    return Change(group, rise, sum(a.score != b.score for a, b in pairs))


def changes(
    answers: Sequence[JudgedAnswer], metrics: Mapping[str, Hybrid]
) -> dict[str, list[Change]]:
    """By rule: what happens without it, by model and group of answers."""
    found: dict[str, list[Change]] = {name: [] for name in (*RULES, CERTAINTY)}
    for metric in metrics.values():
        before = judge(answers, metric)
        for name, cells in found.items():
            if name == CERTAINTY:
                after = judge(answers, replace(metric, certainty=0.0))
            else:
                with without(name):
                    after = judge(answers, metric)
            cells += [change(before, after, group) for group in GROUPS]
    return found


def without_gain(found: Mapping[str, Sequence[Change]]) -> list[str]:
    """The rules that pay on no answer but those they were written for."""
    return [
        name
        for name, cells in found.items()
        if not any(cell.error > 0 for cell in cells if cell.group != WRITTEN_FOR)
    ]


def errors(answers: Sequence[JudgedAnswer], metrics: Mapping[str, Hybrid]) -> tuple[str, ...]:
    """The first row: the error with all rules."""
    cells = []
    for metric in metrics.values():
        judged = judge(answers, metric)
        for parts in GROUPS.values():
            part = [one for one in judged if one.answer.part in parts]
            cells.append(f"{squared_error(part).value:.4f}")
    return ("**all rules: MSE**", *cells)


def single_rules(
    answers: Sequence[JudgedAnswer], metrics: Mapping[str, Hybrid] | None = None
) -> list[str]:
    """The section; `metrics` are by default those of the models that are installed."""
    metrics = metrics or evaluators()
    sizes = {
        group: sum(answer.part in parts for answer in answers) for group, parts in GROUPS.items()
    }
    columns = [f"{name}: {group} ({sizes[group]})" for name in metrics for group in GROUPS]
    found = changes(answers, metrics)
    unseen = sizes["kept"] + sizes["test"]
    stay = [f"- {name}: {STAYS.get(name, 'delete it')}." for name in without_gain(found)]
    return [
        f"## {SECTION}", "",
        "Each rule that `hybrid` has beyond the paper's Appendix B, switched off in turn: how much",
        "the mean squared error rises without it, and in brackets how many answers get another",
        "score; “–” is none. Above zero the rule pays. `kept` and `test` are answers that no rule",
        "was written for; `written for` are those whose errors were read when rules were written,",
        "so a gain there says little; `hard` are answers that word tricks get wrong, and half of",
        "them are right. Rules that pay on `written for` alone were deleted",
        "(CHANGELOG.md names them); nothing else was chosen by this table. Most rules fire in one",
        f"answer of a hundred, so {unseen} unseen answers show for which there is evidence, not",
        "how much each is worth. `small` are the small models, `both` the default.", "",
        table(
            ("without the rule", *columns),
            [
                errors(answers, metrics),
                *((name, *map(str, cells)) for name, cells in found.items()),
            ],
        ),
        *(["No gain on unseen answers, and why the rule stays:", "", *stay, ""] if stay else []),
    ]  # fmt: skip


def all_answers(new: Path, others: Sequence[JudgedAnswer], hard: Path) -> list[JudgedAnswer]:
    """All judged answers with the part that each is counted in."""
    fresh = [replace(a, part="new dev") if a.part == "dev" else a for a in read_answers(new)]
    return [*fresh, *others, *read_answers(hard)]
