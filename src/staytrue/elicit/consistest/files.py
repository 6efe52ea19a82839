"""Files of probes: dialogues in, probes out; probes in, placed samples out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from staytrue.core import placement
from staytrue.core.errors import DataError, UsageError
from staytrue.core.placement import PersonaDialogue
from staytrue.core.records import Example, Failure, example_to_json
from staytrue.datasets import consistest
from staytrue.datasets.personachat import is_personachat, read_personachat
from staytrue.elicit.consistest.build import Builder, as_dialogue, as_example, with_reply
from staytrue.elicit.consistest.drops import Drop
from staytrue.elicit.consistest.wh import WhModels
from staytrue.plugins import registry
from staytrue.runs import runner


@dataclass(frozen=True)
class Built:
    """What `build_file` made."""

    counts: Counter[tuple[str, str]]
    """Source and kind → probes."""
    drops: Sequence[Drop]


@dataclass(frozen=True)
class Placed:
    """What `place_file` made."""

    path: Path
    counts: Counter[tuple[str, str, int]]
    """Source, kind and distance → samples."""
    failures: Sequence[Failure]


def read_dialogues(source: str) -> tuple[list[PersonaDialogue], list[Failure]]:
    """Dialogues of a plain file, a PersonaChat file or the released folder."""
    items = list(_dialogues(source))
    dialogues = [item for item in items if isinstance(item, PersonaDialogue)]
    failures = [item for item in items if isinstance(item, Failure)]
    if not any(dialogue.persona or dialogue.utterances for dialogue in dialogues):
        why = f": {failures[0].where}: {failures[0].error}" if failures else "."
        raise UsageError(f"{source} has neither personas nor dialogues to ask about{why}")
    return dialogues, failures


def _dialogues(source: str) -> Iterator[PersonaDialogue | Failure]:
    name, _, path = source.partition(":")
    if name == "consistest":
        return consistest.read_dialogues(path)
    if not Path(source).exists() and source != "-":
        raise UsageError(f"There is no file {source}: check the path.")
    if Path(source).is_dir():
        return consistest.read_dialogues(source)
    if is_personachat(source):
        return read_personachat(source)
    rows = runner.read_inputs([source], {})
    return (as_dialogue(with_reply(row)) if isinstance(row, Example) else row for row in rows)


def build_file(
    dialogues: Sequence[PersonaDialogue],
    out: Path,
    *,
    dropped: Path | None = None,
    kinds: str = "both",
    history: bool = True,
    altered: bool = True,
    backend: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Built:
    """Write one row per probe, and one per candidate that was dropped if `dropped` names a file."""
    models = None if kinds == "yn" else _models(backend)
    builder = Builder(models, altered=altered, history=history)
    drops: list[Drop] = []
    counts: Counter[tuple[str, str]] = Counter()
    with out.open("w", encoding="utf-8") as file:
        for dialogue, outcome in builder.build(dialogues):
            kept = [probe for probe in outcome.probes if kinds in ("both", probe.kind)]
            for number, probe in enumerate(kept):
                row = example_to_json(as_example(dialogue, probe, number))
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                counts[probe.source, probe.kind] += 1
            drops += outcome.drops
            progress(1)
    if dropped:
        _write_drops(dropped, drops)
    return Built(counts, drops)


def place_file(
    probes: str, *, memory: int = 3, distances: Sequence[int] = (0, 2), out: Path | None = None
) -> Placed:
    """Put probes into their dialogues and write the samples, next to the probes unless told."""
    counts: Counter[tuple[str, str, int]] = Counter()
    # All is read before a line is written: a mistake must not leave half a file.
    items = list(_placed(probes, memory, distances))
    target = out or _beside(probes)
    with target.open("w", encoding="utf-8") as file:
        for sample in items:
            if isinstance(sample, Failure):
                continue
            assert sample.probe is not None
            assert sample.probe.distance is not None
            file.write(json.dumps(example_to_json(sample), ensure_ascii=False) + "\n")
            counts[sample.probe.source, sample.probe.kind, sample.probe.distance] += 1
    return Placed(target, counts, [item for item in items if isinstance(item, Failure)])


def _placed(probes: str, memory: int, distances: Sequence[int]) -> Iterator[Example | Failure]:
    name, _, path = probes.partition(":")
    if name == "consistest" and Path(path).is_dir():
        yield from consistest.read_placed(Path(path), memory=memory, distances=distances)
        return
    for item in runner.read_inputs([probes]):
        if isinstance(item, Failure):
            yield item
        elif item.probe is None:
            raise DataError(f"Row {item.id} has no probe: give the output of  probes build.")
        elif item.probe.distance is not None or item.message == item.probe.question:
            raise DataError(
                f"Row {item.id} of {probes} already ends with its question, so it cannot be "
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


def _models(backend: str | None) -> WhModels:
    loaded = registry.load_backend(backend or registry.DEFAULT_BACKEND)
    missing = [method for method in ("spans", "ask", "answer") if not hasattr(loaded, method)]
    if missing:
        raise UsageError(f"WH questions need a backend that can {' and '.join(missing)}.")
    return cast("WhModels", loaded)


def _write_drops(path: Path, drops: Sequence[Drop]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for drop in drops:
            row = {
                "text": drop.text, "reason": drop.reason, "source": drop.source,
                "dialogue": drop.dialogue,
            }  # fmt: skip
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
