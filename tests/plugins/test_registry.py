"""Names → objects: built-in parts and plug-ins come through the same door."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import staytrue
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example, Verdict
from staytrue.plugins.registry import GROUPS, _load, load_metric, names, parse_spec

PLUG_IN = """
from staytrue import Verdict

class Shout:
    def __init__(self, marks: int = 1):
        self.marks = marks

    def judge(self, examples):
        return [
            Verdict(e.id, "shout", float(e.response.count("!") >= self.marks), reason="counted")
            for e in examples
        ]
"""


@pytest.mark.parametrize("group", GROUPS)
def test_every_registered_part_loads(group: str) -> None:
    for name in names(group):
        assert callable(_load(group, name)), name


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"There is no metric 'overlapp'; .*overlap"):
        staytrue.load_metric("overlapp")


def test_options_are_checked_and_typed() -> None:
    assert load_metric("overlap,stopwords=keep").metric.stopwords == "keep"  # type: ignore[attr-defined]
    assert load_metric("overlap", stopwords="keep").name == "overlap,stopwords=keep"
    with pytest.raises(UsageError, match="takes one of: drop, keep"):
        load_metric("overlap,stopwords=maybe")
    with pytest.raises(UsageError, match="has no option 'top'; it has: stopwords"):
        load_metric("overlap,top=3")
    with pytest.raises(UsageError, match="is not an option"):
        parse_spec("overlap,keep")


def test_the_signature_holds_defaults_and_seed() -> None:
    signature = load_metric("overlap", seed=5).signature
    assert signature.startswith("overlap|staytrue:")
    assert signature.endswith("|stopwords:drop|seed:5")


@dataclass(frozen=True)
class OnlyInfers:
    name: str = "only-infers"

    def models(self) -> dict[str, str]:
        return {"infer": "coin@1"}

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        return [Entailment(1.0, 0.0, 0.0) for _ in pairs]


def test_the_signature_names_the_models_that_a_metric_uses() -> None:
    signature = load_metric("nli", backend=OnlyInfers()).signature
    assert "|backend:only-infers|infer:coin@1|" in signature


def test_a_backend_that_lacks_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a backend that can"):
        load_metric("q2", backend=OnlyInfers())


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    """A tiny package from outside, installed by pip from a wheel made here."""
    wheel = tmp_path / "shout-1.0-py3-none-any.whl"
    info = "shout-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("shout.py", PLUG_IN)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: shout\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/entry_points.txt", "[staytrue.metrics]\nshout = shout:Shout\n")
        archive.writestr(f"{info}/RECORD", "")
    target = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--target", str(target), str(wheel)],
        check=True,
    )  # fmt: skip
    return target


def test_a_plug_in_from_outside_works_like_a_built_in(
    plug_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(plug_in))
    assert "shout" in names("metrics")
    metric = load_metric("shout,marks=2")
    assert metric.judge([Example("1", "hi!!")]) == [
        Verdict("1", "shout,marks=2", 1.0, reason="counted")
    ]
    assert "|marks:2|" in metric.signature
