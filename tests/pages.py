"""The pages of the documentation, their blocks, and the blocks that no test can run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import REPOSITORY

PAGES = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *(REPOSITORY / "docs").glob("*.md"),
        *(REPOSITORY / "examples").rglob("*.md"),
        *(REPOSITORY / "packages").glob("*/*.md"),
        *(REPOSITORY / "training" / "cards").glob("*.md"),
    ]
)

_DRAWING = "a drawing"
_NETWORK = "installs from a network"
_SERVER = "sets up a Debian server as root; tests/web/test_deploy.py runs its scripts"
_TRAINING = "trains for hours, on data that is not shipped; tests/training runs every step on toys"
_BRIDGE = "needs the package of another tool; tests/integrations/bridges/{} calls the same"


NOT_RUN = {
    "ARCHITECTURE.md": {
        "load → elicit": _DRAWING,
        "core/ ": _DRAWING,
        "examples.jsonl ": _DRAWING,
    },
    "README.md": {"make demo": _NETWORK},
    "begin.md": {
        "python -m training.begin_classifier": "needs the Hugging Face hub; "
        "tests/training/test_begin_classifier.py runs it on a toy",
    },
    "bridges.md": {
        "from deepeval ": _BRIDGE.format("check_deepeval.py"),
        "from staytrue.integrations.ragas ": _BRIDGE.format("check_ragas.py"),
        "from staytrue.integrations.langchain ": _BRIDGE.format("check_langchain.py"),
        "from staytrue.integrations.huggingface ": _BRIDGE.format("check_datasets.py"),
        "from staytrue.integrations.inspect ": _BRIDGE.format("check_inspect.py"),
        "from staytrue.integrations.llamaindex ": _BRIDGE.format("check_llamaindex.py"),
        "from llama_index.core.instrumentation ": _BRIDGE.format("check_llamaindex.py"),
        "from staytrue.integrations.mlflow ": _BRIDGE.format("check_mlflow.py"),
        "from staytrue.integrations.wandb ": _BRIDGE.format("check_wandb.py"),
        "settings = rg.Settings(": _BRIDGE.format("check_argilla.py"),
    },
    "cluster.md": {
        "pip install": _NETWORK,
        "staytrue score responses.jsonl --metric q2 --engine ray://HOST": "needs a cluster; "
        "tests/runs/engines/test_partitions.py stages and merges shards in the same way",
        "python -m benchmarks.memory": "takes a quarter of an hour; "
        "tests/benchmarks/test_memory.py watches a short run",
    },
    "deploy/README.md": {
        "apt-get install": _SERVER,
        "sudo -u staytrue /opt": _SERVER,
        "sudo -u staytrue ./backup.sh": _SERVER,
        "systemctl stop": _SERVER,
        "staytrue accounts": "needs a server's accounts; tests/cli/test_accounts.py makes some",
    },
    "peers.md": {
        "STAYTRUE_BRIDGES=": "installs from a network and needs a model; "
        "tests/benchmarks/test_peers.py asks a scripted one",
    },
    "plugin/README.md": {
        "pip install .": "installs a package; tests/test_plugin_example.py does so elsewhere",
    },
    "report-and-app.md": {
        "pip install '.[web]'": _NETWORK,
        "pip install '.[web,postgres]'": _NETWORK,
    },
    "staytrue-models-large/README.md": {
        "pip install": _NETWORK,
        "python -m training.mixed_data": _TRAINING,
    },
    "start.md": {
        "python3 -m venv": _NETWORK,
        'eval "$(_STAYTRUE': "belongs in the start-up file of a shell; "
        "tests/cli/test_main.py runs the command in it",
    },
}
"""Page → how a block begins → why it is not run. Paths in a reason must exist."""


@dataclass(frozen=True)
class Block:
    """A block of code, commands, data or output."""

    language: str
    """As the fence names it; "" if it names none, "indented" without a fence."""
    text: str

    @property
    def file(self) -> str | None:
        """The file that a reader saves it to: Python whose first line is a comment with a name."""
        named = re.match(r"# (\w+\.py)\n", self.text)
        return named[1] if named and self.language == "python" else None


_FENCED = r"^ *```(\w*)\n([\s\S]*?)^ *```$"
_INDENTED = r"(?:(?<=\n\n)|\A)( {4}\S.*\n(?: {4}.*\n|\n(?= {4}))*)"
_BLOCK = re.compile(f"{_FENCED}|{_INDENTED}", re.M)


def page_name(page: Path) -> str:
    """What tells pages apart: there are several README.md."""
    inside = page.parent not in (REPOSITORY, REPOSITORY / "docs")
    return f"{page.parent.name}/{page.name}" if inside else page.name


def blocks_of(text: str) -> list[Block]:
    """Every block, fenced or indented, in order."""
    return [
        Block("indented" if indented else language, indented or fenced)
        for language, fenced, indented in _BLOCK.findall(text)
    ]


def reason_not_to_run(page: Path, block: Block) -> str | None:
    """Why no test runs the block, if it is one of those."""
    listed = NOT_RUN.get(page_name(page), {})
    return next((why for start, why in listed.items() if block.text.startswith(start)), None)


def run_blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page that tests run, in order."""
    return [
        block
        for block in blocks_of(page.read_text("utf-8"))
        if block.language in languages and not reason_not_to_run(page, block)
    ]
