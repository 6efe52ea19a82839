"""Weights & Biases: a run folder as a run there, offline unless you say otherwise.

log_run("answers-run")    # then: wandb sync wandb/offline-run-*
"""

from __future__ import annotations

import re
from pathlib import Path

from staytrue.core.errors import MissingExtra
from staytrue.integrations.run_figures import figures
from staytrue.runs.folder import Run

try:
    import wandb
except ImportError:
    raise MissingExtra("Logging to Weights & Biases", "wandb") from None

# What Weights & Biases takes in an artifact's name.
_OTHER = re.compile(r"[^\w.\-]")


def log_run(
    folder: str | Path, *, project: str = "staytrue", mode: str = "offline", files: bool = True
) -> None:
    """Log a run folder to the active run, or to a new one named after the folder.

    A new run is written to `./wandb` and sends nothing, until `wandb sync` does; `mode="online"`
    sends it at once. `files` also stores the folder, as an artifact.
    """
    run = Run(folder)
    name = Path(folder).resolve().name
    own = wandb.run is None
    log = wandb.init(project=project, name=name, mode=mode) if own else wandb.run
    try:
        for metric, signature in run.signatures.items():
            log.config[f"signature {metric}"] = signature
            log.summary.update(
                {f"{metric} {key}": figure for key, figure in figures(run, metric).items()}
            )
        if files:
            artifact = wandb.Artifact(_OTHER.sub("_", name), type="staytrue-run")
            artifact.add_dir(str(folder))
            log.log_artifact(artifact)
    finally:
        if own:
            log.finish()
