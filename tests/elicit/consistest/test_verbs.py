"""Base forms and tenses of the verbs that probes are made of."""

from __future__ import annotations

import pytest

from staytrue.elicit.consistest.verbs import base_form, is_past, is_verb


@pytest.mark.parametrize(
    ("form", "base"),
    [("went", "go"), ("tries", "try"), ("hopping", "hop"), ("saw", "see"), ("teaches", "teach"),
     ("goes", "go"), ("rings", "ring"), ("been", "be")],
)  # fmt: skip
def test_the_form_of_a_verb_has_its_base(form: str, base: str) -> None:
    assert base_form(form) == base
    assert is_verb(form)


@pytest.mark.parametrize("noun", ["james", "bees", "suites", "men"])
def test_a_noun_with_the_ending_of_a_verb_is_none(noun: str) -> None:
    assert not is_verb(noun)


def test_the_tense_is_told_by_the_form_and_by_the_tag_where_the_form_does_not_tell() -> None:
    assert is_past("went")
    assert is_past("walked")
    assert not is_past("walks")
    assert is_past("put", "VBD")
    assert not is_past("put", "VBP")
