"""An entailment model is fine-tuned on Dialogue NLI by one command, here a tiny one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reproduce.consistest import NEW
from reproduce.consistest_judged import judge_all, read_answers
from tests.backends.huggingface.tiny import needs_torch, save_encoder
from training import dialogue_nli

from staytrue.backends.huggingface.backend import HuggingFaceBackend
from staytrue.core.protocols import Pair

pytestmark = [needs_torch, pytest.mark.torch]
# One word gives each label away.
SAID = {"positive": "coffee", "neutral": "tea", "negative": "king"}
LABEL = {"positive": "entailment", "neutral": "neutral", "negative": "contradiction"}
OTHER_ORDER = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")


def test_the_model_learns_the_labels_in_the_order_of_its_head(tmp_path: Path) -> None:
    base, to, data = tmp_path / "base", tmp_path / "trained", tmp_path / "pairs.jsonl"
    save_encoder(
        base, "roberta", "AutoModelForSequenceClassification", num_labels=3,
        id2label=dict(enumerate(OTHER_ORDER)), label2id={n: i for i, n in enumerate(OTHER_ORDER)},
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.3,
    )  # fmt: skip
    rows = [
        {"sentence1": "the old", "sentence2": f"{word} is", "label": label}
        for label, word in SAID.items()
        for _ in range(12)
    ]
    data.write_text("\n".join(json.dumps(row) for row in rows))
    dialogue_nli.main(
        [str(base), f"dnli:{data}", "--to", str(to), "--epochs", "30", "--batch-size", "8",
         "--rate", "0.005"]
    )  # fmt: skip
    assert dialogue_nli.labels_of(str(to)) == tuple(name.lower() for name in OTHER_ORDER)
    backend = HuggingFaceBackend(infer=str(to), device="cpu")
    entailments = backend.infer([Pair("the old", f"{word} is") for word in SAID.values()])
    assert [one.label for one in entailments] == list(LABEL.values())
    # What `python -m reproduce.consistest --nli dialogue=SPEC` does with it.
    answers = read_answers(NEW)[:3]
    # The evaluator asks no questions; the signature names all models all the same.
    backend_spec = f"huggingface,infer={to},ask={to},answer={to}"
    judged = judge_all(answers, "hybrid,compat=paper", backend_spec)
    assert len(judged) == 3


def test_a_model_without_these_labels_gets_ours(tmp_path: Path) -> None:
    save_encoder(tmp_path, "bert", "AutoModelForSequenceClassification", num_labels=2)
    assert dialogue_nli.labels_of(str(tmp_path)) == dialogue_nli.LABELS


def test_pairs_of_some_sources_are_taken_from_a_file_that_names_them(tmp_path: Path) -> None:
    data = tmp_path / "nli.jsonl"
    rows = [("mnli", "neutral"), ("dnli", "neutral"), ("mnli", "not_entailment")]
    data.write_text(
        "\n".join(
            json.dumps({"premise": "a", "hypothesis": str(n), "label": label, "source": source})
            for n, (source, label) in enumerate(rows)
        )
    )
    assert dialogue_nli.read_sources(data, ["mnli"]) == [
        dialogue_nli.LabelledPair("a", "0", "neutral")
    ]
