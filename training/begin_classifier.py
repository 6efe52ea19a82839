"""Train BEGIN's classifiers as the paper did, from any BERT- or T5-style model of the hub.

    python -m training.begin_classifier google-bert/bert-base-uncased SILVER.jsonl --to FOLDER
    python -m training.begin_classifier google-t5/t5-base dnli:MNLI.jsonl SILVER.jsonl \\
        --to FOLDER --dev begin:begin_v1_dev.jsonl.gz
    staytrue score FILE --metric begin,compat=paper --backend huggingface,classify=FOLDER

SILVER is what `staytrue perturb --balance` or `python -m training.silver_data` writes; `dnli:FILE`
holds pairs with one of three labels, Dialogue NLI or others in its form (premise, hypothesis,
label). Pairs alone make a three-way classifier. Pairs and silver rows train first on the pairs,
which leaves that classifier in FOLDER/nli, and then on the silver rows. Batches of 32, three
epochs, Adam at 2e-5 (section 5 of the paper). With --dev it prints the figures of a row of the
paper's table 3 for each classifier. Needs the extra `hf`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from staytrue.backends.huggingface.backend import HuggingFaceBackend, begin_sides
from staytrue.core.begin_labels import COARSE, LABELS
from staytrue.core.protocols import Grounding, Pair
from staytrue.core.records import Example
from staytrue.metrics.begin import Begin
from staytrue.runs.runner import read_inputs
from staytrue.stats.classification import macro_f1
from training.common import LABELS as NLI_LABELS
from training.common import add_recipe, read_rows, recipe_from

_LONGEST = 256
_PAIRS = "dnli:"


@dataclass(frozen=True)
class ClassifierRecipe:
    """The paper's constants."""

    batch_size: int = 32
    epochs: int = 3
    rate: float = 2e-5
    seed: int = 0
    alike: int = 1
    """Of so many batches the rows are sorted by length, so that less is padded; 1 sorts nothing."""


@dataclass(frozen=True)
class LabelledPair:
    """Two texts, and the label of the second."""

    first: str
    second: str
    label: str


def read_silver(path: Path) -> list[LabelledPair]:
    """Evidence with previous turn, and response, of each row, with its label."""
    return [
        LabelledPair(
            *begin_sides(Grounding(row["knowledge"], row.get("message", ""), row["response"])),
            row["label"],
        )
        for row in read_rows(path)
        if row["label"] in LABELS
    ]


def read_pairs(source: str) -> list[LabelledPair]:
    """Premise, hypothesis and label of each pair that has one."""
    examples = [one for one in read_inputs([source]) if isinstance(one, Example)]
    return [
        LabelledPair(one.knowledge, one.response, one.label)
        for one in examples
        if one.label in NLI_LABELS
    ]


def train(
    base: str,
    rows: Sequence[LabelledPair],
    folder: Path,
    recipe: ClassifierRecipe | None = None,
    labels: Sequence[str] = LABELS,
) -> list[float]:
    """Fine-tune the model, write it to the folder, and return the mean loss of each epoch."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    recipe = recipe or ClassifierRecipe()
    torch.manual_seed(recipe.seed)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = AutoModelForSequenceClassification.from_pretrained(
        base, num_labels=len(labels), id2label=dict(enumerate(labels)),
        label2id={label: n for n, label in enumerate(labels)}, use_safetensors=True,
        ignore_mismatched_sizes=True,  # a head of three outputs gives way to one of five
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


def _batches(
    rows: Sequence[LabelledPair], recipe: ClassifierRecipe, draw: random.Random
) -> Iterator[list[LabelledPair]]:
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
    model: Any, tokenizer: Any, batch: Sequence[LabelledPair], labels: Sequence[str], device: str
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
    """Accuracy and macro-F1 of a classifier with five outputs, three-way and five-way."""
    backend = HuggingFaceBackend(classify=str(folder))
    judged = [e for e in examples if e.label in LABELS]
    shares: dict[str, float] = {}
    for classes in (3, 5):
        verdicts = Begin(backend, compat="paper", classes=classes).judge(judged)
        shares |= _shares(classes, [verdict.label or "" for verdict in verdicts], judged)
    return shares


def three_way_figures(folder: Path, examples: Sequence[Example]) -> dict[str, float]:
    """The same of a classifier with the three outputs of NLI, which reads the same texts."""
    judged = [e for e in examples if e.label in LABELS]
    pairs = [Pair(*begin_sides(Grounding(e.knowledge, e.message, e.response))) for e in judged]
    entailments = HuggingFaceBackend(infer=str(folder)).infer(pairs)
    return _shares(3, [entailment.label for entailment in entailments], judged)


def _shares(classes: int, predicted: Sequence[str], judged: Sequence[Example]) -> dict[str, float]:
    """Accuracy and macro-F1, as in table 3."""
    labels = [e.label or "" for e in judged]
    actual = [COARSE[label] for label in labels] if classes == 3 else labels
    right = sum(p == a for p, a in zip(predicted, actual, strict=True))
    return {
        f"{classes}-way accuracy": right / len(judged),
        f"{classes}-way macro-F1": macro_f1(predicted, actual) or 0.0,
    }


def print_losses(losses: Sequence[float]) -> None:
    """A line for each epoch."""
    for epoch, loss in enumerate(losses, 1):
        print(f"epoch {epoch}: loss {loss:.4f}")


def print_figures(shares: Mapping[str, float]) -> None:
    """A line for each figure of the table."""
    for name, value in shares.items():
        print(f"{name}: {value:.3f}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", help="a model of the hub, or a folder")
    parser.add_argument("data", nargs="+", metavar="dnli:FILE or SILVER")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--dev", metavar="begin:FILE", help="print the paper's figures on it")
    add_recipe(parser, ClassifierRecipe())
    options = parser.parse_args(arguments)
    recipe = recipe_from(options, ClassifierRecipe)
    pairs = [row for one in options.data if one.startswith(_PAIRS) for row in read_pairs(one)]
    silver = [
        row for one in options.data if not one.startswith(_PAIRS) for row in read_silver(Path(one))
    ]
    inputs = read_inputs([options.dev] if options.dev else [])
    dev = [one for one in inputs if isinstance(one, Example)]
    base = options.base
    if pairs:
        folder = options.to / "nli" if silver else options.to
        print(f"NLI: {len(pairs)} pairs")
        print_losses(train(base, pairs, folder, recipe, NLI_LABELS))
        print_figures(three_way_figures(folder, dev) if dev else {})
        base = str(folder)
    if silver:
        print(f"silver: {len(silver)} rows")
        print_losses(train(base, silver, options.to, recipe))
        print_figures(figures(options.to, dev) if dev else {})


if __name__ == "__main__":
    main()
