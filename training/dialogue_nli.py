"""Fine-tune an entailment model on Dialogue NLI, as ConsisTest did with RoBERTa-large-MNLI.

    python -m training.dialogue_nli FacebookAI/roberta-large-mnli dnli:TRAIN.jsonl --to FOLDER
    python -m reproduce.consistest --nli general=huggingface,preset=aih \\
        --nli dialogue=huggingface,infer=FOLDER

The second command puts the two side by side in the hybrid evaluator. The paper gives no constants
of this step; those of BEGIN's classifier stand for them. Needs the extra `hf`.

Without the hub the general model is made here, too, from an encoder and files whose rows name
their `source`; `--sources` takes only some of them and `--most` so many pairs, drawn at random:

    python -m training.dialogue_nli ENCODER dnli:NLI.jsonl.gz --to GENERAL --sources mnli,snli_100k
    python -m training.dialogue_nli GENERAL dnli:NLI.jsonl.gz --to DIALOGUE --sources dnli_rcdg
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Collection, Sequence
from pathlib import Path

from training.begin_classifier import (
    ClassifierRecipe,
    LabelledPair,
    print_losses,
    read_pairs,
    train,
)
from training.common import LABELS, add_recipe, read_rows, recipe_from


def read_sources(path: Path, sources: Collection[str]) -> list[LabelledPair]:
    """The pairs of some sources only, of a file that names the source of each."""
    return [
        LabelledPair(row["premise"], row["hypothesis"], row["label"])
        for row in read_rows(path)
        if row["source"] in sources and row["label"] in LABELS
    ]


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
    parser.add_argument("pairs", nargs="+", metavar="dnli:FILE")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--sources", metavar="NAMES", help="rows of these sources only")
    parser.add_argument("--most", type=int, metavar="N", help="N pairs, drawn by the seed")
    add_recipe(parser, ClassifierRecipe())
    given = parser.parse_args(arguments)
    recipe = recipe_from(given, ClassifierRecipe)
    rows = [
        row
        for pairs in given.pairs
        for row in (
            read_sources(Path(pairs.removeprefix("dnli:")), given.sources.split(","))
            if given.sources
            else read_pairs(pairs)
        )
    ]
    if given.most and given.most < len(rows):
        rows = random.Random(recipe.seed).sample(rows, given.most)
    print(f"{len(rows)} pairs", flush=True)
    print_losses(train(given.base, rows, given.to, recipe, labels_of(given.base)))


if __name__ == "__main__":
    main()
