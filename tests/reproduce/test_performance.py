"""The performance page in small: what is counted is what ran, and shares are shares."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from reproduce import performance
from tests.conftest import REPOSITORY

from staytrue.backends.embedded import SHIPPED, EmbeddedBackend
from staytrue.core.protocols import Pair
from staytrue.core.records import Example
from staytrue.plugins.registry import load_metric, names

BACKEND = "embedded,size=small,threads=1"
ROWS = [Example(str(n), f"Coffee number {n} is hot.", "Coffee is a drink.") for n in range(4)]


def test_forward_passes_and_their_operations_are_counted() -> None:
    pytest.importorskip("onnx")
    speed = performance.measure("nli", ROWS, BACKEND)
    assert speed.responses == 4
    assert speed.passes.count >= 4
    assert 0 < speed.passes.seconds < speed.seconds
    # Five layers of 384 × 384 four times and 384 × 1,536 twice, two operations per weight; of the
    # last only keys and values are made for every token, and one token asks.
    weights = 5 * (4 * 384 * 384 + 2 * 384 * 1536) + 2 * 384 * 384
    ((per_token, per_pair),) = speed.passes.files.values()
    assert (per_token, per_pair) == (2 * weights + 4 * 384, 4 * 5 * 384)
    assert sum(speed.shares.values()) == pytest.approx(1)
    assert speed.shares["models"] > 0.02  # of wall time, which a busy machine gives to others


def test_what_is_computed_for_one_token_only_is_not_counted_for_all(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from training.graph import build, read_back

    file = tmp_path / "quick.onnx"
    weights = read_back(SHIPPED / "groundedness.onnx")
    file.write_bytes(build(weights, "classifier").SerializeToString())
    square, wide = 384 * 384, 384 * 1536
    per_token, per_pair = performance.operations(file)
    # Of the last layer only keys and values are made for every token, and one token asks.
    assert per_token == 2 * (5 * (4 * square + 2 * wide) + 2 * square) + 4 * 384
    assert per_pair == 4 * 5 * 384


def test_every_metric_but_the_one_of_a_server_is_measured() -> None:
    assert sorted(performance.METRICS) == sorted(set(names("metrics")) - {"judge"})


@pytest.mark.parametrize("metric", ["contradiction", "hybrid", "probe-overlap"])
def test_rows_that_are_measured_can_be_scored(metric: str) -> None:
    rows = performance.rows_for(metric, ROWS)
    verdicts = load_metric(metric, backend=BACKEND).judge(rows)
    assert all(verdict.score is not None for verdict in verdicts)
    speed = performance.measure(metric, rows[:2], BACKEND)
    assert (speed.metric, speed.responses) == (metric, 2)
    assert (speed.passes.count > 0) == (metric != "probe-overlap")


def test_rows_that_are_repeated_have_texts_of_their_own() -> None:
    rows = performance.rows_for("contradiction", [ROWS[0]] * 20)
    assert len({row.response for row in rows}) == len(rows) == 20


@pytest.mark.parametrize("metric", performance.METRICS)
def test_all_models_of_a_metric_are_loaded_before_anything_is_timed(metric: str) -> None:
    (row,) = performance.rows_for(metric, ROWS[:1])
    backend, loaded = performance._warm(metric, row, BACKEND)
    before = set(backend._encoder._loaded)
    loaded.judge(performance.rows_for(metric, ROWS))
    assert set(backend._encoder._loaded) == before


def test_the_head_of_the_page_says_which_sizes_ran_on_how_many_responses() -> None:
    head = performance.conditions_here({"embedded,size=small": 200, "embedded,size=large": 40})
    assert "`embedded,size=small` on 200 responses and `embedded,size=large` on 40" in head


def test_a_metric_without_models_has_no_passes() -> None:
    speed = performance.measure("overlap", ROWS, BACKEND)
    assert (speed.passes.count, speed.achieved) == (0, None)
    assert speed.shares["models"] == 0


def test_passes_are_counted_only_meanwhile() -> None:
    pytest.importorskip("onnx")
    backend = EmbeddedBackend(size="small", threads=1)
    with performance.counted(backend) as passes:
        backend.infer([Pair("Coffee is a drink.", "Coffee is hot.")])
    backend.infer([Pair("Coffee is a drink.", "Coffee is cold.")])
    assert passes.count == 1


def test_the_limit_is_that_of_a_machine_of_this_century() -> None:
    assert 1e8 < performance.arithmetic_limit(256, 0.05) < 1e13


def test_texts_have_the_words_asked_for_and_no_sentence_twice() -> None:
    words = performance.text(500, seed=3)
    assert len(words.split()) == 500
    sentences = words.split(". ")
    assert len(set(sentences)) == len(sentences)


def test_texts_of_different_lengths_share_no_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[Example] = []

    class Noted:
        def judge(self, examples: list[Example]) -> None:
            judged.extend(examples)

    monkeypatch.setattr(performance.staytrue, "load_metric", lambda *_, **__: Noted())
    performance.by_length("consistency", BACKEND, [50, 150], rounds=2)
    sentences = [
        sentence
        for example in judged
        for side in (example.response, example.knowledge)
        for sentence in re.findall(r"The [^.]* year \d+", side)
    ]
    assert len(sentences) > 50
    assert len(set(sentences)) == len(sentences)


@pytest.mark.slow
def test_the_page_tells_the_conditions_and_has_a_row_per_metric(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    page = tmp_path / "performance.md"
    options = [
        "--size",
        "small",
        "--limit",
        "3",
        "--metric",
        "overlap",
        "--metric",
        "nli",
        "--metric",
        "probe-overlap",
        "--words",
        "12",
        "60",
        "--no-two-cores",
    ]
    subprocess.run(
        [sys.executable, "-m", "reproduce.performance", *options, "--page", str(page)],
        cwd=REPOSITORY, check=True,
    )  # fmt: skip
    text = page.read_text("utf-8")
    assert "Measured with one thread" in text
    for metric in ("overlap", "nli", "probe-overlap"):
        assert text.count(f"| `{metric}` |") == 2
    assert "| 60 |" in text
    assert (tmp_path / "pictures" / performance.PICTURE).read_text("utf-8").startswith("<svg")
