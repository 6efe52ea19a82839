"""How well responses cite: whether the passages that they name support what they say.

The score of a response does not depend on it: a claim that names the wrong passage may be true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.core.records import CITATION_PARTS, EvidenceKind, Verdict
from staytrue.runs.folder import Run
from staytrue.stats.clusters import cluster_of
from staytrue.stats.intervals import Interval, mean


@dataclass(frozen=True, slots=True)
class CitationShares:
    """One response's shares."""

    precision: float
    """Of its citations, those whose passage supports the claim."""
    recall: float
    """Of its claims, those that a passage they cite supports."""


@dataclass(frozen=True, slots=True)
class CitationMeans:
    """The mean shares of the responses that cite."""

    precision: Interval
    recall: Interval


def citations_in(verdict: Verdict) -> CitationShares | None:
    """What the verdict says of its response's citations; None where there are none."""
    shares = {
        part.text: part.score
        for part in verdict.evidence
        if part.kind == EvidenceKind.PART and part.text in CITATION_PARTS
    }
    precision, recall = (shares.get(name) for name in CITATION_PARTS)
    return None if precision is None or recall is None else CitationShares(precision, recall)


def means_of(shares: Sequence[CitationShares], groups: Sequence[int | str]) -> CitationMeans:
    """Means over responses, clustered by dialogue or document."""
    return CitationMeans(
        mean([one.precision for one in shares], groups),
        mean([one.recall for one in shares], groups),
    )


def citation_means(run: Run) -> dict[str, CitationMeans]:
    """For each metric that judges citations, if responses of the run have any."""
    found: dict[str, dict[str, CitationShares]] = {}
    for verdict in run.verdicts():
        if shares := citations_in(verdict):
            found.setdefault(verdict.metric, {})[verdict.example_id] = shares
    if not found:
        return {}
    groups = {example.id: cluster_of(example) for example in run.examples()}
    return {
        metric: means_of(list(rows.values()), [groups.get(id_, id_) for id_ in rows])
        for metric, rows in found.items()
    }
