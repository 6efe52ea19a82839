"""The Hugging Face backend with tiny models of every architecture that its presets use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from staytrue.backends.huggingface.backend import PRESETS, HuggingFaceBackend
from staytrue.backends.huggingface.loading import LoadedModel, ModelSpec, label_order
from staytrue.core.begin_labels import LABELS
from staytrue.core.errors import MissingExtra, ModelError, StaytrueError, UsageError
from staytrue.core.protocols import Grounding, Pair, Query, Span, Target

from .tiny import ENCODERS, INSTALLED, needs_torch, save_encoder, save_t5, torch


@pytest.fixture(autouse=True)
def short_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights never end a question by themselves."""
    monkeypatch.setattr("staytrue.backends.huggingface.backend._LONGEST_QUESTION", 10)


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> str:
    if not INSTALLED:
        pytest.skip("PyTorch is not installed")
    return save_t5(tmp_path_factory.mktemp("t5"), "T5ForConditionalGeneration")


def target(text: str, word: str) -> Target:
    start = text.index(word)
    return Target(text, Span(word, start, start + len(word)))


TARGETS = [
    target("coffee comes from yemen .", "yemen"),
    target("the old king is in rome .", "rome"),
    target("tea is old", "tea"),
]
PAIRS = [Pair("coffee is old .", "the king is in rome"), Pair("tea", "tea"), Pair("", "")]


@needs_torch
@pytest.mark.torch
@pytest.mark.parametrize("prompt", ["answer", "highlight"])
def test_questions_keep_order_and_do_not_depend_on_the_batch(generator: str, prompt: Any) -> None:
    many = HuggingFaceBackend(ask=generator, prompt=prompt, device="cpu")
    one = HuggingFaceBackend(ask=generator, prompt=prompt, device="cpu", batch_size=1)
    asked = many.ask(TARGETS)
    assert asked == one.ask(TARGETS)
    assert all(len(questions) <= 5 for questions in asked)
    assert many.ask([]) == []


@needs_torch
@pytest.mark.torch
@pytest.mark.parametrize(("decoding", "most"), [("greedy", 1), ("beam", 5), ("sampling", 5)])
def test_decoding_gives_as_many_questions_as_it_should_and_repeats(
    generator: str, decoding: Any, most: int
) -> None:
    backend = HuggingFaceBackend(ask=generator, decoding=decoding, device="cpu")
    state = torch.random.get_rng_state()
    asked = backend.ask(TARGETS)
    assert all(len(questions) <= most for questions in asked)
    assert asked == backend.ask(TARGETS)
    assert asked[1:] == backend.ask(TARGETS[1:])
    assert torch.equal(state, torch.random.get_rng_state())
    assert decoding in _ask_name(backend)


@needs_torch
@pytest.mark.torch
def test_questions_on_disk_are_not_made_again(
    generator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = HuggingFaceBackend(ask=generator, device="cpu").ask(TARGETS)
    cache = str(tmp_path / "cache")
    assert HuggingFaceBackend(ask=generator, device="cpu", cache=cache).ask(TARGETS) == plain
    greedy = HuggingFaceBackend(ask=generator, device="cpu", cache=cache, decoding="greedy")
    assert all(len(questions) <= 1 for questions in greedy.ask(TARGETS))
    monkeypatch.setattr(HuggingFaceBackend, "_generate", None)
    assert HuggingFaceBackend(ask=generator, device="cpu", cache=cache).ask(TARGETS) == plain


def _ask_name(backend: HuggingFaceBackend) -> str:
    # The other models are not on this disk, so only the generator's part is looked at.
    backend._models = dict.fromkeys(("ask", "answer", "infer"), backend._models["ask"])
    return backend.models()["ask"]


@needs_torch
@pytest.mark.torch
@pytest.mark.parametrize("family", sorted(ENCODERS))
def test_readers_answer_with_spans_of_the_passage(tmp_path: Path, family: str) -> None:
    folder = save_encoder(tmp_path, family, "AutoModelForQuestionAnswering")
    long = "coffee comes from yemen . " * 30
    queries = [
        Query("where is the king ?", "The old king is in Rome ."),
        Query("what is old ?", long),
        Query("what ?", ""),
    ]
    many = HuggingFaceBackend(answer=folder, device="cpu").answer(queries)
    one = HuggingFaceBackend(answer=folder, device="cpu", batch_size=1).answer(queries)
    for query, answer, alone in zip(queries, many, one, strict=True):
        assert (answer.text, answer.start) == (alone.text, alone.start)
        assert answer.confidence == pytest.approx(alone.confidence, abs=1e-4)
        assert 0 <= answer.confidence <= 1
        if answer.text is not None:
            assert query.passage[answer.start : answer.end] == answer.text
    assert many[2].text is None


@needs_torch
@pytest.mark.torch
@pytest.mark.parametrize("family", sorted(ENCODERS))
def test_the_order_of_labels_is_read_from_the_config(tmp_path: Path, family: str) -> None:
    names = ["CONTRADICTION", "ENTAILMENT", "NEUTRAL"]
    folder = save_encoder(
        tmp_path, family, "AutoModelForSequenceClassification",
        id2label=dict(enumerate(names)), label2id={name: n for n, name in enumerate(names)},
    )  # fmt: skip
    backend = HuggingFaceBackend(infer=folder, device="cpu")
    loaded = backend._models["infer"]
    inputs = loaded.tokenizer(PAIRS[0].premise, PAIRS[0].hypothesis, return_tensors="pt")
    with torch.inference_mode():
        raw = loaded.model(**inputs).logits.softmax(-1)[0].tolist()
    entailments = backend.infer(PAIRS)
    assert entailments[0].contradiction == pytest.approx(raw[0], abs=1e-4)
    assert entailments[0].entailment == pytest.approx(raw[1], abs=1e-4)
    alone = [backend.infer([pair])[0] for pair in PAIRS]
    for a, b in zip(entailments, alone, strict=True):
        assert a.entailment == pytest.approx(b.entailment, abs=1e-4)
        assert a.entailment + a.neutral + a.contradiction == pytest.approx(1)


@needs_torch
@pytest.mark.torch
def test_token_vectors_have_length_one(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path, "roberta", "AutoModelForSequenceClassification", num_labels=3)
    vectors = HuggingFaceBackend(infer=folder, device="cpu").encode(["tea is old", "tea"])
    assert [v.shape for v in vectors] == [(3, 16), (1, 16)]
    assert (vectors[0] ** 2).sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-4)


@needs_torch
@pytest.mark.torch
def test_weights_that_are_not_safetensors_are_refused(tmp_path: Path) -> None:
    folder = Path(save_encoder(tmp_path, "albert", "AutoModelForQuestionAnswering"))
    for file in folder.glob("*.safetensors"):
        file.unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="safetensors"):
        HuggingFaceBackend(answer=str(folder), device="cpu").answer([Query("what ?", "tea")])


@needs_torch
@pytest.mark.torch
def test_the_signature_changes_with_the_weights(tmp_path: Path) -> None:
    names = []
    for n, seed in enumerate((1, 2)):
        folder = Path(
            save_encoder(tmp_path / str(n) / "m", "albert", "AutoModelForQuestionAnswering")
        )
        file = next(folder.glob("*.safetensors"))
        file.write_bytes(file.read_bytes()[:-1] + bytes([seed]))
        names.append(HuggingFaceBackend(answer=str(folder))._models["answer"].name)
    assert names[0] != names[1]


@needs_torch
@pytest.mark.torch
@pytest.mark.parametrize("name", ["no-such/model", "no-such/model@0123abc"])
def test_without_the_hub_a_revision_that_is_not_here_says_what_to_do(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    sentence = (
        f"The model {name} is not on this machine and the hub cannot be reached: download it once "
        "with network access, or name a folder that holds it."
    )
    for backend in (HuggingFaceBackend(ask=name), HuggingFaceBackend(ask=name, preset="modern")):
        with pytest.raises(ModelError) as error:
            backend.models()
        assert str(error.value) == sentence


def test_a_commit_that_the_hub_does_not_tell_must_be_named() -> None:
    """Else a signature would name a branch, which stands for other weights tomorrow."""
    unknown = LoadedModel("ask", ModelSpec("a/b"), "cpu")
    unknown.config = SimpleNamespace()
    with pytest.raises(ModelError, match=r"name it, as  a/b@commit\.$"):
        unknown.name  # noqa: B018
    known = LoadedModel("ask", ModelSpec("a/b", "abc"), "cpu")
    known.config = SimpleNamespace(_commit_hash=None)
    assert known.name == "b@abc"


@pytest.mark.skipif(INSTALLED, reason="PyTorch is installed")
def test_without_pytorch_the_error_says_what_to_install() -> None:
    with pytest.raises(MissingExtra, match=r"pip install .*\[hf\]'"):
        HuggingFaceBackend().infer(PAIRS)


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        ({0: "entailment", 1: "neutral", 2: "contradiction"}, [0, 1, 2]),
        ({0: "Contradiction", 1: "Neutral", 2: "Entailment"}, [2, 1, 0]),
    ],
)
def test_label_order(labels: dict[int, str], order: list[int]) -> None:
    assert label_order(labels, "m") == order


def test_labels_without_meaning_are_refused_unless_given() -> None:
    unnamed = {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}
    with pytest.raises(ModelError, match="labels="):
        label_order(unnamed, "m")
    assert label_order(unnamed, "m", "contradiction/neutral/entailment") == [2, 1, 0]
    with pytest.raises(ModelError):
        label_order({0: "entailment", 1: "not_entailment"}, "m")


def test_a_spec_has_a_name_and_a_revision(tmp_path: Path) -> None:
    assert ModelSpec.parse("a/b@abc") == ModelSpec("a/b", "abc")
    assert ModelSpec.parse("a/b") == ModelSpec("a/b")
    folder = tmp_path / "x@y"
    folder.mkdir()
    assert ModelSpec.parse(str(folder)).name == str(folder)


def test_presets_name_all_three_models_or_a_layout() -> None:
    for preset in PRESETS.values():
        asked = {"infer", "layout"} if "layout" in preset else {"ask", "answer", "infer", "prompt"}
        assert set(preset) - {"labels"} == asked


def test_the_paper_compares_answers_by_a_model_trained_on_snli() -> None:
    assert "snli" in PRESETS["paper"]["infer"].lower()
    unnamed = {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}
    assert label_order(unnamed, "m", default=PRESETS["paper"]["labels"]) == [0, 1, 2]
    named = {0: "contradiction", 1: "entailment", 2: "neutral"}
    assert label_order(named, "m", default=PRESETS["paper"]["labels"]) == [1, 2, 0]
    with pytest.raises(ModelError, match="labels="):
        label_order({0: "no", 1: "yes", 2: "so"}, "m", default=PRESETS["paper"]["labels"])


ITEMS = [
    Grounding("coffee comes from yemen .", "where is coffee from ?", "it comes from yemen ."),
    Grounding("tea is old", "", "the king is in rome"),
]


def five(names: Sequence[str] = LABELS) -> dict[str, Any]:
    return {"id2label": dict(enumerate(names)), "label2id": {n: i for i, n in enumerate(names)}}


@needs_torch
@pytest.mark.torch
@pytest.mark.parametrize("family", ["bert", "t5"])
def test_classifiers_give_begins_five_classes_by_name(tmp_path: Path, family: str) -> None:
    names = list(reversed(LABELS))
    if family == "t5":
        folder = save_t5(tmp_path, "T5ForSequenceClassification", pair=True, **five(names))
    else:
        folder = save_encoder(tmp_path, family, "AutoModelForSequenceClassification", **five(names))
    backend = HuggingFaceBackend(classify=folder, device="cpu")
    classes = backend.classify(ITEMS)
    assert [set(one) for one in classes] == [set(LABELS)] * 2
    assert [sum(one.values()) for one in classes] == pytest.approx([1, 1])
    alone = HuggingFaceBackend(classify=folder, device="cpu", batch_size=1).classify(ITEMS)
    for one, other in zip(classes, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-4)
    loaded = backend._models["classify"]
    first = "coffee comes from yemen . where is coffee from ?"  # evidence and previous turn
    inputs = loaded.tokenizer(first, ITEMS[0].response, return_tensors="pt")
    with torch.inference_mode():
        raw = loaded.model(**inputs).logits.softmax(-1)[0].tolist()
    assert [classes[0][name] for name in names] == pytest.approx(raw, abs=1e-4)


@needs_torch
@pytest.mark.torch
def test_a_classifier_of_other_classes_is_refused(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path, "bert", "AutoModelForSequenceClassification", num_labels=3)
    with pytest.raises(ModelError, match=r"training\.begin_classifier"):
        HuggingFaceBackend(classify=folder, device="cpu").classify(ITEMS)


def test_a_method_without_a_model_says_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="classify=MODEL"):
        HuggingFaceBackend().classify(ITEMS)
    with pytest.raises(UsageError, match="answer=MODEL"):
        HuggingFaceBackend(preset="hhem").answer([Query("what ?", "tea")])


def test_a_senseless_batch_size_is_refused() -> None:
    with pytest.raises(UsageError):
        HuggingFaceBackend(batch_size=0)
    assert issubclass(UsageError, StaytrueError)
