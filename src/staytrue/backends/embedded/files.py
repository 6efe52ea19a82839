"""Where the shipped model files are, and whether they are whole."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import Any

from staytrue.core.errors import ModelError

SHIPPED = Path(__file__).resolve().parent.parent.parent / "models"
_REPAIR = "install staytrue again:  pip install --force-reinstall staytrue"


class ModelFiles:
    """A folder with the models, their settings and the hash of each file."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        self.folder = folder

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What `models.json` says: the hash of each file and the settings of each model."""
        try:
            manifest: dict[str, Any] = json.loads((self.folder / "models.json").read_text("utf-8"))
            manifest["files"], manifest["models"]
        except FileNotFoundError:
            raise ModelError(f"The embedded models are missing; {_REPAIR}") from None
        except (OSError, ValueError, KeyError, TypeError):
            raise ModelError(f"The list of the embedded models is damaged; {_REPAIR}") from None
        return manifest

    def settings(self, model: str) -> dict[str, Any]:
        """Labels, calibration and the like of one model."""
        try:
            settings: dict[str, Any] = self.manifest["models"][model]
        except KeyError:
            raise ModelError(
                f"This set of embedded models has no {model} model; {_REPAIR}"
            ) from None
        return settings

    def path(self, name: str) -> Path:
        """The file, once its content is what the manifest says."""
        path = self.folder / name
        try:
            content = path.read_bytes()
        except OSError:
            raise ModelError(f"The model file {name} is missing; {_REPAIR}") from None
        if hashlib.sha256(content).hexdigest() != self.manifest["files"].get(name):
            raise ModelError(f"The model file {name} is damaged; {_REPAIR}")
        return path

    def revision(self, model: str) -> str:
        """A hash of all that decides what the model answers."""
        settings = self.settings(model)
        files = [settings["file"], "vectors.npz", "tokenizer.json"]
        parts = [self.manifest["files"].get(name) for name in files]
        content = json.dumps([parts, settings], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]
