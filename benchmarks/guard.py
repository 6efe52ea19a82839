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
from concurrent.futures import ThreadPoolExecutor

from staytrue.integrations.guard import Guard, Ruling

WORDS = 300
THREADS = 8
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


def shown(name: str, rulings: list[Ruling], seconds: float) -> str:
    """A line with the median, the 95th percentile and what was not judged."""
    times = sorted(1000 * ruling.seconds for ruling in rulings)
    late = sum(ruling.status == "unjudged" for ruling in rulings)
    p95 = times[min(len(times) - 1, int(0.95 * len(times)))]
    return (
        f"{name}: median {statistics.median(times):.0f} ms, p95 {p95:.0f} ms, "
        f"{len(rulings) / seconds:.1f} answers/s, {late} of {len(rulings)} unjudged"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--deadline", type=float, default=2.0)
    parser.add_argument("--floor", type=float, metavar="MS")
    parser.add_argument("--backend", default="embedded,size=small")
    options = parser.parse_args()
    guard = Guard(deadline=60.0, backend=options.backend)
    for number in range(3):
        asked(guard, -1 - number)
    start = time.perf_counter()
    alone = [asked(guard, number) for number in range(options.calls)]
    print(shown("one at a time", alone, time.perf_counter() - start))
    guard.deadline = options.deadline
    start = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        numbers = range(options.calls, 2 * options.calls)
        together = list(pool.map(lambda number: asked(guard, number), numbers))
    name = f"{THREADS} threads, deadline {options.deadline:g} s"
    print(shown(name, together, time.perf_counter() - start))
    print(f"{options.backend}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    median = statistics.median(1000 * ruling.seconds for ruling in alone)
    if options.floor is not None and median > options.floor:
        sys.exit(f"The median is {median:.0f} ms, above the floor of {options.floor:g} ms.")


if __name__ == "__main__":
    main()
