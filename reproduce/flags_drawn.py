"""Draw flagged pairs of real talk to be read: `python -m reproduce.flags_drawn --talk BOT=FILE`.

FILE is what `python -m reproduce.local_talk --ask` writes; `--dstc9 N` adds people's own questions
in N dialogues of each DSTC9 bot and any two turns of all of them (needs the data folder:
STAYTRUE_DATA, or ../shared/data). Prints JSON lines in random order, without a verdict: all pairs
that the metric `contradiction` flags with the small or with the default models, `--most` of each
source and kind, and others among them that look alike. `--known` leaves out pairs that were read
before, and the DSTC9 dialogues that they are of.

`python -m reproduce.flags_read` compares the flags with the reading.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reproduce import aih_talk
from reproduce.flags_read import BACKEND, STRICT
from reproduce.flags_read import examples as as_examples
from reproduce.pages import DATA
from reproduce.readings import read
from staytrue.core.records import Example
from staytrue.core.seeds import derived_seed
from staytrue.datasets import dstc9
from staytrue.plugins.registry import load_backend, load_metric

Row = dict[str, Any]


def of_talk(bot: str, name: str, rows: Sequence[Row]) -> Iterator[Row]:
    """The answers to inquiries, and any two replies of a dialogue, of a talk of this name."""
    said: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        said[row["dialogue"]].append(row["reply"])
        for count, asked in enumerate(row["inquiries"]):
            yield {
                "id": f"inquiry {bot} {name} {row['dialogue']} {row['turn']} {count}",
                "source": bot, "kind": "inquiry", "first": row["reply"],
                "question": asked["inquiry"], "truth": asked["span"],
                "statement": asked["statement"],
                "form": "yn" if asked["strategy"] == "yesno" else "wh",
                "second": asked["answer"],
            }  # fmt: skip
    for dialogue, texts in said.items():
        yield from map(_plain, aih_talk.pairs_of_turns(f"{bot} {name} {dialogue}", texts))


def of_dstc9(data: Path, dialogues: int, seed: int, without: Iterable[str]) -> Iterator[Row]:
    """People's own questions that an earlier turn answers, and any two turns of a dialogue."""
    known = set(without)
    reader: Any = load_backend(BACKEND)
    for file in sorted(data.glob("dstc9_*.jsonl.gz")):
        talks: dict[str, list[Example]] = defaultdict(list)
        for item in dstc9.read(str(file)):
            if isinstance(item, Example):
                talks[f"{item.tags['bot']} #{item.tags['dialogue']}"].append(item)
        fresh = [talk for name, talk in sorted(talks.items()) if name not in known]
        chosen = random.Random(derived_seed(seed, file.name)).sample(fresh, dialogues)
        for e in aih_talk.natural_inquiries(chosen, reader):
            assert e.probe is not None
            yield {
                "id": f"asked {e.id}", "source": "DSTC9", "kind": "natural",
                "first": e.knowledge, "question": e.probe.question, "truth": e.probe.truth,
                "statement": e.probe.fact, "form": "wh", "second": e.response,
            }  # fmt: skip
    for name, texts in aih_talk.turns_of(data).items():
        if name not in known:
            yield from (
                {**_plain(e), "source": "DSTC9"} for e in aih_talk.pairs_of_turns(name, texts)
            )


def _plain(e: Example) -> Row:
    bot = e.id.split()[1]
    return {
        "id": e.id, "source": bot, "kind": "turns", "first": e.knowledge, "question": "",
        "truth": "", "statement": "", "form": "", "second": e.response,
    }  # fmt: skip


def drawn(rows: Iterable[Row], most: int, seed: int, known: Iterable[Row] = ()) -> list[Row]:
    """All flagged pairs, at most so many of a source and kind, and half as many others."""
    seen = {_texts(row) for row in known}
    distinct = {_texts(row): row for row in rows if _texts(row) not in seen}
    flagged: dict[tuple[str, str], list[Row]] = defaultdict(list)
    others: dict[tuple[str, str], list[Row]] = defaultdict(list)
    asked = [row for row in distinct.values() if row["question"]]
    plain = [row for row in distinct.values() if not row["question"]]
    for row, flag in (*_judged(asked), *_judged(_with_clauses(plain))):
        (flagged if flag else others)[row["source"], row["kind"]].append(row)
    chance = random.Random(seed)
    chosen: list[Row] = []
    for group in sorted({*flagged, *others}):
        some = chance.sample(flagged[group], min(most, len(flagged[group])))
        more = chance.sample(others[group], min(len(some) // 2 + 1, len(others[group])))
        print(
            f"{' '.join(group)}: {len(flagged[group])} of "
            f"{len(flagged[group]) + len(others[group])} flagged, {len(some)} drawn",
            file=sys.stderr,
        )
        chosen += some + more
    chance.shuffle(chosen)
    return chosen


def _texts(row: Row) -> tuple[str, ...]:
    return tuple(row[name].lower() for name in ("first", "question", "second"))


def _judged(rows: Sequence[Row]) -> list[tuple[Row, bool]]:
    """Whether the small or the default models flag it."""
    pairs = as_examples(rows)
    labels = [
        [verdict.label for verdict in load_metric("contradiction", backend=backend).judge(pairs)]
        for backend in (BACKEND, None)
    ]
    return [(row, "contradiction" in found) for row, *found in zip(rows, *labels, strict=True)]


def _with_clauses(rows: Sequence[Row]) -> list[Row]:
    """The pairs that `strict` compares: by default no other is flagged, and these look alike."""
    verdicts = load_metric(STRICT, backend=BACKEND).judge(as_examples(rows))
    return [row for row, verdict in zip(rows, verdicts, strict=True) if verdict.evidence]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talk", action="append", default=[], metavar="BOT=FILE")
    parser.add_argument("--dstc9", type=int, default=0, metavar="N")
    parser.add_argument("--most", type=int, default=40, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--known", type=Path, nargs="*", default=[], metavar="FILE",
        help="leave out these pairs, and the DSTC9 dialogues that they are of",
    )  # fmt: skip
    chosen = parser.parse_args(arguments)
    rows: list[Row] = []
    for named in chosen.talk:
        bot, _, file = named.partition("=")
        rows += of_talk(bot, Path(file).stem, read(Path(file)))
    known = [row for file in chosen.known for row in read(file)]
    if chosen.dstc9:
        dialogues = [_dialogue(row["id"]) for row in known]
        rows += of_dstc9(DATA, chosen.dstc9, chosen.seed, dialogues)
    for row in drawn(rows, chosen.most, chosen.seed, known):
        print(json.dumps(row, ensure_ascii=False))


def _dialogue(identity: str) -> str:
    return " ".join(identity.split()[1:3])


if __name__ == "__main__":
    main()
