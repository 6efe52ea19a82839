"""Judgements of a queue as files that the command line reads."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from staytrue.annotation.begin_rule import QUESTIONS
from staytrue.annotation.begin_sheet import FIXED
from staytrue.annotation.blind_names import blind
from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS
from staytrue.core.errors import UsageError
from staytrue.core.records import JsonDict
from staytrue.core.text import spreadsheet_safe
from staytrue.stats.annotators import majority
from staytrue.web.queues import StoredJudgement


@dataclass(frozen=True)
class Exported:
    """A file to download."""

    file_name: str
    media_type: str
    text: str


def export(
    kind: str, queue: str, rows: Sequence[StoredJudgement], form: str, key: Callable[[], bytes]
) -> Exported:
    """The queue's judgements; `labels` is what commands read, `judgements` is every single one.

    Sheets go from hand to hand, so they name items by hashes under the key of the queue's run.
    """
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", queue).strip("-") or "queue"
    if form == "judgements":
        return _jsonl(f"{stem}-judgements.jsonl", [_single(row) for row in rows])
    if form != "labels":
        raise UsageError("Choose the form 'labels' or 'judgements'.")
    if kind == "begin":
        return Exported(f"{stem}.csv", "text/csv", _begin_sheet(rows, key()))
    if kind == "aih":
        return Exported(f"{stem}.csv", "text/csv", _aih_sheet(rows, key()))
    return _jsonl(f"{stem}.jsonl", _labelled(kind, rows))


def _jsonl(name: str, rows: Sequence[JsonDict]) -> Exported:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return Exported(name, "application/jsonl", text)


def _single(row: StoredJudgement) -> JsonDict:
    return {
        "example_id": row.example_id, "annotator": row.annotator, "answers": row.answers,
        "skipped": row.skipped, "seconds": row.seconds,
    }  # fmt: skip


def _labelled(kind: str, rows: Sequence[StoredJudgement]) -> list[JsonDict]:
    """Each example with the majority's judgement, ready for `staytrue score`."""
    answered: dict[int, list[StoredJudgement]] = {}
    for row in rows:
        if row.answers is not None:
            answered.setdefault(row.position, []).append(row)
    examples = []
    for position in sorted(answered):
        group = answered[position]
        name = "consistent" if kind == "q2" else "score"
        votes = [(row.answers or {})["parts"][0][name] for row in group]
        example = {"id": group[0].example_id, **group[0].payload["example"]}
        if kind == "q2":
            winner = majority(votes)
            if winner is not None:
                example["consistent"] = winner == "consistent"
        else:
            example["rating"] = sum(votes) / len(votes)
        shown = {row.annotator: str(vote) for row, vote in zip(group, votes, strict=True)}
        example["tags"] = {"votes": json.dumps(shown, ensure_ascii=False)}
        examples.append(example)
    return examples


def _begin_sheet(rows: Sequence[StoredJudgement], key: bytes) -> str:
    """The sheet of `staytrue questionnaire`, filled in."""
    lines: list[list[Any]] = [[*FIXED, *QUESTIONS.values()]]
    for row in rows:
        example = row.payload["example"]
        for number, part in enumerate((row.answers or {}).get("parts", ()), 1):
            texts = (example.get("knowledge", ""), _message(example), example["response"])
            sentence = row.payload["parts"][number - 1]
            answers = [part.get(name, "") for name in QUESTIONS]
            item = blind(row.example_id, key)
            lines.append([item, number, *texts, sentence, row.annotator, *answers])
    return _csv(lines)


def _aih_sheet(rows: Sequence[StoredJudgement], key: bytes) -> str:
    """The sheet of `staytrue annotate`, filled in."""
    head = ("item", "utterance", "inquiry", "answer", "annotator", "seconds")
    lines: list[list[Any]] = [[*head, *INQUIRY_FIELDS]]
    for row in rows:
        if row.answers is None:
            continue
        shown, part = row.payload["example"], row.answers["parts"][0]
        asked = (shown.get("probe") or {}).get("question") or _message(shown)
        texts = (shown.get("knowledge", ""), asked, shown["response"], row.annotator, row.seconds)
        answers = [part[name] for name in INQUIRY_FIELDS]
        lines.append([blind(row.example_id, key), *texts, *answers])
    return _csv(lines)


def _message(example: JsonDict) -> str:
    history = example.get("history") or [{"text": ""}]
    return str(history[-1]["text"])


def _csv(lines: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([spreadsheet_safe(cell) for cell in line] for line in lines)
    return text.getvalue()
