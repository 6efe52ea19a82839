"""Fine-tune an entailment model on Dialogue NLI, as ConsisTest did with RoBERTa-large-MNLI.

    python -m training.dialogue_nli FacebookAI/roberta-large-mnli dnli:TRAIN.jsonl --to FOLDER
    python -m reproduce.consistest --nli general=huggingface,preset=aih \\
        --nli dialogue=huggingface,infer=FOLDER

The second command puts the two side by side in the hybrid evaluator. The paper gives no constants
of this step; those of BEGIN's classifier stand for them. Needs the extra `hf`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from staytrue.core.records import Example
from staytrue.runs.runner import read_inputs
from training.begin_classifier import Recipe, Row, print_losses, train
from training.common import LABELS, add_recipe, recipe_from


def read_pairs(source: str) -> list[Row]:
    """Premise, hypothesis and label of each pair that has one."""
    examples = [one for one in read_inputs([source]) if isinstance(one, Example)]
    return [Row(one.knowledge, one.response, one.label) for one in examples if one.label in LABELS]


def labels_of(base: str) -> tuple[str, ...]:
    """The three labels in the order of the model's own head, if it has one."""
    from transformers import AutoConfig

    named = AutoConfig.from_pretrained(base).id2label
    own = tuple(str(named[n]).lower() for n in sorted(named))
    return own if sorted(own) == sorted(LABELS) else LABELS


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", help="a model of the hub, or a folder")
    parser.add_argument("pairs", metavar="dnli:FILE")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    add_recipe(parser, Recipe())
    given = parser.parse_args(arguments)
    rows = read_pairs(given.pairs)
    recipe = recipe_from(given, Recipe)
    print_losses(train(given.base, rows, given.to, recipe, labels_of(given.base)))


if __name__ == "__main__":
    main()
