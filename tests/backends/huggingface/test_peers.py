"""HHEM, MiniCheck and AlignScore as their authors lay them out, with tiny random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from staytrue.backends.huggingface.backend import HuggingFaceBackend
from staytrue.core.errors import ModelError
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example
from staytrue.metrics.nli import EndToEndNli
from staytrue.plugins.registry import load_metric

from .tiny import needs_torch, save_encoder, save_t5, save_tokenizer, t5_config, torch

pytestmark = [needs_torch, pytest.mark.torch]
PAIRS = [Pair("coffee is old .", "the king is in rome"), Pair("tea", "tea"), Pair("tea", "rome .")]


def save_hhem(folder: Path) -> str:
    """A foundation, and a folder with the classifier's weights under other names."""
    import transformers
    from safetensors.torch import save_file

    foundation = folder / "foundation"
    save_t5(foundation, "T5EncoderModel")
    torch.manual_seed(3)
    network = transformers.T5ForTokenClassification(t5_config(num_labels=2))
    own = folder / "hhem"
    own.mkdir()
    state = {f"t5.{k}": v for k, v in network.state_dict().items() if "embed_tokens" not in k}
    save_file(state, own / "model.safetensors", metadata={"format": "pt"})
    config = {"model_type": "HHEMv2", "foundation": str(foundation)}
    (own / "config.json").write_text(json.dumps(config))
    return str(own)


def save_alignscore(folder: Path) -> str:
    import transformers
    from safetensors.torch import save_file

    save_encoder(folder, "roberta", "AutoModelForSequenceClassification")
    config = transformers.AutoConfig.from_pretrained(folder)
    torch.manual_seed(3)
    base = transformers.AutoModel.from_config(config)
    head = torch.nn.Linear(16, 3)
    state = {f"base_model.{k}": v for k, v in base.state_dict().items()}
    state |= {f"tri_layer.{k}": v for k, v in head.state_dict().items()}
    state["bin_layer.weight"] = torch.zeros(2, 16)  # heads that nobody asks
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    return str(folder)


def saved(preset: str, folder: Path) -> str:
    if preset == "hhem":
        return save_hhem(folder)
    if preset == "alignscore":
        return save_alignscore(folder)
    return save_t5(folder, "T5ForConditionalGeneration")


@pytest.mark.parametrize("preset", ["hhem", "minicheck", "alignscore"])
def test_peers_say_how_far_a_claim_is_supported_whatever_the_batch(
    tmp_path: Path, preset: Any
) -> None:
    folder = saved(preset, tmp_path)
    many = HuggingFaceBackend(preset=preset, infer=folder, device="cpu")
    one = HuggingFaceBackend(preset=preset, infer=folder, device="cpu", batch_size=1)
    entailments = many.infer(PAIRS)
    assert len({round(e.entailment, 5) for e in entailments}) == 3  # the texts matter
    for a, b in zip(entailments, one.infer(PAIRS), strict=True):
        assert a.entailment == pytest.approx(b.entailment, abs=1e-4)
        assert a.neutral == pytest.approx(1 - a.entailment)
        assert a.contradiction == 0.0
    verdict = EndToEndNli(many).judge([Example("1", PAIRS[0].hypothesis, PAIRS[0].premise)])[0]
    assert verdict.score == pytest.approx(entailments[0].entailment, abs=1e-4)
    assert "infer" in many.models()
    assert "@" in load_metric("nli", backend=many).signature


def test_hhem_reads_the_first_token_of_its_prompt(tmp_path: Path) -> None:
    folder = save_hhem(tmp_path)
    backend = HuggingFaceBackend(preset="hhem", infer=folder, device="cpu")
    peer = backend._models["infer"]
    prompt = (
        "<pad> Determine if the hypothesis is true given the premise?\n\n"
        "Premise: tea\n\nHypothesis: rome ."
    )
    with torch.inference_mode():
        logits = peer.model(**peer.tokenizer(prompt, return_tensors="pt")).logits
    expected = logits[0, 0].softmax(-1)[1].item()
    assert backend.infer([PAIRS[2]])[0].entailment == pytest.approx(expected, abs=1e-5)


def test_minicheck_weighs_one_against_zero_after_the_joined_texts(tmp_path: Path) -> None:
    folder = save_t5(tmp_path, "T5ForConditionalGeneration")
    backend = HuggingFaceBackend(preset="minicheck", infer=folder, device="cpu")
    peer = backend._models["infer"]
    inputs = peer.tokenizer("predict: tea</s>rome .", return_tensors="pt")
    start = torch.zeros((1, 1), dtype=torch.long)
    with torch.inference_mode():
        logits = peer.model(input_ids=inputs["input_ids"], decoder_input_ids=start).logits[0, 0]
    zero, one = (peer.tokenizer.convert_tokens_to_ids(text) for text in ("0", "1"))
    expected = logits[[zero, one]].softmax(-1)[1].item()
    assert backend.infer([PAIRS[2]])[0].entailment == pytest.approx(expected, abs=1e-5)


def test_minichecks_encoders_have_two_outputs(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path, "roberta", "AutoModelForSequenceClassification", num_labels=2)
    entailments = HuggingFaceBackend(preset="minicheck", infer=folder, device="cpu").infer(PAIRS)
    assert all(0 < one.entailment < 1 for one in entailments)


def pickled(folder: Path, **more: Any) -> str:
    """The weights of AlignScore as its authors publish them, in a checkpoint of their trainer."""
    from safetensors.torch import load_file

    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save({"epoch": 3, "state_dict": state, **more}, folder / "AlignScore-base.ckpt")
    return str(folder)


def test_the_checkpoint_that_alignscores_authors_publish_is_read(tmp_path: Path) -> None:
    def chances() -> list[Entailment]:
        backend = HuggingFaceBackend(preset="alignscore", infer=str(tmp_path), device="cpu")
        assert "@" in backend.models()["infer"]
        return backend.infer(PAIRS)

    save_alignscore(tmp_path)
    expected = chances()
    pickled(tmp_path)
    assert chances() == expected


class RunsCode:
    """What a hostile pickle may hold."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_a_checkpoint_that_could_run_code_is_refused_with_what_to_do(tmp_path: Path) -> None:
    save_alignscore(tmp_path)
    folder = pickled(tmp_path, callbacks=RunsCode(tmp_path / "ran"))
    with pytest.raises(ModelError, match="preset=alignscore,infer=FOLDER"):
        HuggingFaceBackend(preset="alignscore", infer=folder, device="cpu").infer(PAIRS)
    assert not (tmp_path / "ran").exists()


def test_a_folder_without_any_checkpoint_of_alignscore_says_so(tmp_path: Path) -> None:
    save_alignscore(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelError):
        HuggingFaceBackend(preset="alignscore", infer=str(tmp_path), device="cpu").infer(PAIRS)


@pytest.mark.parametrize("preset", ["hhem", "alignscore"])
def test_a_folder_that_holds_another_model_says_so(tmp_path: Path, preset: Any) -> None:
    save_tokenizer(tmp_path, encoder=True)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError):
        HuggingFaceBackend(preset=preset, infer=str(tmp_path), device="cpu").infer(PAIRS)
