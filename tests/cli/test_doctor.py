"""`staytrue doctor` passes here, and names what is broken elsewhere."""

from __future__ import annotations

import importlib.metadata
import re

import pytest
from tests.conftest import REPOSITORY, Command

from staytrue.backends import embedded
from staytrue.cli import doctor
from staytrue.core.errors import ModelError
from staytrue.runs import scoring


def test_a_working_installation_passes(staytrue: Command) -> None:
    result = staytrue("doctor")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "FAIL" not in result.stdout
    assert "ok    models: tell a right answer" in result.stdout


@pytest.mark.parametrize(("size", "told"), [("small", "size small"), ("both", "small and large")])
def test_it_says_which_models_judge(
    staytrue: Command, monkeypatch: pytest.MonkeyPatch, size: str, told: str
) -> None:
    class Backend:
        def __init__(self) -> None:
            self.size = size

    monkeypatch.setattr(scoring, "score", lambda *_: [0.9, 0.2])
    monkeypatch.setattr(embedded, "EmbeddedBackend", Backend)
    (line,) = (one for one in staytrue("doctor").stdout.splitlines() if " models: " in one)
    assert told in line


def test_a_missing_model_is_told_with_its_own_sentence(
    staytrue: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[float]:
        raise ModelError("The model file is missing: reinstall.")

    monkeypatch.setattr(scoring, "score", broken)
    result = staytrue("doctor")
    assert result.returncode == 1
    assert "FAIL  models: The model file is missing: reinstall." in result.stdout
    assert "Traceback" not in result.stderr


def test_models_that_judge_wrongly_fail(staytrue: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "score", lambda *_: [0.2, 0.9])
    result = staytrue("doctor")
    assert result.returncode == 1
    assert "judge wrongly" in result.stdout


def test_a_package_that_is_not_installed_fails(
    staytrue: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "score", lambda *_: [0.9, 0.2])
    monkeypatch.setattr(doctor, "requires", lambda _: ["no-such-package>=1"])
    result = staytrue("doctor")
    assert result.returncode == 1
    assert "no-such-package" in result.stdout
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("no-such-package")


def test_every_extra_is_looked_for() -> None:
    project = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    start = project.index("[project.optional-dependencies]")
    extras = re.findall(r"^(\w+) = \[", project[start : project.index("[project.scripts]")], re.M)
    assert sorted(doctor.EXTRAS) == sorted(set(extras) - {"dev"})
