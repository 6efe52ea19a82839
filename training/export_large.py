"""Write the large model into its package: `python -m training.export_large`.

`--from` is a checkpoint of `training.mixed`, `--base` the folder of all-mpnet-base-v2, from which
embeddings, frozen layers and tokenizer are taken. Temperatures are fitted on people's labels from
the quarter that is kept for constants, the reader's threshold on questions kept from training; no
dev set is read. The command takes about a minute.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Query
from training import adapter, large_graph, splits
from training.calibration import best_temperature, reader, reading_curves
from training.common import GROUNDEDNESS_LABELS, LABELS, REPOSITORY
from training.constants import labelled_items, labelled_pairs
from training.export import digest, write_manifest
from training.probabilities import log_softmax
from training.reading_data import squad2_readings

PACKAGE = REPOSITORY / "packages" / "staytrue-models-large"
FOLDER = PACKAGE / "src" / "staytrue_models_large" / "models"
SPECIAL = {"start": [0], "between": [2, 2], "end": [2]}
# MPNet numbers positions from 2; the two vectors before are never used.
FIRST_POSITION = 2
MOST_MEGABYTES = 75
# From zero to the largest number of a word's vector. Fewer cost nothing that could be measured, and
# leave room for the encoder's matrices.
WORD_STEPS = 11
FILE = "encoder.onnx"
READING_FILE = "reading.onnx"
ADAPTER = "reading.npz"


def weights_of(checkpoint: Path, base: Path) -> dict[str, np.ndarray]:
    """The trained weights, and the base's where a checkpoint has none."""
    plain = load_file(base / "model.safetensors")
    weights = {
        f"encoder.{name}": value
        for name, value in plain.items()
        if not name.startswith("pooler.") and name != "embeddings.position_ids"
    }
    trained = load_file(checkpoint)
    unknown = [name for name in trained if name.startswith("encoder.") and name not in weights]
    if unknown:
        sys.exit(f"{checkpoint} does not fit the base {base}: it has no {unknown[0]}.")
    return {
        name: np.asarray(value, dtype=np.float32) for name, value in (weights | trained).items()
    }


def write_vectors(weights: dict[str, np.ndarray], folder: Path, steps: int = WORD_STEPS) -> None:
    """Word vectors in steps with one scale per word, position vectors in 16 bits."""
    words = weights["encoder.embeddings.word_embeddings.weight"]
    scales = np.abs(words).max(axis=1) / steps
    scales[scales == 0] = 1.0
    positions = weights["encoder.embeddings.position_embeddings.weight"][FIRST_POSITION:]
    np.savez_compressed(
        folder / "vectors.npz",
        words=np.rint(words / scales[:, None]).astype(np.int8),
        scales=scales.astype(np.float32),
        positions=positions.astype(np.float16),
        relative=weights[large_graph.RELATIVE],  # for training on from the file
    )


def write_tokenizer(base: Path, folder: Path) -> None:
    """The base's tokenizer; cutting and padding are the encoder's business."""
    tokenizer = json.loads((base / "tokenizer.json").read_text("utf-8"))
    tokenizer["truncation"] = tokenizer["padding"] = None
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")


def settings(outputs: list[str]) -> dict[str, dict[str, Any]]:
    """What the manifest says of each head, without its temperature."""
    labels = {"entailment": list(LABELS), "groundedness": list(GROUNDEDNESS_LABELS)}
    pairs = [output for output in outputs if output in labels]
    heads: dict[str, dict[str, Any]] = {
        output: {"together": pairs, "labels": labels[output], "temperature": 1.0}
        for output in pairs
    }
    if large_graph.READING in outputs:
        heads["reading"] = {"places": "all"}
    files = {"file": FILE, "weights": large_graph.WEIGHTS}
    return {output: {**files, "output": output, **own} for output, own in heads.items()}


def export(
    weights: dict[str, np.ndarray], base: Path, folder: Path, *, int8: bool = True
) -> dict[str, Any]:
    """Write every file and the manifest, which it gives; without int8 the encoder is fp32."""
    folder.mkdir(parents=True, exist_ok=True)
    write_vectors(weights, folder, WORD_STEPS if int8 else 127)
    write_tokenizer(base, folder)
    graph, stored = large_graph.build(weights, int8=int8)
    (folder / FILE).write_bytes(graph.SerializeToString())
    arrays: dict[str, Any] = dict(stored)
    np.savez_compressed(folder / large_graph.WEIGHTS, **arrays)
    files = (FILE, large_graph.WEIGHTS, "vectors.npz", "tokenizer.json")
    manifest = {
        "files": {name: digest(folder / name) for name in files},
        "models": settings(large_graph.outputs(weights)),
        "special": SPECIAL,
    }
    write_manifest(manifest, folder)
    return manifest


def export_reading(checkpoint: Path, folder: Path, rows: int) -> None:
    """Add the reader that `training.mixed --adapter` made; the other heads' files stay."""
    manifest = json.loads((folder / "models.json").read_text("utf-8"))
    heads = tuple(f"{head}." for head in large_graph.PAIR_HEADS.values())
    shipped = large_graph.read_back(folder / FILE)
    weights = {name: value for name, value in shipped.items() if not name.startswith(heads)}
    trained = {name: value.astype(np.float32) for name, value in load_file(checkpoint).items()}
    small: dict[str, Any] = dict(adapter.stored(trained))
    graph, _ = large_graph.build(weights | trained)
    (folder / READING_FILE).write_bytes(graph.SerializeToString())
    np.savez_compressed(folder / ADAPTER, **small)
    manifest["files"] |= {name: digest(folder / name) for name in (READING_FILE, ADAPTER)}
    manifest["models"]["reading"] = {
        "file": READING_FILE, "weights": large_graph.WEIGHTS, "adapter": ADAPTER,
        "output": large_graph.READING, "places": "all",
        # Until it is fitted, which needs the files: what beats "no answer" is an answer.
        "threshold": 0.0, "right_if_answered": [1.0, 0.0], "right_if_none": [-1.0, 0.0],
    }  # fmt: skip
    write_manifest(manifest, folder)
    if rows:
        manifest["models"]["reading"] |= reading_fit(folder, rows)
        write_manifest(manifest, folder)


def entailment_temperature(backend: EmbeddedBackend, rows: int) -> tuple[float, int]:
    """From claims and responses that people called supported or not; and from how many."""
    pairs, supported = zip(*labelled_pairs(rows), strict=True)
    judged = backend.infer(pairs)
    logs = np.log([[e.entailment, e.neutral, e.contradiction] for e in judged])
    return best_two_way_temperature(logs, np.array(supported)), len(pairs)


def best_two_way_temperature(logits: np.ndarray, entailed: np.ndarray) -> float:
    """The temperature with the smallest loss where only "entailment or not" is known."""
    candidates = np.exp(np.linspace(np.log(0.5), np.log(4.0), 209))

    def loss(temperature: float) -> float:
        chance = np.exp(log_softmax(logits / temperature))[:, 0].clip(1e-6, 1 - 1e-6)
        return float(-np.log(np.where(entailed, chance, 1 - chance)).mean())

    return float(min(candidates, key=loss))


def groundedness_temperature(backend: EmbeddedBackend, rows: int) -> tuple[float, int]:
    """From people's BEGIN labels; and from how many."""
    items, labels = zip(*labelled_items(rows), strict=True)
    judged = backend.classify(items)
    logs = np.log(
        [[max(1e-9, chances[label]) for label in GROUNDEDNESS_LABELS] for chances in judged]
    )
    codes = np.array([GROUNDEDNESS_LABELS.index(label) for label in labels])
    return best_temperature(logs, codes), len(items)


def reading_fit(folder: Path, rows: int) -> dict[str, object]:
    """Where "no answer" begins: from questions of SQuAD 2.0 that are kept from training."""
    kept = [
        (Query(one.question, one.passage), one.passage[one.start : one.end])
        for one in squad2_readings(random.Random(1))
        if one.source == "squad2_kept"
    ]
    silent = [(Query(row["question"], row["context"]), "") for row in splits.unanswerable()[1]]
    half = rows // 2
    chosen = [*random.Random(3).sample(kept, min(half, len(kept))),
              *random.Random(4).sample(silent, min(half, len(silent)))]  # fmt: skip
    queries, golds = zip(*chosen, strict=True)
    return reading_curves(reader(folder), queries, golds, np.ones(len(queries), bool))


def fit_settings(manifest: dict[str, Any], folder: Path, rows: int) -> None:
    """Measure with the files as the product runs them, and write what fits best."""
    backend = EmbeddedBackend(size="large", large=str(folder))
    if "reading" in manifest["models"]:
        manifest["models"]["reading"] |= reading_fit(folder, rows)
    fits = {"entailment": entailment_temperature, "groundedness": groundedness_temperature}
    for model, fit in fits.items():
        if model in manifest["models"]:
            temperature, count = fit(backend, rows)
            manifest["models"][model] |= {
                "temperature": round(temperature, 4), "calibration_rows": count,
            }  # fmt: skip
    write_manifest(manifest, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="checkpoint", type=Path)
    parser.add_argument("--base", type=Path, help="folder of all-mpnet-base-v2, with --from")
    parser.add_argument("--reading", type=Path, help="the adapter of a reader to add to --out")
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument(
        "--rows", type=int, default=300, help="to fit each setting on; 0 fits none, and reads none"
    )
    options = parser.parse_args()
    if options.checkpoint:
        manifest = export(weights_of(options.checkpoint, options.base), options.base, options.out)
        if not options.rows:
            # A reader without a threshold cannot answer: the small one goes on reading.
            manifest["models"].pop("reading", None)
            write_manifest(manifest, options.out)
        else:
            fit_settings(manifest, options.out, options.rows)
        for name, model in manifest["models"].items():
            print(f"{name}: temperature {model.get('temperature', 'none')}")
    if options.reading:
        export_reading(options.reading, options.out, options.rows)
    size = sum(path.stat().st_size for path in options.out.iterdir()) / 1e6
    print(f"{size:.1f} MB in {options.out}")
    if size > MOST_MEGABYTES:
        sys.exit(f"The package may hold {MOST_MEGABYTES} MB.")


if __name__ == "__main__":
    main()
