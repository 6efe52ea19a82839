"""staytrue tells whether a chatbot stays true to its knowledge, to itself and to its persona.

    import staytrue

    run = staytrue.evaluate(
        [staytrue.Example(id="1", response="Coffee is a plant.", knowledge="Coffee is a drink.")],
        metrics=["overlap"],
    )
    print(run.verdicts[0].score, run.verdicts[0].reason)

Importing it loads no model and no heavy library; each part loads when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staytrue.core.errors import StaytrueError
from staytrue.core.records import Evidence, Example, Probe, Turn, Verdict

if TYPE_CHECKING:
    from staytrue.integrations.guard import Guard
    from staytrue.plugins.registry import load_backend, load_chatbot, load_metric
    from staytrue.runs.runner import evaluate
    from staytrue.runs.scoring import read, score, score_files
    from staytrue.studies.aih.interrogate import interrogate
    from staytrue.studies.comparison import compare
    from staytrue.studies.probe import probe

__all__ = [
    "Evidence",
    "Example",
    "Guard",
    "Probe",
    "StaytrueError",
    "Turn",
    "Verdict",
    "__version__",
    "compare",
    "evaluate",
    "interrogate",
    "load_backend",
    "load_chatbot",
    "load_metric",
    "probe",
    "read",
    "score",
    "score_files",
]

_LAZY = {
    "Guard": "staytrue.integrations.guard",
    "compare": "staytrue.studies.comparison",
    "evaluate": "staytrue.runs.runner",
    "interrogate": "staytrue.studies.aih.interrogate",
    "load_backend": "staytrue.plugins.registry",
    "load_chatbot": "staytrue.plugins.registry",
    "load_metric": "staytrue.plugins.registry",
    "probe": "staytrue.studies.probe",
    "read": "staytrue.runs.scoring",
    "score": "staytrue.runs.scoring",
    "score_files": "staytrue.runs.scoring",
}


__version__: str


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("staytrue")
    if name not in _LAZY:
        raise AttributeError(f"module 'staytrue' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return __all__
