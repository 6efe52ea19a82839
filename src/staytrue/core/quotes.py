"""Find a quoted passage in the text that it claims to come from."""

from __future__ import annotations

import re

_AROUND = " \t\r\n\"'“”‘’«»`…"
_APOSTROPHES = re.compile("['’‘`]")


def locate(quote: str, text: str, after: int = 0) -> tuple[int, int] | None:
    """Where the quote stands in the text: exactly, else whatever its case, spacing and quote marks.

    None when it is not there: a quote must be a stretch of the text, not a paraphrase of it. The
    stretch begins and ends with a whole word.
    """
    words = quote.strip(_AROUND).split()
    if not words:
        return None
    exact = " ".join(words)
    for pattern, flags in ((re.escape(exact), 0), (_loose(words), re.IGNORECASE)):
        whole = rf"(?<!\w){pattern}(?!\w)" if _is_word(exact[0]) else pattern + r"(?!\w)"
        if not _is_word(exact[-1]):
            whole = whole.removesuffix(r"(?!\w)")
        match = re.compile(whole, flags).search(text, after)
        if match:
            return match.span()
    return None


def _loose(words: list[str]) -> str:
    return r"\s+".join(_APOSTROPHES.sub("['’‘`]", re.escape(word)) for word in words)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
