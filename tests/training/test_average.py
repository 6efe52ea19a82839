from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch
from safetensors.torch import load_file, save_file
from training import average

pytestmark = pytest.mark.torch


def test_the_mean_of_each_weight_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / f"{number}.safetensors" for number in range(3)]
    for number, file in enumerate(files):
        save_file({"one": torch.full((2,), float(number)), "two": torch.ones(1)}, file)
    out = tmp_path / "mean.safetensors"
    monkeypatch.setattr("sys.argv", ["average", *map(str, files), "--out", str(out)])
    average.main()
    mean = load_file(out)
    assert mean["one"].tolist() == [1.0, 1.0]
    assert mean["two"].tolist() == [1.0]


def test_checkpoints_of_other_models_are_refused(tmp_path: Path) -> None:
    save_file({"one": torch.ones(2)}, tmp_path / "a")
    save_file({"one": torch.ones(3)}, tmp_path / "b")
    with pytest.raises(SystemExit, match="not a checkpoint of the same model"):
        average.average([tmp_path / "a", tmp_path / "b"])
