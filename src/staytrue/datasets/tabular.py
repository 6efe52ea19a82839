"""Users' own files: one row per example, other column names mapped by `--columns`."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import math
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import (
    Example,
    Failure,
    Passage,
    Probe,
    Turn,
    content_id,
    field_names,
    joined_passages,
    made_id,
)
from staytrue.datasets.conversations import every_turn
from staytrue.datasets.files import Row, convert
from staytrue.datasets.other_tools import SPEAKER_FIELDS, recognised, speaker_of, traced, unpacked
from staytrue.datasets.spans import TraceSpan, answers

# A row may name the last turn of the history alone.
FIELDS = (*field_names(Example), "message")
_PASSAGE_IDS = ("id", "doc_id", "document_id", "source")
_PASSAGE_TEXTS = ("text", "content", "page_content")
_TRUE = frozenset({"true", "1", "1.0", "yes", "consistent"})
_MOST_NAMED = 20  # columns in an error message
_LONGEST_LITERAL = 2**20  # characters of a list as Python prints it: its parser is slow
_NO_LITERAL = (ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError)
_FALSE = frozenset({"false", "0", "0.0", "no", "inconsistent"})


def read(path: str, columns: Mapping[str, str] | None = None) -> Iterator[Example | Failure]:
    """Read a plain file; `columns` maps our names to the file's, `!` before a name inverts."""
    mapping = columns or {}
    check_columns(mapping, "columns")
    # Kept to the end: those of one trace may stand anywhere in the file.
    spans: list[TraceSpan] = []

    def examples(row: Row) -> list[Example]:
        own = "response" in row.values or "response" in mapping
        if not own and (steps := traced(row.values)):
            spans.extend(steps)
            return []
        return [
            example_from_row(turn, mapping) for one in unpacked(row) for turn in every_turn(one)
        ]

    yield from convert(path, examples)
    for values in answers(spans):
        where = f"{path}: span {values['id']}"
        try:
            yield example_from_row(Row(where, values), mapping)
        except DataError as error:
            yield Failure(where, str(error))


def parse_columns(text: str) -> dict[str, str]:
    """Turn `response=answer,consistent=!label` into a mapping of our names to the file's."""
    columns = {}
    for part in text.split(","):
        ours, equals, theirs = (piece.strip() for piece in part.partition("="))
        if not equals or not theirs:
            raise UsageError(f"'{part}' in --columns is not a mapping: write OURS=THEIRS.")
        if ours in columns:
            raise UsageError(f"--columns maps '{ours}' twice: name one column for it.")
        columns[ours] = theirs
    check_columns(columns, "--columns")
    return columns


def check_columns(columns: Any, named: str) -> None:
    """Refuse a mapping of columns that cannot work; `named` is what the user calls it."""
    if not isinstance(columns, Mapping) or not all(isinstance(c, str) for c in columns.values()):
        raise UsageError(
            f'{named} must map our names to yours, such as {{"response": "reply"}}, '
            f"not {columns!r:.100}."
        )
    for ours, theirs in columns.items():
        if ours not in FIELDS and not str(ours).startswith("tags."):
            raise UsageError(
                f"{named} names an unknown field '{ours}'; "
                f"the fields are {', '.join(FIELDS)} and tags.NAME."
            )
        if theirs.startswith("!") and ours != "consistent":
            raise UsageError(f"Only 'consistent' can be inverted with '!', not '{ours}'.")


def example_from_row(row: Row, columns: Mapping[str, str]) -> Example:
    """The example that a row describes."""
    example = _example(_renamed(row.values, columns), columns, row.values)
    return example if example.id else replace(example, id=made_id(example))


def with_id(example: Example) -> Example:
    """The example with an id made from its content, if it has none."""
    if example.id:
        return example
    return replace(example, id=content_id(example))


def _renamed(values: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    fields = recognised(values, columns)
    renamed = {name: fields[name] for name in FIELDS if name in fields and name not in columns}
    for ours, theirs in columns.items():
        source = theirs.removeprefix("!")
        if source not in fields:
            raise DataError(
                f"The row has no column '{source}', which --columns names; "
                f"its columns are {_named(values)}."
            )
        renamed[ours] = fields[source]
    return renamed


def _named(values: Mapping[str, Any]) -> str:
    names = [str(name)[:40] for name in list(values)[:_MOST_NAMED]]
    more = f" and {len(values) - len(names)} more" if len(values) > len(names) else ""
    return ", ".join(names) + more if names else "none"


def _example(
    values: Mapping[str, Any], columns: Mapping[str, str], row: Mapping[str, Any]
) -> Example:
    if "response" not in values:
        raise DataError(
            "The row has no field 'response': add it, or map another with --columns response=NAME; "
            f"its columns are {_named(row)}."
        )
    consistent = truth(values.get("consistent"))
    if consistent is not None and columns.get("consistent", "").startswith("!"):
        consistent = not consistent
    knowledge, passages = _knowledge(values.get("knowledge"))
    return Example(
        id=text("id", values.get("id")).strip(),
        response=text("response", values["response"]),
        knowledge=knowledge,
        history=_history(values.get("history"), values.get("message")),
        persona=tuple(text("persona", line) for line in _items(values.get("persona"))),
        probe=_probe(values.get("probe")),
        consistent=consistent,
        label=text("label", values.get("label")).strip() or None,
        rating=_number(values.get("rating")),
        tags=_tags(values),
        passages=passages or _places(values.get("passages"), knowledge),
    )


def text(field: str, value: Any) -> str:
    """A text field; nothing is an empty text, and what UTF-8 cannot hold is replaced."""
    if _absent(value):
        return ""
    if isinstance(value, (str, int, float)):
        return str(value).encode("utf-8", "replace").decode("utf-8")
    raise DataError(f"The field '{field}' must be text, not {type(value).__name__}.")


def _knowledge(value: Any) -> tuple[str, tuple[Passage, ...]]:
    """The knowledge; a list, as retrievers give it, becomes one text with a line per passage."""
    if isinstance(value, str) and value.lstrip().startswith(('["', "[{", "['")):
        value = _listed(value)
    if isinstance(value, (list, tuple)):
        return joined_passages(map(passage, value))
    if isinstance(value, Mapping):
        raise DataError(
            "The field 'knowledge' is an object: write a text, or a list of passages such as "
            '[{"id": "1", "text": "…"}].'
        )
    return text("knowledge", value), ()


def _listed(cell: str) -> Any:
    """The list that a table cell holds as JSON, or as Python or numpy print it; else the cell."""
    with contextlib.suppress(DataError):
        return _decoded(cell)
    if len(cell) > _LONGEST_LITERAL:
        return cell
    with contextlib.suppress(*_NO_LITERAL):
        return _printed_strings(cell.strip())
    with contextlib.suppress(*_NO_LITERAL):
        value = ast.literal_eval(cell.strip())
        return value if isinstance(value, list) else cell
    return cell


def _printed_strings(cell: str) -> list[str]:
    """`['one', 'two']` and numpy's `['one' 'two']`, which Python would read as one string."""
    items = []
    for token in tokenize.generate_tokens(io.StringIO(cell).readline):
        if token.type == tokenize.STRING:
            items.append(str(ast.literal_eval(token.string)))
        elif token.string.strip() not in ("", "[", "]", ","):
            raise ValueError(token.string)
    return items


def passage(value: Any) -> tuple[str, str, str]:
    """Id, title and text of a passage: plain text, or an object with the usual names."""
    if not isinstance(value, Mapping):
        return "", "", text("knowledge", value)
    if isinstance(value.get("metadata"), Mapping):  # as LangChain and LlamaIndex write them
        value = {**value["metadata"], **value}
    named = next((value[name] for name in _PASSAGE_TEXTS if name in value), None)
    if named is None:
        raise DataError("A passage of the knowledge has no 'text': name it text or content.")
    id_ = next((value[name] for name in _PASSAGE_IDS if not _absent(value.get(name))), "")
    return text("knowledge", id_), text("knowledge", value.get("title")), text("knowledge", named)


def _places(value: Any, knowledge: str) -> tuple[Passage, ...]:
    """Where the passages stand, as a run folder stores them."""
    places = []
    for item in _items(value):
        fields = _mapping("passages", item)
        start, end = _whole("passages", fields.get("start")), _whole("passages", fields.get("end"))
        if start is None or end is None or not 0 <= start <= end <= len(knowledge):
            raise DataError("A passage's start and end do not lie in the knowledge.")
        names = (text("passages", fields.get(name)) for name in ("id", "title"))
        places.append(Passage(start, end, *names))
    return tuple(places)


def truth(value: Any) -> bool | None:
    """A yes/no judgement in any of its usual spellings; None when there is none."""
    word = text("consistent", value).strip().lower()
    if not word:
        return None
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise DataError(
        f"The field 'consistent' is '{word[:40]}': write true or false, 1 or 0, "
        "consistent or inconsistent."
    )


def _number(value: Any) -> float | None:
    word = text("rating", value).strip()
    if not word:
        return None
    try:
        number = float(word)
    except ValueError:
        raise DataError(f"The field 'rating' is '{word[:40]}', not a number.") from None
    if not math.isfinite(number):
        raise DataError("The field 'rating' must be a finite number.")
    return number


def _items(value: Any) -> Sequence[Any]:
    """A list, or a table cell that holds one: as JSON, or one item per line."""
    if _absent(value):
        return ()
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            return _items(_decoded(value))
        return [line.strip() for line in value.splitlines() if line.strip()]
    if isinstance(value, Sequence):
        return value
    raise DataError(f"A list was expected, not {type(value).__name__}.")


def _decoded(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise DataError(f"'{value[:40]}' starts like JSON but is not valid JSON.") from None


def _history(value: Any, message: Any) -> tuple[Turn, ...]:
    items = list(_items(value))
    if message is not None and text("message", message):
        items.append(text("message", message))
    # The turn before the response is the user's; unnamed speakers alternate back from there.
    last = len(items) - 1
    turns = []
    for index, item in enumerate(items):
        if isinstance(item, Mapping):
            turns.append(_turn(item))
        else:
            turns.append(Turn("user" if (last - index) % 2 == 0 else "bot", text("history", item)))
    return tuple(turns)


def _turn(item: Mapping[str, Any]) -> Turn:
    """A turn as we write it, or as chat services do (`role` and `content`)."""
    if "text" not in item and "content" not in item and set(item) - {*SPEAKER_FIELDS}:
        raise DataError("A turn of the history has no 'text': name it text or content.")
    return Turn(
        text("speaker", speaker_of(item)), text("text", item.get("text", item.get("content")))
    )


def _absent(value: Any) -> bool:
    """Nothing, in the ways that files and table libraries write it."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _mapping(field: str, value: Any) -> Mapping[str, Any]:
    if isinstance(value, str) and value.strip():
        value = _decoded(value)
    if _absent(value) or not value:
        return {}
    if not isinstance(value, Mapping):
        raise DataError(f"The field '{field}' must be an object, not {type(value).__name__}.")
    return value


def _probe(value: Any) -> Probe | None:
    fields = _mapping("probe", value)
    if not fields:
        return None
    missing = [name for name in ("question", "truth", "fact", "kind") if name not in fields]
    if missing:
        raise DataError(f"The probe has no '{missing[0]}'.")
    kind = text("probe.kind", fields["kind"]).strip().lower()
    if kind not in ("wh", "yn"):
        raise DataError(f"The probe's kind is '{kind[:40]}': write wh or yn.")
    return Probe(
        question=text("probe.question", fields["question"]),
        truth=text("probe.truth", fields["truth"]),
        fact=text("probe.fact", fields["fact"]),
        kind=kind,
        source=text("probe.source", fields.get("source")),
        turn=_whole("probe.turn", fields.get("turn")),
        distance=_whole("probe.distance", fields.get("distance")),
    )


def _whole(field: str, value: Any) -> int | None:
    if _absent(value):
        return None
    try:
        return int(value)
    except (TypeError, ValueError):
        raise DataError(f"The field '{field}' must be a whole number.") from None


def _tags(values: Mapping[str, Any]) -> dict[str, str]:
    column = values.get("tags")
    if isinstance(column, str) and column.strip() and not column.lstrip().startswith(("{", "[")):
        column = {"tags": column}  # a column of plain text
    tags = {str(k): _tag(v) for k, v in _mapping("tags", column).items()}
    mapped = ((k.removeprefix("tags."), v) for k, v in values.items() if k.startswith("tags."))
    return tags | {name: _tag(value) for name, value in mapped}


def _tag(value: Any) -> str:
    if isinstance(value, (Mapping, list, tuple)):
        return json.dumps(value, sort_keys=True)
    return text("tags", value)
