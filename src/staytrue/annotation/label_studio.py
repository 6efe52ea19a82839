"""Label Studio: tasks to import there, the labelling interface, and the judgements exported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from staytrue.annotation.blind_names import blind
from staytrue.annotation.judgements import ANSWERS, QUESTION, AnnotatorJudgement, texts
from staytrue.core.errors import DataError
from staytrue.core.records import Example, JsonDict
from staytrue.datasets.tabular import truth

INTERFACE = f"""<View>
  <Header value="Knowledge"/>
  <Text name="knowledge" value="$knowledge"/>
  <Header value="Persona"/>
  <Text name="persona" value="$persona"/>
  <Header value="Earlier turns"/>
  <Text name="history" value="$history"/>
  <Header value="Is this response consistent with all of it?"/>
  <Text name="response" value="$response"/>
  <Choices name="{QUESTION}" toName="response" choice="single" showInline="true" required="true">
    <Choice value="{ANSWERS[0]}"/>
    <Choice value="{ANSWERS[1]}"/>
  </Choices>
</View>
"""
"""The labelling configuration for Settings → Labeling Interface → Code."""


def tasks(examples: Iterable[Example], key: bytes) -> Iterator[JsonDict]:
    """One task per example, without its id."""
    for example in examples:
        yield {"data": {"item": blind(example.id, key), **texts(example)}}


def judgements(row: Mapping[str, Any]) -> Iterator[AnnotatorJudgement]:
    """What a task of the export says: of each annotator (JSON), or of one (JSON-MIN, CSV)."""
    data = row.get("data", row)
    if not isinstance(data, Mapping) or "item" not in data:
        raise DataError(
            "The row is neither a task of Label Studio nor a record of Argilla that was made with "
            "staytrue annotate tasks."
        )
    item = str(data["item"])
    if "annotations" not in row:
        yield from _judgement(item, row.get("annotator", ""), row.get(QUESTION))
        return
    for annotation in _objects(row["annotations"]):
        if annotation.get("was_cancelled"):
            continue
        for result in _objects(annotation.get("result")):
            if result.get("from_name") == QUESTION:
                yield from _judgement(item, annotation.get("completed_by"), result.get("value"))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _judgement(item: str, annotator: Any, value: Any) -> Iterator[AnnotatorJudgement]:
    if isinstance(value, Mapping):
        value = value.get("choices")
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(annotator, Mapping):  # exports differ in how much they tell of a person
        annotator = annotator.get("email") or annotator.get("id")
    consistent = truth(value)
    if consistent is not None:
        yield AnnotatorJudgement(item, str(annotator), consistent)
