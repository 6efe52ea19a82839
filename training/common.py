"""Paths, files and tokens that every training step shares."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    _Recipe = TypeVar("_Recipe", bound=DataclassInstance)

REPOSITORY = Path(__file__).resolve().parent.parent

# Data and checkpoints live beside the repository, never in it.
DATA = Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data"))
WARM_START = Path(
    os.environ.get(
        "STAYTRUE_WARM_START",
        REPOSITORY.parent / "shared" / "models" / "minilm-l6-nli-warm-start",
    )
)
CHECKPOINTS = Path(os.environ.get("STAYTRUE_CHECKPOINTS", REPOSITORY.parent / "checkpoints"))
SHIPPED = REPOSITORY / "src" / "staytrue" / "models"

LABELS = ("entailment", "neutral", "contradiction")

# BEGIN's five classes, in the order of the classifier's outputs.
GROUNDEDNESS_LABELS = ("entailment", "contradiction", "hallucination", "off-topic", "generic")

# What BEGIN's classes say of evidence and response as an entailment pair. Invented content may be
# neutral or contradict: only "not entailment" is sure.
GROUNDEDNESS_AS_ENTAILMENT = {
    "entailment": "entailment",
    "contradiction": "contradiction",
    "hallucination": "not_entailment",
    "off-topic": "neutral",
    "generic": "neutral",
}

# The label code of rows that come with a teacher's probabilities, above those of every label.
TAUGHT = 5

# Not the splitter of `staytrue.english`: the shipped weights were trained on passages cut by this
# one, and so were the written pairs that are kept out for evaluation. The other would recut 3 % of
# these (152 of 4,380), and the figures in the cards could not be compared with new ones.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON-lines file, gzipped or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence; rough, but it never loses a character of a sentence."""
    spans, start = [], 0
    for gap in _SENTENCE_END.finditer(text):
        spans.append((start, gap.end() - len(gap.group()) + len(gap.group().rstrip())))
        start = gap.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def add_recipe(parser: argparse.ArgumentParser, recipe: DataclassInstance) -> None:
    """An option for every field of a recipe, with its value there as default."""
    for field in fields(recipe):
        value = getattr(recipe, field.name)
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(value), default=value)


def recipe_from(options: argparse.Namespace, recipe: type[_Recipe]) -> _Recipe:
    """The recipe that the options of `add_recipe` make up."""
    return recipe(**{field.name: getattr(options, field.name) for field in fields(recipe)})


def folded(text: str) -> str:
    """Text for comparing two rows: lower case, letters and digits only."""
    return " ".join(re.findall(r"\w+", text.lower()))
