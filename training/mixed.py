"""Train the large model on mixed batches: `python -m training.mixed --base FOLDER --minutes 120`.

all-mpnet-base-v2 with one head per task: entailment and groundedness on the first token, reading
(where the data has such rows) on every token. Embeddings stay as they are, and so do the lowest
layers (`--frozen`), because training them costs time. The learning rate follows the
clock. The state is saved every ten minutes and on SIGTERM; rerun the same command to resume.
`--from` names a file with the trained weights to start from: safetensors, or an exported
`encoder.onnx`.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional
from transformers import MPNetModel

from training.adapter import adapt
from training.common import CHECKPOINTS, GROUNDEDNESS_LABELS
from training.contrast import contrast_loss
from training.large_graph import read_back
from training.masters import MasterWeights
from training.mixed_data import ENTAILMENT, GROUNDEDNESS, READING
from training.reading_data import SHARES as READING_SHARES
from training.sampling import batches

FROZEN = 4
PAD = 1
HIDDEN = -1e4  # added to the attention that a padding token gets
SMOOTHING = 0.05
SAVE_EVERY = 600.0
REPORT_EVERY = 120.0
# Steps until the full rate, where the optimizer starts afresh.
WARM_UP = 60

# Share of the rows drawn by source. Written, made and silver pairs are closest to what is judged,
# and general pairs alone do not teach them. Each written pair that is drawn brings its partner, so
# it counts twice. Dialogue NLI and FEVER fell while MultiNLI had a third of the rows.
SHARES = {
    "mnli": 26, "mnli/around": 6, "snli": 9, "cad_nli": 2, "fever_nli": 8, "fever_nli/around": 5,
    "climate_fever": 1, "dnli_rcdg": 10, "dnli_rcdg/around": 1, "gu_dnli2024": 3,
    "PAWS-Wiki": 4, "PAWS-Wiki/around": 1.5, "SciTail": 2, "SciTail/around": 0.5, "conjnli": 2,
    "syntactic augmentation": 1.5, "ScoNe": 1.5, "ScoNe/around": 0.3, "FoolMeTwice": 2.5,
    "SummEdits": 2.5,
    "audit": 2, "made_support": 5, "made_grounded": 3, "made_answers": 2, "made_persona": 0.5,
    "made_lives": 0.3, "made_numbers": 1.5, "made_talk": 1, "made_roles": 2, "silver": 2,
    "silver-grounded": 4, "audit-grounded": 1.5, "written": 32, "written-grounded": 4,
}  # fmt: skip
# Of every four rows drawn, one is a question with a passage, where the data has them.
READING_SHARE = 45.0
UNANSWERABLE_SHARES = {"unanswerable": 6.0, "unanswerable_near": 10.0}
LABEL_SHARES = {
    # FEVER's neutral claims were paired with evidence found by name only: few of them.
    ("fever_nli", 0): 0.45, ("fever_nli", 1): 0.15, ("fever_nli", 2): 0.4,
    # An answer with words beside it that came along ("to use red") says the same to a reader.
    ("made_answers", 0): 0.45, ("made_answers", 1): 0.05, ("made_answers", 2): 0.5,
}  # fmt: skip


class Model(torch.nn.Module):
    def __init__(
        self, base: Path, dropout: float, *, frozen: int = FROZEN, reading: bool = False
    ) -> None:
        super().__init__()
        self.frozen = frozen
        self.encoder = MPNetModel.from_pretrained(
            base, add_pooling_layer=False,
            hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout,
        )  # fmt: skip
        width = self.encoder.config.hidden_size
        self.head = _head(width, 3, dropout)
        self.grounded = _head(width, len(GROUNDEDNESS_LABELS), dropout)
        # A head that nothing trains would be saved, and shipped, all the same.
        self.reading = torch.nn.Linear(width, 2) if reading else None
        for part in (self.encoder.embeddings, *self.encoder.encoder.layer[:frozen]):
            for weight in part.parameters():
                weight.requires_grad = False

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, *, every: bool = True) -> torch.Tensor:
        """The vector of each token, or of the first one alone, which judging a pair needs.

        As `MPNetModel` has it, but nothing is passed back through the frozen layers: their
        share of the gradient of the relative positions would cost an eighth of the time.
        """
        state: torch.Tensor = self.encoder.embeddings(input_ids=ids)
        bias = self.encoder.encoder.compute_position_bias(state)
        bias = bias + (1.0 - mask.to(state.dtype))[:, None, None, :] * HIDDEN
        *lower, last = self.encoder.encoder.layer
        for number, layer in enumerate(lower):
            state = layer(state, None, bias.detach() if number < self.frozen else bias)[0]
        return last(state, None, bias)[0] if every else _first_token(last, state, bias)

    def trained(self) -> set[str]:
        """The names of the weights that are not the base's."""
        return {name for name, weight in self.named_parameters() if weight.requires_grad}


def _first_token(layer: torch.nn.Module, state: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """What an MPNet layer gives for the first token."""
    attention: Any = layer.attention
    own = attention.attn
    first = state[:, :1]
    query, key, value = (
        part.view(*part.shape[:2], own.num_attention_heads, -1).transpose(1, 2)
        for part in (own.q(first), own.k(state), own.v(state))
    )
    scores = query @ key.transpose(-1, -2) / own.attention_head_size**0.5 + bias[:, :, :1]
    mixed = own.dropout(scores.softmax(-1)) @ value
    mixed = own.o(mixed.transpose(1, 2).flatten(2))
    inner = attention.LayerNorm(attention.dropout(mixed) + first)
    outer: torch.Tensor = layer.output(layer.intermediate(inner), inner)
    return outer


def _head(width: int, outputs: int, dropout: float) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Dropout(dropout),
        torch.nn.Linear(width, outputs),
    )  # fmt: skip


class Rows:
    """The token file, and batches drawn from it."""

    def __init__(self, path: Path, reading_share: float = READING_SHARE) -> None:
        arrays = np.load(path)
        self._reading_share = reading_share
        self.ids, self.lengths = arrays["ids"], arrays["lengths"]
        self.labels = arrays["labels"].astype(np.int64)
        # Files from before there was reading have no last tokens.
        lasts = arrays["lasts"] if "lasts" in arrays else np.zeros_like(self.labels)
        self.lasts = lasts.astype(np.int64)
        self.tasks, self.sources = arrays["tasks"], arrays["sources"]
        self.names = [str(name) for name in arrays["source_names"]]
        # Files from before there were bundles have none.
        self.bundles = arrays["bundles"] if "bundles" in arrays else np.zeros_like(self.labels)
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self.reading = reading_share > 0 and bool((self.tasks == READING).any())

    def batches(self, size: int, seed: int) -> Iterator[np.ndarray]:
        groups: dict[str, np.ndarray] = {}
        weights: dict[str, float] = {}
        reading = READING_SHARES | UNANSWERABLE_SHARES
        for code, source in enumerate(self.names):
            if source.startswith("reading/"):
                share = reading.get(source.removeprefix("reading/"), 0.0) / sum(reading.values())
                groups[source] = np.flatnonzero(self.sources == code)
                weights[source] = self._reading_share * share
                continue
            labels = np.unique(self.labels[self.sources == code])
            for label in labels:
                name = f"{source}:{label}"
                groups[name] = np.flatnonzero((self.sources == code) & (self.labels == label))
                share = LABEL_SHARES.get((source, int(label)), 1 / len(labels))
                weights[name] = SHARES.get(source, 0.0) * share
        return batches(
            groups, weights, self.lengths,
            size=size, batches_per_block=40, seed=seed, bundles=self.bundles,
        )  # fmt: skip

    def inputs(self, indexes: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        longest = int(self.lengths[indexes].max())
        ids = np.full((len(indexes), longest), PAD, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, index in enumerate(indexes):
            start, length = self.starts[index], self.lengths[index]
            ids[row, :length] = self.ids[start : start + length]
            mask[row, :length] = 1
        return torch.from_numpy(ids), torch.from_numpy(mask)


def entailment_losses(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """ "Not entailment" (3) and "not contradiction" (4) leave two labels open: their sum counts."""
    losses = torch.zeros(len(labels))
    plain = labels < 3
    if plain.any():
        losses[plain] = functional.cross_entropy(
            logits[plain], labels[plain], label_smoothing=SMOOTHING, reduction="none"
        )
    logs = functional.log_softmax(logits, dim=-1)
    for code, remaining in ((3, [1, 2]), (4, [0, 1])):
        chosen = labels == code
        if chosen.any():
            losses[chosen] = -torch.logsumexp(logs[chosen][:, remaining], dim=-1)
    return losses


def reading_losses(
    logits: torch.Tensor, mask: torch.Tensor, firsts: torch.Tensor, lasts: torch.Tensor
) -> torch.Tensor:
    """First and last token of the answer count alike; both are the first one without an answer."""
    logits = logits.masked_fill(mask[:, :, None] == 0, -1e4)
    first, last = (
        functional.cross_entropy(logits[:, :, side], wanted, reduction="none")
        for side, wanted in enumerate((firsts, lasts))
    )
    return (first + last) / 2


def batch_loss(model: Model, rows: Rows, indexes: np.ndarray) -> torch.Tensor:
    ids, mask = rows.inputs(indexes)
    labels, tasks = torch.from_numpy(rows.labels[indexes]), rows.tasks[indexes]
    states = model(ids, mask, every=bool((tasks == READING).any()))
    vectors = states[:, 0]
    losses = torch.zeros(len(indexes))
    pairs = torch.from_numpy(tasks == ENTAILMENT)
    contrast = torch.zeros(())
    if pairs.any():
        logits = model.head(vectors[pairs]).float()
        losses[pairs] = entailment_losses(logits, labels[pairs])
        bundles = torch.from_numpy(rows.bundles[indexes])[pairs]
        contrast = contrast_loss(logits, labels[pairs], bundles)
    grounded = torch.from_numpy(tasks == GROUNDEDNESS)
    if grounded.any():
        losses[grounded] = functional.cross_entropy(
            model.grounded(vectors[grounded]).float(), labels[grounded],
            label_smoothing=SMOOTHING, reduction="none",
        )  # fmt: skip
    read = torch.from_numpy(tasks == READING)
    if model.reading is not None and read.any():
        lasts = torch.from_numpy(rows.lasts[indexes])[read]
        logits = model.reading(states[read]).float()
        losses[read] = reading_losses(logits, mask[read], labels[read], lasts)
    return losses.mean() + contrast / len(indexes)


def saved_weights(file: Path, model: Model) -> dict[str, torch.Tensor]:
    """The trained weights in a safetensors file, or, rounded, in an exported model."""
    if file.suffix != ".onnx":
        return {name: value.float() for name, value in load_file(file).items()}
    # What is frozen stays the base's: rounding it would cost and nothing would make up for it.
    wanted = model.trained()
    return {
        name: torch.from_numpy(np.array(value))
        for name, value in read_back(file).items()
        if name in wanted
    }


def train(options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    rows = Rows(options.data, options.reading_share)
    model = Model(options.base, options.dropout, frozen=options.frozen, reading=rows.reading)
    latest = folder / "latest.safetensors"
    state_file = folder / "state.pt"
    start_from = latest if latest.exists() else options.start_from
    if options.adapter:
        # What is not trained is the shipped file's, as rounded there.
        shipped = read_back(options.start_from)
        own = {name: torch.from_numpy(np.array(value)) for name, value in shipped.items()}
        model.load_state_dict(own, strict=False)
        if rows.reading:
            for weight in (*model.head.parameters(), *model.grounded.parameters()):
                weight.requires_grad = False
        adapt(model.encoder, options.adapter)
    if start_from is not None:
        model.load_state_dict(saved_weights(start_from, model), strict=False)
        print("from", start_from, flush=True)
    masters = MasterWeights(model, bfloat16=options.bfloat16, rounded=options.rounded)
    body = [w for name, w in masters.weights.items() if name.startswith("encoder")]
    heads = [w for name, w in masters.weights.items() if not name.startswith("encoder")]
    groups = [{"params": body, "lr": options.rate}, {"params": heads, "lr": 4 * options.rate}]
    adam = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    step = first = 0
    if state_file.exists():
        saved = torch.load(state_file, weights_only=True)
        step = first = saved["step"]
        # A head that is new since then has no state: the optimizer starts afresh.
        known = [len(group["params"]) for group in saved["optimizer"]["param_groups"]]
        if known == [len(group["params"]) for group in adam.param_groups]:
            adam.load_state_dict(saved["optimizer"])
            first -= WARM_UP
    peaks = [options.rate, 4 * options.rate]
    seen = np.zeros(len(rows.names), dtype=np.int64)

    def save() -> None:
        aside = latest.with_suffix(".writing")
        save_file({name: weight.detach() for name, weight in masters.weights.items()}, aside)
        aside.rename(latest)
        torch.save({"optimizer": adam.state_dict(), "step": step}, state_file)
        counts = {name: int(count) for name, count in zip(rows.names, seen, strict=True)}
        (folder / "seen.json").write_text(json.dumps({"step": step, "rows": counts}))

    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    model.train()
    began = saved_at = told = time.time()
    drawn = 0
    mean = None
    end = began + 60 * options.minutes
    for indexes in rows.batches(options.batch, options.seed + step):
        now = time.time()
        if now >= end or stopped:
            break
        gone = (now - began) / (end - began)
        falling = 1 if gone < options.hold else max(0.02, (1 - gone) / (1 - options.hold))
        for group, peak in zip(adam.param_groups, peaks, strict=True):
            group["lr"] = peak * min(1, (step - first + 1) / WARM_UP) * falling
        loss = batch_loss(model, rows, indexes)
        loss.backward()
        masters.take_gradients()
        torch.nn.utils.clip_grad_norm_(body, 1.0)
        adam.step()
        masters.write()
        step += 1
        drawn += len(indexes)
        np.add.at(seen, rows.sources[indexes], 1)
        mean = loss.item() if mean is None else mean + 0.02 * (loss.item() - mean)
        if now - told > REPORT_EVERY:
            told = now
            speed = drawn / (now - began)
            print(f"{time.strftime('%H:%M')} step {step} loss {mean:.4f} {speed:.1f}/s", flush=True)
        if now - saved_at > SAVE_EVERY:
            saved_at = now
            save()
            masters.choose_scales()
    save()
    print("finished at step", step, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--data", type=Path, default=CHECKPOINTS / "data" / "mixed.npz")
    parser.add_argument("--folder", type=Path, default=CHECKPOINTS / "large")
    parser.add_argument("--from", dest="start_from", type=Path, default=None)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--hold", type=float, default=0.4, help="share of the time at full rate")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument(
        "--reading-share", type=float, default=READING_SHARE,
        help="weight of questions with passages, beside about 120 of all pairs; 0 for none",
    )  # fmt: skip
    parser.add_argument(
        "--frozen", type=int, default=FROZEN, metavar="N",
        help="keep the lowest N layers as they are in the base",
    )  # fmt: skip
    parser.add_argument(
        "--rounded", action="store_true", help="train with weights as they are shipped"
    )
    parser.add_argument(
        "--adapter", type=int, default=0, metavar="RANK",
        help="keep the matrices of the exported file that --from names, and train an adapter",
    )  # fmt: skip
    parser.add_argument(
        "--bfloat16", action="store_true",
        help="multiply in 16 bits: three times as fast on processors with AVX512-BF16 or AMX",
    )  # fmt: skip
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
