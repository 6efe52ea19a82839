"""Open a GGUF file through llama.cpp, for chatbots and for questions: no server, no network."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from staytrue.core.errors import MissingExtra, ModelError


def load_llama(path: str, purpose: str, *, context: int, threads: int) -> Any:
    """The model behind the file; `purpose` is what a missing extra is missing for."""
    try:
        xllamacpp = import_module("xllamacpp")
    except ImportError:
        raise MissingExtra(purpose, "gguf") from None
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.n_ctx = context
    settings.cpuparams.n_threads = threads
    settings.n_parallel = 1
    settings.n_gpu_layers = 0
    settings.verbosity = 0
    # What is left of the last prompt changes rounding, and with it the sample.
    settings.cache_prompt = False
    settings.cache_ram_mib = 0
    try:
        return xllamacpp.Server(settings)
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"{path} is not a GGUF model that llama.cpp can read: {error}.") from None
