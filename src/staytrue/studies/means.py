"""The mean score of each metric of a run, with an interval that knows of shared dialogues."""

from __future__ import annotations

from collections.abc import Iterable

from staytrue.runs.folder import Run
from staytrue.stats.clusters import cluster_of
from staytrue.stats.intervals import Interval, mean


def metric_means(run: Run, metrics: Iterable[str]) -> dict[str, Interval]:
    """Each metric's mean over the run, clustered by dialogue or document as in the report."""
    numbers: dict[str, int] = {}  # a cluster may be named by a whole text
    clusters = {
        example.id: numbers.setdefault(cluster_of(example), len(numbers))
        for example in run.examples()
    }
    rows: dict[str, list[tuple[float, int]]] = {name: [] for name in metrics}
    for verdict in run.verdicts():
        cluster = clusters.get(verdict.example_id)
        if verdict.score is not None and cluster is not None and verdict.metric in rows:
            rows[verdict.metric].append((verdict.score, cluster))
    return {
        name: mean([score for score, _ in mine], [cluster for _, cluster in mine])
        for name, mine in rows.items()
    }
