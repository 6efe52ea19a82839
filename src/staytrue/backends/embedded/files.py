"""Where the model files are, ours and an installed package's, and whether they are whole."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from staytrue.core.errors import ModelError

SHIPPED = Path(__file__).resolve().parent.parent.parent / "models"
LARGE_PACKAGE = "staytrue-models-large"
GROUP = "staytrue.models"


class ModelFiles:
    """A folder with the models, their settings and the hash of each file."""

    def __init__(self, folder: Path = SHIPPED, package: str = "staytrue") -> None:
        self.folder = folder
        self._repair = f"install {package} again:  pip install --force-reinstall {package}"

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What `models.json` says: the hash of each file and the settings of each model."""
        try:
            manifest: dict[str, Any] = json.loads((self.folder / "models.json").read_text("utf-8"))
            manifest["files"], manifest["models"]
        except FileNotFoundError:
            raise ModelError(f"The embedded models are missing; {self._repair}") from None
        except (OSError, ValueError, KeyError, TypeError):
            raise ModelError(
                f"The list of the embedded models is damaged; {self._repair}"
            ) from None
        return manifest

    def settings(self, model: str) -> dict[str, Any]:
        """Labels, calibration and the like of one model."""
        try:
            settings: dict[str, Any] = self.manifest["models"][model]
        except KeyError:
            raise ModelError(
                f"This set of embedded models has no {model} model; {self._repair}"
            ) from None
        return settings

    def path(self, name: str) -> Path:
        """The file, once its content is what the manifest says."""
        path = self.folder / name
        try:
            content = path.read_bytes()
        except OSError:
            raise ModelError(f"The model file {name} is missing; {self._repair}") from None
        if hashlib.sha256(content).hexdigest() != self.manifest["files"].get(name):
            raise ModelError(f"The model file {name} is damaged; {self._repair}")
        return path

    def revision(self, model: str) -> str:
        """A hash of all that decides what the model answers."""
        settings = self.settings(model)
        names = (settings["file"], settings.get("weights"), "vectors.npz", "tokenizer.json")
        files = [name for name in names if name]
        parts = [self.manifest["files"].get(name) for name in files]
        special = self.manifest.get("special")
        content = json.dumps([parts, settings, *([special] if special else [])], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]


def large_folder() -> Path | None:
    """Where an installed package keeps the large models; None without one that has its weights.

    The package names its folder under the entry point `large` of the group `staytrue.models`.
    """
    entries = list(entry_points(group=GROUP, name="large"))
    if len({entry.value for entry in entries}) > 1:
        owners = sorted({entry.dist.name for entry in entries if entry.dist})
        raise ModelError(
            f"Several installed packages hold the large models ({', '.join(owners)}): "
            "uninstall all but one."
        )
    if not entries:
        return None
    folder = Path(entries[0].load())
    return folder if (folder / "models.json").is_file() else None
