"""Models of the Hugging Face hub, as the papers used them."""

from __future__ import annotations

from staytrue.backends.huggingface.backend import HuggingFaceBackend

__all__ = ["HuggingFaceBackend"]
