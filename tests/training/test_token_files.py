from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from training import token_files
from training.common import SHIPPED

ROWS = [
    ("tea is hot", "it is hot", "web"),
    ("a dog barks", "a long text " * 20, "web"),
    ("rain fell", "skip", "book"),
    ("rain fell", "it rained", "book"),
    ("tea is hot", "cold tea", "web"),
]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, np.ndarray]:
    monkeypatch.setattr(token_files, "WARM_START", SHIPPED)
    monkeypatch.setattr(token_files, "_AT_ONCE", 2)
    path = tmp_path / "made" / "rows.npz"
    token_files.write(
        path,
        iter(ROWS),
        lambda row: (row[0], row[1]),
        lambda row, _: None if row[1] == "skip" else {"labels": len(row[1]), "sources": row[2]},
        longest=30,
    )
    return dict(np.load(path))


def test_rows_that_are_too_long_or_without_columns_are_left_out(
    written: dict[str, np.ndarray],
) -> None:
    assert written["labels"].tolist() == [len(ROWS[kept][1]) for kept in (0, 3, 4)]
    assert len(written["ids"]) == written["lengths"].sum()


def test_the_ids_of_a_row_are_those_of_its_two_texts(written: dict[str, np.ndarray]) -> None:
    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    tokenizer.no_padding()
    ends = np.cumsum(written["lengths"])
    for number, kept in enumerate((0, 3, 4)):
        encoded = tokenizer.encode(*ROWS[kept][:2])
        ids = written["ids"][ends[number] - written["lengths"][number] : ends[number]]
        assert ids.tolist() == encoded.ids
        # The first length is where the second text begins.
        assert written["premise_lengths"][number] == encoded.type_ids.index(1)


def test_a_column_of_names_becomes_codes_and_the_list_of_names(
    written: dict[str, np.ndarray],
) -> None:
    names = written["source_names"][written["sources"]]
    assert names.tolist() == ["web", "book", "web"]
