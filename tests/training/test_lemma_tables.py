"""The word tables of lemmas."""

from __future__ import annotations

from training.lemma_tables import irregular_forms, plural


def test_a_plural_follows_the_spelling_rules() -> None:
    plurals = [plural(noun) for noun in ("dog", "box", "bush", "city", "day")]
    assert plurals == ["dogs", "boxes", "bushes", "cities", "days"]


def test_only_forms_that_the_rules_do_not_give_are_kept() -> None:
    exceptions = [{"went": ["go"], "hopped": ["hop"]}, {"oxen": ["ox"]}]
    forms = irregular_forms(["dog", "movie", "ox"], {"go", "hop"}, exceptions)
    assert forms["went"] == "go"
    assert forms["oxen"] == "ox"
    assert forms["movies"] == "movie"
    assert not {"hopped", "dogs"} & set(forms)
