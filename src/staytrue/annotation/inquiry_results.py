"""From answered sheets about inquiries or natural talk to figures beside the metric's (AIH)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from staytrue.annotation.blind_names import KEY_FILE, NO_KEY, examples_by_item, stored_key
from staytrue.annotation.filled_sheets import each_once
from staytrue.annotation.inquiry_sheets import (
    INQUIRY_FIELDS,
    TALK_FIELDS,
    dialogue_of,
    read_sheet,
)
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example
from staytrue.elicit.aih.dialogues import read_dialogues
from staytrue.runs import runner
from staytrue.runs.folder import Run
from staytrue.studies.aih import threshold
from staytrue.studies.aih.inquiries import (
    HumanFigures,
    NaturalTalk,
    PerDialogue,
    Vote,
    decisions,
    summary,
)
from staytrue.studies.aih.records import read_ranking


@dataclass(frozen=True, slots=True)
class ThresholdTable:
    """What each threshold gives on the inquiries of a run."""

    inquiries: int
    rows: tuple[threshold.ThresholdRow, ...]


def examples_to_judge(source: str, *, natural: bool) -> Iterator[Example]:
    """The inquiries of a run, or the bot turns of natural dialogue."""
    if natural:
        for item in runner.read_inputs([source]):
            if isinstance(item, Example):
                yield item
        return
    if not Path(source).is_dir():
        raise UsageError(f"There is no run {source}: make one with  staytrue interrogate … --out.")
    for example in Run(source).examples():
        if example.probe is None:
            raise UsageError(
                f"{source} has no answers to inquiries: give a run of  staytrue interrogate, or "
                "have any responses judged with  staytrue annotate tasks."
            )
        yield example


def human_figures(
    source: str,
    sheets: Sequence[Path],
    *,
    natural: bool = False,
    key: Path | None = None,
    beside: Path | None = None,
) -> HumanFigures:
    """Majority, agreement, and human rates beside the automatic ones.

    `source` is the run of the inquiries or, if `natural`, the input of the dialogues; `beside` is
    a file with the figures of natural dialogue.
    """
    fields = TALK_FIELDS if natural else INQUIRY_FIELDS
    keys = _keys(key, sheets if natural else (Path(source) / KEY_FILE,))
    examples = examples_to_judge(source, natural=natural)
    votes = list(_votes(examples, keys, sheets, fields, natural))
    if not votes:
        raise DataError("No row of the sheets has an answer: fill them in first.")
    if natural:
        figures = summary(votes, fields, {})
    else:
        ranking = read_ranking(Path(source))
        rates, matrix = (ranking.rates, ranking.matrix) if ranking else ({}, {})
        figures = summary(votes, fields, rates, _with_inquiries(Path(source)), matrix)
    return replace(figures, natural=_natural_talk(beside)) if beside else figures


def threshold_table(
    run: Path,
    sheets: Sequence[Path] = (),
    *,
    metric: str = "contradiction",
    taus: Sequence[float] = threshold.TAUS,
    key: Path | None = None,
) -> ThresholdTable:
    """The rate at each threshold and, with answered sheets, F1 and r with people."""
    examples = {example.id: example for example in Run(run).examples()}
    scores = {
        v.example_id: 1 - v.score
        for v in Run(run).verdicts()
        if v.metric == metric and v.score is not None and v.example_id in examples
    }
    if not scores:
        raise UsageError(f"{run} has no verdicts of '{metric}': name it with --metric.")
    truth = None
    if sheets:
        keys = _keys(key, (run / KEY_FILE,))
        votes = list(_votes(examples.values(), keys, sheets, INQUIRY_FIELDS, False))
        decided = decisions(votes, "contradictory")
        known = {i: decided.get(i) for i in scores}
        scores = {i: score for i, score in scores.items() if known[i] is not None}
        truth = [bool(known[i]) for i in scores]
    rows = threshold.table(list(scores.values()), truth, taus)
    return ThresholdTable(len(scores), tuple(rows))


def _keys(key: Path | None, beside: Iterable[Path]) -> set[bytes]:
    """The keys that the sheets may be written under; those of version 0.1.0 have none."""
    files = [key] if key else [path.with_name(KEY_FILE) for path in beside]
    return {NO_KEY, *map(stored_key, files)}


def _votes(
    examples: Iterable[Example],
    keys: set[bytes],
    sheets: Sequence[Path],
    fields: tuple[str, ...],
    natural: bool,
) -> Iterator[Vote]:
    judged = [row for path in sheets for row in read_sheet(path, fields)]
    known = examples_by_item({row.item for row in judged}, examples, keys)
    for row in each_once(judged, lambda row: (row.annotator, known[row.item].id)):
        example = known[row.item]
        bot = example.tags.get("bot" if natural else "second", "")
        partner = "people" if natural else example.tags.get("first", "")
        # By the example: one may stand on two sheets under two names.
        yield Vote(
            example.id, row.annotator, bot, partner, dialogue_of(example), row.answers, row.seconds
        )


def _with_inquiries(run: Path) -> dict[str, float]:
    """The share of dialogues with an inquiry: of each judged bot, and under "" of all."""
    held: dict[str, list[bool]] = {}
    for dialogue in read_dialogues(run):
        for name in ("", dialogue.second):
            held.setdefault(name, []).append(bool(dialogue.inquiries))
    return {name: sum(inquired) / len(inquired) for name, inquired in held.items()}


def _natural_talk(file: Path) -> NaturalTalk:
    try:
        figures = json.loads(file.read_text("utf-8"))
        bots = {bot["bot"]: PerDialogue(**bot["per_dialogue"]) for bot in figures["bots"]}
        return NaturalTalk(PerDialogue(**figures["per_dialogue"]), bots)
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"{file} has no figures of natural dialogue: make it with  "
            "staytrue annotate results INPUT SHEET… --natural --out FILE.json."
        ) from None
