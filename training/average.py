"""Average checkpoints: `python -m training.average --out FILE CHECKPOINT CHECKPOINT …`.

Runs that start from the same weights and draw other rows are trained side by side, one on each
core, without waiting for one another; their mean is better than either end (Wortsman et al., 2022).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file


def average(files: Sequence[Path]) -> dict[str, torch.Tensor]:
    """The mean of each weight, in single precision."""
    loaded = [load_file(file) for file in files]
    shapes = [{name: weight.shape for name, weight in one.items()} for one in loaded]
    for file, own in zip(files, shapes, strict=True):
        if own != shapes[0]:
            sys.exit(f"{file} is not a checkpoint of the same model as {files[0]}.")
    return {
        name: torch.stack([one[name].float() for one in loaded]).mean(dim=0) for name in loaded[0]
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path, nargs="+", metavar="CHECKPOINT")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    save_file(average(options.checkpoints), options.out)


if __name__ == "__main__":
    main()
