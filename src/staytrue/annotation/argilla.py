"""Argilla: records to import there, and the judgements that its records come back with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from staytrue.annotation.blind_names import blind
from staytrue.annotation.judgements import QUESTION, AnnotatorJudgement, texts
from staytrue.core.records import Example, JsonDict
from staytrue.datasets.spans import decoded
from staytrue.datasets.tabular import truth

_FLAT = f"{QUESTION}.responses"
# A draft is not an answer yet, and a discarded record was not judged. JSON files do not tell.
_ANSWERED = (None, "submitted")


def records(examples: Iterable[Example], key: bytes) -> Iterator[JsonDict]:
    """One record per example, without its id; for `dataset.records.from_json`."""
    for example in examples:
        shown = {name: text for name, text in texts(example).items() if text}
        yield {"id": blind(example.id, key), "fields": shown}


def is_record(row: Mapping[str, Any]) -> bool:
    """Whether the row is a record, as `to_json` writes it or as a flat row of a data set."""
    return _FLAT in row or isinstance(row.get("responses"), Mapping)


def judgements(row: Mapping[str, Any]) -> Iterator[AnnotatorJudgement]:
    """What each annotator said of a record."""
    if _FLAT in row:
        names = (_FLAT, f"{_FLAT}.users", f"{_FLAT}.status")
        columns = [decoded(row.get(name)) or [] for name in names]
        given = list(zip_longest(*columns))
    else:
        responses = row["responses"].get(QUESTION) or []
        given = [(one.get("value"), one.get("user_id"), one.get("status")) for one in responses]
    for value, annotator, status in given:
        consistent = truth(value) if status in _ANSWERED else None
        if consistent is not None:
            yield AnnotatorJudgement(str(row.get("id", "")), str(annotator), consistent)
