from __future__ import annotations

from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from training.common import GROUNDEDNESS_LABELS, SHIPPED

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers
from training import graph, groundedness_data, tasks, token_files

torch.set_num_threads(1)  # the models are tiny
pytestmark = pytest.mark.torch


def token_file(path: Path, lengths: list[int], **columns: Any) -> Path:
    """Examples of these lengths; the ids count on, and the second text is the last two tokens."""
    np.savez(
        path, ids=np.arange(1, sum(lengths) + 1, dtype=np.uint16), lengths=np.array(lengths),
        premise_lengths=np.array(lengths) - 2, **columns,
    )  # fmt: skip
    return path


def giving(**outputs: Any) -> Any:
    """A model that says these logits whatever it is asked."""
    return lambda **_: SimpleNamespace(**{name: torch.tensor(v) for name, v in outputs.items()})


@pytest.fixture
def warm_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = transformers.BertConfig(
        vocab_size=30, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, max_position_embeddings=16,
    )  # fmt: skip
    torch.manual_seed(3)
    config.num_labels = 3
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path / "warm")
    monkeypatch.setattr(tasks, "WARM_START", tmp_path / "warm")
    return tmp_path / "warm"


def test_a_batch_is_padded_to_its_longest_and_knows_its_segments(tmp_path: Path) -> None:
    tokens = tasks.TokenArray(token_file(tmp_path / "t.npz", [3, 5, 4]))
    inputs = tokens.inputs(np.array([2, 0]))
    assert inputs["input_ids"].tolist() == [[9, 10, 11, 12], [1, 2, 3, 0]]
    assert inputs["token_type_ids"].tolist() == [[0, 0, 1, 1], [0, 1, 1, 0]]
    assert inputs["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]


@pytest.fixture
def entailment(tmp_path: Path) -> Any:
    names = np.array(["mnli", "fever_nli", "unheard_of"])
    sources = np.repeat([0, 1, 2], 30)
    labels = np.tile([0, 1, 2], 30)
    path = token_file(
        tmp_path / "e.npz", [4] * 90, labels=labels, sources=sources, source_names=names,
        entailed=np.full(90, 700), contradicted=np.full(90, 100),
    )  # fmt: skip
    return tasks.EntailmentTask(path)


def test_pairs_are_drawn_by_the_shares_of_source_and_label(entailment: Any) -> None:
    drawn = np.concatenate(list(islice(entailment.batches(32, 1), 400)))
    sources = np.bincount(drawn // 30, minlength=3) / len(drawn)
    shares = tasks.ENTAILMENT_SHARES
    both = shares["mnli"] + shares["fever_nli"]
    expected = [shares["mnli"] / both, shares["fever_nli"] / both, 0]
    assert sources == pytest.approx(expected, abs=0.02)
    fever = drawn[drawn // 30 == 1]
    by_label = np.bincount(entailment.labels[fever], minlength=3) / len(fever)
    wanted = [tasks.LABEL_SHARES["fever_nli", label] for label in range(3)]
    assert by_label == pytest.approx(wanted, abs=0.03)


def test_label_shares_leave_the_share_of_their_source_as_it_is() -> None:
    for source in {source for source, _ in tasks.LABEL_SHARES}:
        own = [share for (name, _), share in tasks.LABEL_SHARES.items() if name == source]
        assert sum(own) == pytest.approx(1), source
        assert source in tasks.ENTAILMENT_SHARES


def test_every_source_of_made_pairs_has_a_share() -> None:
    made = {"made_grounded", "made_answers", "made_persona", "made_lives", "made_numbers"}
    made |= {"silver", "taught"}
    assert made <= {name for name, share in tasks.ENTAILMENT_SHARES.items() if share > 0}


@pytest.mark.parametrize(("label", "remaining"), [(3, [1, 2]), (4, [0, 1])])
def test_a_label_that_leaves_a_question_open_asks_for_the_sum_of_what_remains(
    entailment: Any, label: int, remaining: list[int]
) -> None:
    chances = np.array([0.2, 0.3, 0.5])
    entailment.labels[0] = label
    loss = entailment.loss(giving(logits=[np.log(chances).tolist()]), np.array([0]))
    assert loss.item() == pytest.approx(-np.log(chances[remaining].sum()), abs=1e-5)


def test_a_taught_pair_asks_for_the_probabilities_of_its_teacher(entailment: Any) -> None:
    chances = np.array([0.2, 0.3, 0.5])
    entailment.labels[0] = tasks.TAUGHT
    loss = entailment.loss(giving(logits=[np.log(chances).tolist()]), np.array([0]))
    assert loss.item() == pytest.approx(-np.log(chances) @ [0.7, 0.2, 0.1], abs=1e-5)


def test_a_sure_label_is_asked_for_with_a_little_smoothing(entailment: Any) -> None:
    chances = np.array([0.2, 0.3, 0.5])
    loss = entailment.loss(giving(logits=[np.log(chances).tolist()]), np.array([2]))
    plain = -np.log(chances)
    expected = (1 - tasks.SMOOTHING) * plain[2] + tasks.SMOOTHING * plain.mean()
    assert loss.item() == pytest.approx(expected, abs=1e-5)


def test_the_loss_of_a_batch_is_the_mean_over_sure_and_open_labels(entailment: Any) -> None:
    entailment.labels[:3] = [0, 3, 4]
    logits = [[0.3, -1.0, 0.2], [1.0, 0.5, 0.0], [0.0, 0.1, 2.0]]
    whole = entailment.loss(giving(logits=logits), np.array([0, 1, 2])).item()
    parts = [
        entailment.loss(giving(logits=[logits[n]]), np.array([n])).item() for n in range(3)
    ]  # fmt: skip
    assert whole == pytest.approx(np.mean(parts), abs=1e-5)


def test_a_reader_is_never_asked_about_padding(tmp_path: Path) -> None:
    path = token_file(
        tmp_path / "r.npz", [3, 5], firsts=np.array([1, 0]), lasts=np.array([2, 0]),
        sources=np.array([0, 0]), source_names=np.array(["squad"]),
    )  # fmt: skip
    reading = tasks.ReadingTask(path)
    # The short example has its highest scores in the padding, and else equal ones.
    scores = [[0.0, 0.0, 0.0, 9.0, 9.0], [0.0] * 5]
    loss = reading.loss(giving(start_logits=scores, end_logits=scores), np.array([0, 1]))
    assert loss.item() == pytest.approx((np.log(3) + np.log(5)) / 2, abs=1e-4)


@pytest.fixture
def groundedness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows) -> Any:
    monkeypatch.setattr(groundedness_data, "CHECKPOINTS", tmp_path)
    monkeypatch.setattr(token_files, "WARM_START", SHIPPED)
    rows = [
        {"evidence": f"fact {n}", "message": "hi", "response": f"said {n}",
         "label": GROUNDEDNESS_LABELS[0 if n < 80 else n % 5]}
        for n in range(120)
    ]  # fmt: skip
    return tasks.GroundednessTask(write_rows(tmp_path / "train.jsonl.gz", rows))


def test_rows_held_out_for_calibration_are_never_drawn(groundedness: Any) -> None:
    drawn = np.concatenate(list(islice(groundedness.batches(32, 1), 60)))
    assert len(groundedness.held_out) == 120 // 15
    assert not set(drawn) & set(groundedness.held_out)
    assert set(drawn) == set(range(120)) - set(groundedness.held_out)


def test_taught_rows_are_drawn_by_their_share_and_never_held_out(
    groundedness: Any, tmp_path: Path, write_rows
) -> None:
    given = dict(zip(GROUNDEDNESS_LABELS, (0.7, 0.1, 0.2, 0.0, 0.0), strict=True))
    row = {"evidence": "fact", "message": "hi", "response": "said", "begin": given}
    taught = write_rows(tmp_path / "taught.jsonl.gz", [row] * 40)
    both = tasks.GroundednessTask(tmp_path / "train.jsonl.gz", taught)
    drawn = np.concatenate(list(islice(both.batches(32, 1), 100)))
    share = tasks.TAUGHT_SHARE / (5 + tasks.TAUGHT_SHARE)
    assert np.mean(both.labels[drawn] == 5) == pytest.approx(share, abs=0.03)
    assert both.held_out.tolist() == groundedness.held_out.tolist()
    chances = np.array([0.4, 0.2, 0.2, 0.1, 0.1])
    loss = both.loss(giving(logits=[np.log(chances).tolist()]), np.array([125]))
    assert loss.item() == pytest.approx(-np.log(chances) @ list(given.values()), abs=1e-5)
    # A labelled row is asked for with a little smoothing, as ever.
    loss = both.loss(giving(logits=[np.log(chances).tolist()]), np.array([0]))
    plain = -np.log(chances)
    expected = (1 - tasks.SMOOTHING) * plain[0] + tasks.SMOOTHING * plain.mean()
    assert loss.item() == pytest.approx(expected, abs=1e-5)


def test_the_five_classes_are_drawn_equally_often(groundedness: Any) -> None:
    drawn = np.concatenate(list(islice(groundedness.batches(32, 1), 200)))
    shares = np.bincount(groundedness.labels[drawn]) / len(drawn)
    assert shares == pytest.approx([0.2] * 5, abs=0.02)


def test_groundedness_without_rows_says_which_option_names_them() -> None:
    with pytest.raises(SystemExit, match="--data"):
        tasks.GroundednessTask()


def test_a_model_starts_from_saved_weights_and_without_dropout(
    entailment: Any, warm_start: Path
) -> None:
    model = entailment.model(warm_start)
    original = transformers.BertForSequenceClassification.from_pretrained(warm_start)
    own = model.state_dict()
    assert all(torch.equal(own[name], w) for name, w in original.state_dict().items())
    dropouts = [m.p for m in model.modules() if isinstance(m, torch.nn.Dropout)]
    assert dropouts
    assert not any(dropouts)


@pytest.mark.parametrize("whole", [True, False])
def test_a_head_of_another_shape_stays_fresh_and_the_rest_is_taken_over(
    warm_start: Path, tmp_path: Path, whole: bool
) -> None:
    from safetensors.torch import load_file

    weights = load_file(warm_start / "model.safetensors")
    path = tmp_path / "checkpoint.pt"
    torch.save({"model": weights, "step": 4} if whole else weights, path)
    model = transformers.BertForSequenceClassification(tasks.config(5))
    fresh = model.classifier.weight.detach().clone()
    tasks.load_weights(model, path)
    assert torch.equal(model.classifier.weight, fresh)
    assert torch.equal(model.bert.pooler.dense.weight, weights["bert.pooler.dense.weight"])


def test_a_shipped_file_can_be_trained_on() -> None:
    config = transformers.BertConfig(
        vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
        intermediate_size=1536, max_position_embeddings=512,
    )  # fmt: skip
    config.num_labels = 3
    model = transformers.BertForSequenceClassification(config)
    tasks.load_weights(model, SHIPPED / "entailment.onnx")
    pooler = graph.read_back(SHIPPED / "entailment.onnx")["bert.pooler.dense.weight"]
    assert model.bert.pooler.dense.weight.detach().numpy() == pytest.approx(pooler)
