"""Write docs/inquiries-read.md from inquiries that were read: `python -m reproduce.inquiries_read`.

`--draw N --seed S` prints N new inquiries as JSON lines instead, about distinct utterances of the
DSTC9 bots (needs the data folder: STAYTRUE_DATA, or ../shared/data) or, with `--talk FILE`, about
the field `reply` of a file of JSON lines. The figures are written into docs/results-aih.md, too.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reproduce.pages import DATA, REPOSITORY, put_section, table
from reproduce.readings import read, second_reading
from staytrue.core.records import Example
from staytrue.core.seeds import derived_seed
from staytrue.datasets import dstc9
from staytrue.elicit.aih.inquirer import Inquirer
from staytrue.plugins.registry import load_backend
from staytrue.stats.intervals import proportion

READ = REPOSITORY / "tests" / "golden" / "inquiries_read.jsonl"
PAGE = REPOSITORY / "docs" / "inquiries-read.md"
AIH = REPOSITORY / "docs" / "results-aih.md"
SECTION = "Are the questions appropriate?"
# Drawn after courtesies were no longer asked about.
LATER = ", courtesies left out"
# Utterances that are looked at together; the draw does not depend on it.
_BATCH = 40


def of_dstc9(data: Path) -> list[tuple[str, str]]:
    """Every bot's distinct utterances, as (source, text)."""
    utterances: dict[str, tuple[str, str]] = {}
    for file in sorted(data.glob("dstc9_*.jsonl.gz")):
        longest: dict[str, Example] = {}
        for item in dstc9.read(str(file)):
            if isinstance(item, Example):
                longest[item.tags["dialogue"]] = item
        for _, example in sorted(longest.items()):
            turns = [turn.text for turn in example.history if turn.speaker == "bot"]
            for text in (*turns, example.response):
                utterances.setdefault(text.lower(), (f"DSTC9 {example.tags['bot']}", text))
    return list(utterances.values())


def of_talk(file: Path) -> list[tuple[str, str]]:
    """A local model's replies, as (source, text)."""
    replies = dict.fromkeys(row["reply"] for row in read(file))
    return [("SmolLM2-135M-Instruct", text) for text in replies]


def drawn(
    utterances: Sequence[tuple[str, str]],
    size: int,
    seed: int,
    known: Iterable[str] = (),
    each: int = 1,
) -> Iterator[dict[str, Any]]:
    """Inquiries about utterances in random order, until there are as many as wanted.

    Bots repeat themselves: a statement is asked about once, and not at all if it is `known`.
    `each` is how many statements of one utterance may be asked about.
    """
    seen = {statement.lower() for statement in known}
    order = random.Random(seed).sample(list(utterances), len(utterances))
    backend: Any = load_backend("embedded")
    inquirer = Inquirer(backend, backend)
    left = size
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        for (source, text), options in zip(
            batch, inquirer.candidates([text for _, text in batch]), strict=True
        ):
            chance = random.Random(derived_seed(seed, text))
            for _ in range(min(each, left)):
                fresh = [one for one in options if one.statement.lower() not in seen]
                if not fresh:
                    break
                chosen = chance.choice(fresh)
                seen.add(chosen.statement.lower())
                left -= 1
                yield {
                    "source": source,
                    "utterance": text,
                    "statement": chosen.statement,
                    "span": chosen.span,
                    "inquiry": chosen.question,
                }
        if not left:
            return


def figures(rows: Sequence[dict[str, Any]]) -> str:
    """Shares of appropriate inquiries by source, and how far the two readings agree."""
    groups = {
        "DSTC9 bots": [row for row in rows if row["source"].startswith("DSTC9")],
        "a local model (SmolLM2-135M-Instruct)": [
            row for row in rows if not row["source"].startswith("DSTC9")
        ],
        "— since courtesies are left out": [row for row in rows if row["source"].endswith(LATER)],
        "all": list(rows),
    }
    lines = []
    for name, some in groups.items():
        if not some:
            continue
        share = proportion(sum(row["appropriate"] for row in some), len(some))
        lines.append((name, len(some), share.value, share.low, share.high))
    twice = second_reading(rows, "appropriate")
    return (
        table(("source", "inquiries", "appropriate", "95 % from", "to"), lines)
        + f"\n{twice.rows} were read a second time, in another order; {twice.same} were judged "
        f"alike, Cohen's κ = {twice.kappa}.\n"
    )


def section(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The figures as a section of the AIH page."""
    return [
        f"## {SECTION}", "",
        f"{len(rows)} inquiries were drawn at random and read ([the list](inquiries-read.md)), "
        "none of them about calibrated bots. The paper's share is 0.927; our floor is 0.85.", "",
        *figures(rows).splitlines(), "",
    ]  # fmt: skip


def page(rows: Sequence[dict[str, Any]]) -> str:
    """The list, with the figures above it."""
    listed = [
        (number, row["source"], _plain(row["statement"]), _plain(row["span"]),
         _plain(row["inquiry"]), "yes" if row["appropriate"] else "no")
        for number, row in enumerate(rows, 1)
    ]  # fmt: skip
    head = ("#", "source", "statement", "asks for", "question", "appropriate")
    return f"""# Inquiries, read

The Inquirer's questions (strategy `entity`) about distinct utterances of {_sources(rows)}, drawn
at random and read one by one after other samples had served to improve the rules. Statements of
those samples are left out, and each was read as the rules asked it when it was drawn. One reader
read each of them; the reader of those about DSTC9 talk had written the rules. An inquiry is
appropriate when it is a well-formed question, to the bot or about the world, that the statement
answers and that makes sense to somebody who has just heard the statement. The utterances are often
ungrammatical themselves. The paper's share is 0.927, of other bots by other readers; the floor is
0.85.
{_about_local(rows)}
## How many are appropriate

{figures(rows)}
`python -m reproduce.inquiries_read` prints these figures and writes this page from
`tests/golden/inquiries_read.jsonl`.

## The inquiries

{table(head, listed)}"""


def _about_local(rows: Sequence[dict[str, Any]]) -> str:
    local = [row for row in rows if not row["source"].startswith("DSTC9")]
    if not local:
        return ""
    later = [row for row in local if row["source"].endswith(LATER)]
    return f"""
The local model's talk (`python -m reproduce.local_talk`, with `--open` too, and its answers in
`tests/golden/consistest_judged_new.jsonl`) states little that can be asked about: some 240 replies
gave {len(local) - len(later)} inquiries. Courtesies ("I'd be happy to …") were the most frequent
fault; they are no longer asked about. After that some 500 new replies gave {len(later)} inquiries,
of which {sum(row["appropriate"] for row in later)} are appropriate.
"""


def _sources(rows: Sequence[dict[str, Any]]) -> str:
    local = any(not row["source"].startswith("DSTC9") for row in rows)
    return "the six DSTC9 bots" + (" and of a real local model" if local else "")


def _plain(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, metavar="N", help="print N new inquiries, no page")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--talk", type=Path, metavar="FILE", help="draw about these replies")
    parser.add_argument(
        "--each", type=int, default=1, metavar="N", help="ask about N statements of an utterance"
    )
    parser.add_argument(
        "--known", type=Path, nargs="*", default=[], metavar="FILE",
        help="leave out the statements of these drawn before",
    )  # fmt: skip
    chosen = parser.parse_args()
    if chosen.draw:
        utterances = of_talk(chosen.talk) if chosen.talk else of_dstc9(DATA)
        known = [row["statement"] for file in chosen.known for row in read(file)]
        for row in drawn(utterances, chosen.draw, chosen.seed, known, chosen.each):
            print(json.dumps(row, ensure_ascii=False), flush=True)
        return
    rows = read(READ)
    print(figures(rows))
    PAGE.write_text(page(rows), encoding="utf-8")
    put_section(AIH, section(rows), before=SECTION)


if __name__ == "__main__":
    main()
