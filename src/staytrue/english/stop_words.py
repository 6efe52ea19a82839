"""Words of a text that say something: what stop words leave of it."""

from __future__ import annotations

from staytrue.core.text import words
from staytrue.english.words import word_list


def content_words(text: str) -> list[str]:
    """Lower-case words that say something: English stop words are left out."""
    stop_words = word_list("stop_words")
    return [word for word in words(text) if word not in stop_words]
