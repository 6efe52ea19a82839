"""The ConsisTest page's section on real bots' answers, judged by hand without seeing a verdict.

How near each judge comes to the hand (mean squared error with its interval, Cohen's κ), by part,
bot and kind of question, and with other entailment models in the same evaluator.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reproduce.pages import REPOSITORY, table
from reproduce.readings import shown_kappa
from staytrue.backends.embedded import large_folder
from staytrue.core.records import Example, Probe
from staytrue.plugins import registry
from staytrue.stats import intervals
from staytrue.stats.intervals import Interval

CHECKPOINTS = Path(os.environ.get("STAYTRUE_CHECKPOINTS", REPOSITORY.parent / "checkpoints"))
VARIANTS = CHECKPOINTS / "variants"
KINDS = {"all": ("wh", "yn"), "WH": ("wh",), "yes/no": ("yn",)}
PARTS = {"dev": "rules were tuned here", "kept": "kept out"}
# Ratings that the guideline of the paper's Appendix C allows.
RATINGS = {"wh": (0.0, 0.5, 1.0), "yn": (0.0, 1.0)}
# Table 9 of the paper: two annotators on 500 answers.
PAPER_KAPPA = {"WH": 0.88, "yes/no": 0.94}


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A bot's answer to a probe, with what the hand gave it."""

    example: Example
    """The answer; its `rating` is the first reading's."""
    bot: str
    part: str
    """"dev", "more": rules may be changed after reading it; "kept", "test": not read for that."""
    again: float | None = None
    """The rating of a second reading, where there was one."""

    @property
    def rating(self) -> float:
        """What the first reading gave."""
        assert self.example.rating is not None
        return self.example.rating

    @property
    def kind(self) -> str:
        """ "wh" or "yn"."""
        assert self.example.probe is not None
        return self.example.probe.kind


def read_answers(path: Path) -> list[JudgedAnswer]:
    """The judged answers of a file, in its order."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [
        JudgedAnswer(
            Example(row["id"], row["response"], probe=Probe(**row["probe"]), rating=row["rating"]),
            row.get("bot", "written by us"),
            row.get("part") or row["half"],
            row.get("again"),
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer and the score that some judge gave it."""

    answer: JudgedAnswer
    score: float

    @property
    def error(self) -> float:
        """The squared difference from the hand."""
        return (self.score - self.answer.rating) ** 2

    @property
    def rating(self) -> float:
        """The score as the nearest rating that the guideline allows, the lower of two."""
        return min(RATINGS[self.answer.kind], key=lambda rating: abs(rating - self.score))


def judge_all(
    answers: Sequence[JudgedAnswer], spec: str, backend: str | None = None
) -> list[ScoredAnswer]:
    """Every answer with a metric's score."""
    verdicts = registry.load_metric(spec, backend=backend).judge([a.example for a in answers])
    return [
        ScoredAnswer(answer, verdict.score or 0.0)
        for answer, verdict in zip(answers, verdicts, strict=True)
    ]


def squared_error(judged: Sequence[ScoredAnswer]) -> Interval:
    """The mean squared error with its interval."""
    return intervals.mean([one.error for one in judged])


def of_kind(judged: Sequence[ScoredAnswer], kind: str) -> list[ScoredAnswer]:
    """Those whose question is of this kind, by its name in tables."""
    return [one for one in judged if one.answer.kind in KINDS[kind]]


def agreement(judged: Sequence[ScoredAnswer]) -> str:
    """Cohen's κ of judge and hand, the score rounded to a rating."""
    return shown_kappa([one.answer.rating for one in judged], [one.rating for one in judged])


def agreement_of_readings(answers: Sequence[JudgedAnswer]) -> list[tuple[str, ...]]:
    """Rows of a table: kind of question, answers read twice, κ of the two readings, the paper's."""
    rows: list[tuple[str, ...]] = []
    for kind in ("WH", "yes/no"):
        twice = [a for a in answers if a.kind in KINDS[kind] and a.again is not None]
        kappa = shown_kappa([a.rating for a in twice], [a.again for a in twice])
        rows.append((kind, str(len(twice)), kappa, f"{PAPER_KAPPA[kind]:.2f}"))
    return rows


def error_rows(
    judged: Sequence[ScoredAnswer], group: Callable[[JudgedAnswer], str]
) -> list[tuple[str, ...]]:
    """Rows of a table: group, answers, mean score by hand, then the error by kind of question."""
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys(group(one.answer) for one in judged):
        part = [one for one in judged if group(one.answer) == name]
        by_hand = sum(one.answer.rating for one in part) / len(part)
        errors = (str(squared_error(of_kind(part, kind))) for kind in KINDS)
        rows.append((name, str(len(part)), f"{by_hand:.3f}", *errors))
    return rows


def judge_rows(judged: Mapping[str, Sequence[ScoredAnswer]]) -> list[tuple[str, ...]]:
    """Rows of a table: judge, its error by kind of question, and its κ with the hand by kind."""
    return [
        (
            name,
            *(str(squared_error(of_kind(judgements, kind))) for kind in KINDS),
            *(agreement(of_kind(judgements, kind)) for kind in ("WH", "yes/no")),
        )
        for name, judgements in judged.items()
    ]


def entailment_models(variants: Path = VARIANTS) -> dict[str, str]:
    """Backends whose entailment models are put side by side.

    The small one, which saw sets of all kinds, the large one where it is installed, and one of
    Dialogue NLI alone where `python -m training.variants` has made it: the paper compares a general
    model with one of dialogue.
    """
    models = {"small embedded": "embedded,size=small"}
    if large_folder() is not None:
        models["large embedded"] = "embedded,size=large"
    if (variants / "dnli" / "models.json").exists():
        models["Dialogue NLI alone"] = f"embedded,folder={variants / 'dnli'}"
    return models


TWO_MODELS = "A general entailment model and one of dialogue"
# Table 4 of the paper: mean squared error of the evaluator, and of the model alone.
PAPER_MODELS = {"RoBERTa-large-MNLI": (0.071, 0.256), "the same, tuned on DNLI": (0.047, 0.220)}
EVALUATORS = {
    "NLI alone": "hybrid,compat=paper,nli=only",
    "`compat=paper`": "hybrid,compat=paper",
    "hybrid": "hybrid",
}


def two_models(path: Path, models: Mapping[str, str]) -> list[str]:
    """The section on other people's models, or ours made for it: `models` are backends by name."""
    answers = read_answers(path)
    kept = [answer for answer in answers if answer.part == "kept"]
    judged = {
        f"{way}, {name}": judge_all(kept, spec, backend)
        for way, spec in EVALUATORS.items()
        for name, backend in models.items()
    }
    paper = [
        (f"paper: {way}, {name}", f"{error:.3f}", *["–"] * 4)
        for n, way in enumerate(("hybrid", "NLI alone"))
        for name, errors in PAPER_MODELS.items()
        for error in errors[n : n + 1]
    ]
    names = [registry.load_backend(backend).models()["infer"] for backend in models.values()]
    return [
        f"## {TWO_MODELS}", "",
        f"The evaluator with two entailment models of the same make, on the {len(kept)} answers of",
        "`kept` above. The paper's rows are of other models and its own 1,000 answers; compare the",
        "step from the first model to the second, not the figures. This section needs models that",
        "are not shipped (`--nli NAME=BACKEND`); without them it stays as it is.", "",
        table(("evaluator and model", *JUDGE_COLUMNS), [*judge_rows(judged), *paper]),
        f"Models: {', '.join(f'`{name}`' for name in names)}.", "",
    ]  # fmt: skip


JUDGE_COLUMNS = ("MSE", "MSE, WH", "MSE, yes/no", "κ, WH", "κ, yes/no")


def new_answers(path: Path, metrics: Mapping[str, str], models: Mapping[str, str]) -> list[str]:
    """The section: `metrics` are specs by name, `models` backends by name."""
    answers = read_answers(path)
    kept = [answer for answer in answers if answer.part == "kept"]
    bots = dict.fromkeys(answer.bot for answer in answers)
    ours = judge_all(answers, "hybrid")
    judges = {name: judge_all(kept, spec) for name, spec in metrics.items()}
    with_models = {
        f"{way}, {name}": judge_all(kept, spec, backend)
        for way, spec in (("hybrid", "hybrid"), ("`compat=paper`", "hybrid,compat=paper"))
        for name, backend in models.items()
    }
    ours.sort(key=lambda one: list(PARTS).index(one.answer.part))
    by_part = error_rows(ours, lambda answer: f"{answer.part} ({PARTS[answer.part]})")
    by_bot = error_rows(ours, lambda answer: f"{answer.part}: {answer.bot}")
    return [
        "## Against new answers of real bots", "",
        f"`tests/golden/{path.name}` has {len(answers)} answers of {len(bots)} bots",
        f"({', '.join(bots)}) to released questions about facts that no earlier judged answer",
        "is about, as many of persona as of history and of WH as of yes/no. They were judged by",
        "the paper's Appendix C, each before a metric had judged it. A hash of the probe puts each",
        "into `dev` or `kept`; rules were changed after reading errors of `dev` only. The aim is a",
        "mean squared error of at most 0.05 on `kept`. Questions aside, nothing here is the",
        "paper's: other bots, and one reader of ours, so its 0.047 is of other answers.", "",
        table(("part", "answers", "mean by hand", *JUDGE_COLUMNS[:3]), by_part),
        "By bot:", "",
        table(("part and bot", "answers", "mean by hand", *JUDGE_COLUMNS[:3]), by_bot),
        "Judges side by side on `kept`; κ is Cohen's, between the hand and the score rounded to",
        "a rating:", "",
        table(("judge", *JUDGE_COLUMNS), judge_rows(judges)),
        "The same evaluator with different entailment models, on `kept`:", "",
        table(("evaluator and model", *JUDGE_COLUMNS), judge_rows(with_models)),
        "A third of the answers was read twice, the second time in another order, by the same",
        "reader and within the hour. So this κ tells how steady the reading is, and is an upper",
        "limit of what two people would reach; the paper had two annotators. Verdicts on some",
        "`dev` answers of SmolLM2 were known by then; the four that had been wrong were left out.",
        "",
        table(("kind", "read twice", "κ", "paper's κ"), agreement_of_readings(answers)),
    ]  # fmt: skip
