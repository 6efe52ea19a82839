"""The page's section on real bots' answers: errors by bot and kind, agreement, models compared."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from reproduce import consistest
from reproduce.consistest_judged import (
    JudgedAnswer,
    ScoredAnswer,
    agreement,
    agreement_of_readings,
    entailment_models,
    error_rows,
    judge_rows,
    new_answers,
    of_kind,
    read_answers,
    squared_error,
)

from staytrue.core.records import Example, Probe

BOSTON = Probe("where do you live?", "boston", "i live in boston .", "wh", "persona")
OSLO = Probe("do you live in oslo?", "yes", "i live in oslo .", "yn", "persona")


def judgement(
    probe: Probe, rating: float, score: float, bot: str = "a", again: float | None = None
) -> ScoredAnswer:
    return ScoredAnswer(
        JudgedAnswer(Example("1", "boston", probe=probe, rating=rating), bot, "kept", again), score
    )


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in consistest.NEW.read_text("utf-8").splitlines()]


def test_the_error_is_the_mean_of_squares_with_an_interval() -> None:
    error = squared_error([judgement(BOSTON, 1.0, 0.5), judgement(BOSTON, 0.0, 0.0)])
    assert error.value == pytest.approx(0.125)
    assert error.low is not None
    assert error.high is not None
    assert 0 <= error.low < 0.125 < error.high <= 1


def test_errors_are_told_apart_by_bot_and_by_kind() -> None:
    judged = [
        judgement(BOSTON, 1.0, 0.0, "a"),
        judgement(OSLO, 1.0, 1.0, "a"),
        judgement(OSLO, 0.0, 0.0, "b"),
    ]
    (first, second) = error_rows(judged, lambda answer: answer.bot)
    assert first[:3] == ("a", "2", "1.000")
    assert [cell.split()[0] for cell in first[3:]] == ["0.500", "1.000", "0.000"]
    assert second[:3] == ("b", "1", "0.000")
    assert second[4] == "–"  # no WH question
    assert [one.answer.kind for one in of_kind(judged, "yes/no")] == ["yn", "yn"]


def test_a_score_is_compared_as_the_nearest_rating() -> None:
    assert judgement(BOSTON, 0.0, 2 / 3).rating == 0.5
    assert judgement(BOSTON, 0.0, 0.9).rating == 1.0
    assert judgement(OSLO, 0.0, 0.6).rating == 1.0
    judged = [judgement(BOSTON, r, s) for r, s in ((0.0, 0.1), (0.5, 0.4), (1.0, 0.9))]
    assert agreement(judged) == "1.00"
    assert judge_rows({"ours": judged})[0][-2:] == ("1.00", "–")


def test_readings_agree_by_kind_on_what_was_read_twice() -> None:
    answers = [
        one.answer
        for one in (
            judgement(BOSTON, 1.0, 0, again=1.0),
            judgement(BOSTON, 0.0, 0, again=0.0),
            judgement(BOSTON, 1.0, 0),
            judgement(OSLO, 1.0, 0, again=0.0),
            judgement(OSLO, 0.0, 0, again=1.0),
        )
    ]
    wh, yes_no = agreement_of_readings(answers)
    assert wh[:3] == ("WH", "2", "1.00")
    assert yes_no[:3] == ("yes/no", "2", "-1.00")


def test_three_hundred_answers_of_four_bots_are_judged_and_a_third_of_them_twice() -> None:
    answers = read_answers(consistest.NEW)
    assert len(answers) >= 300
    assert len({answer.bot for answer in answers}) >= 4
    assert sum(answer.again is not None for answer in answers) >= 100
    kinds = Counter((a.example.probe.source[:4], a.kind) for a in answers if a.example.probe)
    assert min(kinds.values()) >= 60
    for answer in answers:
        allowed = (0.0, 0.5, 1.0) if answer.kind == "wh" else (0.0, 1.0)
        assert answer.rating in allowed
        assert answer.again in (None, *allowed)


def test_a_hash_of_the_probe_keeps_half_of_them_out() -> None:
    parts = Counter(row["part"] for row in rows())
    assert set(parts) == {"dev", "kept"}
    assert min(parts.values()) >= 0.4 * len(rows())
    for row in rows():
        asked = f"{row['probe']['question']}\n{row['probe']['fact']}".encode()
        odd = int(hashlib.sha256(asked).hexdigest(), 16) % 2
        assert row["part"] == ("kept" if odd else "dev")


def test_no_fact_was_judged_before() -> None:
    earlier = {
        " ".join(json.loads(line)["probe"]["fact"].lower().split())
        for name in consistest.JUDGED
        for line in (consistest.GOLDEN / name).read_text("utf-8").splitlines()
    }
    facts = [" ".join(row["probe"]["fact"].lower().split()) for row in rows()]
    assert not earlier & set(facts)
    assert len(set(facts)) == len(facts)


def test_the_small_model_is_always_compared() -> None:
    assert entailment_models()["small embedded"] == "embedded,size=small"


def test_a_model_of_dialogue_alone_is_compared_where_it_was_trained(tmp_path: Path) -> None:
    assert "Dialogue NLI alone" not in entailment_models(tmp_path)
    (tmp_path / "dnli").mkdir()
    (tmp_path / "dnli" / "models.json").write_text("{}")
    assert entailment_models(tmp_path)["Dialogue NLI alone"] == f"embedded,folder={tmp_path}/dnli"


@pytest.mark.slow
def test_the_section_shows_parts_bots_judges_models_and_readings(tmp_path: Path) -> None:
    first = [row for part in ("dev", "kept") for row in rows() if row["part"] == part][:4]
    last = [row for row in rows() if row["part"] == "kept"][-6:]
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(json.dumps(row) for row in [*first, *last]), "utf-8")
    models = {"small": "embedded,size=small", "again": "embedded,size=small"}
    page = "\n".join(new_answers(few, {"rules alone": "hybrid,nli=off"}, models))
    for passage in (
        "has 10 answers",
        "| dev (rules were tuned here) | 4 |",
        "| kept (kept out) | 6 |",
        "| kept: retrieval | 6 |",
        "| rules alone |",
        "| hybrid, again |",
        "| `compat=paper`, small |",
        "| yes/no |",
    ):
        assert passage in page
