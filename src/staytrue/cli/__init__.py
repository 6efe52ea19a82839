"""The command `staytrue`; each subcommand is one module that loads only when it is called."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from staytrue.core.errors import StaytrueError, nearest_name, printable
from staytrue.core.redaction import redact
from staytrue.english.parses import SPARE_TORCH

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Subcommand → module in this package whose `command` it is, and its line in the overview.
COMMANDS = {
    "init": ("init", "Write an example file, a test and a CI workflow to start from."),
    "doctor": ("doctor", "Check that everything is installed and works."),
    "score": ("score", "Score a file of dialogues and write a run folder."),
    "agree": ("agree", "Compare a run's verdicts with the human labels in it."),
    "threshold": ("threshold", "Choose a score threshold from the human labels of a run."),
    "compare": ("compare", "Compare two runs that have the same signature."),
    "report": ("report", "Write a run's report as one HTML file."),
    "merge": ("merge", "Join the run folders of several shards into one."),
    "list": ("list", "List metrics, backends, chatbots or datasets."),
    "controls": ("controls", "Score Q² with random knowledge, as a control."),
    "perturb": ("perturb", "Make silver data from grounded dialogues (BEGIN)."),
    "questionnaire": ("questionnaire", "BEGIN's annotation sheets and label rule."),
    "interrogate": ("interrogate", "Let chatbots talk, ask them about it, rank them (AIH)."),
    "annotate": ("annotate", "Sheets and tasks for people who judge inquiries or responses."),
    "probes": ("probes", "Build and place questions about persona and history (ConsisTest)."),
    "probe": ("probe", "Put probes to a chatbot and judge its answers (ConsisTest)."),
    "serve": ("serve", "Browse runs, judge by hand and chat blind in a local web app."),
    "accounts": ("accounts", "Manage a server's accounts: roles, passwords, personal data."),
}


class _LazyGroup(click.Group):
    """Knows every subcommand's name and help line without importing its module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"staytrue.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = "" if args[0] in COMMANDS else nearest_name(args[0], COMMANDS)
        if near and not ctx.resilient_parsing:  # so that the shell can complete
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{near}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _size_limit(name: str, what: str, megabytes: int) -> Callable[[_Function], _Function]:
    return click.option(
        f"--max-{name}-mb", type=click.IntRange(1), metavar="N",
        help=f"{what}: at most N MB [default: {megabytes:,}].",
    )  # fmt: skip


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="staytrue")
@_size_limit("line", "A line of an input file", 64)
@_size_limit("expanded", "A gzipped input file, unpacked", 8_192)
@_size_limit("json", "A JSON input file that is one list", 512)
def app(**limits: int | None) -> None:
    """Does your chatbot stay true to its knowledge, to itself and to its persona?"""
    # As variables, because whatever reads files may do so in another process.
    os.environ.update({f"STAYTRUE_{k.upper()}": str(v) for k, v in limits.items() if v})


def main() -> None:
    """Run the command; an error that a user can cause is one sentence and exit code 2."""
    os.environ.setdefault(SPARE_TORCH, "1")
    try:
        sys.exit(app.main(standalone_mode=False) or 0)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted. Rerun the same command to resume.", err=True)
        sys.exit(130)
    except StaytrueError as error:
        click.echo(f"error: {printable(redact(str(error)))}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has gone
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        click.echo(f"error: {printable(redact(file_trouble(error)))}", err=True)
        sys.exit(2)


def file_trouble(error: OSError) -> str:
    """What the system refused, as one sentence that says what to do."""
    name = f" {error.filename}" if error.filename is not None else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full{name and f', at{name}'}: free some space and run it again."
    why = error.strerror or str(error) or type(error).__name__
    if not name:
        return f"The system refused a file or connection ({why}): check both and run it again."
    return f"Cannot read or write{name} ({why}): check the path and its permissions."
