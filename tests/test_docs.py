"""The documentation's Python runs, and its links lead somewhere."""

from __future__ import annotations

import re
from inspect import ismodule
from pathlib import Path
from pkgutil import resolve_name

import pytest

import staytrue

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def blocks(page: Path) -> str:
    """All Python blocks of a page, one after the other, as a reader would run them."""
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.name)
def test_the_python_of_a_page_runs(page: Path) -> None:
    exec(compile(blocks(page), str(page), "exec"), {})


LINKING = [*PAGES, *(ROOT / "examples").rglob("*.md"), *(ROOT / "training" / "cards").glob("*.md")]


@pytest.mark.parametrize("page", LINKING, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def described() -> set[str]:
    """The names that the page of the Python API describes, each of which is there."""
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    names = {"__version__"} & set(re.findall(r"`staytrue\.(\w+)`", page))
    for place, members in re.findall(
        r"^::: (\S+)(?:\n    options:\n      members: \[(.*)\])?", page, re.M
    ):
        found = resolve_name(place)
        if not ismodule(found):
            names.add(place.rpartition(".")[2])
            continue
        listed = set(members.split(", ")) if members else set(vars(found))
        assert listed <= set(vars(found)), place
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
    *LINKING,
    *(ROOT / "packages").glob("*/README.md"),
    *(path for path in (ROOT / "examples").rglob("*") if path.is_file()),
    *(path for kind in ("py", "yml", "txt", "html") for path in (ROOT / "src").rglob(f"*.{kind}")),
]


def test_no_page_or_message_installs_our_packages_from_an_index() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {line}"
        for path in TOLD
        for line in FROM_INDEX.findall(path.read_text("utf-8", "ignore"))
    }
    assert not found


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
