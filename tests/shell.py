"""Does what a page tells its reader to do, block by block, in one folder."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from tests.conftest import REPOSITORY, Command
from tests.pages import Block

_STATUS = re.compile(r"# exits with status (\d)")


def statements(text: str) -> list[str]:
    """The commands of a block; a backslash, an open quote or a here-document continues a line."""
    done, current = [], ""
    for line in text.splitlines(keepends=True):
        current += line
        if current.strip() and _is_whole(current):
            done.append(current.strip())
            current = ""
    assert not current.strip(), f"The block ends within a command: {current}"
    return done


def _is_whole(command: str) -> bool:
    if here := re.search(r"<<'?(\w+)'?\n", command):
        return command.endswith(f"\n{here[1]}\n")
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return not command.endswith("\\\n")


class Shell:
    """A reader at a terminal: `staytrue` runs in this process, so that models load once."""

    def __init__(
        self,
        folder: Path,
        staytrue: Command,
        monkeypatch: pytest.MonkeyPatch,
        stand_ins: Mapping[str, str],
    ) -> None:
        self.folder, self.staytrue, self.monkeypatch = folder, staytrue, monkeypatch
        self.stand_ins = dict(stand_ins)
        """What a page writes → what stands for it here, such as the address of a server."""
        self.output = ""
        self.server: subprocess.Popen[bytes] | None = None
        # `pytest` and `python` of the environment that the tests run in.
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        monkeypatch.setenv("PATH", programs)
        # `python -m benchmarks…` and `-m reproduce…` run in a checkout.
        monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))

    def follow(self, block: Block) -> None:
        """Run the commands of a block, save its file, or find its text in what was printed."""
        if block.file:
            (self.folder / block.file).write_text(block.text, "utf-8")
        elif block.language == "text":
            assert shows(self.output, block.text), f"{block.text}\nis not in\n{self.output}"
        elif block.language == "bash":
            self.output = ""
            for command in statements(block.text):
                self._run(command)

    def _run(self, command: str) -> None:
        for shown, meant in self.stand_ins.items():
            command = command.replace(shown, meant)
        words = shlex.split(command.replace("\\\n", " "), comments=True)
        if words[0] == "export":
            for name, _, value in (word.partition("=") for word in words[1:]):
                self.monkeypatch.setenv(name, value)
            return
        if words[:2] == ["staytrue", "serve"]:
            self._serve(words[1:])
            return
        if words[0] == "staytrue":
            done = self.staytrue(*words[1:])
        else:
            done = subprocess.run(
                ["bash", "-c", command], cwd=self.folder, capture_output=True, text=True
            )
        status = _STATUS.search(command)
        transcript = f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == (int(status[1]) if status else 0), transcript
        self.output += done.stdout

    def _serve(self, arguments: list[str]) -> None:
        """Start a server in place of the one before, on a free port, and wait until it answers."""
        self.close()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.stand_ins["localhost:8000"] = f"127.0.0.1:{port}"
        command = [sys.executable, "-m", "staytrue", *arguments, "--port", str(port)]
        self.server = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        ready, patience = f"http://127.0.0.1:{port}/ready", time.monotonic() + 300
        while time.monotonic() < patience:
            assert self.server.poll() is None, f"{arguments} ended"
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(ready, timeout=60, trust_env=False).status_code == 200:
                    return
            time.sleep(0.2)
        raise AssertionError(f"{arguments} did not get ready")

    def close(self) -> None:
        """Stop the server, if there is one."""
        if self.server:
            self.server.terminate()
            self.server.wait(30)
            self.server = None


def shows(output: str, text: str) -> bool:
    """Whether the lines of a text are in an output, in this order; "…" stands for anything."""
    # Spaces depend on how wide the terminal is.
    lines = iter([" ".join(line.split()) for line in output.splitlines()])
    wanted = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    patterns = [".*".join(map(re.escape, line.split("…"))) for line in wanted]
    return all(any(re.fullmatch(pattern, line) for line in lines) for pattern in patterns)
