"""The rules that keep the code simple: who may import whom, and what importing us loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import staytrue

PACKAGE = Path(staytrue.__file__).parent
ROOMS = ("datasets", "backends", "chatbots", "elicit", "metrics")
HEAVY = ("spacy", "onnxruntime", "tokenizers", "numpy", "scipy", "torch", "sacrebleu", "rich")


def imported_modules(file: Path) -> set[str]:
    """Every module that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def crossings(file: Path, forbidden: tuple[str, ...]) -> list[str]:
    """What a file imports from packages that it must not know."""
    modules = imported_modules(file)
    return sorted({m for m in modules for f in forbidden if f"{m}.".startswith(f"{f}.")})


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_never_import_one_another(room: str) -> None:
    others = tuple(f"staytrue.{other}" for other in ROOMS if other != room)
    for file in sorted((PACKAGE / room).rglob("*.py")):
        crossing = crossings(file, others)
        assert not crossing, f"{file.relative_to(PACKAGE)} imports {crossing}"


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_never_import_the_parts_that_put_them_together(room: str) -> None:
    above = ("staytrue.cli", "staytrue.runs.runner", "staytrue.report", "staytrue.web")
    for file in sorted((PACKAGE / room).rglob("*.py")):
        crossing = crossings(file, above)
        assert not crossing, f"{file.relative_to(PACKAGE)} imports {crossing}"


def test_no_file_loads_pickles_or_remote_code() -> None:
    for file in sorted(PACKAGE.rglob("*.py")):
        assert not imported_modules(file) & {"pickle", "dill", "joblib", "marshal", "shelve"}, file
        assert "trust_remote_code=True" not in file.read_text("utf-8"), file


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, staytrue; print([m for m in sys.argv[1:] if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_importing_the_package_is_quick() -> None:
    code = "import time; t = time.process_time(); import staytrue; print(time.process_time() - t)"
    times = [
        float(subprocess.check_output([sys.executable, "-c", code], text=True)) for _ in range(3)
    ]
    assert min(times) < 0.2


def test_the_top_level_namespace_holds_the_api_and_nothing_more() -> None:
    assert sorted(dir(staytrue)) == [
        "Evidence", "Example", "Probe", "StaytrueError", "Turn", "Verdict", "compare", "evaluate",
        "load_backend", "load_chatbot", "load_metric",
    ]  # fmt: skip
    for name in dir(staytrue):
        assert getattr(staytrue, name) is not None
