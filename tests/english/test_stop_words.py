"""The stop words are those of spaCy, which other tools remove, too."""

from __future__ import annotations

from staytrue.english.stop_words import content_words
from staytrue.english.words import word_list


def test_stop_words_are_those_of_spacy_but_for_contractions() -> None:
    from spacy.lang.en.stop_words import STOP_WORDS

    assert word_list("stop_words") == {word for word in STOP_WORDS if word.isalpha()}


def test_content_words_are_what_stop_words_leave() -> None:
    assert content_words("It isn't the 3rd Tower, is it?") == ["isn", "t", "3rd", "tower"]
