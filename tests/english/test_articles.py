"""`a` or `an`."""

from __future__ import annotations

import pytest

from staytrue.english.articles import article_for, with_article


@pytest.mark.parametrize(
    ("article", "words"),
    [
        ("an", "egg hour honest heir 8 11 18 uninteresting umbrella apple"),
        ("a", "dog university user European one-off 1 once house"),
    ],
)
def test_the_article_follows_the_sound(article: str, words: str) -> None:
    wrong = [word for word in words.split() if article_for(word) != article]
    assert not wrong


def test_other_determiners_stay() -> None:
    assert with_article("egg") == "an egg"
    assert with_article("egg", "my") == "my egg"
