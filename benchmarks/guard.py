"""How long `staytrue.Guard` takes over one answer: `python -m benchmarks.guard [--calls 50]`.

300 words of knowledge, two sentences, small models: first one call after another, then from eight
threads at once, as a busy service does. `--floor 150` exits with status 1 if a lone call takes
longer than 150 ms at the median; it means something only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from staytrue.integrations.guard import Guard, Ruling

WORDS = 300
THREADS = 8
CALLS = 50
DEADLINE = 2.0
_FACTS = (
    "The warehouse in Leeds ships parcels on weekdays from {a} am to {b} pm.",
    "Orders above {c} pounds travel free of charge within the United Kingdom.",
    "A parcel to Ireland takes {a} working days and costs {b} pounds.",
    "Customers may return unused goods within {c} days of delivery.",
    "The support desk has {b} people and answers letters within {a} days.",
    "Large furniture is delivered by two drivers who carry it up to floor {a}.",
    "Gift cards are valid for {b} years and can be used in all {c} shops.",
)


def question(number: int) -> tuple[str, str]:
    """Knowledge and an answer that no call before has had, so that nothing is remembered."""
    facts: list[str] = []
    turn = 0
    while sum(len(fact.split()) for fact in facts) < WORDS:
        amounts = {"a": 2 + (number + turn) % 9, "b": 3 + turn % 7, "c": 20 + number + turn}
        facts.append(_FACTS[turn % len(_FACTS)].format(**amounts))
        turn += 1
    knowledge = " ".join(" ".join(facts).split()[:WORDS])
    answer = (
        f"You can return unused goods within {23 + number} days. "
        f"A parcel to Ireland takes {2 + (number + 2) % 9} working days."
    )
    return knowledge, answer


def asked(guard: Guard, number: int) -> Ruling:
    """One call."""
    knowledge, answer = question(number)
    return guard.check(answer, knowledge=knowledge)


@dataclass(frozen=True)
class Series:
    """Calls that were made one after another, or several at a time."""

    rulings: tuple[Ruling, ...]
    seconds: float
    """From the first call to the last answer."""

    @property
    def median(self) -> float:
        """Milliseconds."""
        return statistics.median(self._milliseconds)

    @property
    def p95(self) -> float:
        """Milliseconds that 95 of 100 calls do not exceed."""
        times = self._milliseconds
        return times[min(len(times) - 1, int(0.95 * len(times)))]

    @property
    def _milliseconds(self) -> list[float]:
        return sorted(1000 * ruling.seconds for ruling in self.rulings)

    def __str__(self) -> str:
        late = sum(ruling.status == "unjudged" for ruling in self.rulings)
        return (
            f"median {self.median:.0f} ms, p95 {self.p95:.0f} ms, "
            f"{len(self.rulings) / self.seconds:.1f} answers/s, "
            f"{late} of {len(self.rulings)} unjudged"
        )


def series(guard: Guard, numbers: Iterable[int], threads: int) -> Series:
    """A call for each number, from so many threads."""
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        rulings = tuple(pool.map(lambda number: asked(guard, number), numbers))
    return Series(rulings, time.perf_counter() - start)


def alone_and_together(
    backend: str, calls: int = CALLS, deadline: float = DEADLINE
) -> tuple[Series, Series]:
    """Calls one after another, without a deadline, then as many from all threads at once."""
    guard = Guard(deadline=60.0, backend=backend)
    series(guard, range(-3, 0), threads=1)  # models load on first use
    alone = series(guard, range(calls), threads=1)
    guard.deadline = deadline
    return alone, series(guard, range(calls, 2 * calls), threads=THREADS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--deadline", type=float, default=DEADLINE)
    parser.add_argument("--floor", type=float, metavar="MS")
    parser.add_argument("--backend", default="embedded,size=small")
    options = parser.parse_args()
    alone, together = alone_and_together(options.backend, options.calls, options.deadline)
    print(f"one at a time: {alone}")
    print(f"{THREADS} threads, deadline {options.deadline:g} s: {together}")
    print(f"{options.backend}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    if options.floor is not None and alone.median > options.floor:
        sys.exit(f"The median is {alone.median:.0f} ms, above the floor of {options.floor:g} ms.")


if __name__ == "__main__":
    main()
