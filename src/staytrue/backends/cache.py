"""A backend that remembers: what several metrics of a run ask alike is computed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Any, TypeVar

from staytrue.core.protocols import (
    Answer,
    Backend,
    Claim,
    Entailment,
    Grounding,
    Pair,
    Query,
    Span,
    Target,
)

Asked = TypeVar("Asked", bound=Hashable)
KEPT = 100_000


class CachedBackend:
    """Wrap a backend; its answers stay the same, repeated questions cost nothing.

    Use it as `CachedBackend(load_backend("embedded"))`. Memory is bounded: of each kind the
    latest `kept` answers stay.
    """

    def __init__(self, backend: Backend, kept: int = KEPT) -> None:
        self.inner: Any = backend
        self._kept = kept
        self._known: dict[str, OrderedDict[Hashable, Any]] = {}
        self._lock = Lock()
        self.name = getattr(backend, "name", type(backend).__name__)

    def models(self) -> Mapping[str, str]:
        """Those of the backend inside."""
        models: Mapping[str, str] = self.inner.models()
        return models

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """As the backend inside does."""
        return self._remembered("claims", texts)

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """As the backend inside does."""
        return self._remembered("spans", texts)

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """As the backend inside does."""
        return self._remembered("ask", targets)

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """As the backend inside does."""
        return self._remembered("answer", queries)

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """As the backend inside does."""
        return self._remembered("infer", pairs)

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """As the backend inside does."""
        return self._remembered("classify", items)

    def encode(self, texts: Sequence[str]) -> list[Any]:
        """As the backend inside does."""
        return self._remembered("encode", texts)

    def _remembered(self, method: str, asked: Sequence[Asked]) -> list[Any]:
        with self._lock:
            known = self._known.setdefault(method, OrderedDict())
            found = {item: known[item] for item in set(asked) if item in known}
        fresh = [item for item in dict.fromkeys(asked) if item not in found]
        if fresh:
            compute: Callable[[Sequence[Asked]], list[Any]] = getattr(self.inner, method)
            found.update(zip(fresh, compute(fresh), strict=True))
        with self._lock:
            for item in fresh:
                known[item] = found[item]
            while len(known) > self._kept:
                known.popitem(last=False)
        return [found[item] for item in asked]
