"""Write docs/performance.md: `python -m reproduce.performance` (ten minutes on an idle machine).

For each metric: responses per second, where the time goes, and how much of the machine's arithmetic
its forward passes use. The limit is measured in the same run, with a plain matrix product. Then
what `benchmarks/` measures on two cores.
"""

from __future__ import annotations

import argparse
import cProfile
import math
import os
import platform
import pstats
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
from benchmarks.begin import varied

import staytrue
from reproduce import two_cores
from reproduce.pages import REPOSITORY, table, weights, write_picture
from staytrue.backends.embedded import EmbeddedBackend, large_folder
from staytrue.backends.embedded.encoder import ForwardPass
from staytrue.core.protocols import Grounding, Pair, Query, Span, Target
from staytrue.core.records import Example
from staytrue.english import parses as parsing
from staytrue.plugins.registry import NamedMetric, forget_backends, load_backend
from staytrue.report.lines import ChartLine, line_chart
from staytrue.runs.processor import vector_extensions

PAGE = REPOSITORY / "docs" / "performance.md"
PICTURE = "performance-length.svg"
# Metrics that read more than knowledge and a response → the shipped rows that have it.
SHIPPED_ROWS = {"contradiction": "inquiries", "hybrid": "probes", "probe-overlap": "probes"}
# All but `judge`, which is as fast as the server that it asks.
METRICS = ("overlap", "bleu", "embedding", "nli", "begin", "q2", "consistency", *SHIPPED_ROWS)
Size = Literal["small", "large"]
TITLES: dict[Size, str] = {
    "small": "Small models",
    "large": "The large model, without the small ones",
}
# The large model takes several times as long, so it judges fewer responses.
_FEWER = 5
WORDS = (50, 150, 500, 1500, 5000)
# What each protocol of a backend is asked before anything is timed, so that its model is loaded.
_TEA = "Tea is a drink."
FIRST_ASKED: dict[str, Any] = {
    "spans": _TEA,
    "claims": _TEA,
    "ask": Target(_TEA, Span("Tea", 0, 3, "chunk")),
    "answer": Query("What is a drink?", _TEA),
    "infer": Pair(_TEA, "Tea is green."),
    "classify": Grounding(_TEA, "Hello.", "Tea is green."),
    "encode": _TEA,
}
# Parts of a path → what the time spent there is for; the first that fits counts.
PLACES = (
    ("onnxruntime", "models"),
    ("tokenizers", "tokenising"),
    ("backends/embedded", "around the models"),
    ("spacy", "parsing"),
    ("thinc", "parsing"),
    ("staytrue/english", "rules of English"),
    ("staytrue/backends/rules", "rules of English"),
    ("staytrue/metrics", "the metric itself"),
    ("numpy", "around the models"),
)
COLUMNS = (*dict.fromkeys(name for _, name in PLACES), "else")


@dataclass
class Passes:
    """The forward passes of a stretch of time."""

    seconds: float = 0.0
    count: int = 0
    tokens: int = 0
    operations: float = 0.0
    files: dict[Path, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class MetricSpeed:
    """What one metric costs."""

    metric: str
    responses: int
    seconds: float
    cpu_seconds: float
    passes: Passes
    shares: dict[str, float]
    """Place → share of the time, by a profile of its own."""

    @property
    def rate(self) -> float:
        """Responses per second."""
        return self.responses / self.seconds

    @property
    def achieved(self) -> float | None:
        """Operations per second within the forward passes; None without any."""
        return self.passes.operations / self.passes.seconds if self.passes.seconds else None


def arithmetic_limit(size: int = 1024, seconds: float = 1.0) -> float:
    """Operations per second of a matrix product in single precision, the best of several."""
    left, right = (np.random.default_rng(n).random((size, size), np.float32) for n in (0, 1))
    best = 0.0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not best:
        start = time.perf_counter()
        left @ right
        best = max(best, 2 * size**3 / (time.perf_counter() - start))
    return best


def operations(path: Path) -> tuple[float, float]:
    """What a model's matrix products cost per token, and per pair of tokens, in operations.

    Every weight of a layer multiplies each token once; attention multiplies each token with each,
    twice. Sums, norms and lookups are left out, as is whatever is computed for one token only: the
    head, and most of the last layer where a pair is judged.
    """
    import onnx

    graph = onnx.load(str(path), load_external_data=False).graph
    shapes = {one.name: tuple(one.dims) for one in graph.initializer if "pooler" not in one.name}
    matrices = {n: two for n, two in shapes.items() if len(two) == 2 and min(two) >= 128}
    width = min((min(shape) for shape in matrices.values()), default=0)
    per_token = per_pair = 0.0
    of_one: set[str] = set()
    for node in graph.node:
        chosen = node.op_type == "Gather" and node.input[1] in ("first", "places")
        if alone := chosen or bool(of_one.intersection(node.input)):
            of_one.update(node.output)
        if node.op_type in ("MultiHeadAttention", "Attention"):
            per_token += 4.0 * width * alone
            per_pair += 4.0 * width * (not alone)
        elif not alone:
            per_token += sum(2.0 * math.prod(matrices.get(name, (0,))) for name in node.input)
    return per_token, per_pair


@contextmanager
def counted(backend: EmbeddedBackend) -> Iterator[Passes]:
    """Count the forward passes meanwhile, and the time within them."""
    passes = Passes()

    def add(one: ForwardPass) -> None:
        passes.seconds += one.seconds
        passes.count += 1
        passes.tokens += one.tokens
        if one.model not in passes.files:
            passes.files[one.model] = operations(one.model)
        per_token, per_pair = passes.files[one.model]
        passes.operations += per_token * one.tokens + per_pair * one.tokens**2

    with backend.listening(add):
        yield passes


def shares(work: Callable[[], object]) -> dict[str, float]:
    """Place → share of the time that is spent there itself, by a profile."""
    profile = cProfile.Profile()
    profile.runcall(work)
    spent = dict.fromkeys(COLUMNS, 0.0)
    for (file, _, function), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        spent[_place(f"{file} {function}".replace(os.sep, "/"))] += own
    total = sum(spent.values()) or 1.0
    return {name: seconds / total for name, seconds in spent.items()}


def _place(where: str) -> str:
    return next((name for part, name in PLACES if part in where), "else")


def measure(metric: str, examples: Sequence[Example], spec: str) -> MetricSpeed:
    """Judge the examples, all models loaded before; the profile takes a second, shorter look."""
    backend, loaded = _warm(metric, examples[0], spec)
    with counted(backend) as passes:
        start, cpu = time.perf_counter(), time.process_time()
        loaded.judge(examples)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    _, loaded = _warm(metric, examples[0], spec)
    part = examples[: max(1, len(examples) // 4)]
    return MetricSpeed(
        metric, len(examples), seconds, cpu, passes, shares(lambda: loaded.judge(part))
    )


def _warm(metric: str, example: Example, spec: str) -> tuple[EmbeddedBackend, NamedMetric]:
    """The metric with models that are loaded and remember nothing of what will be judged."""
    forget_backends()
    parsing.forget()
    parsing.pipeline()
    backend = load_backend(spec)
    assert isinstance(backend, EmbeddedBackend)
    loaded = staytrue.load_metric(metric, backend=backend)
    # Every protocol, because rules may decide the row below alone.
    for method in getattr(loaded.metric, "uses", ()):
        getattr(backend, method)([FIRST_ASKED[method]])
    known = f"Tea is a drink. {example.knowledge}"
    loaded.judge([replace(example, id="warm", response="Tea is green.", knowledge=known)])
    return backend, loaded


def by_length(
    metric: str, backend: str, words: Sequence[int], rounds: int = 3
) -> list[tuple[int, float, float]]:
    """Words → seconds for knowledge of that length, and for a response of that length."""
    loaded = staytrue.load_metric(metric, backend=backend)
    loaded.judge([Example("warm", text(60, seed=0), text(60, seed=1))])

    def seconds(response: int, knowledge: int) -> float:
        """The least of several texts, none of which shares a sentence with another.

        What is seen again is remembered, first use costs more, and so does a busy machine.
        """
        least = math.inf
        for turn in range(rounds):
            seed = response, knowledge, turn
            example = Example(
                "x", text(response, seed=(*seed, 0)), text(knowledge, seed=(*seed, 1))
            )
            start = time.process_time()
            loaded.judge([example])
            least = min(least, time.process_time() - start)
        return least

    return [(length, seconds(12, length), seconds(length, 12)) for length in words]


def text(words: int, *, seed: int | Sequence[int]) -> str:
    """About so many words in plain sentences, none of them twice."""
    draw = np.random.default_rng(seed)
    things = ("river", "tower", "museum", "bridge", "castle", "garden", "library", "station")
    places = ("Vienna", "Lisbon", "Kyoto", "Oslo", "Cairo", "Lima", "Dublin", "Prague")
    sentences = []
    for number in range(-(-words // 12)):
        thing, place = draw.choice(things), draw.choice(places)
        year = 1200 + int(draw.integers(800))
        sentences.append(f"The {thing} number {number} of {place} was opened in the year {year}.")
    return " ".join(" ".join(sentences).split()[:words])


def write(
    page: Path,
    speeds: Mapping[Size, Sequence[MetricSpeed]],
    lengths: Sequence[tuple[int, float, float]],
    limit: float,
    conditions: str,
    on_two_cores: Sequence[str] = (),
) -> None:
    """Put it all on the page."""
    lines = [
        "# Performance",
        "",
        "Generated by `python -m reproduce.performance`; do not edit.",
        "",
        weights(*speeds),
        conditions,
        "",
        f"One thread of this machine multiplies matrices at {limit / 1e9:,.0f} billion operations "
        "per second (single precision, 1,024 × 1,024, the best of a second). *Share of the limit* "
        "is the part of that rate that the forward passes reach. 8-bit models may exceed 100 %: "
        "their operations are cheaper than those of the matrix product. The rows of "
        f"{_listed(SHIPPED_ROWS)} are the few shipped ones, repeated with a number at the end of "
        "the response, so that no result is remembered.",
        "",
    ]
    for size, measured in speeds.items():
        lines += [f"## {TITLES[size]}", "", _speeds(measured, limit)]
        lines += ["Where the time goes, from a profile of one thread:", "", _shares(measured)]
    lines += on_two_cores
    lines += ["## Arithmetic", "", *_arithmetic()]
    lines += ["## One pair at a time", "", *_alone()]
    lines += ["## Long texts", ""]
    lines += ["CPU seconds of `consistency` for one response (small models), by the words of "
              "the knowledge (the response has 12) and of the response (the knowledge has 12).", "",
              _long_texts(lengths), f"![Seconds by words](pictures/{PICTURE})"]  # fmt: skip
    page.write_text("\n".join(lines) + "\n", "utf-8")
    chart = line_chart(
        "One response by `consistency`", "words", "CPU seconds",
        [ChartLine("long knowledge", [(words, known) for words, known, _ in lengths]),
         ChartLine("long response", [(words, response) for words, _, response in lengths])],
    )  # fmt: skip
    write_picture(page, PICTURE, chart)


def _long_texts(lengths: Sequence[tuple[int, float, float]]) -> str:
    per = "per 1,000 words"
    rows = [
        (f"{words:,}", knowledge, f"{1000 * knowledge / words:.2f}", response,
         f"{1000 * response / words:.2f}")
        for words, knowledge, response in lengths
    ]  # fmt: skip
    return table(("words", "long knowledge", per, "long response", per), rows)


def _listed(names: Iterable[str]) -> str:
    *most, last = (f"`{name}`" for name in names)
    return f"{', '.join(most)} and {last}"


def _arithmetic(rounds: int = 10) -> list[str]:
    """What 8 bits save on this processor."""
    from benchmarks import precisions

    times = precisions.times(rounds)
    lengths = [f"{length} tokens" for length in precisions.LENGTHS]
    return [
        "CPU milliseconds of one forward pass of the entailment models, by how they multiply. In "
        "the product weights have 7 bits (−63 to 63), so that two products fit into 16 bits on "
        "processors without VNNI; those with it could take 8, for the same time.",
        "",
        table(
            ("weights", *lengths),
            [(name, *(f"{1e3 * one:.1f}" for one in row)) for name, row in times.items()],
        ),
    ]


def _alone(rounds: int = 20) -> list[str]:
    """Why there are no batches, measured."""
    from benchmarks import batches

    costs = batches.alone_by_length(rounds)
    ways = {
        "small model, 8 pairs": batches.both_ways(rounds, 8),
        "large model, 8 pairs": batches.both_ways(rounds, 8, large=True),
        "large model, 2 pairs": batches.both_ways(rounds, 2, large=True),
    }
    differ = any(one.difference for row in ways.values() for one in row)
    same = "not the same" if differ else "the same to the last bit"
    lengths = next(iter(ways.values()))
    return [
        "Each pair runs alone. The small models take one scale for all that they read at once, so "
        "in a batch one pair would change the rounding of another. CPU time per token of a pass of "
        "the small reading model, by its length:",
        "",
        table(
            ("tokens", *map(str, costs)),
            [("µs per token", *(f"{1e6 * cost:.0f}" for cost in costs.values()))],
        ),
        "The small models could have a scale for each pair; the large model has one for each token "
        f"already. A batch then gives results that are {same}, for pairs of equal length: the "
        "attention has no mask for padding. Time of such a batch in one layer, against the pairs "
        "one after the other:",
        "",
        table(
            ("tokens of each pair", *(str(one.tokens) for one in lengths)),
            [
                (name, *(f"× {one.batch / one.alone:.2f}" for one in row))
                for name, row in ways.items()
            ],
        ),
        "Above × 1 a batch is slower, so the small models have none. Below × 1 is what the dense "
        "layers of the large model would gain, which has no batches either: of the 64 responses "
        "that a metric gets at once, about two share a length.",
        "",
    ]


def _speeds(speeds: Sequence[MetricSpeed], limit: float) -> str:
    header = ("metric", "responses per second", "CPU seconds per response",
              "forward passes per response", "tokens per pass", "share of the limit",
              "responses")  # fmt: skip
    rows = []
    for speed in speeds:
        passes, achieved = speed.passes, speed.achieved
        tokens = f"{passes.tokens / passes.count:.0f}" if passes.count else "–"
        share = f"{100 * achieved / limit:.0f} %" if achieved else "–"
        rows.append(
            (f"`{speed.metric}`", f"{speed.rate:,.1f}",
             f"{speed.cpu_seconds / speed.responses:.4f}", f"{passes.count / speed.responses:.1f}",
             tokens, share, speed.responses)
        )  # fmt: skip
    return table(header, rows)


def _shares(speeds: Sequence[MetricSpeed]) -> str:
    rows = [
        (f"`{speed.metric}`", *(f"{100 * speed.shares[name]:.0f} %" for name in COLUMNS))
        for speed in speeds
    ]
    return table(("metric", *COLUMNS), rows)


def conditions_here(responses: Mapping[str, int]) -> str:
    """On what, and under what load, how many responses are measured with each backend."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        parted = (line.partition(":") for line in info.read_text().splitlines())
        cpu = {name.strip(): value.strip() for name, _, value in parted}.get("model name", cpu)
    kinds = vector_extensions()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    cores = os.cpu_count() or 1
    busy = " **The machine was busy: these figures mean little.**" if load > 0.5 else ""
    ran = " and ".join(f"`{backend}` on {rows} responses" for backend, rows in responses.items())
    return (
        f"Measured with one thread, {ran}, on one of {cores} cores of {cpu} "
        f"({', '.join(kinds) or 'no vector extensions known'}), with "
        f"staytrue {version('staytrue')}, onnxruntime {version('onnxruntime')}, numpy "
        f"{np.__version__}; other load at the start: {load:.1f}.{busy}"
    )


def examples_of(limit: int) -> list[Example]:
    """Responses of the Q² rows where the data is at hand, else of the shipped example."""
    try:
        from training.evaluate import q2_examples

        return q2_examples()[:limit]
    except (OSError, staytrue.StaytrueError):
        return staytrue.read(REPOSITORY / "examples" / "grounded.jsonl")[:limit]


def rows_for(metric: str, examples: list[Example]) -> list[Example]:
    """The examples; for a metric that reads more than they have, as many made of shipped ones."""
    if metric not in SHIPPED_ROWS:
        return examples
    shipped = staytrue.read(REPOSITORY / "examples" / f"{SHIPPED_ROWS[metric]}.jsonl")
    return varied(shipped, len(examples))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=200, help="responses per metric")
    parser.add_argument("--metric", action="append", help="only these metrics")
    parser.add_argument("--words", type=int, nargs="*", default=list(WORDS))
    parser.add_argument(
        "--size", choices=list(TITLES), action="append", help="[default: all that are installed]"
    )
    parser.add_argument(
        "--two-cores", action=argparse.BooleanOptionalAction, default=True,
        help="also what benchmarks/ measures",
    )  # fmt: skip
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    sizes: list[Size] = options.size or ["small", *(["large"] if large_folder() else [])]
    examples = examples_of(options.limit)
    parts = {
        size: examples if size == "small" else examples[: -(-len(examples) // _FEWER)]
        for size in sizes
    }
    backends = {size: f"embedded,size={size},threads=1" for size in sizes}
    conditions = conditions_here({backends[size]: len(parts[size]) for size in sizes})
    limit = arithmetic_limit()
    speeds = {
        size: [
            measure(metric, rows_for(metric, parts[size]), backends[size])
            for metric in options.metric or METRICS
        ]
        for size in sizes
    }
    lengths = by_length("consistency", "embedded,size=small,threads=1", options.words)
    section = two_cores.section() if options.two_cores else []
    write(options.page, speeds, lengths, limit, conditions, section)


if __name__ == "__main__":
    # Read when numpy loads: the limit is that of one thread, as the models have.
    if os.environ.get("OMP_NUM_THREADS") != "1":
        import sys

        os.environ["OMP_NUM_THREADS"] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "reproduce.performance", *sys.argv[1:]])
    main()
