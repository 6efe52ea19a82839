from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from training import silver_text, taught_pairs
from training.taught_pairs import (
    CONTRADICTION_ODDS,
    made_replies,
    main,
    talk_replies,
    targets,
    taught,
)

from staytrue.core.records import Evidence, Verdict


def nli(entailment: float, neutral: float, contradiction: float) -> Verdict:
    three = {"entailment": entailment, "neutral": neutral, "contradiction": contradiction}
    return Verdict("x", "nli", 0.5, evidence=(Evidence("probabilities", details=three),))


def test_the_teacher_says_how_far_it_is_entailed_and_nli_what_the_rest_is() -> None:
    entailed, contradicted = targets(Verdict("x", "consistency", 0.6), nli(0.2, 0.4, 0.4))
    assert entailed == 0.6
    odds = CONTRADICTION_ODDS / (1 + CONTRADICTION_ODDS)
    assert contradicted == pytest.approx(0.4 * odds)


@pytest.mark.slow
def test_where_the_teacher_abstains_nothing_is_learned() -> None:
    rows = [{"evidence": "", "message": "Hi.", "response": "Hello there."}]
    assert list(taught(rows)) == []


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows) -> Path:
    rows = [
        {"evidence": f"Mill {n} was built in 1790.", "message": "Hi.", "method": method,
         "response": f"mill {n} was built long ago and i like it"}
        for n in range(6)
        for method in ("human", "generic", "negation")
    ]  # fmt: skip
    write_rows(tmp_path / "silver" / "pool.jsonl.gz", rows)
    turns = [
        "Do you know the old mill?",
        "Yes, the old mill by the river is from 1790.",
        "Oh, nice.",
    ]
    content = [{"message": turn} for turn in turns]
    write_rows(
        tmp_path / "text" / "topical_chat_valid_freq.jsonl.gz",
        [{"article_url": f"topic {n}", "content": content} for n in range(4)],
    )
    for name in ("topical_chat_valid_rare", "personachat", "cmu_dog_wiki", "cmu_dog_train"):
        write_rows(tmp_path / "text" / f"{name}.jsonl.gz", [])
    lines = "The old mill by the river was built in 1790. It is a museum of bread and flour now."
    write_rows(tmp_path / "text" / "wiki_paragraphs.jsonl.gz", [{"title": "Mill", "text": lines}])
    monkeypatch.setattr(silver_text, "DATA", tmp_path)
    monkeypatch.setattr(taught_pairs, "CHECKPOINTS", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("data")
def test_methods_come_equally_often_and_edits_of_one_word_not_at_all() -> None:
    methods = [row["method"] for row in made_replies(8, 1)]
    assert sorted(methods) == ["generic"] * 4 + ["human"] * 4
    assert made_replies(8, 1) == made_replies(8, 1)


@pytest.mark.usefixtures("data")
def test_a_turn_of_talk_gets_the_sentence_it_comes_nearest_to() -> None:
    items = list(talk_replies(10, 1))
    assert items
    assert {row["evidence"] for row in items} == {"The old mill by the river was built in 1790."}
    assert {row["message"] for row in items} == {"Do you know the old mill?"}


@pytest.mark.slow
def test_the_command_writes_pairs_with_probabilities(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = data / "taught" / "train.jsonl.gz"
    given = ["taught_pairs", "--out", str(out), "--made", "4", "--talk", "2"]
    monkeypatch.setattr(sys, "argv", given)
    main()
    with gzip.open(out, "rt", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert len(rows) >= 4
    for row in rows:
        assert row["evidence"]
        assert row["response"]
        assert sum(row["begin"].values()) == pytest.approx(1, abs=0.01)
        assert 0 <= row["contradiction"] <= 1 - row["entailment"] <= 1
