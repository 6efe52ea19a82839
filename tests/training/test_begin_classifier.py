"""BEGIN's classifier is trained from a model and silver rows by one command, here on tiny ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.backends.huggingface.tiny import needs_torch, save_encoder, save_t5
from training import begin_classifier

from staytrue.backends.huggingface.backend import HuggingFaceBackend
from staytrue.core.begin_labels import LABELS
from staytrue.core.protocols import Grounding

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


@pytest.mark.parametrize("family", ["bert", "t5"])
def test_training_learns_the_classes_and_writes_a_model_that_the_backend_reads(
    tmp_path: Path, family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base, to = tmp_path / "base", tmp_path / "trained"
    if family == "t5":
        save_t5(base, "T5ForSequenceClassification", pair=True, num_labels=5, dropout_rate=0.0)
    else:
        save_encoder(
            base, family, "AutoModelForSequenceClassification", num_labels=5,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.3,
        )  # fmt: skip
    data = silver(tmp_path / "silver.jsonl")
    dev = tmp_path / "dev.jsonl"
    dev.write_text(
        "\n".join(
            json.dumps(
                {
                    "evidence": "the old",
                    "previous turn": "what ?",
                    "response": f"{word} is",
                    "gold label": label,
                }
            )
            for label, word in SAID.items()
        )
    )
    begin_classifier.main(
        [str(base), str(data), "--to", str(to), "--epochs", "30", "--batch-size", "8",
         "--rate", "0.005", "--dev", f"begin:{dev}"]
    )  # fmt: skip
    backend = HuggingFaceBackend(classify=str(to), device="cpu")
    chances = backend.classify([Grounding("the old", "what ?", f"{w} is") for w in SAID.values()])
    assert [max(one, key=lambda name: one[name]) for one in chances] == list(LABELS)
    printed = capsys.readouterr().out
    assert "epoch 30: loss 0." in printed
    assert "5-way accuracy: 1.000" in printed


def test_the_papers_constants_are_the_default() -> None:
    recipe = begin_classifier.Recipe()
    assert (recipe.batch_size, recipe.epochs, recipe.rate) == (32, 3, 2e-5)
