"""Every golden verdict that changed is named, and no other."""

from __future__ import annotations

import json
from pathlib import Path

from reproduce import changed_verdicts


def stored(path: Path, *scores: tuple[str, float | None, str | None]) -> Path:
    rows = [
        {"file": "f", "metric": "nli", "example_id": name, "score": score, "label": label}
        for name, score, label in scores
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_scores_and_labels_that_differ_are_named(tmp_path: Path) -> None:
    first = stored(
        tmp_path / "first", ("same", 0.5, None), ("near", 0.5, None), ("score", 0.5, None),
        ("label", 0.5, "neutral"), ("silent", 0.5, None), ("gone", 0.5, None),
    )  # fmt: skip
    now = stored(
        tmp_path / "now", ("same", 0.5, None), ("near", 0.5009, None), ("score", 0.502, None),
        ("label", 0.5, "entailment"), ("silent", None, None), ("new", 0.1, None),
    )  # fmt: skip
    rows = changed_verdicts.page(first, now).rpartition("| --- |\n")[2].splitlines()
    assert rows == [
        "| `nli` | f | label | 0.500, neutral | 0.500, entailment |",
        "| `nli` | f | score | 0.500 | 0.502 |",
        "| `nli` | f | silent | 0.500 | none |",
    ]


def test_the_page_is_of_the_verdicts_that_are_stored_now() -> None:
    written = changed_verdicts.PAGE.read_text("utf-8")
    assert written == changed_verdicts.page(), "write it: python -m reproduce.changed_verdicts"
