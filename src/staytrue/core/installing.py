"""The command that installs a package of ours from where it came: none is on PyPI yet.

It is imported where it is used: only what failed needs it.
"""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_OURS = "staytrue"


def install_line(extra: str = "", package: str = _OURS, *, again: bool = False) -> str:
    """What to run to get an extra, a package, or what is damaged once more.

    A checkout, wheel or repository that a package was installed from is named again; where that is
    not known, the command is for a checkout.
    """
    command = "pip install --force-reinstall" if again else "pip install"
    wanted = f"[{extra}]" if extra else ""
    origin = _origin(package)
    url = origin.get("url", "")
    if origin.get("dir_info", {}).get("editable"):
        return f"{command} -e '{_path(url)}{wanted}'"
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
    if url:
        return f"{command} '{package}{wanted} @ {url}'"
    folder = "." if package == _OURS else f"./packages/{package}"
    return f"{command} '{folder}{wanted}' in a checkout of {_OURS}"


def _origin(package: str) -> dict[str, Any]:
    """What the installer recorded (PEP 610); nothing for what is there no more."""
    try:
        recorded = distribution(package).read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    origin: dict[str, Any] = json.loads(recorded or "{}")
    url = origin.get("url", "")
    return {} if url.startswith("file:") and not _path(url).exists() else origin


def _path(url: str) -> Path:
    from urllib.request import url2pathname  # loads all of HTTP

    return Path(url2pathname(urlsplit(url).path))
