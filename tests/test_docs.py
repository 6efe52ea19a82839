"""The documentation's Python runs, and its links lead somewhere."""

from __future__ import annotations

import inspect
import re
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, get_args

import pytest
from tests.conftest import REPOSITORY
from tests.pages import PAGES, page_name, run_blocks

import staytrue
from staytrue.metrics.consistency.grading import ClaimLabel


def python(page: Path) -> str:
    """All Python of a page, one block after the other, as a reader would run it."""
    return "\n".join(block.text for block in run_blocks(page, "python") if not block.file)


@pytest.mark.parametrize("page", [p for p in PAGES if python(p)], ids=page_name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(compile(python(page), str(page), "exec"), names)
    for name, function in names.items():
        if name.startswith("test_"):
            function(**dict.fromkeys(inspect.signature(function).parameters, tmp_path))


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def test_the_glossary_defines_every_label_and_what_a_verdict_is_made_of() -> None:
    glossary = (REPOSITORY / "docs" / "glossary.md").read_text("utf-8")
    heads = re.findall(r"^(\*\*.+\*\*)\n:   \S", glossary, re.M)
    terms = {term.lower() for head in heads for term in re.findall(r"\*\*(.+?)\*\*", head)}
    metrics = [entry.load() for entry in entry_points(group="staytrue.metrics")]
    labels = {label for metric in metrics for label in getattr(metric, "labels", ())}
    assert labels >= {"generic", "unconfirmed", "needless refusal"}
    claims = set(get_args(ClaimLabel))
    made_of = {"verdict", "evidence", "claim", "signature", "abstain", "rule"}
    assert labels | claims | made_of <= terms


def test_the_faq_says_of_every_cause_of_a_low_score_what_is_behind_it() -> None:
    faq = (REPOSITORY / "docs" / "faq.md").read_text("utf-8")
    section = faq.partition("## Why is my score low?")[2].partition("\n## ")[0]
    causes = " ".join(re.findall(r"^- \*\*(.+?)\*\*", section, re.M))
    for cause in ("not in the knowledge", "incomplete", "One claim", "number", "models are wrong"):
        assert cause in causes


def described() -> set[str]:
    """The names that the page of the Python API describes, each of which is there."""
    page = (REPOSITORY / "docs" / "api.md").read_text("utf-8")
    names = {"__version__"} & set(re.findall(r"`staytrue\.(\w+)`", page))
    for path, members in re.findall(
        r"^::: (\S+)(?:\n    options:\n      members: \[(.*)\])?", page, re.M
    ):
        part = resolve_name(path)
        if not inspect.ismodule(part):
            names.add(path.rpartition(".")[2])
            continue
        listed = set(members.split(", ")) if members else set(vars(part))
        assert listed <= set(vars(part)), path
        names |= listed
    return names


def test_the_page_of_the_python_api_describes_every_public_name() -> None:
    assert not set(staytrue.__all__) - described()


# A package of ours by its name alone, which pip would look up on PyPI, where there is none.
FROM_INDEX = re.compile(
    r"""pip install(?: +(?:-\S+|\w[\w.-]*))*? +['"]?staytrue[\w-]*(?:\[[\w,]+\])?"""
    r"""(?=['"`\s]|$)(?! @)"""
)
TOLD = [
    *PAGES,
    *(path for path in (REPOSITORY / "examples").rglob("*") if path.is_file()),
    *(
        path
        for kind in ("py", "yml", "txt", "html")
        for path in (REPOSITORY / "src").rglob(f"*.{kind}")
    ),
]


def test_no_page_or_message_installs_our_packages_from_an_index() -> None:
    installs = {
        f"{path.relative_to(REPOSITORY)}: {line}"
        for path in TOLD
        for line in FROM_INDEX.findall(path.read_text("utf-8", "ignore"))
    }
    assert not installs


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("pip install staytrue pytest", True),
        ("pip install --force-reinstall staytrue-models-large", True),
        ("pip install 'staytrue[ray]'", True),
        ("pip install '.[ray]' in a checkout of staytrue", False),
        ("pip install ./packages/staytrue-models-large", False),
        ("pip install 'staytrue[web] @ file:///path/to/staytrue'", False),
    ],
)
def test_an_installation_from_an_index_would_be_found(line: str, is_found: bool) -> None:
    assert bool(FROM_INDEX.search(line)) is is_found
