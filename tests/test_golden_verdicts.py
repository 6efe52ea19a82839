"""Every metric's verdicts on the shipped examples and on the judged answers, as they were stored.

A change here changes what users see: name it in the changelog, then refresh the file with
`python -m tests.test_golden_verdicts`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import staytrue
from staytrue.datasets import tabular

REPOSITORY = Path(__file__).resolve().parent.parent
GOLDEN = REPOSITORY / "tests" / "golden"
# Scores of the large models, where installed, are others.
SMALL = "embedded,size=small"
STORED = GOLDEN / "verdicts.jsonl"
JUDGED = ("overlap", "bleu", "nli", "embedding", "q2", "begin", "consistency")
PROBED = ("hybrid", "hybrid,compat=released", "probe-overlap")
FILES = {
    REPOSITORY / "examples" / "grounded.jsonl": JUDGED,
    REPOSITORY / "examples" / "inquiries.jsonl": ("contradiction",),
    REPOSITORY / "examples" / "probes.jsonl": PROBED,
    GOLDEN / "consistest_judged.jsonl": PROBED,
    GOLDEN / "consistest_judged_more.jsonl": PROBED,
}


def verdicts() -> Iterator[dict[str, Any]]:
    for path, metrics in FILES.items():
        examples = [e for e in tabular.read(str(path)) if isinstance(e, staytrue.Example)]
        for verdict in staytrue.evaluate(examples, metrics, backend=SMALL).verdicts:
            # Probabilities differ a little between processors; what is shown does not.
            shown = [(e.kind, e.text, e.field, e.start, e.end, e.label) for e in verdict.evidence]
            yield {
                "file": path.stem,
                "example_id": verdict.example_id,
                "metric": verdict.metric,
                "score": None if verdict.score is None else round(verdict.score, 4),
                "label": verdict.label,
                "reason": verdict.reason,
                "evidence": hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:12],
            }


def key(verdict: dict[str, Any]) -> tuple[str, str, str]:
    """What a verdict is about; in what order a run makes its verdicts says nothing about them."""
    return verdict["file"], verdict["metric"], verdict["example_id"]


def same(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Equal but for what another processor may change: scores within 1e-3."""
    scores = new["score"], old["score"]
    close = scores[0] == scores[1] or (None not in scores and abs(scores[0] - scores[1]) <= 1e-3)
    return close and {**new, "score": None} == {**old, "score": None}


@pytest.mark.slow
def test_no_verdict_changes_without_being_named() -> None:
    stored = [json.loads(line) for line in STORED.read_text("utf-8").splitlines()]
    pairs = zip(sorted(verdicts(), key=key), sorted(stored, key=key), strict=True)
    changed = [(new, old) for new, old in pairs if not same(new, old)]
    assert not changed, f"{len(changed)} verdicts changed, the first: {changed[0]}"


if __name__ == "__main__":
    lines = [json.dumps(verdict, ensure_ascii=False) for verdict in verdicts()]
    STORED.write_text("\n".join(lines) + "\n", "utf-8")
