"""Questions of the rules beside those of a language model: `python -m reproduce.questions_read`.

Writes docs/questions-read.md from tests/golden/questions_read.jsonl, questions about spans of Q²'s
responses that were read by hand. `--draw N --seed S` prints new ones as JSON lines instead, for
each of N spans what survives Q²'s round trip, by either generator, whose name is in the field `by`.
Whoever read those of the page could tell the generators apart. `--also NAME=FILE.gguf` prints what
another language model asks about the spans of the page. Drawing needs the data folder
(STAYTRUE_DATA, or ../shared/data) and the extra `gguf`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from reproduce.pages import DATA, REPOSITORY, table
from reproduce.q2_sets import read as read_set
from reproduce.readings import read, second_reading
from staytrue.core.protocols import Span, Target
from staytrue.metrics.q2.steps import Candidate, keep_valid
from staytrue.plugins.registry import load_backend
from staytrue.stats.intervals import proportion

READ = REPOSITORY / "tests" / "golden" / "questions_read.jsonl"
PAGE = REPOSITORY / "docs" / "questions-read.md"
GENERATORS = {
    "rules": "embedded,size=small",
    "SmolLM2-135M-Instruct": "embedded,size=small,questions=neural",
}
_TOP = 5


def targets(responses: Sequence[str], spans: Any, size: int, seed: int) -> list[Target]:
    """So many spans, at most one of each response, in random order."""
    chance = random.Random(seed)
    order = chance.sample(sorted(set(responses)), len(set(responses)))
    chosen: list[Target] = []
    for response in order:
        some: list[Span] = spans.spans([response])[0]
        if some:
            chosen.append(Target(response, chance.choice(some)))
        if len(chosen) == size:
            break
    return chosen


def survivor(backend: Any, target: Target) -> str | None:
    """The first question about the target that the response answers with the span."""
    (asked,) = backend.ask([target])
    candidates = [Candidate(0, target.span, n, one) for n, one in enumerate(asked[:_TOP])]
    kept, _ = keep_valid(backend, [target.text], candidates, single=True, personal=True)
    return kept[0].question if kept else None


def drawn(backends: dict[str, Any], spans: Sequence[Target]) -> Iterator[dict[str, Any]]:
    """A row per target and generator; `question` is None where none survives."""
    for target in spans:
        for name, backend in backends.items():
            yield {
                "by": name, "response": target.text, "span": target.span.text,
                "question": survivor(backend, target),
            }  # fmt: skip


def spans_of(rows: Sequence[dict[str, Any]]) -> list[Target]:
    """The spans that were read, in the order of the page."""
    different = dict.fromkeys((row["response"], row["span"]) for row in rows)
    targets = []
    for response, span in different:
        start = response.index(span)
        targets.append(Target(response, Span(span, start, start + len(span), "chunk")))
    return targets


def figures(rows: Sequence[dict[str, Any]]) -> str:
    """Coverage and appropriateness of each generator, and how far the two readings agree."""
    lines = []
    for name in dict.fromkeys(row["by"] for row in rows):
        mine = [row for row in rows if row["by"] == name]
        asked = [row for row in mine if row["question"]]
        good = sum(row["appropriate"] for row in asked)
        lines.append(
            (name, len(mine), str(proportion(len(asked), len(mine))),
             str(proportion(good, len(asked))), str(proportion(good, len(mine))))
        )  # fmt: skip
    twice = second_reading(rows, "appropriate")
    head = ("generator", "spans", "with a question that survives", "of these appropriate",
            "spans with an appropriate question")  # fmt: skip
    return (
        table(head, lines) + f"\n{twice.rows} questions were read a second time, in another order; "
        f"Cohen's κ = {twice.kappa}.\n"
    )


def page(rows: Sequence[dict[str, Any]]) -> str:
    """The list, with the figures above it."""
    listed = [
        (_plain(row["response"]), _plain(row["span"]), row["by"], row["question"] or "–",
         "" if not row["question"] else "yes" if row["appropriate"] else "no")
        for row in rows
    ]  # fmt: skip
    head = ("response", "span", "generator", "question", "appropriate")
    return f"""# Questions of rules and of a language model, read

Spans of Q²'s dev responses, drawn at random, at most one of each response. Each generator asks
about the span, and the question that survives the round trip (the response answers it with the
span) was read by one reader, who could tell the generators apart. A question is appropriate when
it is well-formed and the response answers it with the span. The language model is that of
`--backend embedded,questions=neural`, which writes one question per span; the rules write up to
{_TOP}. Answers are read by the small reader. So few spans give wide intervals.

{figures(rows)}
`python -m reproduce.questions_read` writes this page from `tests/golden/{READ.name}`.

## The questions

{table(head, listed)}"""


def _plain(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, metavar="N", help="print questions about N new spans")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--also", metavar="NAME=FILE", help="another generator, on the same spans")
    chosen = parser.parse_args()
    if chosen.also:
        name, _, file = chosen.also.partition("=")
        other = {name: load_backend(f"embedded,size=small,questions={file}")}
        for row in drawn(other, spans_of(read(READ))):
            print(json.dumps(row, ensure_ascii=False), flush=True)
        return
    if not chosen.draw:
        print(figures(read(READ)))
        PAGE.write_text(page(read(READ)), encoding="utf-8")
        return
    backends = {name: load_backend(spec) for name, spec in GENERATORS.items()}
    responses = [
        example.response for example in read_set(f"q2:{DATA / 'q2_response_level.jsonl.gz'}")
    ]
    spans = targets(responses, backends["rules"], chosen.draw, chosen.seed)
    for row in drawn(backends, spans):
        print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
