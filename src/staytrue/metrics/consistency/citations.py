"""Which passages a claim cites ("[1]", "[doc 2]", a passage's id), and the claim without them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from staytrue.core.records import Passage

_MARK = re.compile(
    r"\s?[\[(【](?:(?:source|sources|see|ref|cf)\.?:? )?([^\[\]()【】]{1,80})[\])】]"
)
# "[7]" cites a passage even if there is none; "[2019]" is a year, and "(7)" may be anything.
_LAST_CITED = 99
_EMPTY = re.compile(r"\s?[(\[](?:sources?|see|ref|cf)?\.?:?\s*[)\]]", re.I)
_LINK = re.compile(r"\[([^\]]{1,200})\]\(([^)\s]{1,400})\)")
_NUMBERED = re.compile(
    r"(?:doc(?:ument)?|passage|source|ref(?:erence)?|context)?[ #_-]?(\d{1,3})", re.I
)


def cited(text: str, passages: Sequence[Passage]) -> tuple[str, tuple[int, ...]]:
    """The text without its citations, and the numbers of the passages that it cites.

    "[7]", "[doc 7]" and "[1, 7]" beside three passages cite one that does not exist: its number is
    beyond them. Other brackets that name no passage are part of the text.
    """
    cites: list[int] = []

    def taken(names: Sequence[str], last: int = len(passages)) -> bool:
        numbers = [_number(name, passages, last) for name in names]
        if not numbers or None in numbers:
            return False
        cites.extend(number for number in numbers if number is not None)
        return True

    def link(match: re.Match[str]) -> str:
        return match.group(1) if taken([match.group(2)]) else match.group()

    def mark(match: re.Match[str]) -> str:
        names = [name.strip() for name in re.split(r"[,;]", match.group(1))]
        is_round = match.group().lstrip().startswith("(")
        last = len(passages) if is_round or not passages else max(_LAST_CITED, len(passages))
        return "" if taken(names, last) else match.group()

    plain = _EMPTY.sub("", _MARK.sub(mark, _LINK.sub(link, text)))
    return plain, tuple(dict.fromkeys(cites))


def _number(name: str, passages: Sequence[Passage], last: int) -> int | None:
    """The number of the passage that the name cites, by its id or counted from one to `last`."""
    for number, passage in enumerate(passages):
        if passage.id and (name == passage.id or name.endswith(f"/{passage.id}")):
            return number
    match = _NUMBERED.fullmatch(name)
    if match and 1 <= int(match.group(1)) <= last:
        return int(match.group(1)) - 1
    return None
