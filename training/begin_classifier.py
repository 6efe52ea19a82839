"""Train BEGIN's classifier as the paper did, from any BERT- or T5-style model of the hub.

    python -m training.begin_classifier google-bert/bert-base-uncased SILVER.jsonl --to FOLDER
    python -m training.begin_classifier google-t5/t5-base SILVER.jsonl --to FOLDER \
        --dev begin:begin_v1_dev.jsonl.gz
    staytrue score FILE --metric begin,compat=paper --backend huggingface,classify=FOLDER

SILVER is what `staytrue perturb --balance` or `python -m training.silver_data` writes. Batches of
32, three epochs, Adam at 2e-5 (section 5 of the paper). With --dev it prints the figures of the
paper's table 3. Needs the extra `hf`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from staytrue.backends.huggingface.backend import HuggingFaceBackend, begin_sides
from staytrue.core.begin_labels import COARSE, LABELS
from staytrue.core.protocols import Grounding
from staytrue.core.records import Example
from staytrue.metrics.begin import Begin
from staytrue.runs.runner import read_inputs
from staytrue.stats.classification import macro_f1
from training.common import add_recipe, read_rows, recipe_from

_LONGEST = 256


@dataclass(frozen=True)
class Recipe:
    """The paper's constants."""

    batch_size: int = 32
    epochs: int = 3
    rate: float = 2e-5
    seed: int = 0
    alike: int = 1
    """Of so many batches the rows are sorted by length, so that less is padded; 1 sorts nothing."""


@dataclass(frozen=True)
class Row:
    """Two texts, and the label of the second."""

    first: str
    second: str
    label: str


def read_silver(path: Path) -> list[Row]:
    """Evidence with previous turn, and response, of each row, with its label."""
    return [
        Row(
            *begin_sides(Grounding(row["knowledge"], row.get("message", ""), row["response"])),
            row["label"],
        )
        for row in read_rows(path)
        if row["label"] in LABELS
    ]


def train(
    base: str,
    rows: Sequence[Row],
    folder: Path,
    recipe: Recipe | None = None,
    labels: Sequence[str] = LABELS,
) -> list[float]:
    """Fine-tune the model, write it to the folder, and return the mean loss of each epoch."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    recipe = recipe or Recipe()
    torch.manual_seed(recipe.seed)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = AutoModelForSequenceClassification.from_pretrained(
        base, num_labels=len(labels), id2label=dict(enumerate(labels)),
        label2id={label: n for n, label in enumerate(labels)}, use_safetensors=True,
    )  # fmt: skip
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    order = list(range(len(rows)))
    draw = random.Random(recipe.seed)
    means = []
    for _ in range(recipe.epochs):
        draw.shuffle(order)
        total = 0.0
        for batch in _batches([rows[n] for n in order], recipe, draw):
            loss = _loss(model, tokenizer, batch, labels, device)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            total += float(loss.detach()) * len(batch)
        means.append(total / len(rows))
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    return means


def _batches(rows: Sequence[Row], recipe: Recipe, draw: random.Random) -> Iterator[list[Row]]:
    size = recipe.batch_size
    for start in range(0, len(rows), size * recipe.alike):
        some = list(rows[start : start + size * recipe.alike])
        if recipe.alike > 1:
            some.sort(key=lambda row: len(row.first) + len(row.second))
        batches = [some[n : n + size] for n in range(0, len(some), size)]
        if recipe.alike > 1:
            draw.shuffle(batches)
        yield from batches


def _loss(
    model: Any, tokenizer: Any, batch: Sequence[Row], labels: Sequence[str], device: str
) -> Any:
    import torch

    # The second text is what is judged: a long evidence is cut, never the response.
    inputs = tokenizer(
        [row.first for row in batch], [row.second for row in batch], padding=True,
        truncation="only_first", max_length=min(_LONGEST, tokenizer.model_max_length),
        return_tensors="pt",
    ).to(device)  # fmt: skip
    wanted = torch.tensor([labels.index(row.label) for row in batch], device=device)
    return torch.nn.functional.cross_entropy(model(**inputs).logits, wanted)


def figures(folder: Path, examples: Sequence[Example]) -> dict[str, float]:
    """Accuracy and macro-F1 of the trained classifier, three-way and five-way, as in table 3."""
    backend = HuggingFaceBackend(classify=str(folder))
    judged = [e for e in examples if e.label in LABELS]
    shares = {}
    for classes in (3, 5):
        verdicts = Begin(backend, compat="paper", classes=classes).judge(judged)
        pairs = [
            (v.label or "", COARSE[e.label or ""] if classes == 3 else e.label or "")
            for v, e in zip(verdicts, judged, strict=True)
        ]
        shares[f"{classes}-way accuracy"] = sum(p == a for p, a in pairs) / len(pairs)
        shares[f"{classes}-way macro-F1"] = (
            macro_f1([p for p, _ in pairs], [a for _, a in pairs]) or 0.0
        )
    return shares


def print_losses(losses: Sequence[float]) -> None:
    """A line for each epoch."""
    for epoch, loss in enumerate(losses, 1):
        print(f"epoch {epoch}: loss {loss:.4f}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", help="a model of the hub, or a folder")
    parser.add_argument("silver", type=Path)
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--dev", metavar="begin:FILE", help="print the paper's figures on it")
    add_recipe(parser, Recipe())
    options = parser.parse_args(arguments)
    rows = read_silver(options.silver)
    print_losses(train(options.base, rows, options.to, recipe_from(options, Recipe)))
    if options.dev:
        examples = [one for one in read_inputs([options.dev]) if isinstance(one, Example)]
        for name, value in figures(options.to, examples).items():
            print(f"{name}: {value:.3f}")


if __name__ == "__main__":
    main()
