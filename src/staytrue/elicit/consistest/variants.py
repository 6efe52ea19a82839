"""Other inputs for the same question, to tell what makes it hard (ConsisTest, §5.1, Table 6).

- `standard`: persona, history, question.
- `fact`: the fact and the question alone; only the difficulty of the question is left.
- `fact-last`: a history fact at the end of the persona, its turn masked; clean, but not first.
- `fact-first`: the fact before the persona, its turn masked; clean and in the best position.
- `permuted`: the persona in another order, seeded.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from staytrue.core.placement import fact_turn
from staytrue.core.records import Example, Turn
from staytrue.elicit.consistest.asking import sample_seed

MASK = "..."
VARIANTS = ("standard", "fact", "fact-last", "fact-first", "permuted")


def vary(sample: Example, variant: str, seed: int = 0) -> Example:
    """The sample with another input; its id says which."""
    if variant == "standard" or sample.probe is None:
        return sample
    makers: dict[str, Callable[[Example], Example]] = {
        "fact": _fact_alone,
        "fact-last": _fact_last,
        "fact-first": _fact_first,
        "permuted": lambda example: _permuted(example, seed),
    }
    tags = {**sample.tags, "variant": variant}
    return replace(makers[variant](sample), id=f"{sample.id}-{variant}", tags=tags)


def _fact_alone(sample: Example) -> Example:
    assert sample.probe is not None
    question = Turn("user", sample.probe.question)
    return replace(sample, persona=(sample.probe.fact,), history=(question,))


def _fact_last(sample: Example) -> Example:
    assert sample.probe is not None
    if sample.probe.turn is None:
        return sample  # a persona fact is clean already
    return replace(_masked(sample), persona=(*sample.persona, sample.probe.fact))


def _fact_first(sample: Example) -> Example:
    assert sample.probe is not None
    fact = sample.probe.fact
    rest = tuple(line for line in sample.persona if line != fact)
    return replace(_masked(sample), persona=(fact, *rest))


def _masked(sample: Example) -> Example:
    where = fact_turn(sample)
    if where is None:
        return sample
    masked = Turn(sample.history[where].speaker, MASK)
    return replace(sample, history=(*sample.history[:where], masked, *sample.history[where + 1 :]))


def _permuted(sample: Example, seed: int) -> Example:
    lines = list(sample.persona)
    random.Random(sample_seed(seed, sample.id)).shuffle(lines)
    return replace(sample, persona=tuple(lines))
