"""Small, large or both in a row: which models answer, and that the signature says so."""

from __future__ import annotations

import re
import shutil
import sys
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from tests.training.large_model import expected, tiny_base, tiny_weights
from training.export_large import export
from training.large_graph import outputs, read_back

from staytrue.backends.embedded import LARGE_PACKAGE, SHARE, EmbeddedBackend, large_folder
from staytrue.backends.embedded.encoder import ForwardPass
from staytrue.backends.embedded.heads import mean
from staytrue.core.errors import ModelError, UsageError
from staytrue.core.installing import install_line
from staytrue.core.protocols import Entailment, Grounding, Pair, Query
from staytrue.plugins.registry import load_metric

pytestmark = pytest.mark.torch

PAIRS = [
    Pair("coffee is a brewed drink .", "coffee was grown in yemen ."),
    Pair("it was first grown in brazil .", "tea is not a drink ."),
    Pair("the city of light", "paris ."),
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def models(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of large models, tiny ones."""
    folder = tmp_path_factory.mktemp("large") / "models"
    export(tiny_weights(base), base, folder)
    return folder


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a package that names a folder under the entry point of the large models."""

    def install(folder: Path, name: str = "models-large") -> None:
        module = name.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(f"FOLDER = {str(folder)!r}\n")
        info = tmp_path / f"{module}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[staytrue.models]\nlarge = {module}:FOLDER\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, module, raising=False)
        monkeypatch.delenv("STAYTRUE_SIZE", raising=False)
        # The package of this repository may be installed as well.
        monkeypatch.setattr(
            "staytrue.backends.embedded.entry_points",
            lambda **asked: [
                point
                for point in entry_points(**asked)
                if point.dist is None or point.dist.name != LARGE_PACKAGE
            ],
        )

    return install


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("staytrue.backends.embedded.entry_points", lambda **_: ())


def three(backend: EmbeddedBackend, pairs: list[Pair]) -> np.ndarray:
    return np.array([[e.entailment, e.neutral, e.contradiction] for e in backend.infer(pairs)])


@pytest.mark.usefixtures("without_package")
def test_without_the_package_the_small_models_are_the_default() -> None:
    backend = EmbeddedBackend()
    assert backend.size == "small"
    assert backend.models() == EmbeddedBackend(size="small").models()
    assert "large" not in str(backend.models())


def test_the_environment_can_choose_the_quick_models(models: Path, installed, monkeypatch) -> None:
    installed(models)
    monkeypatch.setenv("STAYTRUE_SIZE", "small")
    assert EmbeddedBackend().models() == EmbeddedBackend(size="small").models()
    assert EmbeddedBackend(size="large").size == "large"
    monkeypatch.setenv("STAYTRUE_SIZE", "huge")
    with pytest.raises(UsageError, match="STAYTRUE_SIZE is huge: choose from auto, small"):
        EmbeddedBackend()


@pytest.mark.usefixtures("without_package")
@pytest.mark.parametrize("size", ["large", "both", "cascade"])
def test_large_models_that_are_absent_are_one_sentence(size: str) -> None:
    with pytest.raises(
        ModelError, match=re.escape(f"not installed: run  {install_line('', LARGE_PACKAGE)}")
    ):
        EmbeddedBackend(size=size)


def test_an_installed_package_makes_both_the_default(models: Path, installed) -> None:
    installed(models)
    backend = EmbeddedBackend()
    assert backend.size == "both"
    named = backend.models()
    assert named["infer"].startswith("both(staytrue-entailment@")
    assert ",staytrue-large-entailment@" in named["infer"]
    assert ",staytrue-large-groundedness@" in named["classify"]
    assert EmbeddedBackend(size="small").models()["infer"].startswith("staytrue-entailment@")


def test_a_package_without_weights_counts_as_absent(tmp_path: Path, installed) -> None:
    installed(tmp_path / "models")
    assert large_folder() is None
    assert EmbeddedBackend().size == "small"


def test_the_package_of_this_repository_names_its_folder() -> None:
    root = Path(__file__).resolve().parents[3] / "packages" / "staytrue-models-large"
    assert 'large = "staytrue_models_large:FOLDER"' in (root / "pyproject.toml").read_text()
    names: dict[str, object] = {"__file__": str(root / "src/staytrue_models_large/__init__.py")}
    exec((root / "src/staytrue_models_large/__init__.py").read_text(), names)
    assert names["FOLDER"] == root / "src" / "staytrue_models_large" / "models"


def test_two_packages_with_large_models_are_one_sentence(models: Path, installed) -> None:
    installed(models)
    installed(models, "other-large")
    with pytest.raises(ModelError, match=r"models-large, other-large.*: uninstall all but one"):
        EmbeddedBackend()


def test_the_large_model_says_what_pytorch_says(base: Path, models: Path) -> None:
    from tokenizers import Tokenizer

    backend = EmbeddedBackend(size="large", large=str(models))
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    weights = read_back(models / "encoder.onnx")  # as rounded
    for pair, ours in zip(PAIRS, three(backend, PAIRS), strict=True):
        ids = tokenizer.encode(pair.premise, pair.hypothesis).ids
        logits = expected(base, weights, ids)["entailment"]
        wanted = np.exp(logits - logits.max())
        # int8 products of a tiny random model; in float the graph is within 2e-4.
        assert np.abs(ours - wanted / wanted.sum()).max() < 0.12


def test_batch_and_order_change_nothing_to_the_last_bit(models: Path) -> None:
    backend = EmbeddedBackend(size="large", large=str(models), threads=3)
    together = three(backend, PAIRS)
    fresh = EmbeddedBackend(size="large", large=str(models), threads=1)
    np.testing.assert_array_equal(together[::-1], three(fresh, PAIRS[::-1]))
    alone = [three(EmbeddedBackend(size="large", large=str(models)), [pair])[0] for pair in PAIRS]
    np.testing.assert_array_equal(together, alone)


def test_a_pair_is_encoded_once_for_two_heads(models: Path) -> None:
    backend = EmbeddedBackend(size="large", large=str(models))
    passes: list[ForwardPass] = []
    with backend.listening(passes.append):
        backend.infer(PAIRS)
        classes = backend.classify([Grounding(pair.premise, "", pair.hypothesis) for pair in PAIRS])
    assert len(passes) == 3
    assert all(sum(one.values()) == pytest.approx(1.0) for one in classes)


def test_the_small_model_reads_until_the_large_one_can(base: Path, models: Path, tmp_path) -> None:
    small = EmbeddedBackend(size="small").models()
    assert EmbeddedBackend(size="large", large=str(models)).models()["answer"] == small["answer"]
    weights = tiny_weights(base, reading=True)
    assert "reading" in outputs(weights)
    manifest = export(weights, base, tmp_path / "models")
    manifest["models"]["reading"] |= {
        "threshold": -100.0, "right_if_answered": [1.0, 0.0], "right_if_none": [1.0, 0.0],
    }  # fmt: skip
    from training.export import write_manifest

    write_manifest(manifest, tmp_path / "models")
    backend = EmbeddedBackend(size="large", large=str(tmp_path / "models"))
    assert backend.models()["answer"].startswith("staytrue-large-reading@")
    passage = "coffee was first grown in yemen . tea is a drink ."
    answer = backend.answer([Query("where was coffee grown ?", passage)])[0]
    assert answer.text
    assert answer.text == passage[answer.start : answer.end]


def test_what_the_large_model_lacks_the_small_one_answers(base: Path, tmp_path: Path) -> None:
    weights = {
        name: value
        for name, value in tiny_weights(base).items()
        if not name.startswith("grounded.")
    }
    export(weights, base, tmp_path / "models")
    named = EmbeddedBackend(size="large", large=str(tmp_path / "models")).models()
    assert named["infer"].startswith("staytrue-large-")
    assert named["classify"] == EmbeddedBackend(size="small").models()["classify"]


def test_a_cascade_asks_the_large_model_only_where_the_small_one_is_unsure(models: Path) -> None:
    small, large = EmbeddedBackend(size="small"), EmbeddedBackend(size="large", large=str(models))
    pairs = [
        Pair("A man is playing a guitar.", "A man is playing a guitar."),
        *PAIRS,
    ]
    cascade = EmbeddedBackend(size="cascade", large=str(models), sure=0.8)
    first, second = three(small, pairs), three(large, pairs)
    sure = first.max(axis=1) >= 0.8
    assert sure.any()
    assert not sure.all()
    both = three(EmbeddedBackend(size="both", large=str(models)), pairs)
    wanted = np.where(sure[:, None], first, both)
    np.testing.assert_array_equal(three(cascade, pairs), wanted)
    np.testing.assert_array_equal(three(cascade, pairs[::-1]), wanted[::-1])
    logs = (1 - SHARE) * np.log(first) + SHARE * np.log(second)
    np.testing.assert_allclose(both, np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True))
    items = [Grounding(pair.premise, "", pair.hypothesis) for pair in pairs]
    for given, own, other in zip(
        cascade.classify(items), small.classify(items), large.classify(items), strict=True
    ):
        sure_of_it = max(own.values()) >= 0.8
        means = mean(list(own.values()), [other[label] for label in own], SHARE)
        assert given == (own if sure_of_it else dict(zip(own, means, strict=True)))


def test_nothing_asked_nothing_answered_by_a_cascade(models: Path) -> None:
    assert EmbeddedBackend(size="cascade", large=str(models)).infer([]) == []


def test_the_signature_names_both_models_of_a_cascade_and_its_threshold(models: Path) -> None:
    def signature(**options: object) -> str:
        return load_metric("nli", backend=EmbeddedBackend(large=str(models), **options)).signature

    plain = signature(size="large")
    assert "infer:staytrue-large-entailment@" in plain
    cascade = signature(size="cascade", sure=0.8)
    assert "infer:cascade(staytrue-entailment@" in cascade
    assert ",staytrue-large-entailment@" in cascade
    assert cascade != signature(size="cascade", sure=0.9)


def test_a_threshold_that_is_no_probability_is_refused() -> None:
    with pytest.raises(UsageError, match="sure"):
        EmbeddedBackend(size="small", sure=1.5)


@pytest.mark.parametrize("file", ["encoder.onnx", "weights.npz", "vectors.npz", "tokenizer.json"])
def test_a_damaged_file_is_one_sentence_that_names_the_package(
    models: Path, tmp_path: Path, file: str
) -> None:
    shutil.copytree(models, tmp_path / "models")
    content = bytearray((tmp_path / "models" / file).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "models" / file).write_bytes(content)
    with pytest.raises(ModelError, match=rf"{file} is damaged; install staytrue-models-large"):
        EmbeddedBackend(size="large", large=str(tmp_path / "models")).infer(PAIRS)


def test_matrices_in_4_bits_as_older_versions_have_them_are_one_sentence(
    models: Path, tmp_path: Path
) -> None:
    from training.export import digest, read_manifest, write_manifest

    folder = tmp_path / "models"
    shutil.copytree(models, folder)
    with np.load(folder / "weights.npz") as stored:
        older = {n: v.astype(np.uint8) if n.endswith(".codes") else v for n, v in stored.items()}
    np.savez(folder / "weights.npz", **older)
    manifest = read_manifest(folder)
    manifest["files"]["weights.npz"] = digest(folder / "weights.npz")
    write_manifest(manifest, folder)
    with pytest.raises(ModelError, match=r"older version; install staytrue-models-large again"):
        EmbeddedBackend(size="large", large=str(folder)).infer(PAIRS)


def test_every_file_and_setting_counts_for_the_revision(models: Path, tmp_path: Path) -> None:
    from training.export import read_manifest, write_manifest

    def revision(folder: Path) -> str:
        return EmbeddedBackend(size="large", large=str(folder)).models()["infer"]

    for number, change in enumerate(("weights.npz", "temperature")):
        manifest = read_manifest(models)
        if change == "temperature":
            manifest["models"]["entailment"]["temperature"] = 2.0
        else:
            manifest["files"][change] = "another"
        folder = tmp_path / str(number)
        folder.mkdir()
        write_manifest(manifest, folder)
        assert revision(folder) != revision(models)
    assert revision(models) == revision(models)


def test_the_answer_of_a_large_model_is_a_record_like_any_other(models: Path) -> None:
    assert all(
        isinstance(e, Entailment)
        for e in EmbeddedBackend(size="large", large=str(models)).infer(PAIRS)
    )
