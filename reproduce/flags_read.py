"""Precision and recall of flagged contradictions on read pairs: `python -m reproduce.flags_read`.

The pairs are turns of the six DSTC9 bots that were read by hand without seeing a verdict
(tests/golden/contradictions_read.jsonl). The metric judges them anew with the models that are
installed, by default, by the model alone and strictly; `--metric SPEC` takes another one.

`--draw N --seed S` prints N new pairs that the metric flags as JSON lines instead, and two fifths
as many that it does not flag among them, without saying which (needs the data folder:
STAYTRUE_DATA, or ../shared/data). Dialogues that pairs were read of before are left out.

`--labelled dnli:FILE` compares the flags of `strict` with labels that other people gave.

A second table is of flags drawn from the talk of real bots, with AIH's inquiries and without
(tests/golden/contradictions_drawn.jsonl, drawn by `python -m reproduce.flags_drawn`); `--page`
writes it into docs/results-aih.md.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduce import aih_talk
from reproduce.pages import DATA, REPOSITORY, put_section, table, weights
from reproduce.readings import read, second_reading
from staytrue.core.records import Example, Probe
from staytrue.plugins.registry import load_metric
from staytrue.runs.runner import read_inputs
from staytrue.stats.intervals import Interval, proportion

READ = REPOSITORY / "tests" / "golden" / "contradictions_read.jsonl"
DRAWN = REPOSITORY / "tests" / "golden" / "contradictions_drawn.jsonl"
PAGE = REPOSITORY / "docs" / "results-aih.md"
SECTION = "Flags of real bots' talk, read by hand"
# What pairs of each kind are called; people's own questions are no inquiries of AIH.
ASKED = {
    "inquiry": "answers to AIH's inquiries",
    "natural": "answers to people's own questions",
    "turns": "any two turns, no inquiry",
}
# Rows of the first table. The last kind was chosen by `strict`, so it is never counted with others.
KINDS = {
    "turns that share a word": ("search",),
    "natural inquiries": ("asked",),
    "both of these": ("search", "asked"),
    "any two turns": ("turns",),
}
MODEL = "contradiction,flags=model"
STRICT = "contradiction,strict=true"
FLOOR = 0.7
BACKEND = "embedded,size=small"


@dataclass(frozen=True)
class FlagAgreement:
    """How the flags of one kind of pair compare with the reading."""

    pairs: int
    flagged: int
    precision: Interval
    recall: Interval


def examples(rows: Sequence[dict[str, Any]]) -> list[Example]:
    """The pairs as the metric takes them."""
    return [
        Example(
            row["id"], row["second"], row["first"],
            probe=Probe(
                row["question"], row["truth"], row.get("statement") or row["first"],
                row.get("form") or "wh",
            )
            if row["question"]
            else None,
        )
        for row in rows
    ]  # fmt: skip


def compared(
    rows: Sequence[dict[str, Any]], labels: Sequence[str | None], kinds: Sequence[str]
) -> FlagAgreement:
    """Precision and recall of the flags on the pairs of these kinds."""
    chosen = [
        (label == "contradiction", bool(row["contradicts"]))
        for row, label in zip(rows, labels, strict=True)
        if row["kind"] in kinds
    ]
    both = sum(flag and truth for flag, truth in chosen)
    flagged, true = sum(flag for flag, _ in chosen), sum(truth for _, truth in chosen)
    return FlagAgreement(len(chosen), flagged, proportion(both, flagged), proportion(both, true))


def report(
    rows: Sequence[dict[str, Any]], specs: Sequence[str] = ("contradiction", MODEL, STRICT)
) -> str:
    """The table, and what it was made with."""
    lines, made = [], []
    for spec in specs:
        metric = load_metric(spec, backend=BACKEND)
        made.append(f"`{metric.signature}`")
        labels = [verdict.label for verdict in metric.judge(examples(rows))]
        for name, kinds in KINDS.items():
            flags = compared(rows, labels, kinds)
            lines.append(
                (f"`{spec}`", name, flags.pairs, flags.flagged, flags.precision, flags.recall)
            )
    twice = second_reading(rows, "contradicts")
    head = ("metric", "pairs of turns", "read", "flagged", "precision", "recall")
    return (
        table(head, lines)
        + "\nThe first two kinds are all that an earlier version of the metric flagged in two "
        "draws of talk, and others as they came; the last is all that `strict` flagged in "
        "dialogues that had not served to make its rules, and others among them. So recall "
        "is of the contradictions among the pairs, not of all talk, and that of `strict` on the "
        "last kind says nothing. By default pairs without an inquiry are flagged where the model "
        "and `strict` agree; the others are called unconfirmed. Flags of one dialogue resemble "
        "each other, so the intervals are too narrow. "
        f"They were read without a verdict, {twice.rows} of them twice, Cohen's κ = {twice.kappa}. "
        f"The floor for precision is 0.7.\n\n{weights('small')}\nSignatures: {', '.join(made)}\n"
    )


def drawn_section(rows: Sequence[dict[str, Any]], earlier: Sequence[dict[str, Any]]) -> list[str]:
    """Precision of the default metric's flags by kind of pair and bot; `earlier` pairs of turns.

    Only what was not read before rules were changed counts ("kept").
    """
    turns = [
        {**row, "source": "DSTC9", "part": "kept"} for row in earlier if row["kind"] == "turns"
    ]
    pairs = [*rows, *turns]
    lines: list[tuple[object, ...]] = []
    made: dict[str, str] = {}
    below: list[str] = []
    for name, backend in (("default", None), ("small", BACKEND)):
        metric = load_metric("contradiction", backend=backend)
        if metric.signature in made.values():
            continue
        made[name] = metric.signature
        labels = [verdict.label for verdict in metric.judge(examples(pairs))]
        for (part, kinds, source), chosen in _groups(pairs).items():
            found = precision(pairs, labels, chosen)
            lines.append((name, part, kinds, source, len(chosen), found.n, str(found)))
            if name == "default" and found.value is not None and found.value < FLOOR:
                right = round(found.value * found.n)
                below.append(f"{kinds}, {source} ({right} of {found.n} flags right, {part})")
    twice = second_reading(rows, "contradicts")
    return [
        f"## {SECTION}", "",
        "What the metric `contradiction` flagged in talk of real bots, with the small or with the",
        "default models: all of it, or 30 to 50 pairs of a bot and kind drawn at random, and half",
        "as many others among them. They were read without a verdict, by AIH's question: does the",
        "answer contradict the utterance? The bots are SmolLM2-135M-Instruct, one that answers",
        "with the nearest of PersonaChat's recorded replies (retrieval) and DSTC9's six. `before`",
        "was read in three rounds, and rules were changed after each; `kept` was drawn from other",
        "talk of the retrieval bot after that, except pairs of turns: no rule about them was",
        "changed. SmolLM2's talk and people's own questions were not drawn again. Other weights",
        "flag other pairs, of which only those read here count. The floor for precision is 0.7.",
        "",
        table(
            ("models", "part", "pairs", "bot", "read", "flagged", "precision (95 %, Wilson)"),
            lines,
        ),
        *(
            [f"**Below the floor with the default models**: {'; '.join(below)}. Read such flags",
             "before you believe them.", ""]
            if below
            else []
        ),
        "The last row of each size depends on how many pairs of each kind were drawn: judge by the",
        "rows above it. What the changed rules gain on `before`, on which they were made, says",
        f"nothing; `kept` does. {twice.rows} pairs were read twice: Cohen's κ = {twice.kappa}. The",
        "26 of them that are kept were read again by another reader, the others by the same one",
        "within the hour, which tells how steady the reading is. Flags of one dialogue resemble",
        "each other, so the intervals are too narrow. `python -m reproduce.flags_read --page`",
        "writes this section.",
        "", *(f"{name}: `{signature}`\n" for name, signature in made.items()),
    ]  # fmt: skip


def precision(
    rows: Sequence[dict[str, Any]], labels: Sequence[str | None], chosen: Sequence[int]
) -> Interval:
    """The share of contradictions among the flags."""
    flagged = [bool(rows[n]["contradicts"]) for n in chosen if labels[n] == "contradiction"]
    return proportion(sum(flagged), len(flagged))


def _groups(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str, str], list[int]]:
    """Pairs by part, kind and bot, then all that were kept, without people's own questions."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for part in ("before", "kept"):
        for kind, name in ASKED.items():
            of = [n for n, row in enumerate(rows) if (row["part"], row["kind"]) == (part, kind)]
            sources = sorted({rows[n]["source"] for n in of})
            for source in sources:
                found[part, name, source] = [n for n in of if rows[n]["source"] == source]
            if len(sources) > 1:
                found[part, name, "all"] = of
    found["kept", "inquiries and turns", "all"] = [
        n for n, row in enumerate(rows) if row["part"] == "kept" and row["kind"] != "natural"
    ]
    return found


def labelled(metric: Any, pairs: Sequence[Example]) -> FlagAgreement:
    """Precision and recall of the flags on pairs with an entailment label."""
    verdicts = metric.judge(pairs)
    rows = [{"kind": "labelled", "contradicts": pair.label == "contradiction"} for pair in pairs]
    return compared(rows, [verdict.label for verdict in verdicts], ["labelled"])


def drawn(
    metric: Any, size: int, seed: int, known: Iterable[dict[str, Any]], data: Path = DATA
) -> list[dict[str, Any]]:
    """Pairs that the metric flags and others among them, of dialogues that are not known."""
    rows = list(known)
    seen = {_dialogue(row["id"]) for row in rows}
    read_pairs = {(row["first"].lower(), row["second"].lower()) for row in rows}
    talk = aih_talk.flags(data, metric, seen)
    fresh = [e for e in talk.flagged if (e.knowledge.lower(), e.response.lower()) not in read_pairs]
    of = {_dialogue(e.id) for e in talk.flagged}
    print(
        f"{len(talk.flagged)} flags in {len(of)} of {talk.dialogues} dialogues, "
        f"{len(fresh)} of pairs that were not read before",
        file=sys.stderr,
    )
    chance = random.Random(seed)
    chosen = chance.sample(fresh, min(size, len(fresh)))
    chosen += chance.sample(talk.others, min(2 * len(chosen) // 5, len(talk.others)))
    chance.shuffle(chosen)
    return [
        {
            "id": e.id, "bot": e.id.split()[1], "kind": "turns", "first": e.knowledge,
            "question": "", "truth": "", "second": e.response,
        }
        for e in chosen
    ]  # fmt: skip


def _dialogue(identity: str) -> str:
    return " ".join(identity.split()[1:3])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", metavar="SPEC", help="instead of the three ways to flag")
    parser.add_argument("--draw", type=int, metavar="N", help="print N new flagged pairs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--known", type=Path, nargs="*", default=[READ], metavar="FILE",
        help="leave out the dialogues of these pairs",
    )  # fmt: skip
    parser.add_argument("--labelled", metavar="dnli:FILE", help="compare with these labels")
    parser.add_argument("--page", action="store_true", help="write the second table, too")
    chosen = parser.parse_args()
    if chosen.draw:
        known = [row for file in chosen.known for row in read(file)]
        metric = load_metric(chosen.metric or STRICT)
        for row in drawn(metric, chosen.draw, chosen.seed, known):
            print(json.dumps(row, ensure_ascii=False))
        return
    if chosen.labelled:
        pairs = [one for one in read_inputs([chosen.labelled]) if isinstance(one, Example)]
        flags = labelled(load_metric(chosen.metric or STRICT), pairs)
        print(
            f"{flags.flagged} of {flags.pairs} pairs flagged; "
            f"precision {flags.precision}, recall {flags.recall}"
        )
        return
    print(report(read(READ), [chosen.metric]) if chosen.metric else report(read(READ)))
    section = drawn_section(read(DRAWN), read(READ))
    print("\n".join(section))
    if chosen.page:
        put_section(PAGE, section, before="Are the questions appropriate?")


if __name__ == "__main__":
    main()
