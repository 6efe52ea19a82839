"""How fast Q² is: `python -m benchmarks.q2 [INPUT] [--responses N] [--full-size]`.

On the same responses, each way with models of its own, which remember nothing of the others:
- ours: batches, each different question once, the next candidate only where one failed; the
  comparison of answers is the paper's, as in the loop below;
- ours, default: besides, the entailment model judges the sentences;
- one at a time: a response, a span, a question after the other, as the released code does it,
  with the same embedded models;
- full size (--full-size, needs the extra hf): the same loop with T5-base, ALBERT-xlarge and
  RoBERTa-large of random weights, for what it costs only.
Without INPUT it runs on the Q² dev half where the data is at hand, else on the example dialogues.
With `--floor N` it exits with status 1 if our default judges fewer responses per second.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from benchmarks.floor import add_floor, hold
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Pair, Query, Target
from staytrue.core.records import Example, Failure
from staytrue.english import parses as parsing
from staytrue.metrics.q2 import Q2
from staytrue.metrics.q2.steps import is_personal, same_answer
from staytrue.runs import runner

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = str(REPOSITORY / "examples" / "grounded.jsonl")
DATA = (
    Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data"))
    / "dev" / "q2_cross_annotation.jsonl.gz"
)  # fmt: skip
TOP = 5
RESPONSES = 100


@dataclass(frozen=True)
class Q2Speed:
    """What one way of computing Q² costs."""

    way: str
    responses: int
    seconds: float
    responses_per_second: float
    tokens_per_second: float
    cpu_seconds_per_response: float
    """Over all threads: what remains true on a busy machine."""
    peak_megabytes: float
    """Of the process up to then: the ways before count, too."""


class Counting:
    """A backend that counts the tokens which its models read."""

    def __init__(self, backend: Any, tokens: Callable[[str], int]) -> None:
        self._backend = backend
        self._tokens = tokens
        self.threads = getattr(backend, "threads", 1)
        self.read = 0
        self._lock = Lock()

    def models(self) -> Any:
        return self._backend.models()

    def spans(self, texts: Sequence[str]) -> Any:
        return self._backend.spans(texts)

    def ask(self, targets: Sequence[Target]) -> Any:
        return self._backend.ask(targets)

    def answer(self, queries: Sequence[Query]) -> Any:
        self._count(f"{q.question} {q.passage}" for q in queries)
        return self._backend.answer(queries)

    def infer(self, pairs: Sequence[Pair]) -> Any:
        self._count(f"{p.premise} {p.hypothesis}" for p in pairs)
        return self._backend.infer(pairs)

    def _count(self, texts: Iterable[str]) -> None:
        tokens = sum(map(self._tokens, texts))
        with self._lock:  # Q² judges two batches at a time
            self.read += tokens


def one_at_a_time(backend: Any, examples: Sequence[Example]) -> None:
    """Q² as a plain loop: every call has one item, and nothing is asked only if needed."""
    for example in examples:
        for span in backend.spans([example.response])[0]:
            kept = None
            for question in backend.ask([Target(example.response, span)])[0][:TOP]:
                if is_personal(question):
                    continue
                answer = backend.answer([Query(question, example.response)])[0].text
                if kept is None and answer is not None and same_answer(answer, span.text):
                    kept = question
            if kept is None:
                continue
            known = backend.answer([Query(kept, example.knowledge)])[0].text
            if known is not None and not same_answer(known, span.text):
                backend.infer([Pair(f"{kept} {known}.", f"{kept} {span.text}.")])


def by_default(backend: Any, examples: Sequence[Example]) -> None:
    """The metric as people use it."""
    Q2(backend).judge(examples)


def measure(
    way: str, run: Callable[[Any, Sequence[Example]], object], backend: Any,
    examples: Sequence[Example], tokens: Callable[[str], int],
) -> Q2Speed:  # fmt: skip
    """Run once to warm up on a response of its own, then measure."""
    run(backend, [Example("warm", "Tea is a green drink.", "Tea is a drink from China.")])
    parsing.forget()  # or the second way would find the texts parsed
    counting = Counting(backend, tokens)
    start, cpu = time.perf_counter(), time.process_time()
    run(counting, examples)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Q2Speed(
        way, len(examples), round(seconds, 2), round(len(examples) / seconds, 2),
        round(counting.read / seconds), round(cpu / len(examples), 4), round(peak),
    )  # fmt: skip


def source() -> str:
    """The Q² dev half where the data is at hand, else the example dialogues."""
    return f"q2:{DATA}" if DATA.exists() else EXAMPLES


def read(source: str, responses: int) -> list[Example]:
    """Responses that have knowledge."""
    examples = [e for e in runner.read_inputs([source]) if not isinstance(e, Failure)]
    return [e for e in examples if e.response.strip() and e.knowledge.strip()][:responses]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", nargs="?", default=source())
    parser.add_argument("--responses", type=int, default=RESPONSES)
    parser.add_argument("--full-size", action="store_true")
    parser.add_argument("--size", choices=["small", "both"], default="small")
    parser.add_argument("--json", action="store_true")
    add_floor(parser)  # of our default
    arguments = parser.parse_args()
    examples = read(arguments.input, arguments.responses)
    if not examples:
        sys.exit("The input has no response with knowledge.")
    tokens = token_counter()
    ways: dict[str, Callable[[Any, Sequence[Example]], object]] = {
        "ours": lambda backend, rows: Q2(backend, compat="paper").judge(rows),
        "ours, default": by_default,
        "one at a time": one_at_a_time,
    }
    speeds = [
        measure(way, run, EmbeddedBackend(size=arguments.size), examples, tokens)
        for way, run in ways.items()
    ]
    if arguments.full_size:
        from benchmarks.full_size import random_backend

        few = examples[:2]
        speeds.append(measure("full size", one_at_a_time, random_backend(), few, tokens))
    if arguments.json:
        print(json.dumps([asdict(speed) for speed in speeds], indent=2))
    else:
        show(speeds)
    hold(speeds[1].responses_per_second, arguments.floor)


def show(speeds: Sequence[Q2Speed]) -> None:
    """A line per way of computing it."""
    ours, default = speeds[:2]
    load = os.getloadavg()[0]
    print(f"Q² on {ours.responses} responses, {os.cpu_count()} cores, load {load:.1f}")
    for speed in speeds:
        ratio = speed.seconds / speed.responses * ours.responses_per_second
        to_default = speed.seconds / speed.responses * default.responses_per_second
        peak = f"{speed.peak_megabytes:5.0f}"
        print(
            f"{speed.way:>14}: {speed.responses_per_second:8.2f} responses/s, "
            f"{speed.tokens_per_second:8.0f} tokens/s, "
            f"{speed.cpu_seconds_per_response:7.3f} s of CPU each, peak {peak} MB"
            + (
                ""
                if speed in (ours, default)
                else f"; ours is {ratio:.1f} ×, the default {to_default:.1f} × as fast"
            )
        )


def token_counter() -> Callable[[str], int]:
    """Counts word pieces as the embedded models see them."""
    from tokenizers import Tokenizer

    from staytrue.backends.embedded import SHIPPED

    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    return lambda text: len(tokenizer.encode(text).ids)


if __name__ == "__main__":
    main()
