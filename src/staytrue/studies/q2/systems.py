"""Simulated systems of known quality (Q², section 5): does a metric put them in order?

A context with one consistent and one inconsistent response can be answered by a better or a
worse system. A system of share c answers c of its contexts with the inconsistent response.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from staytrue.core.errors import UsageError
from staytrue.core.records import Example
from staytrue.stats.correlation import spearman

SHARES = (0.05, 0.10, 0.15, 0.20, 0.25)
CONTEXTS = 350
SENTENCES = 400
DRAWS = 1000
# The first version's two sets of shares.
ROBUSTNESS_SHARES = tuple(round(step / 10, 1) for step in range(11))
ROBUSTNESS_SMALL_SHARES = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25, 1.0)


@dataclass(frozen=True, slots=True)
class Contexts:
    """Scores of contexts that have both kinds of response, in the same order."""

    consistent: np.ndarray
    inconsistent: np.ndarray
    left_out: int
    """Contexts with both kinds, one of them without a score."""


@dataclass(frozen=True, slots=True)
class ShareScore:
    """The mean score of a system over the draws, and where 95 % of the draws lie."""

    share: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SystemsResult:
    """How well the scores of simulated systems follow their share of inconsistent responses."""

    spearman: float
    low: float
    high: float
    contexts: int
    draws: int
    systems: tuple[ShareScore, ...]


@dataclass(frozen=True, slots=True)
class SimulatedSystems:
    """What simulated systems show with either way to draw contexts for them."""

    shared: SystemsResult
    """All systems answer the same drawn contexts."""
    apart: SystemsResult
    """Each system has a draw of its own, as in the paper."""
    left_out: int
    """Contexts with both kinds of response, one of them without a score."""


def mixed_contexts(examples: Iterable[Example], scores: Mapping[str, float | None]) -> Contexts:
    """Pair the responses to one context, one judged consistent and one inconsistent by people.

    The context is the tag `context`, or else the knowledge and the history.
    """
    groups: dict[object, dict[bool, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for example in examples:
        if example.consistent is not None and example.id in scores:
            key = example.tags.get("context") or (example.knowledge, example.history)
            groups[key][example.consistent].append(scores[example.id])
    both = [(kinds[True][0], kinds[False][0]) for kinds in groups.values() if len(kinds) == 2]
    scored = [(good, bad) for good, bad in both if good is not None and bad is not None]
    table = np.array(scored, dtype=float).reshape(-1, 2)
    return Contexts(table[:, 0], table[:, 1], len(both) - len(scored))


def simulate(
    pairs: Contexts,
    *,
    shares: Sequence[float] = SHARES,
    contexts: int = CONTEXTS,
    draws: int = DRAWS,
    seed: int = 0,
    shared: bool = True,
) -> SystemsResult:
    """Spearman between the systems' scores and their order, mean and 95 % of the draws.

    `shared` systems answer the same drawn contexts; otherwise each has a draw of its own.
    """
    if len(pairs.consistent) < 2:
        raise UsageError(
            "Simulated systems need contexts with a consistent and an inconsistent response: "
            "score a file such as the Q² cross-annotation."
        )
    rng = np.random.default_rng(seed)
    means = np.empty((draws, len(shares)))
    for column, share in enumerate(shares):
        # Each system fails on its own part of the test set, whoever shares it.
        if not shared or column == 0:
            drawn = rng.integers(0, len(pairs.consistent), size=(draws, contexts))
            best = pairs.consistent[drawn].sum(axis=1)
            loss = (pairs.consistent - pairs.inconsistent)[drawn]
        failed = rng.permuted(loss, axis=1)[:, : round(share * contexts)]
        means[:, column] = (best - failed.sum(axis=1)) / contexts
    quality = -np.asarray(shares, dtype=float)
    # Systems with one and the same score have no order, which is no correlation.
    correlations = np.array([spearman(row, quality) or 0.0 for row in means])
    low, high = np.quantile(correlations, [0.025, 0.975])
    return SystemsResult(
        float(correlations.mean()), float(low), float(high), len(pairs.consistent), draws,
        tuple(_share_score(share, means[:, n]) for n, share in enumerate(shares)),
    )  # fmt: skip


def simulate_both_ways(pairs: Contexts, *, draws: int = DRAWS, seed: int = 0) -> SimulatedSystems:
    """Spearman of systems that share their draw of contexts, and of systems that do not."""
    return SimulatedSystems(
        shared=simulate(pairs, draws=draws, seed=seed),
        apart=simulate(pairs, draws=draws, seed=seed, shared=False),
        left_out=pairs.left_out,
    )


def robustness(
    consistent: np.ndarray,
    inconsistent: np.ndarray,
    *,
    shares: Sequence[float] = ROBUSTNESS_SHARES,
    sentences: int = SENTENCES,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[ShareScore, ...]:
    """The score of a system against its share of inconsistent responses (first version)."""
    if not len(consistent) or not len(inconsistent):
        raise UsageError("Robustness needs responses of both kinds, consistent and inconsistent.")
    rng = np.random.default_rng(seed)
    scores = []
    for share in shares:
        n_bad = round(share * sentences)
        bad = inconsistent[rng.integers(0, len(inconsistent), size=(draws, n_bad))]
        good = consistent[rng.integers(0, len(consistent), size=(draws, sentences - n_bad))]
        scores.append(_share_score(share, (bad.sum(axis=1) + good.sum(axis=1)) / sentences))
    return tuple(scores)


def _share_score(share: float, drawn: np.ndarray) -> ShareScore:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return ShareScore(share, float(drawn.mean()), float(low), float(high))
