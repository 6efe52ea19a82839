"""What a message tells to install can be installed: from where the package came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from staytrue.core.errors import MissingExtra
from staytrue.core.installing import install_line

NAME = "some-package"


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None) -> None:
    """A package as an installer leaves it, with what it recorded about the origin."""
    info = folder / "some_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(str(folder))


def test_a_package_from_a_checkout_or_wheel_is_installed_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = tmp_path.as_uri()
    installed(tmp_path, monkeypatch, {"url": url, "dir_info": {}})
    assert install_line("ray", NAME) == f"pip install '{NAME}[ray] @ {url}'"
    assert install_line("", NAME, again=True) == f"pip install --force-reinstall '{NAME} @ {url}'"


def test_a_checkout_that_is_worked_on_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    installed(tmp_path, monkeypatch, origin)
    assert install_line("ray", NAME) == f"pip install -e '{tmp_path}[ray]'"


def test_a_repository_is_named_with_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vcs = {"vcs": "git", "commit_id": "abc"}
    installed(tmp_path, monkeypatch, {"url": "https://host/us.git", "vcs_info": vcs})
    assert install_line("ray", NAME).endswith("[ray] @ git+https://host/us.git@abc'")


@pytest.mark.parametrize("origin", [None, {"url": "file:///no/such/wheel.whl", "archive_info": {}}])
def test_where_the_origin_is_unknown_or_gone_it_is_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None
) -> None:
    installed(tmp_path, monkeypatch, origin)
    line = install_line("", NAME)
    assert line == f"pip install './packages/{NAME}' in a checkout of staytrue"


def test_a_package_that_is_not_installed_is_installed_in_a_checkout() -> None:
    assert install_line("", "no-such-package").endswith("in a checkout of staytrue")


def test_a_missing_extra_says_how_to_get_it() -> None:
    assert f"run  {install_line('ray')}  first" in str(MissingExtra("Scoring on a cluster", "ray"))
