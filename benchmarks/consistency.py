"""How many responses per second `consistency` judges: `python -m benchmarks.consistency`.

The small models, unless `--backend` says otherwise, on the responses of `benchmarks.begin`; with
`--words N` each knowledge is filled up to so many words with that of other rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.begin import examples, timed
from benchmarks.floor import add_floor, hold
from staytrue.core.records import Example
from staytrue.plugins.registry import load_metric

ROWS = 200


def lengthened(rows: Sequence[Example], words: int) -> list[Example]:
    """The rows, each with knowledge of at least so many words: its own, then its neighbours'."""
    texts = [row.knowledge for row in rows]
    made = []
    for number, row in enumerate(rows):
        knowledge = row.knowledge
        for text in texts[number + 1 :] + texts[:number]:
            if len(knowledge.split()) >= words:
                break
            knowledge = f"{knowledge} {text}"
        made.append(replace(row, knowledge=knowledge))
    return made


def mean_words(rows: Sequence[Example]) -> float:
    """Words of knowledge that a row has on average."""
    return sum(len(row.knowledge.split()) for row in rows) / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--words", type=int, default=0, help="of each knowledge, at least")
    parser.add_argument("--backend", default="embedded,size=small")
    add_floor(parser)
    options = parser.parse_args()
    rows = lengthened(examples(options.rows), options.words)
    wall, cpu = timed(load_metric("consistency", backend=options.backend), rows)
    rate = len(rows) / wall
    print(
        f"consistency, {mean_words(rows):.0f} words of knowledge: {rate:.1f} responses per second "
        f"({1000 * cpu / len(rows):.1f} ms of CPU time each)"
    )
    hold(rate, options.floor)


if __name__ == "__main__":
    main()
