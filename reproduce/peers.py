"""Write docs/results-peers.md: `python -m reproduce.peers`; needs the extra `hf` and a hub.

Binary groundedness models of others (HHEM, MiniCheck, AlignScore), each as metric `nli` on the
Hugging Face backend, beside ours on the same rows. A model that cannot be loaded leaves its row
empty and says why. `--model minicheck=FOLDER` takes weights from a folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from reproduce.pages import DATA, REPOSITORY, signatures, table, weights
from reproduce.q2_sets import read
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.backends.huggingface import HuggingFaceBackend
from staytrue.core.errors import StaytrueError
from staytrue.core.protocols import Backend
from staytrue.core.records import Example
from staytrue.plugins.registry import load_metric
from staytrue.stats import intervals
from staytrue.stats.clusters import cluster_of

PAGE = REPOSITORY / "docs" / "results-peers.md"
SETS = {
    "Q² cross-annotation": "q2:{}/q2_cross_annotation.jsonl.gz",
    "Q² response level": "q2:{}/q2_response_level.jsonl.gz",
    "BEGIN v1": "begin:{}/begin_v1_dev.jsonl.gz",
}
PEERS = ("hhem", "minicheck", "alignscore")
OURS = ("nli", "consistency,generic=score")


def row(
    name: str, metric: str, backend: Backend, sets: Mapping[str, Sequence[Example]]
) -> tuple[list[object], str]:
    """ROC-AUC and accuracy at 0.5 on each set, and the signature."""
    loaded = load_metric(metric, backend=backend)
    cells: list[object] = [name]
    for examples in sets.values():
        judged = [e for e in examples if e.consistent is not None]
        scores = [verdict.score for verdict in loaded.judge(judged)]
        kept = [n for n, score in enumerate(scores) if score is not None]
        values = np.array([scores[n] for n in kept], dtype=float)
        truth = np.array([bool(judged[n].consistent) for n in kept])
        groups = [cluster_of(judged[n]) for n in kept]
        cells.append(intervals.roc_auc(values, truth, groups))
        cells.append(intervals.share((values > 0.5) == truth, groups))
    return cells, loaded.signature


def page(backends: Mapping[str, tuple[str, Backend]], sets: Mapping[str, Sequence[Example]]) -> str:
    """The table: name → (metric, backend); what fails says why below it."""
    rows, signed, failures = [], [], []
    for name, (metric, backend) in backends.items():
        try:
            cells, signature = row(name, metric, backend, sets)
        except StaytrueError as error:
            cells, signature = [name, *([None] * (2 * len(sets)))], ""
            failures.append(f"- {name}: {error}")
        rows.append(cells)
        signed += [signature] if signature else []
    header = ["model"]
    for name in sets:
        header += [f"{name}: ROC-AUC", "accuracy at 0.5"]
    parts = [
        "# Other groundedness models on the same rows\n",
        "Written by `python -m reproduce.peers`; do not edit. Dev halves of the sets.\n",
        weights(),
        table(header, rows),
        *(["Not measured here:\n", "\n".join(failures) + "\n"] if failures else []),
        signatures(signed),
    ]
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write the page")
    parser.add_argument("--limit", type=int, help="only the first N examples of each set")
    parser.add_argument("--model", action="append", default=[], metavar="PRESET=FOLDER")
    options = parser.parse_args(arguments)
    folders = dict(item.split("=", 1) for item in options.model)
    sets = {name: read(source.format(DATA), options.limit) for name, source in SETS.items()}
    ours = EmbeddedBackend()
    backends: dict[str, tuple[str, Backend]] = {f"`{m}` (ours)": (m, ours) for m in OURS}
    for peer in PEERS:
        model = HuggingFaceBackend(preset=peer, infer=folders.get(peer, ""))  # type: ignore[arg-type]
        backends[peer] = ("nli", model)
    options.page.write_text(page(backends, sets), encoding="utf-8")
    print(f"Wrote {options.page}.")


if __name__ == "__main__":
    main()
