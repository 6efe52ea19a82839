"""`staytrue probes`: build and place questions about persona and history, and read the results."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from staytrue.cli import probe_analyses
from staytrue.cli.terminal import note, print_table, progress_bar
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example, Failure, example_to_json

if TYPE_CHECKING:
    from staytrue.core.placement import Dialogue
    from staytrue.elicit.consistest.drops import Drop
    from staytrue.elicit.consistest.wh import WhModels

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
@click.option("--limit", type=click.IntRange(1), help="Only the first so many dialogues.")
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
    from staytrue.elicit.consistest.build import Builder, as_example

    talks, failures = read_dialogues(dialogues)
    talks = talks[:limit]
    builder = Builder(
        None if kinds == "yn" else _models(backend), altered=not no_altered, history=not no_history
    )
    drops: list[Drop] = []
    counts: Counter[tuple[str, str]] = Counter()
    with out.open("w", encoding="utf-8") as file, progress_bar(len(talks), quiet=quiet) as advance:
        for dialogue, found in builder.build(talks):
            kept = [p for p in found.probes if kinds in ("both", p.kind)]
            for number, probe in enumerate(kept):
                row = example_to_json(as_example(dialogue, probe, number))
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                counts[probe.source, probe.kind] += 1
            drops += found.drops
            advance(1)
    if dropped:
        _write_drops(dropped, drops)
    for failure in failures:
        note(f"{failure.where}: {failure.error}")
    if not quiet:
        _show_built(out, counts, drops)


@command.command("place")
@click.argument("probes", metavar="PROBES")
@click.option("--memory", type=click.IntRange(1), default=3, show_default=True, help="In turns.")
@click.option("--distance", default="0,2", show_default=True, help="Turns after the fact.")
@click.option("--out", type=_FILE, metavar="FILE", help="Samples [default: PROBES.placed.jsonl].")
def place(probes: str, memory: int, distance: str, out: Path | None) -> None:
    """Put probes into their dialogues: the samples that a bot is asked.

    PROBES is the output of  probes build, or the released questions, consistest:FOLDER.
    """
    distances = _distances(distance, memory)
    counts: Counter[tuple[str, str, int]] = Counter()
    # All is read before a line is written: a mistake must not leave half a file.
    samples = list(_placed(probes, memory, distances))
    target = out or _beside(probes)
    with target.open("w", encoding="utf-8") as file:
        for sample in samples:
            assert sample.probe is not None
            assert sample.probe.distance is not None
            file.write(json.dumps(example_to_json(sample), ensure_ascii=False) + "\n")
            counts[sample.probe.source, sample.probe.kind, sample.probe.distance] += 1
    rows = [(*key, f"{n:,}") for key, n in sorted(counts.items())]
    title = f"{sum(counts.values()):,} samples in {target}"
    print_table(title, ("source", "kind", "distance", "samples"), rows)


def _placed(probes: str, memory: int, distances: Sequence[int]) -> Iterator[Example]:
    from staytrue.core import placement
    from staytrue.datasets import consistest
    from staytrue.elicit.consistest.build import as_dialogue
    from staytrue.runs import runner

    name, _, path = probes.partition(":")
    released = name == "consistest" and Path(path).is_dir()
    if released:
        found = consistest.read_placed(Path(path), memory=memory, distances=distances)
    else:
        found = runner.read_inputs([probes])
    for item in found:
        if isinstance(item, Failure):
            note(f"{item.where}: {item.error}")
        elif released:
            yield item
        elif item.probe is None:
            raise DataError(f"Row {item.id} has no probe: give the output of  probes build.")
        elif item.probe.distance is not None or item.message == item.probe.question:
            raise DataError(
                f"Row {item.id} of {probes} ends with its question already, so it cannot be "
                "placed: give the output of  probes build, or consistest:FOLDER."
            )
        else:
            for sample in placement.place(
                as_dialogue(item), [item.probe], memory=memory, distances=distances
            ):
                assert sample.probe is not None
                yield replace(sample, id=f"{item.id}-d{sample.probe.distance}")


def _beside(probes: str) -> Path:
    """Where the samples go unless told: next to the probes."""
    path = Path(probes.partition(":")[2] or probes)
    if path.is_dir():
        return path.resolve().with_name(f"{path.resolve().name}.placed.jsonl")
    return path.with_suffix(".placed.jsonl")


@command.command("variants")
@click.option("--bot", "spec", required=True, metavar="SPEC", help="See: staytrue list chatbots.")
@click.option("--probes", required=True, metavar="FILE", help="Placed probes.")
@click.option("--out", type=_FILE, required=True, metavar="FOLDER", help="A run for each variant.")
@click.option("--backend", metavar="NAME", help="Where the models come from [default: embedded].")
@click.option("--limit", type=click.IntRange(1), help="Ask only this many, drawn by the seed.")
@click.option("--retries", type=click.IntRange(0), metavar="N",
              help="Repeats of a failed reply [default: the bot's own option].")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--retry-errors", is_flag=True, help="Ask again where the bot failed before.")
@click.option("--plot", "picture", type=_FILE, metavar="FILE.svg", help="Draw it too.")
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
    """Ask a bot with every input variant: difficulty, structure and position apart."""
    from staytrue.cli.probe import report
    from staytrue.cli.talking import listening
    from staytrue.elicit.consistest.questioning import prepare
    from staytrue.elicit.consistest.variants import VARIANTS
    from staytrue.elicit.talking import Limits

    with listening("probes", quiet=True) as listener:
        asked = prepare(
            spec, probes, backend=backend, limit=limit, seed=seed,
            limits=Limits(retries=retries), listener=listener,
        )  # fmt: skip
        sittings = [
            asked.sit(out / variant, variant, retry_errors=retry_errors) for variant in VARIANTS
        ]
    failed = [report(sitting, quiet=True) for sitting in sittings]
    answered = tuple(sitting.folder for sitting in sittings if sitting.counts["examples"])
    if answered:
        ctx.invoke(probe_analyses.bots, runs=answered, metric="hybrid", picture=picture)
    if any(failed):
        sys.exit(1)


def read_dialogues(source: str) -> tuple[list[Dialogue], list[Failure]]:
    """Dialogues of a plain file, a PersonaChat file or the released folder."""
    from staytrue.core.placement import Dialogue
    from staytrue.datasets import consistest
    from staytrue.datasets.personachat import is_personachat, read_personachat
    from staytrue.elicit.consistest.build import as_dialogue, with_reply
    from staytrue.runs import runner

    found: Iterator[Dialogue | Failure]
    name, _, path = source.partition(":")
    if name == "consistest":
        found = consistest.read_dialogues(path)
    elif not Path(source).exists() and source != "-":
        raise UsageError(f"There is no file {source}: check the path.")
    elif Path(source).is_dir():
        found = consistest.read_dialogues(source)
    elif is_personachat(source):
        found = read_personachat(source)
    else:
        rows = runner.read_inputs([source], {})
        found = (as_dialogue(with_reply(row)) if isinstance(row, Example) else row for row in rows)
    items = list(found)
    talks = [item for item in items if isinstance(item, Dialogue)]
    failures = [item for item in items if isinstance(item, Failure)]
    if not any(talk.persona or talk.utterances for talk in talks):
        why = f": {failures[0].where}: {failures[0].error}" if failures else "."
        raise UsageError(f"{source} has neither personas nor dialogues to ask about{why}")
    return talks, failures


def _models(backend: str | None) -> WhModels:
    from staytrue.plugins import registry

    loaded = registry.load_backend(backend or registry.DEFAULT_BACKEND)
    missing = [m for m in ("spans", "ask", "answer") if not hasattr(loaded, m)]
    if missing:
        raise UsageError(f"WH questions need a backend that can {' and '.join(missing)}.")
    return cast("WhModels", loaded)


def _distances(text: str, memory: int) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise UsageError(f"--distance takes whole numbers such as 0,2, not '{text}'.")
    found = [int(part) for part in parts]
    if max(found) >= memory:
        raise UsageError(
            f"A distance of {max(found)} needs a longer memory: the fact would be out of sight "
            f"with --memory {memory}."
        )
    return found


def _write_drops(path: Path, drops: Sequence[Drop]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for drop in drops:
            row = {
                "text": drop.text, "reason": drop.reason, "source": drop.source,
                "dialogue": drop.dialogue,
            }  # fmt: skip
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _show_built(out: Path, counts: Counter[tuple[str, str]], drops: Sequence[Drop]) -> None:
    rows = [(source, kind, f"{n:,}") for (source, kind), n in sorted(counts.items())]
    print_table(f"{sum(counts.values()):,} probes in {out}", ("source", "kind", "probes"), rows)
    reasons = Counter(_general(drop.reason) for drop in drops).most_common()
    shown = [(reason, f"{n:,}") for reason, n in reasons]
    print_table(f"{len(drops):,} candidates dropped", ("reason", "candidates"), shown)


def _general(reason: str) -> str:
    """The reason without the words it quotes, so that like ones are counted together."""
    import re

    return re.sub(r"'[^']*'", "…", reason)
