"""Which golden verdicts changed since the first were stored: `python -m reproduce.changed_verdicts`.

The changelog tells why verdicts changed; this page names each of them, with what it was and is.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from reproduce.pages import REPOSITORY, table

GOLDEN = REPOSITORY / "tests" / "golden"
FIRST, NOW = GOLDEN / "verdicts_first.jsonl", GOLDEN / "verdicts.jsonl"
PAGE = REPOSITORY / "docs" / "changed-verdicts.md"
# What another processor may change.
_SAME = 1e-3

INTRO = """\
# Golden verdicts that changed

Written by `python -m reproduce.changed_verdicts`; do not edit. Every metric judges the shipped
examples and the answers judged by hand, with the small models. Before the metrics were reworked in
0.2.0, their verdicts were stored; the table has those whose score or label is another one now. Why
they changed is in CHANGELOG.md.
"""


def _read(path: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return {(row["metric"], row["file"], row["example_id"]): row for row in rows}


def _differ(one: dict[str, Any], other: dict[str, Any]) -> bool:
    before, now = one["score"], other["score"]
    if one["label"] != other["label"] or (before is None) != (now is None):
        return True
    return before is not None and abs(before - now) > _SAME


def _shown(verdict: dict[str, Any]) -> str:
    score = "none" if verdict["score"] is None else f"{verdict['score']:.3f}"
    return f"{score}, {verdict['label']}" if verdict["label"] else score


def page(
    first: Path = GOLDEN / "verdicts_first.jsonl", now: Path = GOLDEN / "verdicts.jsonl"
) -> str:
    """The page on the verdicts of two files."""
    before, after = _read(first), _read(now)
    changed = sorted(key for key in before if key in after and _differ(before[key], after[key]))
    counts = Counter(metric for metric, _, _ in changed)
    of = Counter(metric for metric, _, _ in before)
    summary = table(
        ("metric", "changed", "of"), [(f"`{name}`", counts[name], of[name]) for name in sorted(of)]
    )
    rows = [
        (f"`{key[0]}`", key[1], key[2], _shown(before[key]), _shown(after[key])) for key in changed
    ]
    return "\n".join([INTRO, summary, table(("metric", "file", "row", "before", "now"), rows)])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
