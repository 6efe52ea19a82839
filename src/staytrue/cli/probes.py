"""`staytrue probes`: build and place questions about persona and history, and read the results."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.cli import probe_analyses
from staytrue.cli.terminal import note, print_table, progress_bar
from staytrue.core.errors import UsageError
from staytrue.core.text import counted

if TYPE_CHECKING:
    from staytrue.elicit.consistest.files import Built

_FILE = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Questions that test whether an agent keeps to its persona and history (ConsisTest)."""


command.add_command(probe_analyses.scores)
command.add_command(probe_analyses.errors)
command.add_command(probe_analyses.bots)


@command.command("build")
@click.argument("dialogues", metavar="DIALOGUES")
@click.option("--out", type=_FILE, required=True, metavar="FILE", help="Probes, as JSON lines.")
@click.option("--dropped", type=_FILE, metavar="FILE", help="Dropped candidates with reasons.")
@click.option(
    "--kinds", type=click.Choice(["both", "yn", "wh"]), default="both", show_default=True,
    help="Kinds of questions; yn needs no models.",
)  # fmt: skip
@click.option("--no-history", is_flag=True, help="Ask about the persona only.")
@click.option("--no-altered", is_flag=True, help="Leave out questions about altered facts.")
@click.option("--backend", metavar="NAME", help="Where the models come from [default: embedded].")
@click.option("--limit", type=click.IntRange(1), help="Use only the first N dialogues.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def build(
    dialogues: str,
    out: Path,
    dropped: Path | None,
    kinds: str,
    no_history: bool,
    no_altered: bool,
    backend: str | None,
    limit: int | None,
    quiet: bool,
) -> None:
    """Make probes from a file of personas and dialogues.

    DIALOGUES is a plain file (rows with persona and history), PersonaChat text ("your persona:"
    lines) or the released dialogues, consistest:FOLDER.
    """
    from staytrue.elicit.consistest.files import build_file, read_dialogues

    talks, failures = read_dialogues(dialogues)
    talks = talks[:limit]
    with progress_bar(len(talks), quiet=quiet, noun="dialogue") as advance:
        built = build_file(
            talks, out, dropped=dropped, kinds=kinds, history=not no_history,
            altered=not no_altered, backend=backend, progress=advance,
        )  # fmt: skip
    for failure in failures:
        note(f"{failure.where}: {failure.error}")
    if not quiet:
        _show_built(out, built)


@command.command("place")
@click.argument("probes", metavar="PROBES")
@click.option("--memory", type=click.IntRange(1), default=3, show_default=True, help="In turns.")
@click.option("--distance", default="0,2", show_default=True, help="Turns after the fact.")
@click.option("--out", type=_FILE, metavar="FILE", help="Samples [default: PROBES.placed.jsonl].")
def place(probes: str, memory: int, distance: str, out: Path | None) -> None:
    """Put probes into their dialogues: the samples that a bot is asked.

    PROBES is the output of  probes build, or the released questions, consistest:FOLDER.
    """
    from staytrue.elicit.consistest.files import place_file

    placed = place_file(probes, memory=memory, distances=_distances(distance, memory), out=out)
    for failure in placed.failures:
        note(f"{failure.where}: {failure.error}")
    rows = [(*key, f"{n:,}") for key, n in sorted(placed.counts.items())]
    title = f"{counted(placed.counts.total(), 'sample')} in {placed.path}"
    print_table(title, ("source", "kind", "distance", "samples"), rows)


@command.command("variants")
@click.option("--bot", "spec", required=True, metavar="SPEC", help="See: staytrue list chatbots.")
@click.option("--probes", required=True, metavar="FILE", help="Placed probes.")
@click.option(
    "--out",
    type=_FILE,
    required=True,
    metavar="FOLDER",
    help="One run per variant is written here.",
)
@click.option("--backend", metavar="NAME", help="Where the models come from [default: embedded].")
@click.option("--limit", type=click.IntRange(1), help="Ask only this many, drawn by the seed.")
@click.option("--retries", type=click.IntRange(0), metavar="N",
              help="Retries of a failed reply [default: the bot's own option].")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--retry-errors", is_flag=True, help="Ask again where the bot failed before.")
@click.option("--plot", "picture", type=_FILE, metavar="FILE.svg", help="Also draw a chart.")
@click.pass_context
def variants(
    ctx: click.Context,
    spec: str,
    probes: str,
    out: Path,
    backend: str | None,
    limit: int | None,
    retries: int | None,
    seed: int,
    retry_errors: bool,
    picture: Path | None,
) -> None:
    """Ask a bot with every input variant: separates difficulty, structure and position."""
    from staytrue.cli.probe import report
    from staytrue.cli.talking import listening
    from staytrue.elicit.consistest.questioning import question
    from staytrue.elicit.consistest.variants import VARIANTS
    from staytrue.elicit.talking import Limits

    with listening("probe", quiet=True) as listener:
        sittings = question(
            spec, probes, {variant: out / variant for variant in VARIANTS}, backend=backend,
            limit=limit, seed=seed, retry_errors=retry_errors, limits=Limits(retries=retries),
            listener=listener,
        )  # fmt: skip
    failed = [report(sitting, quiet=True) for sitting in sittings]
    answered = tuple(sitting.folder for sitting in sittings if sitting.counts["examples"])
    if answered:
        ctx.invoke(probe_analyses.bots, runs=answered, metric="hybrid", picture=picture)
    if any(failed):
        sys.exit(1)


def _distances(text: str, memory: int) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise UsageError(f"--distance takes whole numbers such as 0,2, not '{text}'.")
    distances = [int(part) for part in parts]
    if max(distances) >= memory:
        raise UsageError(
            f"A distance of {max(distances)} needs a longer memory: the fact would be out of sight "
            f"with --memory {memory}."
        )
    return distances


def _show_built(out: Path, built: Built) -> None:
    rows = [(source, kind, f"{n:,}") for (source, kind), n in sorted(built.counts.items())]
    title = f"{counted(built.counts.total(), 'probe')} in {out}"
    print_table(title, ("source", "kind", "probes"), rows)
    reasons = Counter(_general(drop.reason) for drop in built.drops).most_common()
    shown = [(reason, f"{n:,}") for reason, n in reasons]
    title = f"{counted(len(built.drops), 'candidate')} dropped"
    print_table(title, ("reason", "candidates"), shown)


def _general(reason: str) -> str:
    """The reason without the words it quotes, so that like ones are counted together."""
    return re.sub(r"'[^']*'", "…", reason)
