"""A large language model behind any OpenAI-compatible server: llm:MODEL@URL."""

from __future__ import annotations

from staytrue.backends.llm.backend import LlmBackend

__all__ = ["LlmBackend"]
