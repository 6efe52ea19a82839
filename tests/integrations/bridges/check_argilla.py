"""Run in an environment with Argilla: see test_bridges.py."""

import json
import uuid

import argilla
from argilla.records._io import GenericIO, JsonIO

from staytrue.annotation.argilla import judgements, records
from staytrue.annotation.judgements import QUESTION, AnnotatorJudgement
from staytrue.core.records import Example

EXAMPLES = [Example("a", "At nine.", "We open at 9.")]


def judged(tmp_path):
    """Our record, as Argilla reads it, with an answer."""
    path = tmp_path / "records.json"
    path.write_text(json.dumps(list(records(EXAMPLES, b"key"))))
    (record,) = JsonIO._records_from_json(path)
    assert dict(record.fields) == {"response": "At nine.", "knowledge": "We open at 9."}
    user = uuid.uuid4()
    record.responses.add(
        argilla.Response(QUESTION, "inconsistent", user_id=user, status="submitted")
    )
    return record, AnnotatorJudgement(record.id, str(user), False)


def test_the_file_that_argilla_writes_is_read(tmp_path):
    record, expected = judged(tmp_path)
    (row,) = json.loads(JsonIO.to_json([record], tmp_path / "export.json").read_text())
    assert list(judgements(row)) == [expected]


def test_its_flat_rows_are_read(tmp_path):
    record, expected = judged(tmp_path)
    (row,) = GenericIO.to_list([record], flatten=True)
    assert list(judgements(row)) == [expected]
