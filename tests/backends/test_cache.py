"""What is remembered, in memory or on disk, is what the models answered, and is asked once."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from staytrue.backends.cache import CachedBackend, DiskCache
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.backends.embedded.encoder import Encoder
from staytrue.backends.scripted import ScriptedBackend
from staytrue.backends.store import FILE
from staytrue.core.protocols import Answer, Entailment, Grounding, Pair, Query


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


class Counted:
    """Answers as a scripted backend does, and writes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self._inside = ScriptedBackend()

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        self.asked += pairs
        return self._inside.infer(pairs)

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        self.asked += queries
        return self._inside.answer(queries)


PAIRS = [Pair("Tea is hot.", "Tea is hot."), Pair("Tea", "coffee"), Pair("Tea", "coffee")]


def test_answers_on_disk_are_those_of_the_model_to_the_last_bit(tmp_path: Path) -> None:
    model = Counted()
    fresh = DiskCache(str(tmp_path), 1).answers("infer", "m@1", PAIRS, model.infer)
    again = DiskCache(str(tmp_path), 1).answers("infer", "m@1", PAIRS, model.infer)
    assert fresh == again == ScriptedBackend().infer(PAIRS)
    assert model.asked == PAIRS[:2]
    queries = [Query("what?", "Tea is hot."), Query("", "")]
    for _ in range(2):
        answers = DiskCache(str(tmp_path), 1).answers("answer", "m@1", queries, model.answer)
        assert answers == ScriptedBackend().answer(queries)
    assert model.asked == [*PAIRS[:2], *queries]


@pytest.mark.parametrize("key", [("infer", "m@2"), ("other", "m@1")])
def test_another_revision_or_method_is_asked_anew(tmp_path: Path, key: tuple[str, str]) -> None:
    model = Counted()
    cache = DiskCache(str(tmp_path), 1)
    cache.answers("infer", "m@1", PAIRS[:1], model.infer)
    cache.answers(*key, PAIRS[:1], model.infer)
    assert len(model.asked) == 2


def test_an_answer_on_disk_that_is_none_is_computed_again(tmp_path: Path) -> None:
    model = Counted()
    cache = DiskCache(str(tmp_path), 1)
    cache.answers("infer", "m@1", PAIRS[:1], model.infer)
    with sqlite3.connect(tmp_path / FILE) as rows:
        rows.execute("""UPDATE answers SET body = '{"entailed": 1}'""")
    assert cache.answers("infer", "m@1", PAIRS[:1], model.infer) == model.infer(PAIRS[:1])


def test_the_embedded_models_answer_from_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [
        Pair("Tea is a hot drink.", "Tea is cold."),
        Pair("Ann has two dogs.", "Ann has dogs."),
    ]
    queries = [Query("What is tea?", "Tea is a hot drink.")]
    items = [Grounding("Tea is a hot drink.", "", "Tea is cold.")]
    plain = EmbeddedBackend(size="small", threads=1)
    expected = plain.infer(pairs), plain.answer(queries), plain.classify(items)
    for _ in range(2):
        cached = EmbeddedBackend(size="small", threads=1, cache=str(tmp_path))
        assert (cached.infer(pairs), cached.answer(queries), cached.classify(items)) == expected
        # From now on, nothing may be computed.
        monkeypatch.setattr(Encoder, "run", None)
    assert cached.models() == plain.models()
