"""`staytrue annotate`: people judge inquiries, the turns of natural talk, or any responses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.annotation.blind_names import KEY_FILE
from staytrue.cli import annotate_elsewhere
from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import DataError
from staytrue.core.text import counted, decimals

if TYPE_CHECKING:
    from staytrue.studies.aih.inquiries import HumanFigures, JudgedBot, JudgedPair, NaturalTalk

_NATURAL = click.option(
    "--natural", is_flag=True,
    help="INPUT is human-bot dialogue, such as dstc9:PATH, judged turn by turn.",
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
    from staytrue.annotation.inquiry_results import examples_to_judge
    from staytrue.annotation.inquiry_sheets import (
        INQUIRY_FIELDS,
        TALK_FIELDS,
        drawn,
        fit_to_judge,
        write_sheet,
    )

    fields = TALK_FIELDS if natural else INQUIRY_FIELDS
    available = list(examples_to_judge(source, natural=natural))
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
    from staytrue.annotation.inquiry_results import human_figures

    figures = human_figures(source, sheets, natural=natural, key=key, beside=beside)
    text = json.dumps(figures.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
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
    from staytrue.annotation.inquiry_results import threshold_table
    from staytrue.studies.aih.threshold import TAUS

    table = threshold_table(run, sheets, metric=metric, taus=taus or TAUS, key=key)
    rows = [
        (f"{row.tau:g}", *(decimals(figure) for figure in (row.rate, row.f1, row.r)))
        for row in table.rows
    ]
    print_table(f"{table.inquiries} inquiries", ("tau", "contradiction rate", "F1", "r"), rows)


def _print(figures: HumanFigures) -> None:
    rows = [(b.bot, decimals(b.human_rate), decimals(b.automatic_rate)) for b in figures.bots]
    columns = ("bot", "rate by people", "rate by the metric")
    people = figures.annotators
    title = f"{counted(figures.items, 'item')}, {counted(len(people), 'annotator')}"
    print_table(title, columns, rows)
    _print_pairs(figures.pairs)
    lines: list[tuple[str, JudgedBot | HumanFigures]] = [(b.bot, b) for b in figures.bots]
    lines.append(("all bots", figures))
    print_table(
        "Annotators with the majority (Pearson's r)",
        ("bot", *people, "mean"),
        [(name, *(decimals(line.correlation.get(p)) for p in people),
          decimals(line.mean_correlation)) for name, line in lines],
    )  # fmt: skip
    for name, share in figures.shares.items():
        agreement = figures.agreement[name]
        value = decimals(agreement.value) if agreement.value is not None else agreement.reason
        click.echo(f"{name}: {decimals(share)}; {agreement.name}: {value}")
    if figures.natural is not None:
        _print_beside(figures, figures.natural)
        return
    each = figures.per_dialogue
    click.echo(
        f"a dialogue has {decimals(each.items)} items and {decimals(each.contradictions)} "
        f"contradictions, and takes {decimals(each.seconds)} seconds to judge"
    )


def _print_pairs(pairs: Sequence[JudgedPair]) -> None:
    """The paper's table by pair of bots; natural dialogue has one partner only, people."""
    if len({pair.first for pair in pairs}) < 2:
        return
    print_table(
        "By pair of bots",
        ("asks", "is judged", "items", "rate by people", "rate by the metric"),
        [(pair.first, pair.second, str(pair.items), decimals(pair.human_rate),
          decimals(pair.automatic_rate)) for pair in pairs],
    )  # fmt: skip


def _print_beside(figures: HumanFigures, natural: NaturalTalk) -> None:
    """AIH's comparison: what one dialogue yields and takes, with inquiries and without."""
    ours = {bot.bot: bot.per_dialogue for bot in figures.bots}
    pairs = [
        ("all bots", figures.per_dialogue, natural.per_dialogue),
        *((bot, ours.get(bot), natural.bots.get(bot)) for bot in sorted({*ours, *natural.bots})),
    ]
    rows = [
        (name, *(decimals(getattr(each, what, None)) for what in ("contradictions", "seconds")
                 for each in both))
        for name, *both in pairs
    ]  # fmt: skip
    columns = ("", "contradictions: inquiries", "natural dialogue", "seconds: inquiries",
               "natural dialogue")  # fmt: skip
    print_table("Contradictions and seconds of judging, per dialogue", columns, rows)
