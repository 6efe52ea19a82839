"""Dev labels beside what two readers said of the same rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reproduce import labels
from reproduce.labels import READ, SETS, DevRow, Read
from reproduce.readings import read

from staytrue.core.protocols import Entailment

PAIRS = SETS["fever_symmetric_dev"]
RESPONSES = SETS["begin_v1_dev"]
SURE, REFUTED = Entailment(0.8, 0.1, 0.1), Entailment(0.1, 0.5, 0.4)


def rows(*given: str) -> list[DevRow]:
    return [DevRow(number, {}, label) for number, label in enumerate(given)]


def test_rows_whose_label_was_not_asked_for_are_left_out_of_accuracy() -> None:
    wanted = ["entailment", "contradiction", "neutral"]
    two = labels.accuracy(wanted, [SURE, REFUTED, SURE], ("entailment", "contradiction"))
    assert two.startswith("1.000 ")
    three = labels.accuracy(wanted, [SURE, REFUTED, SURE], PAIRS.labels)
    assert three.startswith("0.333 ")


def test_of_responses_only_the_positive_label_counts() -> None:
    given = ["entailment", "generic", "off-topic"]
    one = Read(RESPONSES, rows(*given), (["entailment", "generic", "generic"], given))
    title, count, readers, first, second = labels.agreement(one)
    assert (title, count) == (RESPONSES.title, 3)
    assert readers == first == second == "1.000, κ 1.00"


def test_labels_of_pairs_are_compared_as_they_are() -> None:
    given = ["entailment", "neutral", "contradiction", "entailment"]
    other = ["entailment", "neutral", "neutral", "contradiction"]
    one = Read(replace(PAIRS), rows(*given), (given, other))
    assert [cell[:5] for cell in map(str, labels.agreement(one)[2:])] == ["0.500", "1.000", "0.500"]


def test_both_readers_labelled_every_row_that_was_drawn_with_a_label_of_its_set() -> None:
    stored = read(READ)
    for name, one in SETS.items():
        own = [row for row in stored if row["set"] == name]
        assert len({row["row"] for row in own}) == len(own) == one.drawn
        assert {row[reader] for row in own for reader in labels.READERS} <= set(one.labels)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.usefixtures("published_data")
def test_the_rows_that_were_read_are_those_drawn(name: str) -> None:
    stored = {row["row"] for row in read(READ) if row["set"] == name}
    assert {row.number for row in labels.draw(name)} == stored
