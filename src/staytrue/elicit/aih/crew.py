"""AIH on Ray: workers reply for the bots, and make the questions about what they said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from staytrue.core.errors import RunError
from staytrue.core.protocols import Backend, Chatbot
from staytrue.elicit.aih.inquirer import Inquirer, Question
from staytrue.elicit.talking import Crew, Limits
from staytrue.plugins.registry import DEFAULT_BACKEND, load_backend
from staytrue.runs.engines.cluster import Cluster

_PART = "inquirer"
_USED = ("spans", "ask")


class RemoteInquirer(Inquirer):
    """Asks the workers for its questions."""

    def __init__(self, models: Any, strategies: Sequence[str], crew: Crew) -> None:
        super().__init__(models, models, strategies)
        self._crew = crew

    def inquire(self, utterances: Sequence[str], seed: int = 0) -> list[Question | None]:
        """As in this process."""
        outcome = self._crew.call(_PART, "inquire", list(utterances), seed=seed)
        questions: list[Question | None] = outcome.result()
        return questions


def crew_for(
    cluster: Cluster,
    bots: Sequence[str] | Mapping[str, Chatbot],
    backend: Backend | str | None,
    strategies: Sequence[str] = ("entity",),
    limits: Limits | None = None,
) -> Crew:
    """Workers that know these bots, and that ask as this backend does; both are named by specs."""
    models = load_backend(backend or DEFAULT_BACKEND).models()
    make = partial(_inquirer, backend, tuple(strategies), {m: models.get(m) for m in _USED})
    named = [bots] if isinstance(bots, str) else bots
    return Crew(cluster, named, {_PART: make}, backend=backend, limits=limits)


def _inquirer(
    backend: Backend | str | None, strategies: tuple[str, ...], expected: Mapping[str, str | None]
) -> Inquirer:
    models: Any = load_backend(backend or DEFAULT_BACKEND)
    here = {method: models.models().get(method) for method in _USED}
    if here != expected:
        raise RunError(
            f"A worker has different models ({here} instead of {dict(expected)}): "
            "install the same version of everything on all machines of the cluster."
        )
    return Inquirer(models, models, strategies)
