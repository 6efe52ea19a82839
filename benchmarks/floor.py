"""`--floor N` of the benchmarks: below so many responses per second they exit with status 1."""

from __future__ import annotations

import argparse
import sys


def add_floor(parser: argparse.ArgumentParser) -> None:
    """Give a benchmark the option."""
    parser.add_argument("--floor", type=float, help="exit with status 1 below N per second")


def hold(rate: float, floor: float | None) -> None:
    """End the process where a rate is below its floor."""
    if floor is not None and rate < floor:
        sys.exit(f"{rate:.1f} responses per second are below the floor of {floor:g}.")
