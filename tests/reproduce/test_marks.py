"""Marked words are counted against the words that were changed."""

from __future__ import annotations

from dataclasses import replace

from reproduce import marks

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.records import Example
from staytrue.metrics.consistency import Consistency

KNOWLEDGE = "The tower is 330 metres tall. It stands in Paris."


def test_changed_words_are_those_that_the_original_lacks() -> None:
    assert marks.changed_words("It stands in Paris.", "It stands in old Rome.") == {3, 4}


def test_where_words_are_left_out_the_neighbours_count() -> None:
    assert marks.changed_words("It does not stand.", "It does stand.") == {1, 2}


def test_words_of_a_phrase_are_found_whatever_their_case() -> None:
    assert marks.words_of(["new york"], "He left New York in May.") == {2, 3}
    assert marks.words_of(["Oslo"], "He left New York in May.") == frozenset()


def test_precision_and_recall_count_words_of_the_cases_that_were_caught() -> None:
    metric = Consistency(EmbeddedBackend(size="small"), against="knowledge")
    wrong = Example("a", "The tower is 500 metres tall.", KNOWLEDGE)
    right = replace(wrong, id="b", response="The tower is 330 metres tall.")
    figure = marks.score(
        [marks.WrongResponse(wrong, frozenset({3})), marks.WrongResponse(right, frozenset({3}))],
        metric,
    )
    assert (figure.cases, figure.caught, figure.changed) == (2, 1, 1)
    assert figure.recall == 1.0
    assert figure.precision is not None
    assert figure.precision >= 0.5
