"""Sections about models that few people have survive when the page is written without them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from reproduce import consistest
from reproduce.consistest_judged import TWO_MODELS, read_answers, two_models

OLD = f"""# ConsisTest: results

## {TWO_MODELS}

old models

## Bots side by side

## {consistest.OTHER_BOTS}

old runs

## Input variants
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    page = tmp_path / "results.md"
    page.write_text(OLD)
    return page


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stand-ins for all that asks bots or loads models."""
    for name in ("judged_set", "rules", "statistics"):
        monkeypatch.setattr(consistest, name, list)
    monkeypatch.setattr(consistest, "ask", lambda *_: tmp_path)
    monkeypatch.setattr(consistest, "new_answers", lambda *_: ["## Against new answers"])
    monkeypatch.setattr(consistest, "side_by_side", lambda *_: ["## Bots side by side", ""])
    monkeypatch.setattr(consistest, "variants", lambda *_: ["## Input variants", ""])
    monkeypatch.setattr(consistest, "speed", lambda _: ["## Time", ""])
    monkeypatch.setattr(
        consistest, "two_models", lambda _, models: [f"## {TWO_MODELS}", "", str(models), ""]
    )
    monkeypatch.setattr(
        consistest, "other_bots", lambda runs: [f"## {consistest.OTHER_BOTS}", "", str(runs), ""]
    )


def write(monkeypatch: pytest.MonkeyPatch, page: Path, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["consistest", "--page", str(page), *arguments])
    consistest.main()
    return page.read_text()


@pytest.mark.usefixtures("quick")
def test_a_page_written_without_the_models_keeps_their_sections(
    monkeypatch: pytest.MonkeyPatch, page: Path
) -> None:
    for _ in range(2):
        text = write(monkeypatch, page)
        assert text.count("old models") == text.count("old runs") == 1
        assert text.index("old models") < text.index("## Bots side by side")
        assert text.index("## Bots side by side") < text.index("old runs")
        assert text.index("old runs") < text.index("## Input variants")
        assert "## Time" in text


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("only", [[], ["--sections"]])
def test_models_and_runs_that_are_named_replace_them(
    monkeypatch: pytest.MonkeyPatch, page: Path, only: list[str]
) -> None:
    named = ["--nli", "general (22 M)=huggingface,infer=F", "--also", "a bot=RUN", *only]
    text = write(monkeypatch, page, *named)
    assert "old" not in text
    assert "{'general (22 M)': 'huggingface,infer=F'}" in text
    assert "{'a bot': PosixPath('RUN')}" in text
    assert ("## Time" in text) is not bool(only)


def test_the_section_of_two_models_names_them_beside_the_papers(tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    kept = [a.example.id for a in read_answers(consistest.NEW) if a.part == "kept"][:3]
    lines = consistest.NEW.read_text("utf-8").splitlines()
    few.write_text("\n".join(line for line in lines if json.loads(line)["id"] in kept))
    text = "\n".join(two_models(few, {"general": "embedded,size=small"}))
    assert "| NLI alone, general |" in text
    assert "| `compat=paper`, general |" in text
    assert "| paper: hybrid, the same, tuned on DNLI | 0.047 |" in text
    assert "| paper: NLI alone, RoBERTa-large-MNLI | 0.256 |" in text
    assert "Models: `staytrue-entailment@" in text
