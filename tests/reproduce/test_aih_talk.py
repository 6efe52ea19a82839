"""Figures about people's talk with bots say when there is too little of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from reproduce.aih_talk import BotRow, _rate, flags, with_people

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Entailment
from staytrue.plugins.registry import load_metric


def rows(*rates: float | None) -> list[BotRow]:
    return [BotRow(f"bot{n}", n / 10, rate, None, 5, 0) for n, rate in enumerate(rates)]


def test_an_order_of_bots_has_an_interval() -> None:
    assert with_people(rows(0.1, 0.2, 0.3, 0.4, 0.5), "searched").startswith("+1.00 [")


def test_bots_without_a_rate_are_left_out_and_three_give_no_figure() -> None:
    assert with_people(rows(0.1, None, 0.3, 0.4, 0.5), "searched").startswith("+1.00 [")
    assert with_people(rows(0.1, None, 0.3, 0.4), "searched") == "– (3 bots)"
    assert with_people(rows(0.1, 0.2), "asked") == "– (0 bots)"


def test_without_pairs_there_is_no_rate() -> None:
    backend = ScriptedBackend(entailments=lambda pair: Entailment(0.0, 0.0, 1.0))
    assert _rate(load_metric("contradiction", backend=backend), []) is None


def test_flags_may_be_looked_for_in_a_few_dialogues_only(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "dstc9_chatbot1.jsonl.gz", "wt") as file:
        for city in ("rome", "oslo", "paris"):
            claim = f"live in {city} ."
            talk = f"User: hi\nSystem: i {claim}\nUser: ok\nSystem: i do not {claim}"
            file.write(json.dumps({"context": talk, "consistent": 0}) + "\n")
    backend = ScriptedBackend(entailments=lambda pair: Entailment(0.0, 0.0, 1.0))
    metric = load_metric("contradiction", backend=backend)
    assert flags(tmp_path, metric).dialogues == 3
    few = flags(tmp_path, metric, most=2)
    assert (few.dialogues, len(few.flagged), len(few.others)) == (2, 2, 0)
