"""Every command that a page shows exists, with every option that it shows; so do imported names."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import click
import pytest
from tests.conftest import REPOSITORY
from tests.pages import PAGES

from staytrue.cli import app

# In inline code, or a line of a block; what a shell would run after it belongs to it no more.
COMMAND = re.compile(r"(?:`|^\s*(?:\$ )?)(staytrue [^`\n]+)", re.M)
CONTINUED = re.compile(r"\s*\\\n\s*")
IMPORT = re.compile(r"^ *(from staytrue[\w.]* import [\w, ]+)$", re.M)
PACKAGE = REPOSITORY / "src"


def shown(page: Path) -> list[str]:
    """The commands of a page, without what follows a pipe or a comment."""
    text = CONTINUED.sub(" ", page.read_text("utf-8"))
    return [re.split(r"\s[|#>&]|;", one)[0].strip() for one in COMMAND.findall(text)]


def words(command: str) -> list[str]:
    try:
        return shlex.split(command)[1:]
    except ValueError:  # a quote that goes on in the next line
        return command.split()[1:]


@pytest.mark.parametrize("page", [p for p in PAGES if shown(p)], ids=lambda p: p.name)
def test_the_commands_of_a_page_exist_with_their_options(page: Path) -> None:
    for line in shown(page):
        command: click.Command = app
        rest = words(line)
        while isinstance(command, click.Group) and rest and re.fullmatch(r"[a-z]+", rest[0]):
            inner = command.get_command(click.Context(command), rest.pop(0))
            assert inner is not None, f"{page.name}: there is no such command: {line}"
            command = inner
        known = {name for parameter in command.params for name in parameter.opts} | {
            *app.context_settings["help_option_names"], "--version",
            *(name for parameter in app.params for name in parameter.opts),
        }  # fmt: skip
        options = {word.partition("=")[0].rstrip(".,:;)") for word in rest if word[:2] == "--"}
        assert options <= known, f"{page.name}: {options - known} in: {line}"


def imports(page: Path) -> list[str]:
    return IMPORT.findall(page.read_text("utf-8"))


@pytest.mark.parametrize("page", [p for p in PAGES if imports(p)], ids=lambda p: p.name)
def test_what_a_page_imports_is_there(page: Path) -> None:
    """Read, not imported: a bridge needs another tool's package."""
    for line in imports(page):
        (statement,) = ast.parse(line).body
        assert isinstance(statement, ast.ImportFrom)
        module = PACKAGE / (statement.module or "").replace(".", "/")
        names = {alias.name for alias in statement.names}
        if module.is_dir():
            names = {name for name in names if not (module / f"{name}.py").is_file()}
            module = module / "__init__"
        source = module.with_suffix(".py").read_text("utf-8")
        missing = {name for name in names if not re.search(rf"\b{name}\b", source)}
        assert not missing, f"{page.name}: {line}"


def test_addresses_have_the_port_that_the_server_has() -> None:
    serve = app.get_command(click.Context(app), "serve")
    assert serve is not None
    (port,) = (option.default for option in serve.params if option.name == "port")
    for page in PAGES:
        for shown_port in re.findall(r"(?:localhost|127\.0\.0\.1):(\d+)", page.read_text("utf-8")):
            assert shown_port == str(port), page.name


def test_a_command_that_does_not_exist_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Run `staytrue scroe FILE --metric q2`, or\n\n    staytrue score x | head\n")
    assert shown(page) == ["staytrue scroe FILE --metric q2", "staytrue score x"]
    assert app.get_command(click.Context(app), "scroe") is None
