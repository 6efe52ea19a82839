"""The meta-evaluation options of `staytrue agree`, and `staytrue controls`, from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from staytrue import evaluate
from staytrue.cli import app
from staytrue.core.records import Example


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    examples = []
    for n in range(6):
        knowledge = f"coffee number{n} comes from Yemen"
        tags = {"context": f"{n}-0"}
        good = Example(f"g{n}", knowledge, knowledge, consistent=True, tags=tags)
        bad = Example(f"b{n}", "tea grows everywhere", knowledge, consistent=False, tags=tags)
        examples += [good, bad]
    evaluate(examples, ["overlap"], out=folder)
    return folder


def call(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("option", "plot"),
    [
        ("--curve", "curve-overlap.svg"),
        ("--systems", "systems.svg"),
        ("--robustness", "robustness.svg"),
    ],
)
def test_each_option_prints_a_table_and_draws_a_plot(run: Path, option: str, plot: str) -> None:
    assert "overlap" in call("agree", str(run), option, "--draws", "20")
    assert (run / plot).read_text().startswith("<svg")


def test_systems_as_json(run: Path) -> None:
    body = json.loads(call("agree", str(run), "--systems", "--draws", "20", "--json"))
    assert body["overlap"]["spearman"] == 1.0
    assert body["overlap"]["contexts"] == 6
    each = body["overlap"]["a_draw_for_each_system"]
    assert (each["spearman"], each["contexts"]) == (1.0, 6)


def test_controls_with_the_scripted_backend(tmp_path: Path) -> None:
    rows = [
        {"id": f"{n}", "response": f"Paul wrote {word}", "knowledge": f"Paul wrote {word}",
         "tags": {"dialogue": str(n // 2)}}
        for n, word in enumerate(["music", "letters", "novels", "poems"])
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    body = json.loads(call("controls", str(path), "--backend", "scripted", "--json"))
    own, other = body["knowledge"]["own"], body["knowledge"]["other dialogue"]
    assert own["score"] == 1.0
    assert other["responses"] == 4
    assert other["score"] < own["score"]
    assert "no answer" in call("controls", str(path), "--backend", "scripted")


def test_several_figures_are_one_json_document(run: Path) -> None:
    body = json.loads(call("agree", str(run), "--curve", "--systems", "--draws", "20", "--json"))
    assert set(body) == {"curve", "systems"}


def test_classes_count_as_consistent_for_the_curve_as_well(tmp_path: Path) -> None:
    rows = [
        Example(f"{n}", f"coffee number{n}", "coffee", label=("entailment", "generic")[n % 2])
        for n in range(4)
    ]
    evaluate(rows, ["overlap"], out=tmp_path / "run")
    shown = call("agree", str(tmp_path / "run"), "--curve", "--positive", "entailment")
    assert "precision and recall" in shown


def test_releases_whose_labels_differ_are_not_mixed(tmp_path: Path) -> None:
    rows = [Example(f"{n}", "a b", "a b", consistent=True, tags={"release": n}) for n in "12"]
    evaluate(rows, ["overlap"], out=tmp_path / "run")
    result = CliRunner().invoke(app, ["agree", str(tmp_path / "run")])
    assert "a separate run" in str(result.exception)
