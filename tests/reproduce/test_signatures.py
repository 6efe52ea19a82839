"""A result page holds figures of the shipped models and of metrics as they are now."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest
from reproduce import flags_read
from reproduce.__main__ import PAGES
from reproduce.consistest import EARLIER_RULES

from staytrue.backends.embedded import EmbeddedBackend, large_folder
from staytrue.core.records import read_signature
from staytrue.plugins.registry import load_part

DOCS = Path(__file__).resolve().parents[2] / "docs"
RESULTS = sorted(DOCS.glob("results-*.md"))
WEIGHTS = re.compile(r"^Weights: `.*$", re.MULTILINE)
# Pages of what people read, of the papers, and of speed, which does not depend on the weights.
WITHOUT_MODELS = (
    "inquiries_read", "questions_read", "changed_verdicts", "papers", "performance", "scale",
)  # fmt: skip
# Other pages are checked once the command that writes them says of which weights they are.
FILES = [
    *RESULTS,
    *(
        page
        for page in sorted(DOCS.glob("*.md"))
        if page not in RESULTS
        and page.stem not in WITHOUT_MODELS
        and WEIGHTS.search(page.read_text("utf-8"))
    ),
]
# Written where a hub can be reached, so not by the one command that writes all others.
NEEDS_A_HUB = "results-peers.md"
SIGNED = re.compile(r"`([a-z0-9-]+\|staytrue:[^`]+)`")
# What a signature holds besides models and a metric's own options: of the run, and of AIH's talks.
OF_RUNS = frozenset(
    "staytrue backend seed strategy delay turns inquire opening bots inquiries bot variant".split()
)


@pytest.fixture(scope="module")
def shipped() -> dict[str, set[str]]:
    """The names of each method's models, by every size that is installed here."""
    names: dict[str, set[str]] = {}
    for size in ("small", *(("large", "both", "cascade") if large_folder() else ())):
        for method, name in EmbeddedBackend(size=size).models().items():
            names.setdefault(method, set()).add(name)
    return names


def outdated(text: str, shipped: dict[str, set[str]]) -> list[str]:
    """What in a page's signatures is not as it is now."""
    faults = []
    for signed in SIGNED.findall(text):
        name = signed.partition("|")[0]
        metric = cast(Any, load_part("metrics", name))
        options = {field.name for field in fields(metric)}
        parts = read_signature(signed)
        revision = str(getattr(metric, "revision", ""))
        if parts.pop("revision", "") != revision:
            faults.append(f"{name} has the revision {revision}")
        embedded = parts.get("backend") == "embedded"
        faults += [f"{name} has an option {new}" for new in sorted(options - {*parts, "backend"})]
        for part, value in parts.items():
            if part in shipped or part == "review":
                known = not embedded or value in shipped.get(part, ())
                faults += [] if known else [f"{part}:{value}"]
            elif part not in OF_RUNS and part not in options and part != "metric":
                faults.append(f"{name} has no option {part}")
    return faults


def without_earlier_rules(text: str) -> str:
    """The page but for sections that say themselves that the rules have changed since."""
    return "".join(
        part for part in re.split(r"^(?=## )", text, flags=re.MULTILINE)
        if f"\n{EARLIER_RULES}" not in part
    )  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_page_is_of_the_shipped_models(file: Path, shipped: dict[str, set[str]]) -> None:
    text = file.read_text("utf-8")
    assert SIGNED.search(text), f"{file.name} has no signature"
    pages = outdated(without_earlier_rules(text), shipped)
    assert not pages, f"{file.name} is of other models or options: run  make docs"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_weights_that_a_page_names_are_shipped(
    file: Path, shipped: dict[str, set[str]]
) -> None:
    lines = WEIGHTS.findall(file.read_text("utf-8"))
    named = {name for line in lines for name in re.findall("`([^`]+)`", line)}
    assert named <= set().union(*shipped.values())


@pytest.mark.parametrize("page", ["q2", "begin", "aih"])
def test_the_pages_beside_the_papers_are_of_the_small_models(page: str) -> None:
    text = (DOCS / f"results-{page}.md").read_text("utf-8")
    # Flags that were read by hand are those of the default as well, and stand beside no paper.
    beside, _, rest = text.partition(f"## {flags_read.SECTION}")
    signed = SIGNED.findall(beside + rest.partition("\n## ")[2])
    assert signed
    assert not [one for one in signed if "large" in one]


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WITHOUT_MODELS])
def test_a_page_says_of_which_weights_it_is_and_since_when_they_ship(page: str) -> None:
    names = (f"results-{page}.md", f"{page}.md")
    file = next(DOCS / name for name in names if (DOCS / name).is_file())
    line = WEIGHTS.search(file.read_text("utf-8"))
    assert line, f"{file.name} has no line about its weights: run  make docs"
    assert "shipped since 2" in line[0]


def test_one_command_writes_every_page() -> None:
    written = {f"results-{page}.md" for page in PAGES if page != "papers"}
    assert {file.name for file in RESULTS} - {NEEDS_A_HUB} <= written


def test_only_a_section_that_says_so_may_be_of_earlier_rules() -> None:
    page = f"a\n## One\n\n{EARLIER_RULES}\nold\n\n## Two\n\nnew\n"
    assert without_earlier_rules(page) == "a\n## Two\n\nnew\n"
    assert without_earlier_rules("a\n## One\n\nold\n") == "a\n## One\n\nold\n"


def test_other_weights_and_options_that_are_gone_are_noticed(shipped: dict[str, set[str]]) -> None:
    small = EmbeddedBackend(size="small").models()["infer"]
    good = f"nli|staytrue:9|backend:embedded|infer:{small}|premise:knowledge"
    assert outdated(f"`{good}|score:paper`", shipped) == []
    assert outdated(f"`{good}|score:paper|prior:x`", shipped) == ["nli has no option prior"]
    assert outdated(f"`{good}`", shipped) == ["nli has an option score"]
    old = good.replace(small, "staytrue-entailment@000")
    assert outdated(f"`{old}|score:paper`", shipped) == ["infer:staytrue-entailment@000"]
    revised = f"{good}|revision:7|score:paper"
    assert outdated(f"`{revised}`", shipped) == ["nli has the revision "]
    foreign = old.replace("backend:embedded", "backend:huggingface")
    assert outdated(f"`{foreign}|score:paper`", shipped) == []
