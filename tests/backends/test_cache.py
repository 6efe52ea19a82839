"""A cached backend gives the same answers and asks each thing once."""

from __future__ import annotations

from staytrue.backends.cache import CachedBackend
from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Answer, Query


def test_the_same_question_is_asked_once() -> None:
    asked: list[Query] = []

    def answer(query: Query) -> Answer:
        asked.append(query)
        return Answer(query.passage)

    cached = CachedBackend(ScriptedBackend(answers=answer))
    queries = [Query("q", "a"), Query("q", "b"), Query("q", "a")]
    assert [a.text for a in cached.answer(queries)] == ["a", "b", "a"]
    assert cached.answer(queries[:1])[0].text == "a"
    assert asked == queries[:2]


def test_it_answers_as_the_backend_inside() -> None:
    inside = ScriptedBackend()
    cached = CachedBackend(inside)
    assert cached.models() == inside.models()
    assert cached.spans(["coffee 12", ""]) == inside.spans(["coffee 12", ""])
    assert cached.answer([]) == []


def test_memory_is_bounded_and_nothing_is_lost() -> None:
    cached = CachedBackend(ScriptedBackend(), kept=1)
    texts = ["coffee", "teapot", "coffee"]
    assert [[s.text for s in spans] for spans in cached.spans(texts)] == [[t] for t in texts]
    assert len(cached._known["spans"]) == 1
