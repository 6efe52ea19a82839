"""What a fact gives: probes, and the candidates that were dropped with their reasons."""

from __future__ import annotations

from dataclasses import dataclass

from staytrue.core.records import Probe


@dataclass(frozen=True, slots=True)
class Drop:
    """A candidate that is no probe."""

    text: str
    """The question, or the statement if there was no question."""
    reason: str
    source: str = ""
    dialogue: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What one statement, or pair of utterances, gave: probes, and candidates that are none."""

    probes: tuple[Probe, ...] = ()
    drops: tuple[Drop, ...] = ()
