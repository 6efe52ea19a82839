"""Spans are entities, then noun chunks, with offsets into the text as given."""

from __future__ import annotations

from staytrue.backends.rules.questions import SpacySpans

MESSY = "he became popular in the 1980 ' s , on youtube . i think it ' s great ."


def test_offsets_point_into_the_original_text() -> None:
    for span in SpacySpans().spans([MESSY])[0]:
        assert MESSY[span.start : span.end] == span.text


def test_entities_come_before_chunks_and_no_text_comes_twice() -> None:
    spans = SpacySpans().spans(["Paris is in France . Paris loves the old river ."])[0]
    kinds = [span.kind for span in spans]
    assert kinds == sorted(kinds, key=["entity", "chunk"].index)
    texts = [span.text.lower() for span in spans]
    assert len(texts) == len(set(texts))


def test_the_bare_pronoun_i_and_relative_pronouns_are_left_out() -> None:
    spans = SpacySpans().spans(["i know a man who owns a dog which barks ."])[0]
    assert {"i", "who", "which"}.isdisjoint(span.text.lower() for span in spans)


def test_an_it_that_stands_for_nothing_is_left_out() -> None:
    empty, full = SpacySpans().spans(["it is hard to believe that he left .", "it is a band ."])
    assert "it" not in [span.text for span in empty]
    assert "it" in [span.text for span in full]


def test_a_name_is_taken_whole() -> None:
    texts = [span.text for span in SpacySpans().spans(["it was invented by rodney mullen ."])[0]]
    assert "rodney mullen" in texts


def test_nothing_comes_of_nothing() -> None:
    assert SpacySpans().spans([]) == []
    assert SpacySpans().spans(["", "  ", "!!"]) == [[], [], []]


def test_the_batch_makes_no_difference() -> None:
    texts = [MESSY, "The Beatles formed in Liverpool in 1960.", "coffee"]
    together = SpacySpans().spans(texts)
    assert together == [SpacySpans().spans([text])[0] for text in texts]
