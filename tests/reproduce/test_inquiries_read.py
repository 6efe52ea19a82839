"""Inquiries that were read: shares by source, agreement, and the page made of them."""

from __future__ import annotations

import json
from pathlib import Path

from reproduce import inquiries_read
from reproduce.pages import section_of
from reproduce.readings import read

SAID = [("bot", "I have three kids."), ("bot", "That's nice."), ("bot", "I was born in Poland.")]


def test_a_draw_skips_what_gives_no_inquiry_and_what_is_known() -> None:
    rows = list(inquiries_read.drawn(SAID, 5, seed=1))
    assert {row["inquiry"] for row in rows} == {
        "How many kids do you have?",
        "Where were you born?",
    }
    known = list(inquiries_read.drawn(SAID, 5, seed=1, known=["i have three kids."]))
    assert [row["inquiry"] for row in known] == ["Where were you born?"]
    assert len(list(inquiries_read.drawn(SAID, 1, seed=1))) == 1


def test_a_draw_may_ask_about_several_statements_of_an_utterance() -> None:
    utterances = [("bot", "I have three kids. I was born in Poland. I have three kids.")]
    assert len(list(inquiries_read.drawn(utterances, 5, seed=1))) == 1
    assert len(list(inquiries_read.drawn(utterances, 5, seed=1, each=9))) == 2
    assert len(list(inquiries_read.drawn(utterances, 1, seed=1, each=9))) == 1


def test_replies_of_a_local_model_are_drawn_once_each(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('{"reply": "hi"}\n{"reply": "hi"}\n{"reply": "ok"}\n', encoding="utf-8")
    assert [text for _, text in inquiries_read.of_talk(file)] == ["hi", "ok"]


def test_the_page_is_that_of_the_stored_readings() -> None:
    rows = read(inquiries_read.READ)
    assert inquiries_read.PAGE.read_text("utf-8") == inquiries_read.page(rows)
    twice = [row for row in rows if row.get("again") is not None]
    assert len(twice) >= len(rows) // 3


def test_the_aih_page_has_the_same_figures() -> None:
    section = section_of(inquiries_read.AIH, inquiries_read.SECTION)
    written = inquiries_read.section(read(inquiries_read.READ))
    assert "\n".join(section).strip() == "\n".join(written).strip()


def test_figures_count_the_readings() -> None:
    rows = [
        {"source": "DSTC9 chatbot1", "appropriate": True, "again": True},
        {"source": "DSTC9 chatbot1", "appropriate": False, "again": False},
        {"source": "local", "appropriate": True},
    ]
    text = inquiries_read.figures(json.loads(json.dumps(rows)))
    assert "| DSTC9 bots | 2 | 0.500 |" in text
    assert "| all | 3 | 0.667 |" in text
    assert "κ = 1.00" in text
