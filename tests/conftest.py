"""What tests share: where the published data may lie, and a way to run the real command."""

from __future__ import annotations

import functools
import importlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

# The first example of a property may load a library, and a busy machine is not a failure.
hypothesis.settings.register_profile("staytrue", deadline=None, max_examples=50)
hypothesis.settings.load_profile("staytrue")

# The large models take ten times as long and are installed where `make test` runs; tests about them
# ask for them by name.
os.environ.setdefault("STAYTRUE_SIZE", "small")

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data"))

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a file all of whose tests are left out: importing PyTorch or Ray takes seconds."""
    if not re.fullmatch(r"test_\w+\.py", collection_path.name):
        return None
    left_out = set(re.findall(r"\bnot (\w+)", config.option.markexpr))
    if not left_out or " or " in config.option.markexpr:
        return None
    return True if left_out & _marks_of_file(collection_path) else None


def _marks_of_file(file: Path) -> set[str]:
    """The marks that `pytestmark` gives to every test of a file."""
    given = re.search(r"^pytestmark = (\[.*?\]|[^\n]*)$", _text_of(file), re.M | re.S)
    return set(re.findall(r"pytest\.mark\.(\w+)\b(?!\()", given[1])) if given else set()


_SLOW = ("slow", "browser", "postgres", "torch")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Which tests share a process where several run.

    Statistics do, because each process would load statsmodels for itself; all that start Ray,
    because two clusters do not fit on one machine; the slow tests of a file, which share servers;
    and the tests of a file with something that is made once for all of them.
    """
    for item in items:
        if item.get_closest_marker("xdist_group"):
            continue
        if item.path.parent.name == "stats":
            group = "stats"
        elif not any(item.get_closest_marker(mark) for mark in _SLOW) and (
            'fixture(scope="module")' not in _text_of(item.path)
        ):
            continue
        elif re.search(r"\bray\b", _text_of(item.path)):
            group = "ray"
        else:
            group = str(item.path.relative_to(REPOSITORY))
        item.add_marker(pytest.mark.xdist_group(group))


@functools.cache
def _text_of(file: Path) -> str:
    return file.read_text("utf-8")


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder of published data sets; tests that use it skip where it is absent."""
    if not DATA.is_dir():
        pytest.skip("the published data sets are not here (set STAYTRUE_DATA)")
    return DATA


@pytest.fixture(scope="session")
def idle_machine() -> bool:
    """Whether times may be judged strictly: `make check-all` says that nothing else runs here."""
    return os.environ.get("STAYTRUE_IDLE") == "1"


@pytest.fixture
def staytrue(tmp_path: Path) -> Command:
    """Run the command in this process, in a temporary folder: models and libraries load once."""

    def run(
        *arguments: object, stdin: str | bytes | None = None
    ) -> subprocess.CompletedProcess[str]:
        return run_here(tmp_path, [str(argument) for argument in arguments], stdin)

    return run


@pytest.fixture
def staytrue_process(tmp_path: Path) -> Command:
    """Run the command in a process of its own, for what only a real process shows."""

    def run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "staytrue", *map(str, arguments)],
            cwd=tmp_path, input=stdin, capture_output=True, text=True, encoding="utf-8",
        )  # fmt: skip

    return run


def run_here(
    folder: Path, arguments: list[str], stdin: str | bytes | None = None
) -> subprocess.CompletedProcess[str]:
    """What a process would print and return; nothing that the command imports or sets stays."""
    from staytrue.cli import main

    before, path, here = set(sys.modules), list(sys.path), Path.cwd()
    environment = dict(os.environ)
    streams = (sys.argv, sys.stdin, sys.stdout, sys.stderr)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with tempfile.TemporaryFile("w+", encoding="utf-8") as given:
        given.buffer.write(stdin.encode() if isinstance(stdin, str) else stdin or b"")
        given.buffer.flush()
        given.seek(0)
        importlib.invalidate_caches()
        os.chdir(folder)
        sys.argv, sys.stdin, sys.stdout, sys.stderr = ["staytrue", *arguments], given, out, err
        try:
            main()
            code: object = 0
        except SystemExit as stop:
            code = stop.code
        except BaseException:
            traceback.print_exc()
            code = 1
        finally:
            sys.argv, sys.stdin, sys.stdout, sys.stderr = streams
            os.chdir(here)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[:] = path
            _forget_modules_of(folder, before)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    status = code if isinstance(code, int) else int(code is not None)
    return subprocess.CompletedProcess(arguments, status, *texts)


def _forget_modules_of(folder: Path, before: set[str]) -> None:
    """Chatbots of one test must not answer in another that has a file of the same name."""
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(folder):
            del sys.modules[name]
