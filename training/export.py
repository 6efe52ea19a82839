"""Write the trained models into the package: `python -m training.export entailment reading`.

Each model becomes an int8 ONNX file. The frozen word and position vectors, which all of
them share, are written once. Calibration is fitted on examples that training has not
drawn: the batches that would have come next. No dev set is used here. With `--rewrite` the
shipped files are written anew from the weights that they hold, for a graph that has become
quicker; their calibration stays.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.calibration import entailment_settings, groundedness_settings, reading_settings
from training.common import CHECKPOINTS, GROUNDEDNESS_LABELS, LABELS, SHIPPED, WARM_START
from training.graph import build, read_back

HEADS = {"entailment": "classifier", "reading": "span", "groundedness": "classifier"}


def state(checkpoint: Path) -> tuple[dict[str, np.ndarray], int, np.ndarray | None]:
    """The weights of a checkpoint, how many batches it has seen, and which examples."""
    saved = torch.load(checkpoint, weights_only=True, map_location="cpu")
    weights = saved.get("model", saved)
    drawn = saved["drawn"].numpy() if "drawn" in saved else None
    return (
        {name: value.float().numpy() for name, value in weights.items()},
        saved.get("step", 0),
        drawn,
    )


def write_vectors(weights: dict[str, np.ndarray], folder: Path) -> None:
    """Word vectors as int8 with one scale per word, position vectors as fp16."""
    words = weights["bert.embeddings.word_embeddings.weight"]
    scales = np.abs(words).max(axis=1) / 127
    scales[scales == 0] = 1.0
    np.savez(
        folder / "vectors.npz",
        words=np.rint(words / scales[:, None]).astype(np.int8),
        scales=scales.astype(np.float32),
        positions=weights["bert.embeddings.position_embeddings.weight"].astype(np.float16),
    )


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / "models.json"
    return json.loads(path.read_text()) if path.exists() else {"files": {}, "models": {}}


def write_manifest(manifest: dict[str, Any], folder: Path) -> None:
    (folder / "models.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def export(
    name: str,
    checkpoint: Path,
    folder: Path,
    *,
    int8: bool = True,
    limit: int = 63,
    data: Path | None = None,
    threshold: float | None = None,
    temperature: float | None = None,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    weights, steps, drawn = state(checkpoint)
    if not (folder / "vectors.npz").exists():
        write_vectors(weights, folder)
    shutil.copyfile(WARM_START / "tokenizer.json", folder / "tokenizer.json")
    (folder / f"{name}.onnx").write_bytes(
        build(weights, HEADS[name], int8=int8, limit=limit).SerializeToString()
    )
    manifest = read_manifest(folder)
    manifest["models"][name] = {"file": f"{name}.onnx", "steps": steps}
    for file in ("vectors.npz", "tokenizer.json", f"{name}.onnx"):
        manifest["files"][file] = digest(folder / file)
    write_manifest(manifest, folder)  # calibration loads the files as the product does
    settings: dict[str, Any]
    if name == "entailment":
        settings = {"labels": list(LABELS), **entailment_settings(folder, drawn, temperature)}
    elif name == "reading":
        settings = reading_settings(folder, steps, drawn, threshold)
    else:
        settings = {
            "labels": list(GROUNDEDNESS_LABELS),
            **groundedness_settings(folder, data),
        }
    manifest["models"][name] |= settings
    write_manifest(manifest, folder)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    print(f"{name}: {steps} batches, {settings}; {size:.1f} MB in all", flush=True)


def rewrite(name: str, folder: Path) -> None:
    """The model's weights, bit for bit, in the graph that `build` makes now."""
    file = folder / f"{name}.onnx"
    file.write_bytes(build(read_back(file), HEADS[name]).SerializeToString())
    manifest = read_manifest(folder)
    manifest["files"][file.name] = digest(file)
    write_manifest(manifest, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=sorted(HEADS))
    parser.add_argument(
        "--checkpoint", default="latest.pt", help="file name in the task's checkpoint folder"
    )
    parser.add_argument("--to", type=Path, default=SHIPPED)
    parser.add_argument("--rewrite", action="store_true", help="from the shipped files themselves")
    parser.add_argument("--fp32", action="store_true", help="for comparison only")
    parser.add_argument("--bits", type=int, default=7, help="of the weights; for comparison only")
    parser.add_argument("--data", type=Path, default=None, help="silver rows, for groundedness")
    parser.add_argument(
        "--threshold", type=float, help="lead from which the reader answers, instead of a fit"
    )
    parser.add_argument(
        "--temperature", type=float, help="of the entailment model, instead of a fit"
    )
    options = parser.parse_args()
    for name in options.names:
        if options.rewrite:
            rewrite(name, options.to)
            continue
        export(
            name,
            CHECKPOINTS / name / options.checkpoint,
            options.to,
            int8=not options.fp32,
            limit=2 ** (options.bits - 1) - 1,
            data=options.data,
            threshold=options.threshold,
            temperature=options.temperature,
        )


if __name__ == "__main__":
    main()
