"""Words of a text, figures as they are shown, and cells that are safe in a spreadsheet."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_WORD = re.compile(r"\w+", re.UNICODE)
# A cell that starts with one of these may run as a formula (OWASP, "CSV injection").
# Full-width signs count too, as spreadsheets fold them.
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def words(text: str) -> list[str]:
    """Lower-case words; punctuation separates and disappears."""
    return _WORD.findall(text.lower())


def spreadsheet_safe(cell: Any) -> Any:
    """The cell, with an apostrophe before text that a spreadsheet would take for a formula.

    Text that starts with an apostrophe gets another, so that `spreadsheet_plain` can undo it.
    """
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\x00", "")
    # Spreadsheets skip spaces, and characters that nobody sees, before they look for a sign.
    shown = _without_invisible_start(text)
    return f"'{text}" if shown.startswith((*_STARTS_A_FORMULA, "'")) else text


def spreadsheet_plain(cell: str) -> str:
    """The cell as it was before `spreadsheet_safe`."""
    return cell[1:] if cell.startswith("'") else cell


def _without_invisible_start(text: str) -> str:
    for index, character in enumerate(text):
        if character in "\t\r\n" or unicodedata.category(character)[0] not in "ZC":
            return text[index:]
    return ""


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 error`, `2 errors`, `3 inquiries`."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def decimals(value: float | None, *, signed: bool = False) -> str:
    """`0.123`, or `+0.123` if signed; what rounds to zero has no sign, what is absent is a dash."""
    if value is None:
        return "–"
    text = f"{value:+.3f}" if signed else f"{value:.3f}"
    return "0.000" if text in ("-0.000", "+0.000") else text
