"""Tidied and parsed texts, kept for a while, as several parts look at the same ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from staytrue.english import pipeline as language
from staytrue.english.tidy import Tidy, tidy

if TYPE_CHECKING:
    from spacy.tokens import Doc

KEPT = 1024


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tidied text and its parse."""

    tidy: Tidy
    doc: Doc


_kept: OrderedDict[str, Parsed] = OrderedDict()
_lock = Lock()


def parsed(texts: Sequence[str]) -> list[Parsed]:
    """Parse each text once; recently parsed ones are remembered."""
    with _lock:
        known = {text: _kept[text] for text in set(texts) if text in _kept}
    fresh = [text for text in dict.fromkeys(texts) if text not in known]
    tidied = [tidy(text) for text in fresh]
    docs = language.parse(t.text for t in tidied)
    known |= {t.original: Parsed(t, doc) for t, doc in zip(tidied, docs, strict=True)}
    with _lock:
        for text in fresh:
            _kept[text] = known[text]
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return [known[text] for text in texts]


def forget() -> None:
    """Forget the parsed texts, for measuring."""
    with _lock:
        _kept.clear()
