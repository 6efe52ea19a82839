"""`staytrue annotate sheet | results`: people judge inquiries, or the turns of natural talk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example, JsonDict

if TYPE_CHECKING:
    from staytrue.studies.aih.inquiries import Vote

_NATURAL = click.option(
    "--natural", is_flag=True,
    help="SOURCE is human-bot talk, such as dstc9:PATH, judged turn by turn.",
)  # fmt: skip


@click.group()
def command() -> None:
    """Sheets for people to judge inquiry pairs or natural talk, and what they found (AIH)."""


@command.command()
@click.argument("source", metavar="RUN|INPUT")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE.csv")
@click.option("--dialogues", type=click.IntRange(1), metavar="N",
              help="Dialogues for each pair, drawn by the seed [default: all].")  # fmt: skip
@click.option("--annotator", default="", metavar="NAME", help="Name put into every row.")
@click.option("--seed", type=int, default=0, show_default=True)
@_NATURAL
def sheet(
    source: str, out: Path, dialogues: int | None, annotator: str, seed: int, natural: bool
) -> None:
    """Write a blind CSV sheet: is the inquiry appropriate, the answer relevant, contradictory?"""
    from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS, TALK_FIELDS, drawn, write_sheet

    fields = TALK_FIELDS if natural else INQUIRY_FIELDS
    examples = drawn(_examples(source, natural), dialogues, seed)
    if not examples:
        raise DataError(f"{source} has nothing to judge: give a run of  staytrue interrogate.")
    rows = write_sheet(examples, out, fields, annotator)
    note(f"{rows} rows to judge are in {out}; answer yes or no in: {', '.join(fields)}.")


@command.command()
@click.argument("source", metavar="RUN|INPUT")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(path_type=Path),
                metavar="SHEET…")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.json",
              help="Where the figures go as well [default: RUN/human.json].")  # fmt: skip
@click.option("--beside", type=click.Path(path_type=Path), metavar="FILE.json",
              help="Figures of natural talk (--natural --out) to print beside these.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@_NATURAL
def results(
    source: str,
    sheets: tuple[Path, ...],
    out: Path | None,
    beside: Path | None,
    as_json: bool,
    natural: bool,
) -> None:
    """Read answered sheets: majority vote, agreement, and human rates beside the automatic ones."""
    from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS, TALK_FIELDS
    from staytrue.studies.aih.inquiries import summary

    fields = TALK_FIELDS if natural else INQUIRY_FIELDS
    votes = list(_votes(_examples(source, natural), sheets, fields, natural))
    if not votes:
        raise DataError("No row of the sheets has an answer: fill them in first.")
    if natural:
        found = summary(votes, fields, {})
    else:
        found = summary(votes, fields, _automatic(Path(source)), _with_inquiries(Path(source)))
    if beside:
        found["natural"] = _natural_figures(beside)
    text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
    place = out or (None if natural else Path(source) / "human.json")
    if place:
        place.write_text(text + "\n", encoding="utf-8")
    if as_json:
        click.echo(text)
    else:
        _print(found)


@command.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sheets", nargs=-1, type=click.Path(path_type=Path), metavar="[SHEET…]")
@click.option("--metric", default="contradiction", show_default=True)
@click.option("--tau", "taus", multiple=True, type=click.FloatRange(0, 1), metavar="NUMBER",
              help="A threshold to try; repeat it [default: the paper's four].")  # fmt: skip
def tau(run: Path, sheets: tuple[Path, ...], metric: str, taus: tuple[float, ...]) -> None:
    """Show what each threshold gives: the rate and, with answered sheets, F1 and r with people."""
    from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS, item_of
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
        votes = list(_votes(examples.values(), sheets, INQUIRY_FIELDS, False))
        decided = decisions(votes, "contradictory")
        known = {i: decided.get(item_of(examples[i])) for i in scores}
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
        found: Iterable[object] = runner.read_inputs([source])
    elif not Path(source).is_dir():
        raise UsageError(f"There is no run {source}: make one with  staytrue interrogate … --out.")
    else:
        found = Run(source).examples()
    return (item for item in found if isinstance(item, Example))


def _votes(
    examples: Iterable[Example], sheets: tuple[Path, ...], fields: tuple[str, ...], natural: bool
) -> Iterator[Vote]:
    from staytrue.annotation.inquiry_sheets import dialogue_of, item_of, read_sheet
    from staytrue.studies.aih.inquiries import Vote

    judged = [row for path in sheets for row in read_sheet(path, fields)]
    wanted = {row.item for row in judged}
    known = {item: example for example in examples if (item := item_of(example)) in wanted}
    for row in judged:
        if row.item not in known:
            raise DataError(f"Item {row.item} is not of this source: give the one of the sheet.")
        example = known[row.item]
        bot = example.tags.get("bot" if natural else "second", "")
        partner = "people" if natural else example.tags.get("first", "")
        yield Vote(
            row.item, row.annotator, bot, partner, dialogue_of(example), row.answers, row.seconds
        )


def _automatic(run: Path) -> dict[str, float | None]:
    from staytrue.studies.aih.records import read_ranking

    ranking = read_ranking(run)
    return {} if ranking is None else ranking.rates


def _with_inquiries(run: Path) -> dict[str, float]:
    """The share of dialogues with an inquiry: of each judged bot, and under "" of all."""
    from staytrue.elicit.aih.dialogues import read_dialogues

    held: dict[str, list[bool]] = {}
    for dialogue in read_dialogues(run):
        for name in ("", dialogue.second):
            held.setdefault(name, []).append(bool(dialogue.inquiries))
    return {name: sum(found) / len(found) for name, found in held.items()}


def _natural_figures(file: Path) -> JsonDict:
    try:
        found = json.loads(file.read_text("utf-8"))
        bots = {bot["bot"]: bot["per_dialogue"] for bot in found["bots"]}
        return {"per_dialogue": found["per_dialogue"], "bots": bots}
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"{file} has no figures of natural talk: make it with  "
            "staytrue annotate results INPUT SHEET… --natural --out FILE.json."
        ) from None


def _print(found: JsonDict) -> None:
    rows = [
        (bot["bot"], _number(bot["human_rate"]), _number(bot["automatic_rate"]))
        for bot in found["bots"]
    ]
    columns = ("bot", "rate by people", "rate by the metric")
    print_table(f"{found['items']} items, {len(found['annotators'])} annotators", columns, rows)
    people = found["annotators"]
    print_table(
        "Annotators with the majority (Pearson's r)",
        ("bot", *people),
        [(bot["bot"], *(_number(bot["correlation"].get(p)) for p in people))
         for bot in found["bots"]],
    )  # fmt: skip
    for name, share in found["shares"].items():
        agreement = found["agreement"][name]
        value = (
            _number(agreement["value"]) if agreement["value"] is not None else agreement["reason"]
        )
        click.echo(f"{name}: {_number(share)}; {agreement['name']}: {value}")
    if "natural" in found:
        _print_beside(found)
        return
    each = found["per_dialogue"]
    click.echo(
        f"a dialogue has {_number(each['items'])} items and {_number(each['contradictions'])} "
        f"contradictions, and takes {_number(each['seconds'])} seconds to judge"
    )


def _print_beside(found: JsonDict) -> None:
    """AIH's comparison: what one dialogue yields and takes, with inquiries and without."""
    ours = {bot["bot"]: bot["per_dialogue"] for bot in found["bots"]}
    theirs = found["natural"]["bots"]
    pairs = [
        ("all bots", found["per_dialogue"], found["natural"]["per_dialogue"]),
        *((bot, ours.get(bot, {}), theirs.get(bot, {})) for bot in sorted({*ours, *theirs})),
    ]
    rows = [
        (name, *(_number(each.get(what)) for what in ("contradictions", "seconds")
                 for each in (inquired, natural)))
        for name, inquired, natural in pairs
    ]  # fmt: skip
    columns = ("", "contradictions: inquiries", "natural talk", "seconds: inquiries",
               "natural talk")  # fmt: skip
    print_table("A dialogue has, and takes to judge", columns, rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
