"""Which English pipeline is loaded, and that its files are the ones it was tested with."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from staytrue.core.errors import ModelError
from staytrue.english import parses as language


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


def test_an_installed_official_package_goes_before_the_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = language.pipeline_name()
    installed(monkeypatch, tmp_path, language.OFFICIAL)
    language._content_hash.cache_clear()
    assert language._official_folder() == tmp_path / "en_core_web_sm" / "en_core_web_sm-3.8.0"
    assert language.pipeline_name() != bundled


def test_without_it_the_bundle_is_loaded_under_the_hash_of_what_it_was_made_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path)
    language.pipeline.cache_clear()
    assert language.pipeline_name() == "en_core_web_sm@c4c88da5bc68"
    (doc,) = language.parse(["Ana was born in Paris."])
    assert [(entity.text, entity.label_) for entity in doc.ents][-1] == ("Paris", "GPE")
    assert [token.lemma_ for token in doc][1:3] == ["be", "bear"]


@pytest.mark.parametrize(("content", "problem"), [(b"other", "damaged"), (None, "missing")])
def test_a_bundle_that_is_not_whole_is_refused(
    content: bytes | None, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path)
    monkeypatch.setattr(language, "BUNDLE", tmp_path / "bundle.zip")
    if content is not None:
        (tmp_path / "bundle.zip").write_bytes(content)
    language.pipeline.cache_clear()
    with pytest.raises(ModelError, match=f"is {problem}; install staytrue again"):
        language.pipeline()


def test_what_is_packed_says_the_same_once_unpacked(tmp_path: Path) -> None:
    import spacy

    blank = spacy.blank("en")
    blank.add_pipe("sentencizer", config={"punct_chars": [";"]})
    blank.to_disk(tmp_path)
    (tmp_path / "LICENSE").write_text("MIT")
    bundle = language.packed(tmp_path)
    assert bundle == language.packed(tmp_path)
    ends = [sentence.text for sentence in language.unpacked(bundle)("One. Two; three").sents]
    assert ends == ["One. Two;", "three"]


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


@pytest.mark.slow
@pytest.mark.parametrize(("command_line", "imported"), [(True, False), (False, True)])
def test_the_command_line_does_not_wait_for_pytorch(
    tmp_path: Path, command_line: bool, imported: bool
) -> None:
    marker = tmp_path / "imported"
    (tmp_path / "torch.py").write_text(f"open({str(marker)!r}, 'w')\nraise ImportError\n")
    code = (
        "import sys; from staytrue.english.parses import parse; "
        "(doc,) = parse(['Tea is a drink.']); print(len(doc), 'torch' in sys.modules)"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, language.SPARE_TORCH: "1" * command_line}
    printed = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert printed.split() == ["5", "False"]
    assert marker.exists() == imported
