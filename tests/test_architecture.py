"""The rules that keep the code simple: who may import whom, and what importing us loads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY

import staytrue

PACKAGE = Path(staytrue.__file__).parent
# Each floor may import only those above it; rooms of one floor never import one another.
FLOORS = (
    ("core",),
    ("plugins",),
    ("english",),
    ("datasets", "backends", "chatbots", "metrics", "silver"),
    ("stats",),
    ("runs",),
    ("elicit",),
    ("studies",),
    ("annotation",),
    ("report",),
    ("integrations",),
    ("web",),
    ("cli",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# Beside the rooms: the public API, the command, and what plug-in authors import.
GROUND_FLOOR = {"__init__", "__main__", "testing"}
NO_CODE = {"models"}
HEAVY = ("spacy", "onnxruntime", "tokenizers", "numpy", "scipy", "torch", "sacrebleu", "rich")
# Each file is a place to look at for who asks how a score came about.
MOST_FILES_FOR_Q2 = 15


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(file.read_text("utf-8"))))


@cache
def imported_modules(file: Path) -> frozenset[str]:
    """Every module that a file imports, also inside functions and for types only."""
    modules: set[str] = set()
    for node in nodes(file):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{file.relative_to(PACKAGE)} has a relative import"
            modules |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(modules)


def imported_rooms(file: Path) -> set[str]:
    """The rooms, and modules of the ground floor, that a file imports."""
    ours = (module.split(".") for module in imported_modules(file))
    return {parts[1] for parts in ours if parts[0] == "staytrue" and len(parts) > 1}


def rooms_on_disk() -> set[str]:
    return {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"} - NO_CODE


@pytest.mark.parametrize("room", sorted(rooms_on_disk()))
def test_a_room_imports_only_the_rooms_above_it(room: str) -> None:
    assert room in FLOOR, f"give {room} its floor in the architecture"
    allowed = {other for other in FLOOR if FLOOR[other] < FLOOR[room]} | {room}
    for file in sorted((PACKAGE / room).rglob("*.py")):
        crossings = imported_rooms(file) - allowed
        assert not crossings, f"{file.relative_to(PACKAGE)} imports {sorted(crossings)}"


def test_eliciting_knows_nothing_of_statistics() -> None:
    for file in sorted((PACKAGE / "elicit").rglob("*.py")):
        statistics = imported_modules(file) & {"numpy", "scipy"} | imported_rooms(file) & {"stats"}
        assert not statistics, f"{file.relative_to(PACKAGE)} imports {sorted(statistics)}"


def test_every_file_says_in_its_first_line_what_it_is_for() -> None:
    for file in sorted(PACKAGE.rglob("*.py")):
        first = file.read_text("utf-8").partition("\n")[0]
        assert re.match('""".{20}', first), file.relative_to(PACKAGE)


def test_every_class_has_a_name_of_its_own() -> None:
    # Those of the bridges are named as users of the other tool expect it.
    files = [file for file in PACKAGE.rglob("*.py") if "integrations" not in file.parts]
    for beside in ("training", "reproduce", "benchmarks"):
        files += (REPOSITORY / beside).rglob("*.py")
    classes = [
        node.name for file in files for node in nodes(file) if isinstance(node, ast.ClassDef)
    ]
    assert [name for name, count in Counter(classes).items() if count > 1] == []


def test_the_ground_floor_holds_the_public_api_and_little_else() -> None:
    assert {file.stem for file in PACKAGE.glob("*.py")} <= GROUND_FLOOR
    assert len(GROUND_FLOOR) <= 4


def test_no_file_is_longer_than_500_lines() -> None:
    for file in sorted(PACKAGE.rglob("*.py")):
        assert len(file.read_text("utf-8").splitlines()) < 500, file.relative_to(PACKAGE)


@pytest.mark.slow
def test_judging_one_row_with_q2_runs_few_of_our_files() -> None:
    code = (
        "import sys, staytrue\n"
        "row = staytrue.Example('1', 'Coffee is from Brazil.', 'Coffee comes from Kenya.')\n"
        "staytrue.load_metric('q2').judge([row])\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.partition('.')[0] == 'staytrue'))"
    )
    files = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    # A package's `__init__` that is one docstring runs nothing.
    run = [f for f in files if len(ast.parse(Path(f).read_text("utf-8")).body) > 1]
    assert len(run) <= MOST_FILES_FOR_Q2, "\n".join(sorted(run))


def test_no_file_loads_pickles_or_remote_code() -> None:
    for file in sorted(PACKAGE.rglob("*.py")):
        assert not imported_modules(file) & {"pickle", "dill", "joblib", "marshal", "shelve"}, file
        assert "trust_remote_code=True" not in file.read_text("utf-8"), file


def test_pytorch_reads_one_checkpoint_of_others_and_only_its_weights() -> None:
    calls = [
        (file.name, {option.arg: ast.unparse(option.value) for option in node.keywords})
        for file in sorted(PACKAGE.rglob("*.py"))
        if "torch.load" in file.read_text("utf-8")
        for node in nodes(file)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load"
    ]
    # AlignScore's authors publish a pickle and nothing else.
    assert [name for name, _ in calls] == ["peers.py"]
    assert all(options.get("weights_only") == "True" for _, options in calls)


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
        "Evidence", "Example", "Guard", "Probe", "StaytrueError", "Turn", "Verdict",
        "__version__", "compare",
        "evaluate", "interrogate", "load_backend", "load_chatbot", "load_metric", "probe", "read",
        "score", "score_files",
    ]  # fmt: skip
    for name in dir(staytrue):
        assert getattr(staytrue, name) is not None
