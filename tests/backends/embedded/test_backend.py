"""The embedded models answer anything, always the same, whatever else is asked with it."""

from __future__ import annotations

import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from staytrue.backends.embedded import SHIPPED, EmbeddedBackend
from staytrue.backends.embedded import encoder as encoding
from staytrue.backends.embedded.encoder import WordPieces
from staytrue.core.errors import ModelError
from staytrue.core.protocols import Backend, Grounding, Pair, Query

KNOWLEDGE = (
    "Coffee is a brewed drink prepared from roasted coffee beans. "
    "It was first cultivated in Yemen in the 15th century."
)
ODD = ["", " ", "😀😀", "\x00\x07\x1b[31m", "\ud83d", "？", "a" * 3000, "ﷺ " * 40, "\n\n"]


@pytest.fixture(scope="module")
def backend() -> EmbeddedBackend:
    return EmbeddedBackend(size="small")


def pairs() -> list[Pair]:
    responses = [
        "coffee is a drink .",
        "coffee was first cultivated in Brazil .",
        "i love tea !",
        "yes , it is made from roasted beans . have you tried it ?",
        "it is prepared from roasted coffee beans , and was first grown in yemen",
    ]
    return [Pair(KNOWLEDGE, response) for response in responses]


def three(backend: EmbeddedBackend, asked: list[Pair]) -> np.ndarray:
    answers = backend.infer(asked)
    return np.array([[a.entailment, a.neutral, a.contradiction] for a in answers])


def test_it_is_a_backend_that_names_every_model_with_a_hash(backend: EmbeddedBackend) -> None:
    assert isinstance(backend, Backend)
    for method, name in backend.models().items():
        assert callable(getattr(backend, method))
        assert "@" in name


def test_entailment_tells_support_from_contradiction(backend: EmbeddedBackend) -> None:
    premise = "A man is playing a guitar on the stage."
    answers = backend.infer([Pair(premise, "A man plays music."), Pair(premise, "A man sleeps.")])
    assert [answer.label for answer in answers] == ["entailment", "contradiction"]


def test_probabilities_sum_to_one(backend: EmbeddedBackend) -> None:
    assert three(backend, pairs()).sum(axis=1) == pytest.approx(1.0)


def test_batch_size_and_order_change_nothing() -> None:
    # Each with a backend of its own: one remembers what it was asked before.
    asked = pairs()
    together = three(EmbeddedBackend(size="small"), asked)
    other = EmbeddedBackend(size="small")
    alone = np.concatenate([three(other, [pair]) for pair in asked])
    turned = three(EmbeddedBackend(size="small"), asked[::-1])[::-1]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, turned)


def test_the_same_pair_is_computed_once_and_the_same_text_tokenised_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fresh = EmbeddedBackend(size="small", threads=1)
    encoder, passes = fresh._encoder, []
    with fresh.listening(passes.append):
        before = three(fresh, pairs())
        assert len(passes) == len(pairs())
        monkeypatch.setattr(encoder, "_load_tokenizer", None)
        encoder._loaded.pop("tokenizer")
        np.testing.assert_array_equal(three(fresh, pairs()), before)
    assert len(passes) == len(pairs())


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_REMEMBERED", 2)
    monkeypatch.setattr(encoding, "_REMEMBERED_TOKENS", 50)
    fresh = EmbeddedBackend(size="small", threads=1)
    expected = three(EmbeddedBackend(size="small"), pairs())
    for _ in range(2):
        np.testing.assert_array_equal(three(fresh, pairs()), expected)
    assert len(fresh._encoder._results) == 2
    kept = sum(map(len, fresh._encoder._tokens.values()))
    assert kept == fresh._encoder._token_count <= 50


def test_vectors_of_all_tokens_are_not_remembered() -> None:
    fresh = EmbeddedBackend(size="small")
    fresh.encode([KNOWLEDGE])
    assert not fresh._encoder._results


def test_the_same_tokens_cut_in_two_places_are_two_pairs() -> None:
    # A separator that somebody typed must not make one pair look like another.
    fresh, other = EmbeddedBackend(size="small"), EmbeddedBackend(size="small")
    asked = [Pair("tea [SEP] milk", "sugar"), Pair("tea", "milk [SEP] sugar")]
    alone = np.concatenate([three(other, asked[1:])])
    np.testing.assert_array_equal(three(fresh, asked)[1:], alone)


def test_many_threads_get_the_same_answers(backend: EmbeddedBackend) -> None:
    fresh = EmbeddedBackend(size="small", threads=3)
    expected = three(backend, pairs())
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: three(fresh, pairs()), range(4)))
    for result in results:
        np.testing.assert_array_equal(result, expected)


def test_the_answer_is_a_span_of_the_passage(backend: EmbeddedBackend) -> None:
    answer = backend.answer([Query("Where was coffee first cultivated?", KNOWLEDGE)])[0]
    assert answer.text is not None
    assert answer.text == KNOWLEDGE[answer.start : answer.end]
    assert "Yemen" in answer.text
    assert 0 <= answer.confidence <= 1


def test_a_question_about_something_else_has_no_answer(backend: EmbeddedBackend) -> None:
    answer = backend.answer([Query("Who painted the ceiling of the chapel?", KNOWLEDGE)])[0]
    assert answer.text is None
    assert answer.start is None


def test_an_answer_far_into_a_long_passage_is_found(backend: EmbeddedBackend) -> None:
    filler = "The weather was mild and nothing of note happened that day. " * 60
    passage = filler + KNOWLEDGE + " " + filler
    answer = backend.answer([Query("Where was coffee first cultivated?", passage)])[0]
    assert answer.text is not None
    assert answer.text == passage[answer.start : answer.end]
    assert "Yemen" in answer.text


def test_support_far_into_a_long_premise_is_found(backend: EmbeddedBackend) -> None:
    filler = "The weather was mild and nothing of note happened that day. " * 60
    answer = backend.infer([Pair(filler + KNOWLEDGE + filler, "Coffee is a brewed drink.")])[0]
    assert answer.label == "entailment"


def test_the_end_of_a_long_hypothesis_counts(backend: EmbeddedBackend) -> None:
    sentence = "Coffee is a brewed drink prepared from roasted coffee beans. "
    supported, broken = backend.infer(
        [
            Pair(KNOWLEDGE, sentence * 12),
            Pair(KNOWLEDGE, sentence * 12 + "Coffee was first cultivated in Brazil in 1990."),
        ]
    )
    assert broken.entailment < supported.entailment


@pytest.mark.parametrize("odd", ODD)
def test_odd_text_gets_an_answer(backend: EmbeddedBackend, odd: str) -> None:
    entailed = backend.infer([Pair(odd, "hello"), Pair(KNOWLEDGE, odd), Pair(odd, odd)])
    assert all(abs(e.entailment + e.neutral + e.contradiction - 1) < 1e-6 for e in entailed)
    for query in (Query(odd, KNOWLEDGE), Query("What is it?", odd)):
        answer = backend.answer([query])[0]
        if answer.text is not None:
            assert answer.text == query.passage[answer.start : answer.end]
    assert backend.encode([odd])[0].shape[1] == 384


@pytest.mark.slow
def test_a_text_of_100_kilobytes_gets_an_answer(backend: EmbeddedBackend) -> None:
    rng = random.Random(1)
    long = " ".join(rng.choice(KNOWLEDGE.split()) for _ in range(17_000))
    assert backend.answer([Query("Where was coffee first cultivated?", long)])
    assert backend.infer([Pair(long, "Coffee is a drink.")])


def test_nothing_asked_nothing_answered(backend: EmbeddedBackend) -> None:
    assert backend.infer([]) == []
    assert backend.answer([]) == []
    assert backend.encode([]) == []


def test_classes_are_begins_five_and_sum_to_one(backend: EmbeddedBackend) -> None:
    if "classify" not in backend.models():
        pytest.skip("this set of models has no groundedness model")
    classes = backend.classify([Grounding(KNOWLEDGE, "do you like coffee ?", "it is a drink .")])[0]
    assert set(classes) == {
        "entailment", "contradiction", "hallucination", "off-topic", "generic",
    }  # fmt: skip
    assert sum(classes.values()) == pytest.approx(1.0)


def test_the_previous_turn_goes_with_every_window_of_long_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    backend = EmbeddedBackend(size="small")
    encoder = backend._encoder
    turn, response = "did you know that coffee was first grown on mars ?", "it was grown on mars ."
    joined, alone = encoder.tokens([f" | {turn}"])[0].ids, encoder.tokens([turn])[0].ids
    read: list[tuple[int, ...]] = []
    run = encoder.run

    def recorded(model: str, first: WordPieces, second: WordPieces) -> np.ndarray:
        read.append(first.ids)
        return run(model, first, second)

    monkeypatch.setattr(encoder, "run", recorded)
    backend.classify([Grounding(KNOWLEDGE * 12, turn, response)])
    assert len(read) > 1
    for ids in read:
        assert ids[-len(joined) :] == joined
        assert ids[: -len(joined)], "the turn alone is no evidence"
        assert alone[0] not in ids[: -len(joined)]


def test_a_folder_with_some_of_the_models_names_only_those(tmp_path: Path) -> None:
    whole = json.loads((SHIPPED / "models.json").read_text())
    whole["models"] = {"entailment": whole["models"]["entailment"]}
    (tmp_path / "models.json").write_text(json.dumps(whole))
    assert {"infer", "encode"} == set(EmbeddedBackend(folder=str(tmp_path)).models()) - {
        "spans", "ask", "claims",
    }  # fmt: skip


def test_the_same_request_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = EmbeddedBackend(size="small")
    run, count = backend._encoder.run, [0]

    def counted(*asked: object) -> np.ndarray:
        count[0] += 1
        return run(*asked)

    monkeypatch.setattr(backend._encoder, "run", counted)
    backend.infer([Pair("a dog", "an animal")] * 5)
    assert count == [1]


def test_token_vectors_have_unit_length(backend: EmbeddedBackend) -> None:
    vectors = backend.encode(["coffee is a drink"])[0]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_missing_set_of_models_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="missing; install staytrue again"):
        EmbeddedBackend(folder=str(tmp_path)).models()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    shutil.copyfile(SHIPPED / "models.json", tmp_path / "models.json")
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing"):
        EmbeddedBackend(folder=str(tmp_path)).infer([Pair("a", "b")])


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    for name in ("models.json", "tokenizer.json", "vectors.npz"):
        shutil.copyfile(SHIPPED / name, tmp_path / name)
    (tmp_path / "entailment.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"entailment\.onnx is damaged"):
        EmbeddedBackend(folder=str(tmp_path)).infer([Pair("a", "b")])
