"""Where a probe is asked: right after its fact, or some turns later (ConsisTest, §3.2).

Placement is pure: it makes new examples and changes nothing, so the same dialogue may be placed
again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from staytrue.core.records import Example, Probe, Turn

MEMORY = 3
DISTANCES = (0, 2)
USER, BOT = "user", "bot"


@dataclass(frozen=True, slots=True)
class PersonaDialogue:
    """A whole dialogue; the partner speaks first, the agent's turn n is utterance 2n + 1."""

    id: str
    persona: tuple[str, ...]
    utterances: tuple[str, ...]

    def turns(self, start: int, end: int) -> tuple[Turn, ...]:
        """Utterances from `start` up to `end`, with their speakers."""
        return tuple(
            Turn(BOT if number % 2 else USER, self.utterances[number])
            for number in range(start, end)
        )


def place(
    dialogue: PersonaDialogue,
    probes: Sequence[Probe],
    *,
    memory: int = MEMORY,
    distances: Sequence[int] = DISTANCES,
) -> Iterator[Example]:
    """Every probe at every distance that the dialogue is long enough for.

    The examples have no response yet; their history ends with the question. A persona question
    at distance d follows the dialogue's last d turns, as in the released code; a history question
    follows the turn of its fact by d turns. A turn is an utterance of each side.
    """
    for number, probe in enumerate(probes):
        for distance in distances:
            span = _context(dialogue, probe, memory, distance)
            if span is None:
                continue
            yield Example(
                id=f"{dialogue.id}-{number}-d{distance}",
                response="",
                history=(*dialogue.turns(*span), Turn(USER, probe.question)),
                persona=dialogue.persona,
                probe=replace(probe, distance=distance),
                tags={"dialogue": dialogue.id},
            )


def _context(
    dialogue: PersonaDialogue, probe: Probe, memory: int, distance: int
) -> tuple[int, int] | None:
    length = len(dialogue.utterances)
    if probe.turn is None:
        if 2 * distance > length:
            return None
        return length - 2 * min(distance, memory), length
    end = 2 * (probe.turn + distance + 1)
    if end > length:
        return None
    return max(0, end - 2 * memory), end


def fact_turn(example: Example) -> int | None:
    """Index in the history of the turn that holds a placed probe's fact; None: not in it."""
    probe = example.probe
    if probe is None or probe.turn is None or probe.distance is None:
        return None
    index = len(example.history) - 2 - 2 * probe.distance
    return index if index >= 0 else None
