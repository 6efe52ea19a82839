"""Names on sheets: the key is made once, kept private, and never empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from staytrue.annotation.blind_names import (
    NO_KEY,
    blind,
    examples_by_item,
    sheet_key,
    stored_key,
)
from staytrue.core.errors import DataError
from staytrue.core.records import Example


def test_a_key_is_made_once_and_is_for_the_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "sheets.key"
    assert stored_key(file) == NO_KEY
    key = sheet_key(file)
    assert len(key) == 32
    assert key == sheet_key(file) == stored_key(file)
    assert file.stat().st_mode & 0o077 == 0
    assert key != sheet_key(tmp_path / "other.key")


def test_an_empty_key_file_is_refused_since_names_could_be_guessed(tmp_path: Path) -> None:
    (tmp_path / "sheets.key").touch()
    with pytest.raises(DataError, match="empty"):
        sheet_key(tmp_path / "sheets.key")


def test_an_item_is_found_under_any_of_the_keys_and_a_strange_one_is_named() -> None:
    examples = [Example("a", ""), Example("b\ud800", "")]
    items = {blind("a", b"one"), blind("b\ud800", b"two")}
    known = examples_by_item(items, examples, {b"one", b"two"})
    assert {example.id for example in known.values()} == {"a", "b\ud800"}
    with pytest.raises(DataError, match="not from this source"):
        examples_by_item(items, examples, {b"one"})
