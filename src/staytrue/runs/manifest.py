"""The manifest of a run: what was judged how, by which versions, how long it took."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from staytrue.core.errors import RunError
from staytrue.core.records import JsonDict, signature_differences
from staytrue.core.redaction import redact
from staytrue.runs import parquet, processor
from staytrue.runs.folder import ERRORS, EXAMPLES, MANIFEST, VERDICTS, Run
from staytrue.runs.jsonl import replace_file

_PACKAGES = ("staytrue", "numpy", "scipy", "spacy", "onnxruntime", "tokenizers", "sacrebleu")


class Manifest:
    """What a run says of itself; times and usage add up over all sittings of the run."""

    def __init__(
        self,
        folder: Path,
        signatures: Mapping[str, str],
        seed: int,
        settings: Mapping[str, Any],
        *,
        new_metrics: bool = False,
        new_inputs: bool = False,
    ) -> None:
        """A run that exists takes other metrics and other inputs only where they are allowed."""
        earlier = _earlier(folder, signatures, seed, new_metrics)
        self._folder = folder
        self.signatures = {**earlier.get("signature", {}), **signatures}
        """Metric → signature, of all sittings."""
        self._seed = seed
        self._settings = dict(settings)
        inputs = earlier.get("settings", {}).get("inputs", [])
        if "inputs" in settings:
            if inputs and not new_inputs:
                _check_inputs(folder, inputs, settings["inputs"])
            self._settings["inputs"] = list(dict.fromkeys([*inputs, *settings["inputs"]]))
        self._created = earlier.get("created", _now())
        timings = earlier.get("timings", {})
        self._metric_seconds: dict[str, float] = dict(timings.get("metrics", {}))
        self._seconds_before: float = timings.get("seconds", 0.0)
        self._started = time.monotonic()
        self.usage: dict[str, dict[str, float]] = dict(earlier.get("usage", {}))
        """What each chatbot that counts has used."""
        self.processors = list(dict.fromkeys([*earlier.get("processors", []), processor.kind()]))
        """The kinds that the run was made on; on Ray that of the command, not of the workers."""

    def add_seconds(self, metric: str, seconds: float) -> None:
        """Add to the time that a metric has taken."""
        self._metric_seconds[metric] = self._metric_seconds.get(metric, 0.0) + seconds

    def add_usage(self, source: str, used: Mapping[str, float]) -> None:
        """Add to what a chatbot or backend has used."""
        total = self.usage.setdefault(source, {})
        for name, value in used.items():
            total[name] = total.get(name, 0) + value

    def write(self, counts: JsonDict, *, finished: bool) -> None:
        """Put the manifest into the folder, without any secret."""
        seconds = self._seconds_before + time.monotonic() - self._started
        manifest = {
            "signature": self.signatures,
            "seed": self._seed,
            "settings": self._settings,
            "versions": _versions(),
            "processors": self.processors,
            "created": self._created,
            "finished": _now() if finished else None,
            "counts": counts,
            "timings": {"seconds": round(seconds, 3), "metrics": self._metric_seconds},
        }
        if self.usage:
            manifest["usage"] = self.usage
        text = redact(json.dumps(manifest, indent=2, ensure_ascii=False))
        replace_file(self._folder / MANIFEST, text.encode("utf-8", "replace") + b"\n")


def _check_inputs(folder: Path, earlier: Sequence[str], now: Sequence[str]) -> None:
    """Refuse rows of another file: a mean over two inputs is seldom what was meant."""
    known = {os.path.realpath(source) for source in earlier}
    other = [source for source in now if os.path.realpath(source) not in known]
    if other:
        raise RunError(
            f"{folder} holds the rows of {', '.join(earlier)}: choose another --out folder, or put "
            f"{', '.join(other)} into it as well with --add-input."
        )


def _earlier(folder: Path, signatures: Mapping[str, str], seed: int, new_metrics: bool) -> JsonDict:
    """The manifest of the sittings before; a run of another signature or seed is refused."""
    if not (folder / MANIFEST).exists():
        if any(parquet.exist(folder / name) for name in (EXAMPLES, VERDICTS, ERRORS)):
            raise RunError(f"{folder} has results but no manifest: choose another --out folder.")
        return {}
    manifest = Run(folder).manifest
    earlier = manifest["signature"]
    if new_metrics:  # only those of both sittings must be the same
        both = [name for name in signatures if name in earlier]
        earlier = {name: earlier[name] for name in both}
        signatures = {name: signatures[name] for name in both}
    if earlier != signatures:
        raise RunError(
            f"{folder} was made with a different signature "
            f"({signature_changes(earlier, signatures)}): choose another --out folder."
        )
    if manifest["seed"] != seed:
        # A metric may use none, but chatbots do, and their replies must not be mixed.
        raise RunError(
            f"{folder} was made with seed {manifest['seed']}, not {seed}: "
            "choose another --out folder."
        )
    return manifest


def signature_changes(earlier: Mapping[str, str], now: Mapping[str, str]) -> str:
    """In what the signatures of two runs differ, for a message."""
    if set(earlier) != set(now):
        return f"one has {', '.join(earlier)}, the other {', '.join(now)}"
    return "; ".join(
        f"{name}: {difference}"
        for name in earlier
        for difference in signature_differences(earlier[name], now[name])
    )


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
