"""Pairs to be read are drawn without a verdict, flagged ones and others that look alike."""

from __future__ import annotations

from typing import Any

import pytest
from reproduce import flags_drawn, flags_read


def talk(dialogue: str, *replies: str) -> list[dict[str, Any]]:
    inquiry = {
        "statement": "I live in Boston.", "span": "Boston", "strategy": "entity",
        "inquiry": "Where do you live?", "answer": "In Denver.",
    }  # fmt: skip
    return [
        {"dialogue": dialogue, "turn": n, "reply": reply, "inquiries": [inquiry] if not n else []}
        for n, reply in enumerate(replies)
    ]


def test_talk_gives_answers_to_inquiries_and_pairs_of_turns() -> None:
    asked, plain = flags_drawn.of_talk("bot", "file", talk("one", "I live in Boston.", "I ski."))
    assert asked["id"] == "inquiry bot file one 0 0"
    assert (asked["kind"], asked["form"], asked["truth"]) == ("inquiry", "wh", "Boston")
    assert (plain["kind"], plain["source"]) == ("turns", "bot")
    assert (plain["first"], plain["second"]) == ("I live in Boston.", "I ski.")
    probe = flags_read.examples([asked])[0].probe
    assert probe is not None
    assert (probe.fact, probe.kind) == ("I live in Boston.", "wh")


def test_flagged_pairs_are_mixed_with_others_and_known_ones_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        row
        for n in range(20)
        for row in flags_drawn.of_talk("bot", "f", talk(f"d{n}", f"I live in Boston {n}."))
    ]
    flagged = {row["id"] for row in rows[:8]}
    monkeypatch.setattr(
        flags_drawn, "_judged", lambda some: [(row, row["id"] in flagged) for row in some]
    )
    monkeypatch.setattr(flags_drawn, "_with_clauses", list)
    chosen = flags_drawn.drawn(rows, most=6, seed=1, known=rows[:1])
    assert sum(row["id"] in flagged for row in chosen) == 6
    assert len(chosen) == 6 + 4
    assert rows[0] not in chosen
    assert chosen == flags_drawn.drawn(rows, most=6, seed=1, known=rows[:1])
    assert all("label" not in row and "contradicts" not in row for row in chosen)


def test_precision_is_of_the_flags_of_a_group_only() -> None:
    rows = [
        {"part": "kept", "kind": kind, "source": source, "contradicts": contradicts}
        for kind, source, contradicts in (
            ("inquiry", "a", True), ("inquiry", "b", False), ("natural", "b", False),
        )
    ]  # fmt: skip
    groups = flags_read._groups(rows)
    assert groups["kept", flags_read.ASKED["inquiry"], "all"] == [0, 1]
    assert groups["kept", "inquiries and turns", "all"] == [0, 1]
    labels = ["contradiction", "consistent", "contradiction"]
    found = flags_read.precision(rows, labels, [0, 1])
    assert (found.value, found.n) == (1.0, 1)
    assert flags_read.precision(rows, labels, [0, 1, 2]).value == 0.5


def test_the_stored_pairs_are_distinct_and_a_third_was_read_twice() -> None:
    rows = flags_read.read(flags_read.DRAWN)
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["kind"] for row in rows} <= set(flags_read.ASKED)
    assert {row["part"] for row in rows} <= {"before", "kept"}
    assert all(isinstance(row["contradicts"], bool) for row in rows)
    assert sum("again" in row for row in rows) >= len(rows) // 3
