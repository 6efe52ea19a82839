"""BEGIN's classifiers are trained from a model and rows by one command, here on tiny ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.backends.huggingface.tiny import needs_torch, save_encoder, save_t5
from training import begin_classifier

from staytrue.backends.huggingface.backend import HuggingFaceBackend
from staytrue.core.begin_labels import LABELS
from staytrue.core.protocols import Grounding, Pair

pytestmark = [needs_torch, pytest.mark.torch]
# One word gives each class away.
SAID = dict(zip(LABELS, ("coffee", "tea", "king", "rome", "city"), strict=True))


def silver(path: Path) -> Path:
    rows = [
        {"knowledge": "the old", "message": "what ?", "response": f"{word} is", "label": label}
        for label, word in SAID.items()
        for _ in range(12)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


# Words that give the labels of NLI away, and what BEGIN calls such a response.
NLI_SAID = {"entailment": "coffee", "contradiction": "tea", "neutral": "rome"}


def nli(path: Path) -> Path:
    rows = [
        {"premise": "the old what ?", "hypothesis": f"{word} is", "label": label}
        for label, word in NLI_SAID.items()
        for _ in range(12)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def dev_set(path: Path, said: dict[str, str]) -> Path:
    rows = [
        {"evidence": "the old", "previous turn": "what ?", "response": f"{word} is",
         "gold label": label}
        for label, word in said.items()
    ]  # fmt: skip
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def save_base(folder: Path, family: str, outputs: int) -> Path:
    if family == "t5":
        save_t5(
            folder, "T5ForSequenceClassification", pair=True, num_labels=outputs, dropout_rate=0.0
        )
    else:
        save_encoder(
            folder, family, "AutoModelForSequenceClassification", num_labels=outputs,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.3,
        )  # fmt: skip
    return folder


def trained(base: Path, *data: object, to: Path, dev: Path) -> None:
    begin_classifier.main(
        [str(base), *map(str, data), "--to", str(to), "--epochs", "30", "--batch-size", "8",
         "--rate", "0.005", "--dev", f"begin:{dev}"]
    )  # fmt: skip


@pytest.mark.parametrize("family", ["bert", "t5"])
def test_training_learns_the_classes_and_writes_a_model_that_the_backend_reads(
    tmp_path: Path, family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base, to = save_base(tmp_path / "base", family, 5), tmp_path / "trained"
    data = silver(tmp_path / "silver.jsonl")
    trained(base, data, to=to, dev=dev_set(tmp_path / "dev.jsonl", SAID))
    backend = HuggingFaceBackend(classify=str(to), device="cpu")
    chances = backend.classify([Grounding("the old", "what ?", f"{w} is") for w in SAID.values()])
    assert [max(one, key=lambda name: one[name]) for one in chances] == list(LABELS)
    printed = capsys.readouterr().out
    assert "epoch 30: loss 0." in printed
    assert "5-way accuracy: 1.000" in printed


@pytest.mark.parametrize("family", ["bert", "t5"])
def test_pairs_of_nli_make_a_three_way_classifier_with_its_figures(
    tmp_path: Path, family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base, to = save_base(tmp_path / "base", family, 3), tmp_path / "trained"
    said = {"entailment": "coffee", "contradiction": "tea", "off-topic": "rome"}
    data = nli(tmp_path / "nli.jsonl")
    trained(base, f"dnli:{data}", to=to, dev=dev_set(tmp_path / "dev.jsonl", said))
    printed = capsys.readouterr().out
    assert "NLI: 36 pairs" in printed
    assert "3-way accuracy: 1.000\n3-way macro-F1: 1.000" in printed
    assert "5-way" not in printed


def test_nli_then_silver_is_one_command_and_gives_the_figures_of_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, to = save_base(tmp_path / "base", "bert", 3), tmp_path / "trained"
    pairs, rows = nli(tmp_path / "nli.jsonl"), silver(tmp_path / "silver.jsonl")
    trained(base, f"dnli:{pairs}", rows, to=to, dev=dev_set(tmp_path / "dev.jsonl", SAID))
    of_nli, of_silver = capsys.readouterr().out.split("silver: 60 rows")
    assert "NLI: 36 pairs" in of_nli
    assert "3-way accuracy" in of_nli
    assert "5-way" not in of_nli
    assert "5-way accuracy: 1.000" in of_silver
    pair = Pair("the old what ?", "tea is")
    assert HuggingFaceBackend(infer=str(to / "nli")).infer([pair])[0].label == "contradiction"


def test_silver_rows_are_learned_from_what_the_pairs_taught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bases = []

    def note(base: str, *_: object) -> list[float]:
        bases.append(base)
        return []

    monkeypatch.setattr(begin_classifier, "train", note)
    pairs, rows = nli(tmp_path / "nli.jsonl"), silver(tmp_path / "silver.jsonl")
    begin_classifier.main(["hub/model", str(rows), f"dnli:{pairs}", "--to", str(tmp_path / "to")])
    assert bases == ["hub/model", str(tmp_path / "to" / "nli")]


def test_the_papers_constants_are_the_default() -> None:
    recipe = begin_classifier.ClassifierRecipe()
    assert (recipe.batch_size, recipe.epochs, recipe.rate) == (32, 3, 2e-5)
