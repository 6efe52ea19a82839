"""Rows for every metric: engines must give the verdicts of one process by each of them."""

from __future__ import annotations

from tests.conftest import REPOSITORY

from staytrue.core.records import Example, Failure
from staytrue.datasets import tabular

# File of the examples → metrics that judge its rows, and the backend if it is not the usual one.
JUDGED = {
    "grounded": (["bleu", "nli", "embedding", "q2", "begin", "consistency", "overlap"], None),
    "inquiries": (["contradiction"], None),
    "probes": (["hybrid", "probe-overlap"], None),
    "grounded, scripted": (["judge"], "scripted"),
}


def rows_of(file: str, count: int) -> list[Example | Failure]:
    """The first examples of a file named above."""
    path = REPOSITORY / "examples" / f"{file.partition(',')[0]}.jsonl"
    return list(tabular.read(str(path)))[:count]
