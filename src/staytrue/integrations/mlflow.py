"""MLflow: a run folder as a run there, with its scores, signatures and files.

log_run("answers-run")
"""

from __future__ import annotations

import re
from pathlib import Path

from staytrue.core.errors import MissingExtra
from staytrue.integrations.run_figures import figures
from staytrue.runs.folder import Run

try:
    import mlflow
except ImportError:
    raise MissingExtra("Logging to MLflow", "mlflow") from None

# What MLflow takes in a name.
_OTHER = re.compile(r"[^\w.\- /]")
_LONGEST_PARAMETER = 500


def log_run(folder: str | Path, *, files: bool = True) -> None:
    """Log a run folder to the active MLflow run, or to a new one named after the folder.

    `files` also stores the folder, so that its verdicts and reasons can be read there.
    """
    run = Run(folder)
    own = mlflow.active_run() is None
    if own:
        mlflow.start_run(run_name=Path(folder).name)
    try:
        for metric, signature in run.signatures.items():
            name = _OTHER.sub("_", metric)
            mlflow.log_param(f"signature {name}", signature[:_LONGEST_PARAMETER])
            for key, figure in figures(run, metric).items():
                mlflow.log_metric(f"{name} {key}", figure)
        if files:
            mlflow.log_artifacts(str(folder), "staytrue")
    finally:
        if own:
            mlflow.end_run()
