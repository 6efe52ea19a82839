from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from training import silver_data
from training.common import GROUNDEDNESS_LABELS, read_rows
from training.silver_data import MIX, mixed

from staytrue.silver.make import LABEL_OF

Rows = list[dict[str, Any]]


def row(label: str, method: str, number: int, **changed: str) -> dict[str, Any]:
    return {
        "evidence": f"evidence {number}", "message": "hi", "response": f"said {method} {number}",
        "label": label, "method": method, "source": "wiki", "topic": f"topic {number % 40}",
        **changed,
    }  # fmt: skip


def every_method(count: int) -> Rows:
    return [
        row(label, method, number)
        for label, methods in MIX.items()
        for method in methods
        for number in range(count)
    ]


def test_methods_of_the_package_stand_under_the_label_of_the_rows_that_they_make() -> None:
    assert tuple(sorted(MIX)) == tuple(sorted(GROUNDEDNESS_LABELS))
    named = [(label, method) for label, methods in MIX.items() for method in methods]
    known = [(label, method) for label, method in named if method in LABEL_OF]
    assert len(known) > 10
    assert all(LABEL_OF[method] == label for label, method in known)
    # The rest is made of claims and of talk, not by a perturbation.
    others = {method.split("-")[0] for _, method in named if method not in LABEL_OF}
    assert others == {"claim", "human", "other"}


@pytest.mark.parametrize("each", [10, 50, 100])
def test_every_label_has_the_same_number_of_rows(each: int) -> None:
    drawn = mixed(every_method(100), each, 1)
    assert Counter(one["label"] for one in drawn) == dict.fromkeys(GROUNDEDNESS_LABELS, each)


def test_methods_come_in_their_shares_and_no_row_twice() -> None:
    drawn = mixed(every_method(100), 100, 1)
    counts = Counter((one["label"], one["method"]) for one in drawn)
    for label, methods in MIX.items():
        for method, share in methods.items():
            assert counts[label, method] == pytest.approx(
                100 * share / sum(methods.values()), abs=1
            )
    assert len({one["response"] for one in drawn}) == len(drawn)


def test_where_a_method_has_too_few_rows_others_of_its_label_fill_up() -> None:
    rows = [
        one for one in every_method(100) if one["method"] != "human-generic"
    ] + [row("generic", "human-generic", 1)]  # fmt: skip
    drawn = Counter(one["method"] for one in mixed(rows, 50, 1) if one["label"] == "generic")
    assert drawn == {"human-generic": 1, "generic": 49}


def test_methods_that_the_mix_does_not_name_are_not_drawn() -> None:
    rows = [*every_method(3), *(row("generic", "unheard-of", number) for number in range(50))]
    assert "unheard-of" not in {one["method"] for one in mixed(rows, 50, 1)}


def test_the_mix_follows_from_the_seed_alone() -> None:
    first, again, other = (mixed(every_method(60), 20, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Rows]]:
    """The command on rows made beforehand; gives the rows of each file that it wrote."""
    long = [row("generic", "generic", n, evidence="word " * 90, topic="wordy") for n in range(3)]
    monkeypatch.setattr(silver_data, "all_rows", lambda seed, wiki: [*every_method(40), *long])

    def main(*arguments: str) -> dict[str, Rows]:
        monkeypatch.setattr(sys, "argv", ["silver", "--out", str(tmp_path), *arguments])
        silver_data.main()
        return {path.name.split(".")[0]: list(read_rows(path)) for path in tmp_path.iterdir()}

    return main


def test_a_topic_is_either_trained_on_or_kept_apart(run: Callable[..., dict[str, Rows]]) -> None:
    files = run("--each", "30")
    topics = {name: {one["topic"] for one in rows} for name, rows in files.items()}
    assert topics["dev"]
    assert not topics["dev"] & (topics["train"] | topics["pool"])
    assert topics["dev"] | topics["pool"] == {"wordy", *(f"topic {n}" for n in range(40))}


def test_long_rows_stay_in_the_pool_and_are_not_trained_on(
    run: Callable[..., dict[str, Rows]],
) -> None:
    files = run("--each", "30")
    assert sum(one["topic"] == "wordy" for one in files["pool"]) == 3
    assert not any(one["topic"] == "wordy" for one in files["train"])


def test_another_mix_is_drawn_from_the_pool_and_the_dev_file_stays(
    run: Callable[..., dict[str, Rows]], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run("--each", "30")
    monkeypatch.delattr(silver_data, "all_rows")
    assert run("--remix", "--each", "30") == before
    after = run("--remix", "--each", "20")
    assert len(after["train"]) == 20 * len(GROUNDEDNESS_LABELS)
    assert after["dev"] == before["dev"]
