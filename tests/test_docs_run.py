"""Every block of the documentation is run, or listed with the reason why not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import tests.pages as pages
from tests.backends.llm.model import saying, sensible
from tests.chatbots.server import serving
from tests.conftest import REPOSITORY, Command
from tests.page_files import marks, prepare
from tests.pages import PAGES, Block, blocks_of, page_name, reason_not_to_run, run_blocks
from tests.shell import Shell, shows, statements

import staytrue as package

COMMANDS = [page for page in PAGES if run_blocks(page, "bash")]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_block_is_run_or_listed_with_a_reason(page: Path) -> None:
    for block in blocks_of(page.read_text("utf-8")):
        known = block.language in ("bash", "python", "json")
        # The output of a command above it, which is compared with what the command prints.
        shown = block.language == "text" and page in COMMANDS
        listed = reason_not_to_run(page, block) is not None
        assert known or shown or listed, f"Not run and not listed: {block}"


def test_the_list_of_blocks_that_are_not_run_has_no_stale_entry() -> None:
    texts = {page_name(page): page.read_text("utf-8") for page in PAGES}
    for page, listed in pages.NOT_RUN.items():
        for start, reason in listed.items():
            matching = [block for block in blocks_of(texts[page]) if block.text.startswith(start)]
            assert len(matching) == 1, f"{page}: {len(matching)} blocks begin with {start!r}"
            for path in re.findall(r"\btests/[\w/.]*\w", reason):
                assert (REPOSITORY / path).exists(), f"{page}: {reason}"


def test_a_block_without_a_fence_or_a_language_is_found() -> None:
    text = "Run\n\n    staytrue x\n\n    staytrue y\n\n```\nstaytrue z\n```\n\n1. a\n   b\n"
    assert blocks_of(text) == [
        Block("indented", "    staytrue x\n\n    staytrue y\n"),
        Block("", "staytrue z\n"),
    ]


def test_the_first_pages_have_commands_to_run() -> None:
    first = {"README.md", "start.md", "tutorials.md", "rag-ci.md", "bridges.md", "llm.md"}
    assert first <= {page_name(page) for page in COMMANDS}


def test_commands_may_span_lines() -> None:
    text = "a \\\n  b\n\nc '{\n}'  # d\ncat > f <<'END'\nit's\nEND\n"
    assert statements(text) == ["a \\\n  b", "c '{\n}'  # d", "cat > f <<'END'\nit's\nEND"]


def test_shown_output_is_compared_line_by_line_and_may_leave_out() -> None:
    output = "one   0.25\nmore\ntwo [0.1, 0.9] x\n"
    assert shows(output, "one 0.25\ntwo […] x\n")
    assert not shows(output, "two […] x\none 0.25\n")
    assert not shows(output, "one 0.2\n")


@pytest.mark.parametrize("page", [p for p in PAGES if run_blocks(p, "json")], ids=page_name)
def test_the_rows_that_a_page_shows_can_be_scored(page: Path, tmp_path: Path) -> None:
    for block in run_blocks(page, "json"):
        rows = tmp_path / "rows.jsonl"
        rows.write_text(block.text, "utf-8")
        (example,) = package.read(rows)
        assert example.knowledge
        assert example.id == json.loads(block.text)["id"]


@pytest.fixture
def model() -> Iterator[str]:
    """The name and address of a scripted model behind a real server."""
    with serving(saying(sensible)) as server:
        yield f"tiny@{server.url}/v1"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page_name(page), marks=marks(page_name(page))) for page in COMMANDS],
)
def test_the_commands_of_a_page_run_and_print_what_it_shows(
    page: Path, staytrue: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    prepare(page_name(page), tmp_path, staytrue)
    shell = Shell(tmp_path, staytrue, monkeypatch, {"MODEL@URL": model})
    try:
        for block in run_blocks(page, "bash", "python", "text"):
            shell.follow(block)
    finally:
        shell.close()
