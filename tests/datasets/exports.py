"""What tools export, written to a file and read back as examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from staytrue.core.records import Example
from staytrue.datasets import tabular


def read(path: Path, content: Any) -> list[Example]:
    """The examples of a file with that content; a row that cannot be read fails the test."""
    path.write_text(json.dumps(content) + "\n")
    items = list(tabular.read(str(path)))
    examples = [item for item in items if isinstance(item, Example)]
    assert examples == items
    return examples
