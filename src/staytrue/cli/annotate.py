"""`staytrue annotate`: people judge inquiries, the turns of natural talk, or any responses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.annotation.blind_names import KEY_FILE, NO_KEY
from staytrue.cli import annotate_elsewhere
from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example, JsonDict
from staytrue.core.text import counted

if TYPE_CHECKING:
    from staytrue.studies.aih.inquiries import Vote

_NATURAL = click.option(
    "--natural", is_flag=True,
    help="SOURCE is human-bot dialogue, such as dstc9:PATH, judged turn by turn.",
)  # fmt: skip
_KEY = click.option(
    "--key", type=click.Path(path_type=Path), metavar="FILE",
    help="The secret key that makes the names on sheets unguessable, created when first needed "
         "[default: RUN/sheets.key; with --natural, sheets.key beside the sheet].",
)  # fmt: skip


@click.group()
def command() -> None:
    """Sheets for people to judge inquiry pairs or natural dialogue, and their results (AIH).

    `tasks` and `judgements` are for any responses, judged in Label Studio or Argilla.
    """


command.add_command(annotate_elsewhere.tasks)
command.add_command(annotate_elsewhere.judgements)


@command.command()
@click.argument("source", metavar="RUN|INPUT")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE.csv")
@click.option("--dialogues", type=click.IntRange(1), metavar="N",
              help="Dialogues per pair, drawn by the seed [default: all].")  # fmt: skip
@click.option("--annotator", default="", metavar="NAME", help="Name to write into every row.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--fewest-turns", type=click.IntRange(1), default=5, show_default=True, metavar="N",
              help="With --natural: leave out dialogues with fewer bot turns.")  # fmt: skip
@click.option("--keep-abusive", is_flag=True,
              help="With --natural: keep dialogues with abusive words.")  # fmt: skip
@_KEY
@_NATURAL
def sheet(
    source: str,
    out: Path,
    dialogues: int | None,
    annotator: str,
    seed: int,
    fewest_turns: int,
    keep_abusive: bool,
    key: Path | None,
    natural: bool,
) -> None:
    """Write a blind CSV sheet: is the inquiry appropriate, the answer relevant, contradictory?"""
    from staytrue.annotation.blind_names import sheet_key
    from staytrue.annotation.inquiry_sheets import (
        INQUIRY_FIELDS,
        TALK_FIELDS,
        drawn,
        fit_to_judge,
        write_sheet,
    )

    fields = TALK_FIELDS if natural else INQUIRY_FIELDS
    available = list(_examples(source, natural))
    kept = fit_to_judge(available, fewest_turns, abusive=keep_abusive) if natural else available
    examples = drawn(kept, dialogues, seed)
    if not examples and available:
        raise DataError(
            f"Every dialogue of {source} has abusive words or fewer than "
            f"{counted(fewest_turns, 'turn')} of the bot: see --fewest-turns and --keep-abusive."
        )
    if len(kept) < len(available):
        left_out = counted(len(available) - len(kept), "turn")
        note(
            f"Left out: {left_out} of dialogues with abusive words or fewer than "
            f"{counted(fewest_turns, 'turn')} of the bot."
        )
    if not examples:
        raise DataError(f"{source} has nothing to judge: give a run of  staytrue interrogate.")
    secret = sheet_key(key or (out.parent if natural else Path(source)) / KEY_FILE)
    rows = write_sheet(examples, out, fields, annotator, secret)
    note(f"{counted(rows, 'row')} to judge in {out}; answer yes or no in: {', '.join(fields)}.")


@command.command()
@click.argument("source", metavar="RUN|INPUT")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(path_type=Path),
                metavar="SHEET…")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.json",
              help="Also write the figures here [default: RUN/human.json].")  # fmt: skip
@click.option("--beside", type=click.Path(path_type=Path), metavar="FILE.json",
              help="Figures of natural dialogue (--natural --out) to print, too.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@_KEY
@_NATURAL
def results(
    source: str,
    sheets: tuple[Path, ...],
    out: Path | None,
    beside: Path | None,
    as_json: bool,
    key: Path | None,
    natural: bool,
) -> None:
    """Read answered sheets: majority vote, agreement, and human rates beside the automatic ones."""
    from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS, TALK_FIELDS
    from staytrue.studies.aih.inquiries import summary

    fields = TALK_FIELDS if natural else INQUIRY_FIELDS
    keys = _keys(key, sheets if natural else (Path(source) / KEY_FILE,))
    votes = list(_votes(_examples(source, natural), keys, sheets, fields, natural))
    if not votes:
        raise DataError("No row of the sheets has an answer: fill them in first.")
    if natural:
        figures = summary(votes, fields, {})
    else:
        rates, matrix = _automatic(Path(source))
        figures = summary(votes, fields, rates, _with_inquiries(Path(source)), matrix)
    if beside:
        figures["natural"] = _natural_figures(beside)
    text = json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False)
    target = out or (None if natural else Path(source) / "human.json")
    if target:
        target.write_text(text + "\n", encoding="utf-8")
    if as_json:
        click.echo(text)
    else:
        _print(figures)


@command.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sheets", nargs=-1, type=click.Path(path_type=Path), metavar="[SHEET…]")
@click.option("--metric", default="contradiction", show_default=True)
@click.option("--tau", "taus", multiple=True, type=click.FloatRange(0, 1), metavar="NUMBER",
              help="A threshold to try; repeat it [default: the paper's four].")  # fmt: skip
@_KEY
def tau(
    run: Path, sheets: tuple[Path, ...], metric: str, taus: tuple[float, ...], key: Path | None
) -> None:
    """Show what each threshold gives: the rate and, with answered sheets, F1 and r with people."""
    from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS
    from staytrue.runs.folder import Run
    from staytrue.studies.aih.inquiries import decisions
    from staytrue.studies.aih.threshold import TAUS, table

    examples = {example.id: example for example in _examples(str(run), False)}
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
    rows = [
        (f"{row.tau:g}", _number(row.rate), _number(row.f1), _number(row.r))
        for row in table(list(scores.values()), truth, taus or TAUS)
    ]
    print_table(f"{len(scores)} inquiries", ("tau", "contradiction rate", "F1", "r"), rows)


def _examples(source: str, natural: bool) -> Iterator[Example]:
    from staytrue.runs import runner
    from staytrue.runs.folder import Run

    if natural:
        rows: Iterable[object] = runner.read_inputs([source])
    elif not Path(source).is_dir():
        raise UsageError(f"There is no run {source}: make one with  staytrue interrogate … --out.")
    else:
        rows = Run(source).examples()
    return (item for item in rows if isinstance(item, Example))


def _keys(key: Path | None, beside: Iterable[Path]) -> set[bytes]:
    """The keys that the sheets may be written under; those of version 0.1.0 have none."""
    from staytrue.annotation.blind_names import stored_key

    files = [key] if key else [path.with_name(KEY_FILE) for path in beside]
    return {NO_KEY, *map(stored_key, files)}


def _votes(
    examples: Iterable[Example],
    keys: set[bytes],
    sheets: tuple[Path, ...],
    fields: tuple[str, ...],
    natural: bool,
) -> Iterator[Vote]:
    from staytrue.annotation.blind_names import examples_by_item
    from staytrue.annotation.inquiry_sheets import dialogue_of, read_sheet
    from staytrue.studies.aih.inquiries import Vote

    judged = [row for path in sheets for row in read_sheet(path, fields)]
    known = examples_by_item({row.item for row in judged}, examples, keys)
    for row in judged:
        example = known[row.item]
        bot = example.tags.get("bot" if natural else "second", "")
        partner = "people" if natural else example.tags.get("first", "")
        # By the example: one may stand on two sheets under two names.
        yield Vote(
            example.id, row.annotator, bot, partner, dialogue_of(example), row.answers, row.seconds
        )


def _automatic(
    run: Path,
) -> tuple[Mapping[str, float | None], Mapping[str, Mapping[str, float | None]]]:
    """The metric's rate of each bot, and of each first and judged bot."""
    from staytrue.studies.aih.records import read_ranking

    ranking = read_ranking(run)
    return ({}, {}) if ranking is None else (ranking.rates, ranking.matrix)


def _with_inquiries(run: Path) -> dict[str, float]:
    """The share of dialogues with an inquiry: of each judged bot, and under "" of all."""
    from staytrue.elicit.aih.dialogues import read_dialogues

    held: dict[str, list[bool]] = {}
    for dialogue in read_dialogues(run):
        for name in ("", dialogue.second):
            held.setdefault(name, []).append(bool(dialogue.inquiries))
    return {name: sum(inquired) / len(inquired) for name, inquired in held.items()}


def _natural_figures(file: Path) -> JsonDict:
    try:
        figures = json.loads(file.read_text("utf-8"))
        bots = {bot["bot"]: bot["per_dialogue"] for bot in figures["bots"]}
        return {"per_dialogue": figures["per_dialogue"], "bots": bots}
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"{file} has no figures of natural dialogue: make it with  "
            "staytrue annotate results INPUT SHEET… --natural --out FILE.json."
        ) from None


def _print(figures: JsonDict) -> None:
    rows = [
        (bot["bot"], _number(bot["human_rate"]), _number(bot["automatic_rate"]))
        for bot in figures["bots"]
    ]
    columns = ("bot", "rate by people", "rate by the metric")
    people = figures["annotators"]
    title = f"{counted(figures['items'], 'item')}, {counted(len(people), 'annotator')}"
    print_table(title, columns, rows)
    _print_pairs(figures["pairs"])
    lines = [(bot["bot"], bot) for bot in figures["bots"]] + [("all bots", figures)]
    print_table(
        "Annotators with the majority (Pearson's r)",
        ("bot", *people, "mean"),
        [(name, *(_number(line["correlation"].get(p)) for p in people),
          _number(line["mean_correlation"])) for name, line in lines],
    )  # fmt: skip
    for name, share in figures["shares"].items():
        agreement = figures["agreement"][name]
        value = (
            _number(agreement["value"]) if agreement["value"] is not None else agreement["reason"]
        )
        click.echo(f"{name}: {_number(share)}; {agreement['name']}: {value}")
    if "natural" in figures:
        _print_beside(figures)
        return
    each = figures["per_dialogue"]
    click.echo(
        f"a dialogue has {_number(each['items'])} items and {_number(each['contradictions'])} "
        f"contradictions, and takes {_number(each['seconds'])} seconds to judge"
    )


def _print_pairs(pairs: list[JsonDict]) -> None:
    """The paper's table by pair of bots; natural dialogue has one partner only, people."""
    if len({pair["first"] for pair in pairs}) < 2:
        return
    print_table(
        "By pair of bots",
        ("asks", "is judged", "items", "rate by people", "rate by the metric"),
        [(pair["first"], pair["second"], str(pair["items"]), _number(pair["human_rate"]),
          _number(pair["automatic_rate"])) for pair in pairs],
    )  # fmt: skip


def _print_beside(figures: JsonDict) -> None:
    """AIH's comparison: what one dialogue yields and takes, with inquiries and without."""
    ours = {bot["bot"]: bot["per_dialogue"] for bot in figures["bots"]}
    theirs = figures["natural"]["bots"]
    pairs = [
        ("all bots", figures["per_dialogue"], figures["natural"]["per_dialogue"]),
        *((bot, ours.get(bot, {}), theirs.get(bot, {})) for bot in sorted({*ours, *theirs})),
    ]
    rows = [
        (name, *(_number(each.get(what)) for what in ("contradictions", "seconds")
                 for each in (inquired, natural)))
        for name, inquired, natural in pairs
    ]  # fmt: skip
    columns = ("", "contradictions: inquiries", "natural dialogue", "seconds: inquiries",
               "natural dialogue")  # fmt: skip
    print_table("Contradictions and seconds of judging, per dialogue", columns, rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
