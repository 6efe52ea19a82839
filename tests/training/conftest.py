"""What the training tests share: rows as the training files hold them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Writer = Callable[[Path, Iterable[dict[str, Any]]], Path]


@pytest.fixture(scope="session")
def write_rows() -> Writer:
    """Write rows as gzipped JSON lines, and give the path back."""

    def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)
        return path

    return write
