"""`staytrue annotate tasks | judgements`: people judge responses in Label Studio or Argilla."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from staytrue.cli.terminal import note
from staytrue.core.errors import DataError
from staytrue.core.records import Example, example_to_json
from staytrue.core.text import counted

_TOOLS = ("label-studio", "argilla")
_KEY = click.option(
    "--key", type=click.Path(path_type=Path), metavar="FILE",
    help="The secret key that makes the names of tasks unguessable, created when first needed "
         "[default: sheets.key beside the tasks or the export].",
)  # fmt: skip


@click.command()
@click.argument("source", metavar="RUN|INPUT")
@click.option("--to", "tool", type=click.Choice(_TOOLS), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE.json")
@_KEY
def tasks(source: str, tool: str, out: Path, key: Path | None) -> None:
    """Write blind tasks for another tool: is each response consistent?"""
    from staytrue.annotation import argilla, label_studio
    from staytrue.annotation.blind_names import KEY_FILE, sheet_key

    secret = sheet_key(key or out.with_name(KEY_FILE))
    examples = _examples(source)
    make = label_studio.tasks if tool == "label-studio" else argilla.records
    made = list(make(examples, secret))
    out.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", "utf-8", "replace")
    note(f"{counted(len(made), 'task')} in {out}.")
    if tool == "label-studio":
        interface = out.with_suffix(".xml")
        interface.write_text(label_studio.INTERFACE, "utf-8")
        note(f"The labelling interface to paste into the project's settings is in {interface}.")


@click.command()
@click.argument("source", metavar="RUN|INPUT")
@click.argument("exports", nargs=-1, required=True, type=click.Path(path_type=Path),
                metavar="EXPORT…")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE.jsonl")
@_KEY
def judgements(source: str, exports: tuple[Path, ...], out: Path, key: Path | None) -> None:
    """Read what people judged there: the rows of SOURCE with `consistent` by majority."""
    from staytrue.annotation.blind_names import KEY_FILE, stored_key
    from staytrue.annotation.exports import read
    from staytrue.annotation.judgements import judged

    given = [one for path in exports for one in read(path)]
    if not given:
        raise DataError("The exports hold no judgement: export the tasks that were judged.")
    files = [key] if key else [path.with_name(KEY_FILE) for path in exports]
    outcome = judged(given, _examples(source), {stored_key(file) for file in files})
    with out.open("w", encoding="utf-8", errors="replace") as file:
        for example in outcome.examples:
            file.write(json.dumps(example_to_json(example), ensure_ascii=False) + "\n")
    alpha = outcome.alpha.reason if outcome.alpha.value is None else f"{outcome.alpha.value:.3f}"
    note(
        f"{counted(len(outcome.examples), 'response')} in {out}, with "
        f"{counted(len(given), 'judgement')} of {counted(outcome.annotators, 'annotator')}; "
        f"ties, left without a label: {outcome.ties}; Krippendorff's alpha: {alpha}"
    )
    note(f"Next:  staytrue score {out}  and  staytrue agree")


def _examples(source: str) -> Iterator[Example]:
    from staytrue.runs import runner
    from staytrue.runs.folder import Run

    if Path(source).is_dir():
        return Run(source).examples()
    items = runner.with_unique_ids(runner.read_inputs([source]))
    return (item for item in items if isinstance(item, Example))
