"""The three tasks: what each model looks like, which examples it draws, what it minimises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch.nn import functional
from transformers import BertConfig, BertForQuestionAnswering, BertForSequenceClassification

from training.common import CHECKPOINTS, GROUNDEDNESS_LABELS, TAUGHT, WARM_START
from training.contrast import contrast_loss
from training.sampling import batches

SMOOTHING = 0.05
# How often the groundedness model draws taught rows, where each of its five classes counts 1.
TAUGHT_SHARE = 3.0

# Share of the drawn pairs by source. MultiNLI carries the general skill, PAWS word order; silver
# replies, made pairs and people's labels are closest to what is judged. Sources without a stated
# licence are not drawn. Each written claim that is drawn brings its partner, so it counts twice.
ENTAILMENT_SHARES = {
    "mnli": 24.0, "mnli/around": 4.0, "snli": 10.0, "cad_nli": 2.0, "fever_nli": 9.0,
    "fever_nli/around": 5.0, "climate_fever": 1.0, "dnli_rcdg": 14.0, "dnli_rcdg/around": 1.0,
    "gu_dnli2024": 4.0, "PAWS-Wiki": 10.0, "PAWS-Wiki/around": 2.0, "SciTail": 2.0,
    "SciTail/around": 0.5, "conjnli": 2.0, "syntactic augmentation": 1.5, "ScoNe": 1.5,
    "ScoNe/around": 0.3, "FoolMeTwice": 2.5, "SummEdits": 2.5, "audit": 3.0, "made_support": 9.0,
    "made_grounded": 5.0, "made_answers": 2.5, "made_persona": 1.5, "made_lives": 1.0,
    "made_numbers": 1.5, "made_talk": 5.0, "made_roles": 4.0, "silver": 16.0, "taught": 24.0,
    "written": 50.0,
}  # fmt: skip

# Shares of the labels within a source, where equal shares would be wrong. Contradictions are rare
# among replies to knowledge (BEGIN's table 1); with equal shares the model sees them everywhere.
LABEL_SHARES = {
    # FEVER's neutral claims were paired with evidence found by name only: few of them.
    ("fever_nli", 0): 0.5,
    ("fever_nli", 1): 0.25,
    ("fever_nli", 2): 0.25,
    ("climate_fever", 0): 0.4,
    ("climate_fever", 1): 0.45,
    ("climate_fever", 2): 0.15,
    ("silver", 0): 0.40,
    ("silver", 1): 0.25,
    ("silver", 2): 0.08,
    ("silver", 3): 0.27,
    ("made_grounded", 0): 0.45,
    ("made_grounded", 1): 0.40,
    ("made_grounded", 2): 0.15,
    ("made_lives", 0): 0.55,
    ("made_lives", 1): 0.25,
    ("made_lives", 2): 0.20,
    ("made_numbers", 0): 0.70,
    ("made_numbers", 2): 0.30,
}


class TrainingTask(Protocol):
    tokens: TokenArray

    def model(self, start_from: Path) -> torch.nn.Module: ...

    def batches(self, size: int, seed: int) -> Iterator[np.ndarray]: ...

    def loss(self, model: torch.nn.Module, indexes: np.ndarray) -> torch.Tensor: ...


def config(labels: int) -> BertConfig:
    """MiniLM-L6's shape. Dropout is set by the training command (`--dropout`)."""
    settings = BertConfig.from_pretrained(WARM_START)
    settings.hidden_dropout_prob = 0.0
    settings.attention_probs_dropout_prob = 0.0
    settings.num_labels = labels
    # On a CPU the gradient of PyTorch's fused attention takes more time than all the rest.
    settings._attn_implementation = "eager"
    return settings


def load_weights(model: torch.nn.Module, start_from: Path) -> None:
    """Take over every weight of the same name and shape; heads of another task stay fresh."""
    if start_from.suffix == ".pt":
        saved = torch.load(start_from, weights_only=True)
        saved = saved.get("model", saved)
    elif start_from.suffix == ".onnx":
        from training.graph import read_back

        saved = {name: torch.tensor(value) for name, value in read_back(start_from).items()}
    else:
        from safetensors.torch import load_file

        saved = {
            name: value.float()
            for name, value in load_file(start_from / "model.safetensors").items()
        }
    own = model.state_dict()
    model.load_state_dict(
        {
            name: value
            for name, value in saved.items()
            if name in own and own[name].shape == value.shape
        },
        strict=False,
    )


class TokenArray:
    """Token ids of many examples in one array, padded batch by batch."""

    def __init__(self, path: Path) -> None:
        # Each access to an open file of arrays reads its array again.
        self.arrays = dict(np.load(path))
        self.ids = self.arrays["ids"]
        self.lengths = self.arrays["lengths"]
        self.first_lengths = self.arrays["premise_lengths"]
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    def inputs(self, indexes: np.ndarray) -> dict[str, torch.Tensor]:
        longest = int(self.lengths[indexes].max())
        ids = np.zeros((len(indexes), longest), dtype=np.int64)
        types = np.zeros_like(ids)
        mask = np.zeros_like(ids)
        for row, index in enumerate(indexes):
            start, length = self.starts[index], self.lengths[index]
            ids[row, :length] = self.ids[start : start + length]
            types[row, self.first_lengths[index] : length] = 1
            mask[row, :length] = 1
        arrays = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        return {name: torch.from_numpy(array) for name, array in arrays.items()}


def smoothed(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(logits, target, label_smoothing=SMOOTHING, reduction="none")


class EntailmentTask:
    def __init__(self, data: Path | None = None) -> None:
        self.tokens = TokenArray(data or CHECKPOINTS / "data" / "entailment.npz")
        self.labels = self.tokens.arrays["labels"].astype(np.int64)
        # Files of `training.small_rows` have labels only; other files have no bundles.
        none = np.zeros(len(self.labels))
        self.bundles = self.tokens.arrays.get("bundles", none.astype(np.int64))
        taught = [
            self.tokens.arrays.get(name, none) / 1000 for name in ("entailed", "contradicted")
        ]
        self.taught = np.stack([taught[0], 1 - taught[0] - taught[1], taught[1]], axis=1)

    def model(self, start_from: Path) -> torch.nn.Module:
        model = BertForSequenceClassification(config(3))
        load_weights(model, start_from)
        return model

    def batches(self, size: int, seed: int) -> Iterator[np.ndarray]:
        sources = self.tokens.arrays["sources"]
        groups: dict[str, np.ndarray] = {}
        weights: dict[str, float] = {}
        for code, source in enumerate(self.tokens.arrays["source_names"]):
            labels = np.unique(self.labels[sources == code])
            for label in labels:
                name = f"{source}/{label}"
                groups[name] = np.flatnonzero((sources == code) & (self.labels == label))
                share = LABEL_SHARES.get((str(source), int(label)), 1 / len(labels))
                weights[name] = ENTAILMENT_SHARES.get(str(source), 0.0) * share
        return batches(
            groups, weights, self.tokens.lengths,
            size=size, batches_per_block=40, seed=seed, bundles=self.bundles,
        )  # fmt: skip

    def loss(self, model: torch.nn.Module, indexes: np.ndarray) -> torch.Tensor:
        logits = model(**self.tokens.inputs(indexes)).logits.float()
        labels = torch.from_numpy(self.labels[indexes])
        contrast = contrast_loss(logits, labels, torch.from_numpy(self.bundles[indexes]))
        plain = labels < 3
        losses = torch.empty(len(indexes))
        losses[plain] = smoothed(logits[plain], labels[plain])
        # "Not entailment" (3) leaves neutral and contradiction open, "not contradiction" (4)
        # entailment and neutral: only their joint probability is asked for.
        logs = functional.log_softmax(logits, dim=-1)
        for code, remaining in ((3, [1, 2]), (4, [0, 1])):
            chosen = labels == code
            if chosen.any():
                losses[chosen] = -torch.logsumexp(logs[chosen][:, remaining], dim=-1)
        chosen = labels == TAUGHT
        if chosen.any():
            wanted = torch.from_numpy(self.taught[indexes][chosen.numpy()]).float()
            losses[chosen] = -(wanted * logs[chosen]).sum(dim=-1)
        return losses.mean() + contrast / len(indexes)


class ReadingTask:
    """Question and passage in; first and last token of the answer out, both 0 for "no answer"."""

    def __init__(self, data: Path | None = None) -> None:
        self.tokens = TokenArray(data or CHECKPOINTS / "data" / "reading.npz")
        self.firsts = self.tokens.arrays["firsts"].astype(np.int64)
        self.lasts = self.tokens.arrays["lasts"].astype(np.int64)

    def model(self, start_from: Path) -> torch.nn.Module:
        model = BertForQuestionAnswering(config(2))
        load_weights(model, start_from)
        return model

    def batches(self, size: int, seed: int) -> Iterator[np.ndarray]:
        from training.reading_data import SHARES

        sources = self.tokens.arrays["sources"]
        names = [str(name) for name in self.tokens.arrays["source_names"]]
        groups = {name: np.flatnonzero(sources == code) for code, name in enumerate(names)}
        return batches(
            groups, SHARES, self.tokens.lengths, size=size, batches_per_block=40, seed=seed
        )

    def loss(self, model: torch.nn.Module, indexes: np.ndarray) -> torch.Tensor:
        inputs = self.tokens.inputs(indexes)
        output = model(**inputs)
        padding = inputs["attention_mask"] == 0
        firsts = output.start_logits.float().masked_fill(padding, -1e4)
        lasts = output.end_logits.float().masked_fill(padding, -1e4)
        first_loss = functional.cross_entropy(firsts, torch.from_numpy(self.firsts[indexes]))
        last_loss = functional.cross_entropy(lasts, torch.from_numpy(self.lasts[indexes]))
        return (first_loss + last_loss) / 2


class GroundednessTask:
    def __init__(self, data: Path | None = None, taught: Path | None = None) -> None:
        if data is None:
            raise SystemExit("Groundedness is trained on silver rows: name their file with --data.")
        from training.groundedness_data import prepare

        self.tokens = TokenArray(prepare(data, taught))
        self.labels = self.tokens.arrays["labels"].astype(np.int64)
        own = np.eye(TAUGHT + 1)[self.labels][:, : len(GROUNDEDNESS_LABELS)]
        given = [self.tokens.arrays[label] / 1000 for label in GROUNDEDNESS_LABELS]
        by_label = self.labels[:, None] < TAUGHT
        smooth = (1 - SMOOTHING) * own + SMOOTHING / len(GROUNDEDNESS_LABELS)
        self.targets = np.where(by_label, smooth, np.stack(given, axis=1))
        # One labelled row in fifteen is kept from training, for calibration.
        everything = np.arange(len(self.labels))
        kept = (everything % 15 == 7) & (self.labels < TAUGHT)
        self.held_out, self.trained_on = everything[kept], everything[~kept]

    def model(self, start_from: Path) -> torch.nn.Module:
        model = BertForSequenceClassification(config(len(GROUNDEDNESS_LABELS)))
        load_weights(model, start_from)
        return model

    def batches(self, size: int, seed: int) -> Iterator[np.ndarray]:
        labels = self.labels[self.trained_on]
        names = (*GROUNDEDNESS_LABELS, "taught")
        groups = {name: self.trained_on[labels == code] for code, name in enumerate(names)}
        shares = dict.fromkeys(groups, 1.0) | {"taught": TAUGHT_SHARE}
        return batches(
            groups, shares, self.tokens.lengths, size=size, batches_per_block=20, seed=seed
        )

    def loss(self, model: torch.nn.Module, indexes: np.ndarray) -> torch.Tensor:
        logits = model(**self.tokens.inputs(indexes)).logits.float()
        return functional.cross_entropy(logits, torch.from_numpy(self.targets[indexes]).float())


TASKS: dict[str, Callable[..., TrainingTask]] = {
    "entailment": EntailmentTask,
    "reading": ReadingTask,
    "groundedness": GroundednessTask,
}
