"""Write docs/results-q2.md: `python -m reproduce.q2` (about 14 minutes of CPU).

Scores the Q² annotations, Topical-Chat and Dialogue NLI with Q², its variants and its baselines,
and sets the figures beside the paper's where they are known. Needs the data folder (STAYTRUE_DATA,
or ../shared/data). Run folders are kept in --work, so that a second call resumes where the first
one stopped. Readers of other precision are folders of exported models in CHECKPOINTS/readers
(`python -m training.export reading entailment --bits 4 --to FOLDER`), or --reader NAME=FOLDER.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from reproduce import meteor
from reproduce import q2_other_sets as other
from reproduce import q2_tables as tables
from reproduce.pages import (
    DATA,
    REPOSITORY,
    drop_old_pictures,
    section_of,
    signatures,
    weights,
)
from reproduce.q2_sets import (
    BASE,
    BASE_WITH_NLI,
    BASELINES,
    CUMULATIVE,
    METRICS,
    PAPER,
    PAPER_WITHOUT_NLI,
    Q2,
    WITHOUT_NLI,
    every,
    read,
    score,
)
from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.records import Example
from staytrue.plugins.registry import load_metric

CHECKPOINTS = Path(os.environ.get("STAYTRUE_CHECKPOINTS", REPOSITORY.parent / "checkpoints"))
READERS = CHECKPOINTS / "readers"
PAGE = REPOSITORY / "docs" / "results-q2.md"


def page(work: Path, readers: dict[str, str], limit: int | None, file: Path = PAGE) -> str:
    """Score everything; the page that goes into the file, beside which its pictures are."""
    backend = CachedBackend(EmbeddedBackend(size="small"))
    cross_examples = read(f"q2:{DATA / 'q2_cross_annotation.jsonl.gz'}", limit)
    cross = score(cross_examples, (*METRICS, BASE, BASE_WITH_NLI), work / "cross", backend)
    single_examples = read(f"q2:{DATA / 'q2_response_level.jsonl.gz'}")
    if limit is not None:  # its responses stand in groups, of which the first is no sample
        single_examples = every(single_examples, limit)
    single_metrics = (
        Q2, WITHOUT_NLI, PAPER, PAPER_WITHOUT_NLI, *BASELINES, *CUMULATIVE.values(), BASE_WITH_NLI,
    )  # fmt: skip
    single = score(single_examples, single_metrics, work / "single", backend)
    human = [
        replace(e, id=f"{e.id}-gold", response=e.tags.get("gold", ""), consistent=None)
        for e in every(single.examples, other.CONTROL_RESPONSES)
    ]
    human += random_humans(cross_examples)
    gold = score(human, (Q2, BASE, BASE_WITH_NLI), work / "gold", backend)
    smaller = {
        "1 question per span": score(cross_examples, ["q2,top=1"], work / "top1", backend),
        **{
            f"reader: {name}": score(
                cross_examples, [Q2], work / f"reader-{name}",
                CachedBackend(EmbeddedBackend(folder=folder)),
            )
            for name, folder in readers.items()
        },
    }  # fmt: skip
    used = (
        *METRICS, *CUMULATIVE.values(), BASE_WITH_NLI, "q2,top=1", *other.TOPICAL_METRICS,
        *other.DNLI_METRICS, *other.DNLI_BASELINES,
    )  # fmt: skip
    parts = [
        "# Q²: results\n",
        "Written by `python -m reproduce.q2`; do not edit. Our figures are on the dev half of "
        "each set, with the small models, which ship with the product; the papers' are on the "
        "whole data with models a hundred times larger. An empty cell means that the paper's "
        "figure is unknown. Brackets hold seeded 95 % bootstrap intervals. Accuracy at a metric's "
        "best threshold is cross-validated: the threshold never sees the rows that are counted.\n",
        weights("small"),
        "“As published” is `compat=paper`: answers are compared by label, pronouns as words. By "
        "default, where answers differ or there is none, half of a question's score is whether "
        "the knowledge entails the sentence. End-to-end NLI as published is `nli,score=paper`.\n",
        "## Response level\n", tables.response_level(cross, single), tables.curves(single, file),
        "## System level: simulated systems\n",
        "The conference version draws contexts “for each simulated system”: that is the first "
        "figure. The first version draws “on a shared test set”: the second; "
        "`staytrue agree RUN --systems` prints both.\n",
        tables.simulated(cross, file),
        "The first version leaves out contexts where a response has no valid question:\n",
        tables.both_valid(cross),
        "## Score robustness (first version)\n",
        "The paper draws Q² of the first version and overlap; our default is beside them.\n",
        tables.robustness(cross, file),
        "## Scores of single responses (figures 6 to 9 of the first version)\n",
        "The share of responses whose score lies in each fifth, on the response-level set. The "
        "paper shows this as pictures without numbers.\n",
        tables.distributions(single),
        "## Absolute scores and baselines by group\n",
        "The response-level set by system and human judgement; the first version's figures beside "
        "ours in its setting: one question per span, personal questions kept, responses without a "
        "valid question left out, and so for coverage, questions and answers. “Random” draws from "
        "the cross-annotation, the paper from all responses. BLEU is the mean over responses, in "
        "percent.\n",
        tables.absolute(single, gold, cross),
        "## Variants of the first version, each on top of the one before\n",
        "Our data hold the last message of each dialogue only, so coreference sees little.\n",
        tables.cumulative(single),
        "## Variants and smaller parts\n", tables.variants(cross, smaller),
        "## Controls\n", other.random_knowledge(single, work, backend),
        "## Topical-Chat, “Uses Knowledge”\n", other.topical_chat(work, backend, limit),
        *meteor_section(file),
        "## Dialogue NLI\n",
        f"The first {limit or other.DNLI_PAIRS} pairs: those that are not neutral, as in the first "
        "version, and all of them, neutral counted as inconsistent, as in the second. The paper's "
        f"decision is a score above {other.DNLI_THRESHOLD} for Q² and the label for NLI, where a "
        "neutral pair may be called neutral or contradicting. “First version” asks one question "
        "per span and leaves out pairs without a valid one; “conference version” tries five and "
        "falls back on NLI (its table is cut in our text).\n",
        other.dialogue_nli(work, backend, limit),
        signatures(load_metric(name, backend=backend).signature for name in used),
    ]  # fmt: skip
    return "\n".join(parts)


def meteor_section(file: Path) -> list[str]:
    """METEOR's section, or the one that the page has where nltk is not installed."""
    if find_spec("nltk") is None:
        return section_of(file, meteor.SECTION)
    return meteor.section()


def random_humans(examples: Sequence[Example]) -> list[Example]:
    """People's own responses in contexts drawn at random, each once."""
    human = {(e.knowledge, e.tags["gold"]): e for e in examples if e.tags.get("gold")}
    most = min(tables.RANDOM_RESPONSES, len(human))
    return [
        replace(e, id=f"{e.id}{tables.RANDOM_GOLD}", response=e.tags["gold"], consistent=None)
        for e in random.Random(0).sample(list(human.values()), most)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=REPOSITORY / "runs" / "results-q2")
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write the page")
    parser.add_argument("--reader", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--limit", type=int, help="only N examples of each set")
    arguments = parser.parse_args()
    start = time.monotonic()
    kept = sorted(path for path in READERS.glob("*") if (path / "models.json").exists())
    readers = {path.name: str(path) for path in kept}
    readers |= dict(item.split("=", 1) for item in arguments.reader)
    text = page(arguments.work, readers, arguments.limit, arguments.page)
    arguments.page.write_text(text, encoding="utf-8")
    drop_old_pictures(arguments.page, "q2")
    print(f"{arguments.page} in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
