"""ConsisTest's released questions (Lotfi et al., 2022): `consistest:PATH`.

PATH is the folder with `valid`, `persona_qas` and `history_qas`: every question is placed in its
dialogue (memory of three turns, distances 0 and 2) and waits for a bot's answer. A single file of
questions gives them unplaced. A file of answers as the released code writes it
(`model_output.csv`) gives examples with responses, ready to be judged. JSON and JSON-lines
renderings are read, gzipped or not.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.placement import DISTANCES, MEMORY, PersonaDialogue, place
from staytrue.core.records import Example, Failure, Probe, Turn
from staytrue.datasets.files import Row, convert
from staytrue.datasets.tabular import text, with_id

SOURCE = (
    "github.com/ELotfi/consistest, data: valid.json, persona_qas.json, history_qas.json; no "
    "licence stated"
)
"""Where the files come from: publisher, names, licence."""

SOURCES = {"pers": "persona", "hist": "history", "hist_ext": "history_extracted"}
_NAMES = ("valid", "persona_qas", "history_qas")


def read(path: str) -> Iterator[Example | Failure]:
    """The benchmark's samples from a folder, bare probes from one file, or judged answers."""
    if Path(path).is_dir():
        yield from read_placed(Path(path))
    elif _is_table(path):
        yield from convert(path, lambda row: [_answered(row)])
    else:
        yield from _bare(path)


def read_dialogues(path: str) -> Iterator[PersonaDialogue | Failure]:
    """The dialogues of a `valid` file, or of the folder that holds one."""
    file = _find(Path(path), "valid") if Path(path).is_dir() else Path(path)
    for key, value in _entries(file):
        try:
            yield _dialogue(key, value)
        except DataError as error:
            yield Failure(f"{file}: {key}", str(error))


def read_placed(
    folder: Path, *, memory: int = MEMORY, distances: Sequence[int] = DISTANCES
) -> Iterator[Example | Failure]:
    """Every released question in its dialogue, at these distances."""
    by_statement: dict[str, list[Probe]] = {}
    by_dialogue: dict[str, list[Probe]] = {}
    for name in _NAMES[1:]:
        for row, problem in _questions(_find(folder, name)):
            if problem:
                yield problem
                continue
            probe = _probe(row)
            if probe.turn is None:
                by_statement.setdefault(_folded(row["statement"]), []).append(probe)
            else:
                by_dialogue.setdefault(str(row["dialog"]), []).append(probe)
    for dialogue in read_dialogues(str(folder)):
        if isinstance(dialogue, Failure):
            yield dialogue
            continue
        about_persona = [
            p for line in dialogue.persona for p in by_statement.get(_folded(line), [])
        ]
        probes = [*about_persona, *by_dialogue.get(dialogue.id, [])]
        yield from place(dialogue, probes, memory=memory, distances=distances)


def _bare(path: str) -> Iterator[Example | Failure]:
    number = 0
    for row, problem in _questions(Path(path)):
        if problem:
            yield problem
            continue
        probe = _probe(row)
        dialogue = str(row["dialog"]) if probe.turn is not None else ""
        yield Example(
            id=f"{probe.source}-{number}",
            response="",
            history=(Turn("user", probe.question),),
            persona=(probe.fact,) if probe.source == "persona" else (),
            probe=probe,
            tags={"dialogue": dialogue} if dialogue else {},
        )
        number += 1


def _answered(row: Row) -> Example:
    values = {name.lower(): value for name, value in row.values.items()}
    missing = [name for name in ("question", "response", "reference") if name not in values]
    if missing:
        raise DataError(f"The row has no column '{missing[0].title()}'.")
    distance = text("Distance", values.get("distance")).strip()
    probe = Probe(
        question=text("Question", values["question"]).strip(),
        truth=_truth(values["reference"]),
        fact=text("NLI_Ref", values.get("nli_ref")).strip(),
        kind=text("Type", values.get("type")).strip().lower() or "wh",
        source=SOURCES.get(text("Source", values.get("source")).strip(), ""),
        distance=int(distance) if distance.isdigit() else None,
    )
    return with_id(Example(id="", response=text("Response", values["response"]), probe=probe))


def _probe(row: Mapping[str, Any]) -> Probe:
    statement = text("c", row.get("c")).strip()
    turn = row.get("turn")
    return Probe(
        question=text("q", row.get("q")).strip(),
        truth=_truth(row.get("a")),
        # The statement written for questions whose utterance does not stand by itself.
        fact=text("alt_c", row.get("alt_c")).strip() or statement,
        kind=text("type", row.get("type")).strip().lower() or "wh",
        source=SOURCES.get(text("source", row.get("source")).strip(), "persona"),
        turn=int(turn) if turn is not None else None,
    )


def _truth(value: Any) -> str:
    return " | ".join(part.strip() for part in text("a", value).split("|") if part.strip())


def _folded(statement: Any) -> str:
    return " ".join(str(statement).split())


def _dialogue(key: str, value: Any) -> PersonaDialogue:
    if not isinstance(value, Mapping) or "utterances" not in value:
        raise DataError("The dialogue has no 'utterances'.")
    return PersonaDialogue(
        id=str(value.get("id", value.get("dialog", key))),
        persona=tuple(text("persona", line).strip() for line in value.get("persona", ())),
        utterances=tuple(text("utterances", line).strip() for line in value["utterances"]),
    )


def _questions(file: Path) -> Iterator[tuple[Mapping[str, Any], Failure | None]]:
    """The question rows of a file, however they are nested."""
    for key, value in _entries(file):
        for row in _rows_in(value):
            history = str(row.get("source", "")).startswith("hist")
            if "q" not in row or "a" not in row:
                yield {}, Failure(f"{file}: {key}", "The row has no question 'q' or answer 'a'.")
            elif history and row.get("turn") is None:
                yield {}, Failure(f"{file}: {key}", "The history question has no 'turn'.")
            else:
                # Some statements are keyed in one spelling and quoted in another ("i'm", "i am").
                filed_under = key if isinstance(value, list) or "q" not in value else row.get("c")
                yield {"dialog": key, **row, "statement": filed_under}, None


def _rows_in(value: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        nested = value.get("qas", value.get("questions"))
        return _rows_in(nested) if isinstance(nested, list) else [value]
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _entries(file: Path) -> Iterator[tuple[str, Any]]:
    """Key and value of a JSON object, of a JSON list, or of JSON lines."""
    content = _load(file)
    if isinstance(content, Mapping):
        yield from content.items()
        return
    for number, item in enumerate(content):
        single = isinstance(item, Mapping) and not {"q", "utterances", "qas"} & set(item)
        if single and all(isinstance(value, (list, Mapping)) for value in item.values()):
            yield from item.items()  # one key of the released object on each line
        else:
            keys = ("statement", "persona_line", "dialog", "id", "key")
            names = [item[k] for k in keys if isinstance(item, Mapping) and k in item]
            yield str(names[0] if names else number), item


def _load(file: Path) -> Any:
    try:
        raw = file.read_bytes()
        content = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"There is no file {file}: check the path.") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{file} cannot be read: {error}.") from None
    try:
        loaded = json.loads(content)
        one_row = isinstance(loaded, Mapping) and ("q" in loaded or "utterances" in loaded)
        return [loaded] if one_row else loaded
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in content.splitlines() if line.strip()]
    except ValueError as error:
        raise DataError(f"{file} is neither JSON nor JSON lines: {error}.") from None


def _is_table(path: str) -> bool:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return any(suffix in (".csv", ".tsv", ".parquet") for suffix in suffixes)


def _find(folder: Path, name: str) -> Path:
    for suffix in (".json", ".jsonl", ".json.gz", ".jsonl.gz"):
        if (folder / (name + suffix)).is_file():
            return folder / (name + suffix)
    if (folder / "data").is_dir():  # the authors' repository keeps the three files there
        return _find(folder / "data", name)
    raise DataError(f"The folder {folder} has no {name}.json: it needs {', '.join(_NAMES)}.")
