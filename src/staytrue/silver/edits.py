"""An edit of a text, and how edits are put in place without breaking its grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.english.articles import article_for

_ARTICLE_BEFORE = re.compile(r"\b([Aa]n?)(\s+)$")
_SPACED_MARK = re.compile(r"([\w)\"'%]) +([.!?;,])(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: characters `start` to `end` of the original, and what stands there now."""

    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after some edits."""

    text: str
    edits: tuple[Edit, ...]


def edit(text: str, edits: Sequence[Edit]) -> Edited:
    """Put the edits in place, keep a capital at their beginning and correct the article before."""
    ordered = tuple(sorted(edits, key=lambda e: e.start))
    pieces: list[str] = []
    at = 0
    for change in ordered:
        before = text[at : change.start]
        new = _in_case_of(change.old, change.new, starts_text=not text[: change.start].strip())
        pieces.append(_mend_article("".join(pieces), before, new))
        pieces.append(new)
        at = change.end
    pieces.append(text[at:])
    spaced = _SPACED_MARK.search(text) is not None
    return Edited(tidy("".join(pieces), spaced=spaced), ordered)


def replace(start: int, old: str, new: str) -> Edit:
    """The edit that puts `new` where `old` stands."""
    return Edit(start, start + len(old), old, new)


def tidy(text: str, *, spaced: bool = False) -> str:
    """Fold double spaces; take stray commas and, unless the text is spaced, spaces from marks."""
    text = re.sub(r"[ \t]{2,}", " ", text).strip()
    text = re.sub(r",\s*(?=[.!?;]|,)", "", text)
    return text if spaced else _SPACED_MARK.sub(r"\1\2", text)


def capitalised(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def _in_case_of(old: str, new: str, *, starts_text: bool) -> str:
    """`new` with the case of `old`: a capital where a text begins, none in lower-case text."""
    if starts_text and old[:1].isupper():
        return capitalised(new)
    return new


def _mend_article(before: str, between: str, new: str) -> str:
    match = _ARTICLE_BEFORE.search(between)
    if match is None or not new.strip():
        return between
    article = article_for(new.strip())
    if match.group(1)[0].isupper():
        article = capitalised(article)
    return between[: match.start()] + article + match.group(2)
