"""Models of others stand in one table; one that cannot be loaded says why."""

from __future__ import annotations

from reproduce.peers import page

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.errors import ModelError
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example

ROWS = [
    Example("1", "Tea is old.", "Tea is old.", consistent=True),
    Example("2", "Tea is new.", "Tea is old.", consistent=False),
    Example("3", "Tea is hot.", "Tea is old.", consistent=False),
    Example("4", "Rome is old.", "Rome is old.", consistent=True),
]


def same(pair: Pair) -> Entailment:
    return Entailment(1.0, 0.0, 0.0) if pair.premise == pair.hypothesis else Entailment(0, 1, 0)


def unreachable(pair: Pair) -> Entailment:
    raise ModelError("The hub cannot be reached.")


def test_rows_hold_figures_or_the_reason_why_there_are_none() -> None:
    backends = {
        "good": ("nli", ScriptedBackend(entailments=same)),
        "absent": ("nli", ScriptedBackend(entailments=unreachable)),
    }
    written = page(backends, {"rows": ROWS})
    good, absent = (
        next(line for line in written.splitlines() if line.startswith(f"| {name} "))
        for name in backends
    )
    assert good.startswith("| good | 1.000 [")
    assert absent == "| absent |  |  |"
    assert "- absent: The hub cannot be reached." in written
    assert "`nli|" in written
