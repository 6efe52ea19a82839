"""Wheel and sdist hold all that the program needs, and install cleanly."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "src" / "staytrue"
LARGE = REPOSITORY / "packages" / "staytrue-models-large"


def tracked(project: Path) -> list[str]:
    """The files of a project that are under version control."""
    return subprocess.check_output(["git", "ls-files"], cwd=project, text=True).splitlines()


def sources(project: Path) -> set[str]:
    return {name.removeprefix("src/") for name in tracked(project) if name.startswith("src/")}


def build(project: Path, folder: Path) -> Path:
    """The folder with the wheel and the sdist of a project, built from a copy of tracked files."""
    pytest.importorskip("build")
    for name in tracked(project):
        if name.startswith(("src/", "README", "LICENSE", "NOTICE", "pyproject")):
            target = folder / "source" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project / name, target)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"),
         str(folder / "source")],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder / "dist"


def installed(wheel: Path, site: Path) -> dict[str, str]:
    """The wheel in an empty folder; an environment in which Python finds it first."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--target", str(site), str(wheel)],
        check=True, capture_output=True,
    )  # fmt: skip
    return {**os.environ, "PYTHONPATH": str(site)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(REPOSITORY, tmp_path_factory.mktemp("distribution"))


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_package(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert sources(REPOSITORY) - packed == set()
    assert {"LICENSE", "NOTICE"} <= {name.rpartition("/")[2] for name in packed}


@pytest.mark.slow
def test_the_sdist_holds_licence_and_notice(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "NOTICE", "README.md", "pyproject.toml"} <= names


@pytest.mark.slow
def test_the_wheel_installs_into_an_empty_folder_and_scores(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    environment = installed(wheel, site)
    code = "import staytrue; print(staytrue.__file__, staytrue.score(['tea'], 'tea', 'nli'))"
    shown = subprocess.check_output(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, text=True
    )
    assert shown.startswith(str(site))
    assert "None" not in shown


@pytest.mark.slow
def test_the_large_models_are_a_wheel_that_this_version_finds(tmp_path: Path) -> None:
    (wheel,) = build(LARGE, tmp_path).glob("*.whl")
    assert sources(LARGE) - set(zipfile.ZipFile(wheel).namelist()) == set()
    environment = installed(wheel, tmp_path / "site")
    environment["PYTHONPATH"] += os.pathsep + str(PACKAGE.parent)
    code = (
        "from staytrue.backends import embedded\n"
        "folder = embedded.large_folder(); files = embedded.ModelFiles(folder)\n"
        "print(folder, *map(files.path, files.manifest['files']), sep='\\n')"
    )
    shown = subprocess.check_output(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, text=True
    ).splitlines()
    assert len(shown) > 3
    assert all(line.startswith(str(tmp_path / "site")) for line in shown)


def test_the_large_models_need_the_version_that_they_were_made_for() -> None:
    core, large = ((p / "pyproject.toml").read_text("utf-8") for p in (REPOSITORY, LARGE))
    (version,) = re.findall(r'^version = "(.*)"', core, re.M)
    assert f'dependencies = ["staytrue>={version}"]' in large


RUNNERS = {
    "pipx": ["run", "--spec", "WHEEL", "staytrue", "--version"],
    "uvx": ["--from", "WHEEL", "staytrue", "--version"],
}


def program(runner: str) -> Path | None:
    """The program, if it is installed; with STAYTRUE_BRIDGES it is installed there."""
    folder = os.environ.get("STAYTRUE_BRIDGES")
    if not folder:
        return Path(path) if (path := shutil.which(runner)) else None
    home = Path(folder).resolve() / "runners"
    if not (home / "bin" / runner).exists():
        venv.create(home, with_pip=True, clear=True)
        install = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "uv", "pipx"]
        subprocess.run(install, check=True)
    return home / "bin" / runner


@pytest.mark.bridge
@pytest.mark.slow
@pytest.mark.parametrize("runner", RUNNERS)
def test_the_wheel_runs_without_being_installed(built: Path, tmp_path: Path, runner: str) -> None:
    """As  pipx run  and  uvx  do it, in an environment that they throw away."""
    command = program(runner)
    if command is None:
        pytest.skip(f"{runner} is not installed: install it, or set STAYTRUE_BRIDGES to a folder")
    (wheel,) = built.glob("*.whl")
    arguments = [str(wheel) if part == "WHEEL" else part for part in RUNNERS[runner]]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PIPX_HOME"] = str(tmp_path / "pipx")
    shown = subprocess.check_output([command, *arguments], cwd=tmp_path, text=True, env=environment)
    assert re.search(r"version \d+\.\d+\.\d+", shown)


PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def interpreter(version: str) -> Path | None:
    """A Python of this version, from the path or from pyenv, whose shims may lead nowhere."""
    shims = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    known = [*shims.glob(f"versions/{version}.*/bin/python{version}")]
    known += [Path(path)] if (path := shutil.which(f"python{version}")) else []
    for python in known:
        command = [python, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
        shown = subprocess.run(command, capture_output=True, text=True)
        if shown.stdout.strip() == version:
            return python
    return None


@pytest.mark.bridge
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
@pytest.mark.parametrize("version", PYTHONS)
def test_a_clean_python_installs_it_with_what_it_needs_and_scores(
    built: Path, tmp_path: Path, version: str, kind: str
) -> None:
    folder = os.environ.get("STAYTRUE_BRIDGES")
    if not folder:
        pytest.skip("set STAYTRUE_BRIDGES to a folder for the environments")
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not here")
    (distribution,) = built.glob(kind)
    home = Path(folder).resolve() / f"python{version}"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "response": "tea", "knowledge": "tea"}\n')
    metrics = ["--metric", "overlap", "--metric", "nli"]
    for command in (
        [python, "-m", "venv", "--clear", home],
        [home / "bin" / "python", "-m", "pip", "install", "--quiet", distribution],
        [home / "bin" / "staytrue", "score", "rows.jsonl", *metrics, "--out", "run"],
    ):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stderr == ""
    assert len((tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()) == 2


@pytest.mark.bridge
@pytest.mark.slow
def test_the_pytest_plug_in_of_the_installed_wheel_is_found(built: Path, tmp_path: Path) -> None:
    uv = program("uv")  # which installs in seconds what it has installed before
    if uv is None:
        pytest.skip("uv is not installed: install it, or set STAYTRUE_BRIDGES to a folder")
    (wheel,) = built.glob("*.whl")
    python = tmp_path / "environment" / "bin" / "python"
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    for command in (
        [uv, "venv", "--quiet", "--python", sys.executable, python.parents[1]],
        [uv, "pip", "install", "--quiet", "--python", python, wheel, "pytest"],
    ):
        subprocess.run(command, check=True, env=plain)
    (tmp_path / "test_answers.py").write_text(
        "KNOWLEDGE = 'Coffee comes from Ethiopia.'\n"
        "def test_true(staytrue):\n"
        "    staytrue.assert_consistent(KNOWLEDGE, knowledge=KNOWLEDGE)\n"
        "def test_false(staytrue):\n"
        "    staytrue.assert_consistent('Coffee comes from Norway.', knowledge=KNOWLEDGE)\n"
    )
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "test_answers.py"],
        cwd=tmp_path, env=plain, capture_output=True, text=True,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout, done.stdout[-4000:] + done.stderr[-2000:]
    assert "consistency gives the response" in done.stdout


def test_the_citation_names_this_version_and_four_papers() -> None:
    citation = (REPOSITORY / "CITATION.cff").read_text("utf-8")
    project = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    (version,) = re.findall(r'^version = "(.*)"', project, re.M)
    assert f"\nversion: {version}\n" in citation
    assert citation.count("    title: ") == 4


def test_make_says_what_it_downloads_before_it_does() -> None:
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    command = ["make", "--dry-run", "--always-make", ".venv/dev.installed"]
    shown = subprocess.check_output(command, cwd=REPOSITORY, text=True)
    assert -1 < shown.find("downloads about 1 GB, mostly PyTorch") < shown.find("pip install")
    assert "downloads about 1 GB, mostly\nPyTorch" in (REPOSITORY / "README.md").read_text("utf-8")
