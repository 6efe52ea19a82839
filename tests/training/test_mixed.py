from __future__ import annotations

import argparse
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from safetensors.torch import load_file
from tests.training.large_model import tiny_base, tiny_weights
from torch.nn import functional
from training import mixed, mixed_data
from training.mixed_data import ENTAILMENT, GROUNDEDNESS, READING
from training.reading_data import ReadingRow

torch.set_num_threads(1)  # the models are tiny
pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_base(tmp_path_factory.mktemp("base"))


# Task, source, label or first token, last token, length.
ROWS = [
    (ENTAILMENT, "mnli", 0, 0, 8),
    (ENTAILMENT, "mnli", 2, 0, 9),
    (ENTAILMENT, "audit", 3, 0, 7),
    (GROUNDEDNESS, "silver-grounded", 4, 0, 9),
    (READING, "reading/squad", 5, 6, 12),
    (READING, "reading/squad", 3, 3, 10),
    (READING, "reading/unanswerable", 0, 0, 11),
    (READING, "reading/squad2_kept", 2, 2, 11),
]


def write(path: Path, rows: list[tuple[int, str, int, int, int]]) -> Path:
    rng = np.random.default_rng(1)
    names = list(dict.fromkeys(source for _, source, *_ in rows))
    np.savez(
        path,
        ids=np.concatenate([rng.integers(3, 30, size=row[4]) for row in rows]).astype(np.uint16),
        lengths=np.array([row[4] for row in rows], np.int32),
        tasks=np.array([row[0] for row in rows], np.int16),
        sources=np.array([names.index(row[1]) for row in rows], np.int16),
        labels=np.array([row[2] for row in rows], np.int16),
        lasts=np.array([row[3] for row in rows], np.int16),
        source_names=np.array(names),
    )
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "mixed.npz", ROWS)


def test_reading_rows_are_drawn_by_their_source_and_kept_ones_never(data: Path) -> None:
    rows = mixed.Rows(data)
    drawn = Counter(int(i) for batch in islice(rows.batches(8, 1), 80) for i in batch)
    assert rows.reading
    assert drawn[7] == 0, "questions that set the threshold are not trained on"
    assert all(drawn[number] for number in range(7))
    # Answers stand at many places; the place is no label to draw by.
    assert drawn[4] == pytest.approx(drawn[5], abs=2)


def test_the_states_are_those_of_transformers_own_forward(base: Path) -> None:
    model = mixed.Model(base, 0.0).eval()
    ids = torch.randint(3, 30, (3, 9))
    mask = torch.ones_like(ids)
    ids[1, 5:], mask[1, 5:] = mixed.PAD, 0
    with torch.no_grad():
        states = model.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        assert torch.allclose(model(ids, mask)[mask.bool()], states[mask.bool()], atol=1e-5)
        assert torch.allclose(model(ids, mask, every=False), states[:, :1], atol=1e-5)


def test_the_first_token_alone_gives_the_same_gradients(base: Path) -> None:
    model = mixed.Model(base, 0.0)
    ids = torch.randint(3, 30, (3, 9))
    gradients = []
    for every in (True, False):
        model.zero_grad()
        model(ids, torch.ones_like(ids), every=every)[:, 0].square().sum().backward()
        gradients.append({n: w.grad for n, w in model.named_parameters() if w.grad is not None})
    assert gradients[0].keys() == gradients[1].keys()
    assert all(torch.allclose(gradients[0][n], gradients[1][n], atol=1e-4) for n in gradients[0])


def test_a_file_from_before_there_was_reading_still_trains(base: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "old.npz", ROWS[:4])
    arrays = {name: value for name, value in np.load(path).items() if name != "lasts"}
    np.savez(path, **arrays)
    rows = mixed.Rows(path)
    model = mixed.Model(base, 0.0, reading=rows.reading)
    assert not any("reading" in name for name in model.trained())
    assert mixed.batch_loss(model, rows, np.arange(4)).item() > 0


def test_the_loss_of_a_batch_is_the_mean_over_its_tasks(base: Path, data: Path) -> None:
    rows = mixed.Rows(data)
    torch.manual_seed(1)
    model = mixed.Model(base, 0.0, reading=True).eval()
    alone = [mixed.batch_loss(model, rows, np.array([number])).item() for number in range(8)]
    together = mixed.batch_loss(model, rows, np.arange(8)).item()
    assert together == pytest.approx(np.mean(alone), abs=2e-4), "padding changes nothing"


def test_reading_asks_for_the_first_and_the_last_token(base: Path, data: Path) -> None:
    rows = mixed.Rows(data)
    model = mixed.Model(base, 0.0, reading=True).eval()
    assert model.reading is not None
    logits = model.reading(model(*rows.inputs(np.array([4]))))[0]
    wanted = [functional.cross_entropy(logits[:, side], torch.tensor(position))
              for side, position in ((0, 5), (1, 6))]  # fmt: skip
    loss = mixed.batch_loss(model, rows, np.array([4])).item()
    assert loss == pytest.approx((wanted[0].item() + wanted[1].item()) / 2, abs=1e-5)


def options(base: Path, data: Path, folder: Path, minutes: float) -> argparse.Namespace:
    return argparse.Namespace(
        base=base, data=data, folder=folder, start_from=None, minutes=minutes, rate=1e-3, hold=0.4,
        batch=4, dropout=0.0, seed=1, threads=1, adapter=0, rounded=True, bfloat16=True,
        reading_share=45.0, frozen=1,
    )  # fmt: skip


def test_training_goes_on_when_the_data_gains_a_task(
    base: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write(tmp_path / "pairs.npz", ROWS[:4])
    mixed.train(options(base, first, tmp_path / "large", 0.02))
    before = load_file(tmp_path / "large" / "latest.safetensors")
    assert not any(name.startswith("reading") for name in before)
    mixed.train(options(base, data, tmp_path / "large", 0.02))
    after = load_file(tmp_path / "large" / "latest.safetensors")
    assert set(after) - set(before) == {"reading.weight", "reading.bias"}
    state = torch.load(tmp_path / "large" / "state.pt", weights_only=True)
    assert state["step"] > 0
    mixed.train(options(base, data, tmp_path / "large", 0.0))
    same = load_file(tmp_path / "large" / "latest.safetensors")
    assert all(torch.equal(same[name], after[name]) for name in after), "no time, no step"


def test_a_reading_row_finds_its_answer_among_the_tokens(base: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    passage = "coffee was first grown in yemen ."
    start = passage.index("yemen")
    question = "where was coffee grown ?"
    encoding = tokenizer.encode(question, passage)
    answered = ReadingRow("squad", question, passage, start, start + len("yemen"))
    targets = mixed_data.answer_place({"reading": answered}, encoding)
    assert targets is not None
    assert encoding.tokens[targets.label] == encoding.tokens[targets.last] == "yemen"
    silent = ReadingRow("unanswerable", question, passage, -1, -1)
    assert mixed_data.answer_place({"reading": silent}, encoding) == (0, 0)


def test_unanswerable_questions_come_with_the_paragraph_and_its_nearest_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import random

    row = {"question": "where is tea grown", "context": "Coffee is hot. Tea is grown in hills."}
    monkeypatch.setattr(mixed_data.splits, "unanswerable", lambda: ([row], [{"question": "kept"}]))
    whole, near = mixed_data.unanswerable_readings(random.Random(1))
    assert (whole.passage, whole.start) == (row["context"], -1)
    assert "Tea is grown in hills." in near.passage
    assert {whole.source, near.source} == set(mixed.UNANSWERABLE_SHARES)


def test_training_can_start_from_an_exported_model(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    from training.export_large import export

    weights = tiny_weights(base, reading=True)
    changed = ".layer.2.output.dense.weight"
    weights = {name: value * (2 if changed in name else 1) for name, value in weights.items()}
    export(weights, base, tmp_path)
    model = mixed.Model(base, 0.0, reading=True)
    restored = mixed.saved_weights(tmp_path / "encoder.onnx", model)
    assert set(restored) == set(model.trained()), "the frozen layers stay the base's, unrounded"
    for name, value in restored.items():
        near = 0.27 * np.abs(weights[name]).max()
        assert np.abs(value.numpy() - weights[name]).max() <= near, name
    model.load_state_dict(restored, strict=False)
