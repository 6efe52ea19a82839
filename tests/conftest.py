"""What tests share: where the published data may lie, and a way to run the real command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

# The first example of a property may load a library, and a busy machine is not a failure.
hypothesis.settings.register_profile("staytrue", deadline=None, max_examples=50)
hypothesis.settings.load_profile("staytrue")

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data"))

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder of published data sets; tests that use it skip where it is absent."""
    if not DATA.is_dir():
        pytest.skip("the published data sets are not here (set STAYTRUE_DATA)")
    return DATA


@pytest.fixture
def staytrue(tmp_path: Path) -> Command:
    """Run the installed command in a temporary folder, as a user would."""

    def run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "staytrue", *map(str, arguments)],
            cwd=tmp_path, input=stdin, capture_output=True, text=True, encoding="utf-8",
        )  # fmt: skip

    return run
