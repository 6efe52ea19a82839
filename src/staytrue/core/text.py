"""Words of a text, which language it is in, and cells that are safe in a spreadsheet."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"\w+", re.UNICODE)
# A cell that starts with one of these may run as a formula (OWASP, "CSV injection").
# Full-width signs count too, as spreadsheets fold them.
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def words(text: str) -> list[str]:
    """Lower-case words; punctuation separates and disappears."""
    return _WORD.findall(text.lower())


def content_words(text: str) -> list[str]:
    """Lower-case words that say something: English stop words are left out."""
    return [word for word in words(text) if word not in _stop_words()]


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS  # here, because importing spaCy takes a while

    return frozenset(STOP_WORDS)


# The most common function words of English and of other languages in Latin letters; words that
# several of them share with English are left out.
_ENGLISH = frozenset(
    "the and are that it you with my have not this they she but from your be which were of to is "
    "for has will can up its or there their when what how more than about after into by been had "
    "would could our his her him them who may must if all any out only also".split()
)
_OTHERS = frozenset(
    "der die das und ist nicht ein eine den von mit auf für zu dem auch als sich le la les et "
    "est un une des du que qui dans pour pas sur el los las es por con para del una il lo gli di "
    "che non sono della de het een van en niet op te voor zijn och att det som på är av ett ik "
    "je nie się na jest os da em uma não seu ve bir bu için olan și nu cu".split()
)


def is_foreign(text: str) -> bool | None:
    """Whether the text looks like another language than English; None when it is too short."""
    if not text.isascii():
        letters = [letter for letter in text if letter.isalpha()]
        if 2 * sum(letter > "ɏ" for letter in letters) > len(letters) >= 12:  # beyond Latin
            return True
    tokens = words(text)
    ours, theirs = (sum(word in known for word in tokens) for known in (_ENGLISH, _OTHERS))
    # One such word may be a name: "Los Angeles", "per month".
    return theirs > max(ours, 1) if len(tokens) >= 12 and (ours or theirs) else None


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
