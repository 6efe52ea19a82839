"""What experiment trackers are told of a run."""

from __future__ import annotations

from staytrue.runs.folder import Run

_FIGURES = ("mean", "scored", "abstained", "failed")


def figures(run: Run, metric: str) -> dict[str, float]:
    """A metric's mean score and how many examples it scored, abstained from and failed on."""
    counts = run.manifest.get("counts", {}).get("metrics", {}).get(metric, {})
    return {name: counts[name] for name in _FIGURES if counts.get(name) is not None}
