from __future__ import annotations

import argparse
import itertools
import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from training.common import (
    GROUNDEDNESS_LABELS,
    LABELS,
    SHIPPED,
    add_recipe,
    folded,
    read_rows,
    recipe_from,
    sentence_spans,
    sentences,
)

from staytrue.core.begin_labels import LABELS as PRODUCT_LABELS

ROWS = [{"text": "Zoë said “no”."}, {"text": "b"}]


def test_rows_are_read_from_plain_and_from_gzipped_files(tmp_path: Path, write_rows) -> None:
    plain = tmp_path / "rows.jsonl"
    plain.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n", encoding="utf-8")
    assert list(read_rows(plain)) == ROWS
    assert list(read_rows(write_rows(tmp_path / "rows.jsonl.gz", ROWS))) == ROWS


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n\n  \n{"a": 2}', encoding="utf-8")
    assert [row["a"] for row in read_rows(path)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rains. It pours.", ["It rains.", "It pours."]),
        ('He said "no." Then he left!', ['He said "no."', "Then he left!"]),
        ("Really? (Yes.) 9 came.", ["Really?", "(Yes.)", "9 came."]),
        ("about 3.5 km of e.g. road", ["about 3.5 km of e.g. road"]),
        ("no mark at all", ["no mark at all"]),
        ("", []),
    ],
)
def test_sentences_end_at_a_mark_before_a_capital_or_digit(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_between_two_sentences_only_space_is_lost() -> None:
    text = "One here.  Two there!\nThree (yes?) Four."
    spans = sentence_spans(text)
    gaps = [text[a[1] : b[0]] for a, b in itertools.pairwise(spans)]
    assert len(gaps) == 3
    assert all(gap and gap.isspace() for gap in gaps)
    assert (spans[0][0], spans[-1][1]) == (0, len(text))


def test_rows_are_compared_without_case_marks_and_spacing() -> None:
    assert folded("It’s  a DOG, isn't it?") == folded("it's a dog isn't it")
    assert folded("a dog") != folded("a cat")


def test_the_labels_are_those_of_the_product_in_the_order_of_the_shipped_models() -> None:
    shipped = json.loads((SHIPPED / "models.json").read_text())["models"]
    assert list(LABELS) == shipped["entailment"]["labels"]
    assert list(GROUNDEDNESS_LABELS) == shipped["groundedness"]["labels"] == list(PRODUCT_LABELS)


def test_every_field_of_a_recipe_is_an_option_with_its_default() -> None:
    @dataclass(frozen=True)
    class Recipe:
        batch_size: int = 32
        rate: float = 2e-5

    parser = argparse.ArgumentParser()
    add_recipe(parser, Recipe())
    assert recipe_from(parser.parse_args([]), Recipe) == Recipe()
    assert recipe_from(parser.parse_args(["--batch-size", "8"]), Recipe) == Recipe(8, 2e-5)
