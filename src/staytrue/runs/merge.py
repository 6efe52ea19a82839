"""Join runs of one signature, such as the shards of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from staytrue.core.batches import batched
from staytrue.core.errors import RunError
from staytrue.core.records import Failure, FailureKind, JsonDict
from staytrue.runs.folder import Run
from staytrue.runs.manifest import signature_changes
from staytrue.runs.writer import RunWriter

_BATCH = 1000


def merge(folders: Sequence[str | Path], out: str | Path, *, as_parquet: bool = False) -> JsonDict:
    """Join the runs in a new folder, and return the counts."""
    runs = [Run(folder) for folder in folders]
    first = runs[0].manifest
    for run in runs[1:]:
        if run.signatures != first["signature"]:
            changes = signature_changes(first["signature"], run.signatures)
            raise RunError(
                f"{runs[0].folder} and {run.folder} have different signatures "
                f"({changes}): only runs with the same signatures can be merged."
            )
    inputs = [i for run in runs for i in run.manifest["settings"].get("inputs", [])]
    settings = {**first["settings"], "inputs": list(dict.fromkeys(inputs))}
    with RunWriter(
        out, first["signature"], seed=first["seed"], settings=settings, as_parquet=as_parquet
    ) as writer:
        # Merging again into the same folder must not count twice.
        writer.usage.clear()
        writer.processors[:] = dict.fromkeys(kind for run in runs for kind in run.processors)
        for run in runs:
            _add(run, writer)
        return writer.counts


def _add(run: Run, writer: RunWriter) -> None:
    changed: set[str] = set()
    for examples in batched(run.examples(), _BATCH):
        changed |= {example.id for example in examples if writer.holds_other(example)}
        writer.add([example for example in examples if example.id not in changed])
    writer.add((), failures=[_changed(run.folder, example_id) for example_id in changed])
    for failures in batched(run.failures(), _BATCH):
        writer.add((), failures=[f for f in failures if f.where not in changed])
    for verdicts in batched(run.verdicts(), _BATCH):
        writer.add((), [v for v in verdicts if v.example_id not in changed])
    for bot, used in run.manifest.get("usage", {}).items():
        writer.add_usage(bot, used)


def _changed(folder: Path, example_id: str) -> Failure:
    return Failure(
        f"{example_id} of {folder}",
        f"Another run has an example '{example_id}' with different content: give it another id.",
        kind=FailureKind.CHANGED,
    )
