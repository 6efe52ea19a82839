"""Token ids of many pairs of texts in one file, as `training.tasks.TokenArray` reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from tokenizers import Encoding, Tokenizer

from training.common import WARM_START

Row = TypeVar("Row")
Columns = dict[str, int | str]
_AT_ONCE = 2000


def write(
    path: Path,
    rows: Iterable[Row],
    texts: Callable[[Row], tuple[str, str]],
    columns: Callable[[Row, Encoding], Columns | None],
    *,
    longest: int,
) -> None:
    """Tokenise the two texts of each row and write them with the row's columns.

    Rows of more than `longest` tokens, and those whose columns are None, are left out. A column
    of names becomes one of codes (`sources`) and the list of names (`source_names`).
    """
    tokenizer = Tokenizer.from_file(str(WARM_START / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    ids: list[np.ndarray] = []
    first_lengths: list[int] = []
    values: dict[str, list[int]] = {}
    codes: dict[str, dict[str, int]] = {}
    seen = 0
    coming = iter(rows)
    while batch := list(islice(coming, _AT_ONCE)):
        seen += len(batch)
        encoded = tokenizer.encode_batch([texts(row) for row in batch])
        for row, encoding in zip(batch, encoded, strict=True):
            if len(encoding.ids) > longest or 1 not in encoding.type_ids:
                continue
            row_values = columns(row, encoding)
            if row_values is None:
                continue
            ids.append(np.array(encoding.ids, dtype=np.uint16))
            first_lengths.append(encoding.type_ids.index(1))
            for name, value in row_values.items():
                if isinstance(value, str):
                    known = codes.setdefault(name, {})
                    value = known.setdefault(value, len(known))
                values.setdefault(name, []).append(value)
    path.parent.mkdir(parents=True, exist_ok=True)
    lengths = np.array([len(one) for one in ids], dtype=np.int32)
    columns_made: dict[str, Any] = {
        name: np.array(column, dtype=np.int16) for name, column in values.items()
    }
    columns_made |= {f"{name[:-1]}_names": np.array(list(known)) for name, known in codes.items()}
    np.savez(
        path,
        ids=np.concatenate(ids),
        lengths=lengths,
        premise_lengths=np.array(first_lengths, dtype=np.int32),
        **columns_made,
    )
    print(
        f"{path.name}: {len(ids)} of {seen} rows, {lengths.mean():.1f} tokens on average",
        flush=True,
    )
