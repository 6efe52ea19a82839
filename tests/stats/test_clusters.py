"""Rows that share a dialogue or a document belong together."""

from __future__ import annotations

from staytrue.core.records import Example
from staytrue.stats.clusters import cluster_of, dialogue_of


def test_the_dialogue_is_a_tag_or_part_of_the_context() -> None:
    assert dialogue_of(Example("x", "r", tags={"context": "7-0"})) == "7"
    assert dialogue_of(Example("x", "r", tags={"dialogue": "d", "context": "7-0"})) == "d"


def test_dialogues_with_one_number_but_other_bots_are_others() -> None:
    def inquiry(first: str, second: str, bot: str) -> Example:
        tags = {"first": first, "second": second, "bot": bot, "dialogue": "1"}
        return Example("x", "r", tags=tags)

    assert cluster_of(inquiry("a", "b", "a")) == cluster_of(inquiry("a", "b", "b"))
    assert cluster_of(inquiry("a", "b", "a")) != cluster_of(inquiry("a", "c", "a"))


def test_rows_about_one_text_belong_together_and_rows_without_any_stand_alone() -> None:
    assert cluster_of(Example("x", "r", "the text")) == cluster_of(Example("y", "s", "the text"))
    assert cluster_of(Example("x", "r")) != cluster_of(Example("y", "r"))
    tagged = Example("x", "r", "a passage", tags={"document": "d1"})
    assert cluster_of(tagged) == "d1"
