"""`staytrue init [FOLDER]`: files to start from, in a chatbot's repository."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from staytrue.core.errors import UsageError

_STARTER = Path(__file__).parent / "starter"
# Where each file goes.
FILES = {
    "answers.jsonl": "tests/answers/answers.jsonl",
    "answers_test.txt": "tests/answers/test_answers.py",
    "workflow.yml": ".github/workflows/staytrue.yml",
}


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def command(folder: Path, force: bool) -> None:
    """Write an example file, a test and a CI workflow into FOLDER [default: here]."""
    there = [file_name for file_name in FILES.values() if (folder / file_name).exists()]
    if there and not force:
        raise UsageError(f"{folder / there[0]} exists: add --force to overwrite it.")
    for name, file_name in FILES.items():
        target = folder / file_name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((_STARTER / name).read_bytes())
        click.echo(f"wrote {target}")
    click.echo(f"Next: put answers of your chatbot into {folder / FILES['answers.jsonl']}, then")
    click.echo(f"  staytrue score {folder / FILES['answers.jsonl']}")
    # The plug-in comes with staytrue; pytest itself is the project's own choice.
    if importlib.util.find_spec("pytest") is None:
        click.echo("  pip install pytest")
    click.echo(f"  pytest {folder / 'tests/answers'}")
