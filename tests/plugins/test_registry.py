"""Names → objects: built-in parts and plug-ins come through the same door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import staytrue
from staytrue.backends.cache import CachedBackend
from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example, Verdict
from staytrue.english import parses
from staytrue.metrics.contradiction import Contradiction
from staytrue.plugins.registry import (
    GROUPS,
    BadVerdict,
    NamedMetric,
    backend_name,
    forget_backends,
    load_backend,
    load_metric,
    load_part,
    names,
    parse_spec,
)

Install = Callable[[str, str, str, str], None]

PLUG_IN = """
from staytrue import Verdict

class Shout:
    def __init__(self, marks: int = 1):
        self.marks = marks

    def judge(self, examples):
        return [
            Verdict(e.id, score=float(e.response.count("!") >= self.marks), reason="counted")
            for e in examples
        ]
"""
DICER = """
class Dice:
    def __init__(self, sides: int = 6, seed: int = 0): ...
"""
COIN = """
class Coin:
    def models(self):
        return {"infer": "coin@1"}
"""
TYPED = """
from __future__ import annotations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from staytrue.core.protocols import EntailmentModel

class Typed:
    uses = ("infer",)

    def __init__(self, backend: EntailmentModel, marks: int = 1, loud: bool = True):
        self.marks, self.loud = marks, loud
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package of one module, as pip would: the module, its metadata, its entry points."""

    def install(package: str, version: str, code: str, entry_points: str) -> None:
        site = tmp_path / package
        info = site / f"{package.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (site / f"{package.replace('-', '_')}.py").write_text(code)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(entry_points)
        monkeypatch.syspath_prepend(str(site))

    forget_backends()
    return install


@pytest.mark.parametrize("group", GROUPS)
def test_every_registered_part_loads(group: str) -> None:
    for name in names(group):
        assert callable(load_part(group, name)), name


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'overlapp' \(did you mean 'overlap'\?\); choose"):
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


def test_the_signature_holds_the_defaults() -> None:
    signature = load_metric("overlap").signature
    assert signature.startswith("overlap|staytrue:")
    assert signature.endswith("|stopwords:drop")


def test_a_revision_of_a_metrics_rules_is_signed() -> None:
    signature = load_metric("contradiction", backend="scripted").signature
    assert f"|revision:{Contradiction.revision}|" in signature
    assert "revision" not in load_metric("overlap").signature


def test_the_seed_is_signed_only_where_it_is_used(installed: Install) -> None:
    assert load_metric("overlap", seed=5).signature == load_metric("overlap", seed=6).signature
    installed("dicer", "2.0", DICER, "[staytrue.metrics]\ndice = dicer:Dice\n")
    assert load_metric("dice", seed=5).signature.endswith("|sides:6|seed:5")


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


LLM = "llm:any-model@http://127.0.0.1:9/v1"


@pytest.mark.parametrize("backend", ["embedded,size=small", LLM, "scripted"])
@pytest.mark.parametrize("metric", ["consistency", "q2,coref=on", "q2,coref=dialogue"])
def test_a_metric_that_parses_signs_the_english_pipeline_whatever_the_backend(
    metric: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load_metric(metric, backend=backend).signature
    monkeypatch.setattr(parses, "_content_hash", lambda: "another pipeline")
    after = load_metric(metric, backend=backend).signature
    assert before != after
    assert before.count("en_core_web_sm@") == after.count("@another pipe") == 1, "named once"


def test_a_metric_that_does_not_parse_signs_no_pipeline() -> None:
    for metric in ("q2", "nli", "judge"):
        assert "en_core_web_sm" not in load_metric(metric, backend=LLM).signature


def test_a_backend_that_lacks_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a backend with"):
        load_metric("q2", backend=OnlyInfers())


def test_a_plug_in_works_like_a_built_in_and_signs_with_its_package(installed: Install) -> None:
    installed("loud-metrics", "1.4", PLUG_IN, "[staytrue.metrics]\nshout = loud_metrics:Shout\n")
    assert "shout" in names("metrics")
    metric = load_metric("shout,marks=2")
    assert metric.judge([Example("1", "hi!!")]) == [
        Verdict("1", "shout,marks=2", 1.0, reason="counted")
    ]
    assert metric.signature.endswith("|package:loud-metrics@1.4|marks:2")
    assert "package" not in load_metric("overlap").signature


def test_a_backend_is_signed_with_its_registered_name_and_its_package(installed: Install) -> None:
    installed("coins", "3", COIN, "[staytrue.backends]\ncoin = coins:Coin\n")
    for backend in ("coin", load_backend("coin"), CachedBackend(load_backend("coin"))):
        assert (
            "|backend:coin|backend package:coins@3|"
            in load_metric("nli", backend=backend).signature
        )


def test_a_package_may_register_a_backend_that_one_of_its_modules_defines(
    installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed("coins", "3", COIN, "[staytrue.backends]\ncoin = coins:Coin\n")
    backend = load_backend("coin")
    for module, known in (("coins.inside", True), ("coinsmith", False)):
        monkeypatch.setattr(type(backend), "__module__", module)
        signature = load_metric("nli", backend=backend).signature
        assert ("|backend:coin|backend package:coins@3|" in signature) is known


def test_a_backend_s_own_name_goes_before_and_that_of_its_class_comes_last() -> None:
    class Nameless(ScriptedBackend):
        name = ""

    assert backend_name(CachedBackend(OnlyInfers("mine"))) == "mine"
    assert backend_name(Nameless()) == "Nameless"


@pytest.mark.parametrize("group", ["metrics", "backends", "chatbots", "datasets"])
def test_a_built_in_name_cannot_be_taken(installed: Install, group: str) -> None:
    name = next(iter(names(group)))
    installed("impostor", "1.0", PLUG_IN, f"[staytrue.{group}]\n{name} = impostor:Shout\n")
    with pytest.raises(UsageError, match=r"impostor and staytrue both .*: uninstall impostor"):
        load_part(group, name)


def test_the_other_names_work_beside_a_clash(installed: Install) -> None:
    installed("impostor", "1.0", PLUG_IN, "[staytrue.metrics]\noverlap = impostor:Shout\n")
    assert load_metric("bleu").judge([]) == []


@pytest.mark.parametrize(
    "code", ["import no_such_library", "1 / 0", "raise SystemError('out of order')"]
)
def test_a_plug_in_that_cannot_be_imported_is_one_sentence(installed: Install, code: str) -> None:
    installed("broken", "1.0", code, "[staytrue.metrics]\nbroken_metric = broken:Shout\n")
    with pytest.raises(UsageError, match=r"'broken_metric' of the package broken cannot be"):
        load_metric("broken_metric")


def test_a_plug_in_that_lacks_what_it_registers_is_one_sentence(installed: Install) -> None:
    installed("hollow", "1.0", "", "[staytrue.metrics]\nhollow_metric = hollow:Shout\n")
    with pytest.raises(UsageError, match=r"of the package hollow cannot be imported"):
        load_metric("hollow_metric")


def test_types_that_only_a_type_checker_sees_do_no_harm(installed: Install) -> None:
    installed("typed", "1.0", TYPED, "[staytrue.metrics]\ntyped_metric = typed:Typed\n")
    metric = load_metric("typed_metric,marks=2,loud=off", backend=OnlyInfers())
    assert metric.metric.marks == 2  # type: ignore[attr-defined]
    assert metric.metric.loud is False  # type: ignore[attr-defined]


def test_an_option_without_a_default_is_asked_for(installed: Install) -> None:
    code = "class Needy:\n    def __init__(self, words: int): ...\n"
    installed("needy", "1.0", code, "[staytrue.metrics]\nneedy_metric = needy:Needy\n")
    with pytest.raises(UsageError, match="needs the option 'words': add words=VALUE"):
        load_metric("needy_metric")


@pytest.mark.parametrize(
    ("verdicts", "problem"),
    [
        ([], "one verdict per example, in order"),
        ([Verdict("b", "m", 1.0), Verdict("a", "m", 1.0)], "one verdict per example, in order"),
        ([Verdict("a", "m", 1.0), Verdict("b", "m", None)], "abstained without a reason"),
        ([Verdict("a", "m", 1.0), Verdict("b", "m", 1.5)], r"1\.5 is not in \[0, 1\]"),
        ([Verdict("a", "m", 1.0), Verdict("b", "m", float("nan"))], "nan is not in"),
        ([Verdict("a", "m", 1.0), Verdict("b", "m", "high")], "'high' is not a number"),
        ([Verdict("a", 0.5, reason="r"), Verdict("b")], "in the place of its name"),  # type: ignore[arg-type]
        ([1.0, 0.5], "did not return a list of verdicts"),
        (None, "did not return a list of verdicts"),
    ],
)
def test_nobody_gets_a_verdict_that_was_not_checked(verdicts: Any, problem: str) -> None:
    class Careless:
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            return verdicts  # type: ignore[no-any-return]

    with pytest.raises(BadVerdict, match=problem):
        NamedMetric("careless", Careless(), "careless").judge([Example("a", ""), Example("b", "")])
