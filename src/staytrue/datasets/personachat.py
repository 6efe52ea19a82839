"""PersonaChat's text files: numbered lines, "your persona:" first, then tab-separated turns."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from staytrue.core.placement import PersonaDialogue
from staytrue.core.records import Failure

_PERSONA = re.compile(r"^\d+ your persona: ?(.*)$")
_LINE = re.compile(r"^(\d+) (.*)$")


def is_personachat(path: str) -> bool:
    """Whether a file looks like PersonaChat text."""
    if path == "-" or not Path(path).is_file():
        return False
    first = _text(path).lstrip().split("\n", 1)[0]
    return bool(re.match(r"^1 (your|partner's) persona:", first))


def read_personachat(path: str) -> Iterator[PersonaDialogue | Failure]:
    """The dialogues of a PersonaChat file; a line number of 1 starts the next one."""
    persona: list[str] = []
    utterances: list[str] = []
    number = 0
    for line_number, line in enumerate(_text(path).splitlines(), 1):
        match = _LINE.match(line.strip())
        if not match:
            if line.strip():
                yield Failure(f"{path}:{line_number}", "The line has no number.")
            continue
        if match[1] == "1" and (persona or utterances):
            yield PersonaDialogue(str(number), tuple(persona), tuple(utterances))
            persona, utterances, number = [], [], number + 1
        own = _PERSONA.match(line.strip())
        if own:
            persona.append(own[1].strip())
        elif "persona:" not in match[2][:20]:
            partner, _, rest = match[2].partition("\t")
            utterances += [partner.strip(), rest.split("\t", 1)[0].strip()]
    if persona or utterances:
        yield PersonaDialogue(str(number), tuple(persona), tuple(utterances))


def _text(path: str) -> str:
    raw = Path(path).read_bytes()
    data = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    return data.decode("utf-8", "replace")
