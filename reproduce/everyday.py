"""Write docs/results-everyday.md: `python -m reproduce.everyday` (a minute on two idle cores).

Everyday cases in pairs, right and wrong, that differ by a word or two. Half of them were written
without looking at the code or its failures and are reported apart; none is ever trained on.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import staytrue
from reproduce.pages import REPOSITORY, sizes, table, weights
from staytrue.datasets import tabular
from staytrue.datasets.files import Row

GOLDEN = REPOSITORY / "tests" / "golden"
PAGE = REPOSITORY / "docs" / "results-everyday.md"
HALVES = {"seen": "everyday_seen", "blind": "everyday_blind"}


@dataclass
class CaseTally:
    """How one kind of case went."""

    pairs: int = 0
    ordered: int = 0
    rows: int = 0
    right: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, other: CaseTally) -> None:
        self.pairs += other.pairs
        self.ordered += other.ordered
        self.rows += other.rows
        self.right += other.right


def read(half: str) -> list[dict[str, Any]]:
    lines = (GOLDEN / f"{HALVES[half]}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def judge(rows: list[dict[str, Any]], metric: str, backend: str) -> staytrue.Evaluation:
    examples = [tabular.example_from_row(Row("cases", row), {}) for row in rows]
    return staytrue.evaluate(examples, [metric], backend=backend)


def tallies(
    rows: list[dict[str, Any]], verdicts: dict[str, staytrue.Verdict]
) -> dict[str, CaseTally]:
    """Pairs in the right order and verdicts on the right side of 0.5, by kind of case."""
    by_kind: dict[str, CaseTally] = defaultdict(CaseTally)
    for row in rows:
        if row["consistent"] is None:
            continue
        tally, verdict = by_kind[row["kind"]], verdicts[row["id"]]
        tally.rows += 1
        right = verdict.score is not None and (verdict.score > 0.5) == row["consistent"]
        tally.right += right
        if not right:
            score = "no score" if verdict.score is None else f"{verdict.score:.2f}"
            wanted = "right" if row["consistent"] else "wrong"
            tally.misses.append(f"{row['id']} ({wanted}, {score}): {row['response'][:90]}")
        if row["consistent"]:
            other = verdicts[f"{row['pair']}-wrong"]
            tally.pairs += 1
            if verdict.score is not None and other.score is not None:
                tally.ordered += verdict.score > other.score
    return by_kind


def section(half: str, metric: str, backend: str) -> list[str]:
    rows = read(half)
    evaluation = judge(rows, metric, backend)
    verdicts = {verdict.example_id: verdict for verdict in evaluation.verdicts}
    by_kind = tallies(rows, verdicts)
    silent = [row for row in rows if row["consistent"] is None]
    unscored = sum(verdicts[row["id"]].score is None for row in silent)
    total = CaseTally()
    cells = []
    for kind, tally in sorted(by_kind.items()):
        total.add(tally)
        ordered, right = f"{tally.ordered} of {tally.pairs}", f"{tally.right} of {tally.rows}"
        cells.append((kind.replace("_", " "), ordered, right))
    shares = f"**{total.ordered / total.pairs:.2f}**", f"**{total.right / total.rows:.2f}**"
    cells.append(("**all**", *shares))
    counts = table(("kind", "pairs in the right order", "right at 0.5"), cells)
    misses = [f"- {miss}" for tally in by_kind.values() for miss in tally.misses]
    silence = f"Refusals and greetings without a score: {unscored} of {len(silent)}."
    details = ["<details><summary>Missed</summary>", "", *misses, "", "</details>"]
    return [f"`{evaluation.signatures[metric]}`", "", counts, silence, "", *details, ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="consistency")
    parser.add_argument("--backend", default="embedded", help="for --half")
    parser.add_argument("--half", choices=sorted(HALVES), help="print this half only")
    options = parser.parse_args()
    if options.half:
        print("\n".join(section(options.half, options.metric, options.backend)))
        return
    lines = [
        "# Everyday cases", "",
        "Written by `python -m reproduce.everyday`; do not edit. 200 support, RAG and persona",
        "cases in pairs that differ by a word or two (`tests/golden/everyday_*.jsonl`). They are",
        "never trained on. The second half was written without looking at the code or its",
        "failures.", "",
        "The models are trained on passages about the same kinds of things",
        "(`training/written`), which were written without these cases at hand and share no nine",
        "words in a row with them. So the figures say how well the models judge kinds of text that",
        "they know; other kinds may fare worse.", "",
        weights(),
    ]  # fmt: skip
    for half, title in (("seen", "Known while the metric was written"), ("blind", "Written blind")):
        lines += [f"## {title}", ""]
        for size, backend in sizes().items():
            lines += [f"### {size}", "", *section(half, options.metric, backend)]
    PAGE.write_text("\n".join(lines).rstrip() + "\n", "utf-8")


if __name__ == "__main__":
    main()
