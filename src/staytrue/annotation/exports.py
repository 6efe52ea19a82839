"""The judgements in an export of Label Studio or Argilla, whichever it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from staytrue.annotation import argilla, label_studio
from staytrue.annotation.judgements import AnnotatorJudgement
from staytrue.core.errors import DataError
from staytrue.core.records import Failure
from staytrue.datasets.files import rows


def read(path: Path) -> Iterator[AnnotatorJudgement]:
    """Every judgement in the file; a row that cannot be read is an error that names it."""
    for row in rows(str(path)):
        if isinstance(row, Failure):
            raise DataError(f"{row.where}: {row.error}")
        tool = argilla if argilla.is_record(row.values) else label_studio
        try:
            yield from tool.judgements(row.values)
        except DataError as error:
            raise DataError(f"{row.where}: {error}") from None
