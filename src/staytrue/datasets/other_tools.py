"""Rows as other tools write them: Ragas, DeepEval, Inspect, OpenAI chats, traces."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.records import Turn
from staytrue.datasets import langfuse, phoenix
from staytrue.datasets.files import Row
from staytrue.datasets.spans import INSTRUCTIONS, NOBODY, SPEAKERS, TOOLS, TraceSpan, from_otlp

SPEAKER_FIELDS = ("speaker", "role", "type")
# Our field → theirs. `input` is too common a name to be taken for a message by itself.
_DEEPEVAL = {"message": "input", "response": "actual_output", "knowledge": "retrieval_context"}
_RAGAS = {"message": "user_input", "knowledge": "retrieved_contexts"}
_RAGAS_BEFORE_0_2 = {"message": "question", "response": "answer", "knowledge": "contexts"}
_COMMON = {"knowledge": "context"}
_CHATS = ("messages", "user_input")
_TOOLS = (_DEEPEVAL, _RAGAS, _RAGAS_BEFORE_0_2, _COMMON)
# Of columns named with capitals, a rating is read only if it is a number: "Rating: good" is
# somebody's own.
_FOLDED = {
    *("id", "response", "knowledge", "message", "history", "persona", "consistent", "label"),
    "rating",
    *_CHATS,
    *(n for tool in _TOOLS for n in tool.values()),
}
_SPACES = re.compile(r"[\s-]+")


def recognised(values: Mapping[str, Any], columns: Mapping[str, str]) -> Mapping[str, Any]:
    """The row with our names beside those of the tool it comes from; ours are never replaced."""
    mapped = {name.removeprefix("!") for name in columns.values()}
    values = _folded(values, mapped) | dict(values)
    fields = dict(values)
    deepeval = _DEEPEVAL if "actual_output" in values else {}
    for theirs in (deepeval, *_TOOLS[1:]):
        for ours, name in theirs.items():
            if ours in fields or ours in columns or name not in values or name in mapped:
                continue
            if not _is_other(name, fields, columns):
                fields[ours] = values[name]
    for name in _CHATS:
        if _is_chat(values.get(name)) and "history" not in fields and "history" not in columns:
            fields.pop("message", None)
            chat = _chat(values[name], answered="response" in fields or "response" in columns)
            fields = {"system": chat.pop("system"), "knowledge": chat.pop("knowledge")} | fields
            fields |= chat
    return fields


def _folded(values: Mapping[str, Any], mapped: set[str]) -> dict[str, Any]:
    """Columns whose names a spreadsheet's author wrote with capitals and spaces, under ours."""
    names = {_plain(name): name for name in values if name not in mapped}
    folded = {known: values[name] for known, name in names.items() if known in _FOLDED}
    if not _is_number(folded.get("rating", 0)):
        del folded["rating"]
    return folded


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError):
        return False


@lru_cache(maxsize=1024)
def _plain(name: object) -> str:
    return _SPACES.sub("_", str(name).strip()).lower()


def _is_other(name: str, fields: Mapping[str, Any], columns: Mapping[str, str]) -> bool:
    """Whether a column with a common name is something else in this row."""
    if name == "question":  # the history has it already, as its last turn
        return "history" in fields or "history" in columns
    if name == "answer":  # the right one, beside a chat that ends with the bot's
        return any(_is_chat(fields.get(chat)) for chat in _CHATS)
    # The turns before the response, or what a trace calls its context.
    return name == "context" and (_is_chat(fields[name]) or isinstance(fields[name], Mapping))


def traced(values: Mapping[str, Any]) -> list[TraceSpan]:
    """The spans of a row that is a trace or a step of one: OpenTelemetry, Langfuse, Phoenix."""
    if "resourceSpans" in values:
        return list(from_otlp(values))
    return langfuse.spans(values) or phoenix.spans(values)


def unpacked(row: Row) -> Iterator[Row]:
    """The row; or, of a whole Inspect log, its samples."""
    samples = row.values.get("samples")
    if not isinstance(samples, list) or "eval" not in row.values:
        yield row
        return
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, Mapping):
            raise DataError(f"Sample {number} of the Inspect log is not an object.")
        where = f"{row.where}, sample {number}" if len(samples) > 1 else row.where
        yield Row(where, _inspect(sample))


def _inspect(sample: Mapping[str, Any]) -> dict[str, Any]:
    output = sample.get("output")
    output = output if isinstance(output, Mapping) else {}
    choices = output.get("choices") or [{}]
    first = choices[0] if isinstance(choices[0], Mapping) else {}
    message = first.get("message")
    completion = (
        message.get("content") if isinstance(message, Mapping) else output.get("completion")
    )
    metadata = sample.get("metadata")
    prompt: Any = sample.get("input")
    values = dict(metadata) if isinstance(metadata, Mapping) else {}
    values |= {"id": f"{sample.get('id', '')}", "response": _text(completion)}
    values |= {"messages": prompt} if _is_chat(prompt) else {"message": prompt}
    if sample.get("epoch") not in (None, 1):
        values["id"] += f"-{sample['epoch']}"
    return values


def speaker_of(turn: Mapping[str, Any]) -> str:
    """Who speaks, under our name, by whatever field the tool has for it."""
    speaker = next((turn[name] for name in SPEAKER_FIELDS if turn.get(name) is not None), "")
    if isinstance(speaker, (list, Mapping)):
        raise DataError(f"The field 'speaker' must be text, not {type(speaker).__name__}.")
    return SPEAKERS.get(str(speaker), str(speaker))


def said(turn: Mapping[str, Any]) -> Turn | None:
    """A turn as we write it, or a chat message; None for what nobody says, such as instructions."""
    speaker = speaker_of(turn)
    words = turn.get("text", _text(turn.get("content")))
    if not isinstance(words, str) and (words is not None or not turn.get("tool_calls")):
        raise DataError("A turn of the history has no 'text': name it text or content.")
    return Turn(speaker, words) if words and speaker not in NOBODY else None


def _is_chat(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_message(one) for one in value)


def _is_message(value: Any) -> bool:
    """Whether it says something, or calls a tool instead."""
    return isinstance(value, Mapping) and ("content" in value or "tool_calls" in value)


def _chat(messages: Sequence[Mapping[str, Any]], *, answered: bool) -> dict[str, Any]:
    """History and response of a chat; the bot's last message is judged, if there is no other.

    What tools returned before it is its knowledge. The system's instructions are kept apart: only
    the user knows whether they hold knowledge, a persona or neither.
    """
    talk = [(speaker_of(message), _said(message)) for message in messages]
    last = len(talk)
    if not answered:
        bots = [n for n, (speaker, text) in enumerate(talk) if speaker == "bot" and text]
        if not bots:
            raise DataError("The chat has no message of the assistant to judge.")
        last = bots[-1]
    before = [(speaker, text) for speaker, text in talk[:last] if text]
    chat = {
        "history": [{"speaker": s, "text": text} for s, text in before if s not in NOBODY],
        "knowledge": [text for speaker, text in before if speaker in TOOLS],
        "system": "\n".join(str(text) for speaker, text in before if speaker in INSTRUCTIONS),
    }
    return chat if answered else {**chat, "response": talk[last][1]}


def _said(message: Mapping[str, Any]) -> Any:
    """A message's text; what a tool returned as data is told as JSON."""
    content = message.get("content")
    text = _text(content)
    if speaker_of(message) not in TOOLS or not content or (text and isinstance(text, str)):
        return text
    return json.dumps(content, ensure_ascii=False, default=str)


def _text(content: Any) -> Any:
    """A message's text; services also write it in parts."""
    if not isinstance(content, list):
        return content
    parts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "\n".join(part for part in parts if isinstance(part, str))
