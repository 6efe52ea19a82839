"""The shape of an answer: its JSON schema, its description in the prompt, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

CHECK = "check"
"""The field that must hold the request's canary: a text that took over the model knows it not."""


class Unfit(Exception):
    """The answer cannot be used; the message says why and never repeats what the model wrote.

    It goes back to the model outside the marks, where nothing foreign may stand.
    """


@dataclass(frozen=True, slots=True)
class Field:
    """One value of an answer."""

    name: str
    kind: Literal["label", "text", "text or null", "texts"]
    choices: tuple[str, ...] = ()
    """The values of a label."""
    most: int = 0
    """How many texts there may be."""

    def schema(self) -> dict[str, Any]:
        """This value as JSON schema."""
        if self.kind == "label":
            return {"type": "string", "enum": list(self.choices)}
        if self.kind == "texts":
            return {"type": "array", "items": {"type": "string"}, "maxItems": self.most}
        return {"type": ["string", "null"] if self.kind == "text or null" else "string"}

    def described(self) -> str:
        """This value as a person would write an example of it."""
        if self.kind == "label":
            return " or ".join(f'"{choice}"' for choice in self.choices)
        return {"texts": '["…", "…"]', "text": '"…"', "text or null": '"…" or null'}[self.kind]

    def read(self, value: Any) -> Any:
        """The value, checked; labels in any case, too many texts cut off."""
        if self.kind == "label":
            spelled = {choice.lower(): choice for choice in self.choices}
            if isinstance(value, str) and value.strip().lower() in spelled:
                return spelled[value.strip().lower()]
        elif self.kind == "texts":
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                return [one for one in value if _says_something(one)][: self.most]
        elif isinstance(value, str):
            return value if _says_something(value) else ""
        elif value is None and self.kind == "text or null":
            return None
        raise Unfit(f'"{self.name}" must be {self.described()}')


def _says_something(text: str) -> bool:
    """Whether it is more than the dots of the form, which small models copy."""
    return any(letter.isalnum() for letter in text)


def json_schema(fields: Sequence[Field]) -> dict[str, Any]:
    """The schema of the whole answer.

    The canary is any string to it: a server that fills in the only allowed value checks nothing.
    """
    properties = {CHECK: {"type": "string"}, **{field.name: field.schema() for field in fields}}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def described(fields: Sequence[Field], canary: str) -> str:
    """The answer as the prompt shows it."""
    shown = "".join(f', "{field.name}": {field.described()}' for field in fields)
    return f'{{"{CHECK}": "{canary}"{shown}}}'


def read(text: str, fields: Sequence[Field], canary: str) -> dict[str, Any]:
    """The values of an answer; Unfit when it is no JSON, lacks a value or fails the check."""
    answer = _first_object(text)
    if str(answer.get(CHECK, "")).strip().lower() != canary:
        raise Unfit(f'"{CHECK}" must be "{canary}"')
    missing = [field.name for field in fields if field.name not in answer]
    if missing:
        raise Unfit(f'"{missing[0]}" is missing')
    return {field.name: field.read(answer[field.name]) for field in fields}


def _first_object(text: str) -> Mapping[str, Any]:
    """The first JSON object, whatever the model wrote around it."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        if isinstance(value, dict):
            return value
    raise Unfit("there is no complete JSON object in it")
