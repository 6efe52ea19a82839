"""`staytrue doctor`: is everything that scoring needs installed, and does it work?"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
import time
from importlib.metadata import requires, version

import click

from staytrue.core.errors import StaytrueError, one_line

# Extra → a module that only it installs.
EXTRAS = {
    "parquet": "pyarrow", "hf": "transformers", "gguf": "xllamacpp", "web": "fastapi",
    "ray": "ray", "postgres": "psycopg", "deepeval": "deepeval", "ragas": "ragas",
    "langchain": "langchain_core", "datasets": "datasets", "inspect": "inspect_ai",
    "llamaindex": "llama_index", "mlflow": "mlflow", "wandb": "wandb",
}  # fmt: skip
_KNOWLEDGE = "The museum opens at nine and closes at six. Entry costs twelve pounds."


@click.command()
def command() -> None:
    """Check the installation: models, language pipeline, plug-ins, extras."""
    from staytrue.core.installing import install_line

    failed = False
    for name, check in (
        ("packages", _packages),
        ("metrics", _metrics),
        ("English pipeline", _pipeline),
        ("models", _models),
    ):
        try:
            click.echo(f"ok    {name}: {check()}")
        except Exception as error:  # whatever is broken: that is what the command is for
            failed = True
            told = str(error) if isinstance(error, StaytrueError) else _told(error)
            click.echo(f"FAIL  {name}: {told}")
    for extra, module in EXTRAS.items():
        if importlib.util.find_spec(module) is None:
            click.echo(f"–     {extra}: not installed ({install_line(extra)})")
        else:
            click.echo(f"ok    {extra}: installed")
    if failed:
        sys.exit(1)


def _told(error: Exception) -> str:
    from staytrue.core.installing import install_line

    what = one_line(f"{type(error).__name__}: {error}", 200).rstrip(".")
    return f"{what}: reinstall with  {install_line(again=True)}."


def _packages() -> str:
    needed = [text for text in requires("staytrue") or () if "extra ==" not in text]
    for text in needed:
        version(re.split(r"[^\w.-]", text, maxsplit=1)[0])
    return (
        f"staytrue {version('staytrue')} on Python {platform.python_version()}, "
        f"{platform.system()}, {os.cpu_count()} cores, {len(needed)} required packages"
    )


def _metrics() -> str:
    """All metrics load; other parts may miss their extra, which is no fault."""
    from staytrue.plugins.registry import GROUPS, load_part, names

    for name in names("metrics"):
        load_part("metrics", name)
    return ", ".join(f"{len(names(group))} {group}" for group in GROUPS)


def _pipeline() -> str:
    from staytrue.english.parses import parse

    words = [token.text for doc in parse(["It opens at nine."]) for token in doc]
    if len(words) != 5:
        raise StaytrueError("The English pipeline reads a sentence wrongly: reinstall staytrue.")
    return "reads a sentence"


def _models() -> str:
    """Two answers whose verdicts are beyond doubt, judged as every answer is."""
    from staytrue.backends.embedded import EmbeddedBackend
    from staytrue.runs.scoring import score

    answers = ["The museum opens at nine.", "Entry costs ninety pounds."]
    start = time.monotonic()
    right, wrong = score(answers, _KNOWLEDGE)
    seconds = time.monotonic() - start
    if right is None or wrong is None or not wrong < 0.5 < right:
        raise StaytrueError(
            f"The models judge wrongly (right {right}, wrong {wrong}): their files are damaged or "
            "from another version; reinstall staytrue."
        )
    size = EmbeddedBackend().size
    used = "small and large models" if size == "both" else f"size {size}"
    told = f"tell a right answer ({right:.2f}) from a wrong one ({wrong:.2f})"
    return f"{told} in {seconds:.1f} s; {used}"
