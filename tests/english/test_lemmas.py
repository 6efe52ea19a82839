"""Dictionary forms without a parse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.english.words import lemma, third_person, verbs, word_pairs


@pytest.mark.parametrize(
    ("forms", "base"),
    [
        ("bees bee Bees bee's", "bee"), ("children child", "child"), ("people person", "person"),
        ("running runs ran run", "run"), ("hoping hoped hopes", "hope"),
        ("hopping hopped hops", "hop"), ("studies studied studying", "study"),
        ("was were is are been", "be"), ("movies movie", "movie"), ("boxes box", "box"),
        ("houses house", "house"), ("vases vase", "vase"), ("potatoes potato", "potato"),
        ("wolves wolf", "wolf"), ("went goes going gone", "go"), ("skiing skis skied", "ski"),
        ("lying lies lie", "lie"), ("universities", "university"), ("agreed agrees", "agree"),
    ],
)  # fmt: skip
def test_the_forms_of_a_word_have_one_lemma(forms: str, base: str) -> None:
    assert {lemma(form) for form in forms.split()} == {base}


@pytest.mark.parametrize(
    "word", "bus gas news lens always this red hundred thing king wedding better bigger".split()
)
def test_a_word_that_only_looks_inflected_stays(word: str) -> None:
    assert lemma(word) == word


def test_a_word_that_is_the_form_of_one_verb_and_the_root_of_another_merges_only_with_one() -> None:
    assert lemma("found") == "find"
    assert lemma("founded") != "find"


@given(st.text(max_size=20) | st.from_regex(r"[a-z]{2,9}(s|es|ies|ed|ing)", fullmatch=True))
def test_the_lemma_of_a_lemma_is_the_lemma(word: str) -> None:
    assert lemma(lemma(word)) == lemma(word)


def test_the_lemma_of_every_listed_form_is_its_own_lemma() -> None:
    for form, base in word_pairs("irregular_forms").items():
        assert lemma(form) == base == lemma(base), form
    assert not [verb for verb in verbs() if lemma(lemma(verb)) != lemma(verb)]


@pytest.mark.parametrize(
    ("verb", "form"),
    [("live", "lives"), ("try", "tries"), ("play", "plays"), ("go", "goes"), ("teach", "teaches"),
     ("have", "has"), ("do", "does")],
)  # fmt: skip
def test_a_verb_agrees_with_the_third_person(verb: str, form: str) -> None:
    assert third_person(verb) == form
