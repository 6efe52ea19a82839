"""Remember what models answered: in memory for one run, on disk for runs and processes to come."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, astuple, is_dataclass
from importlib.metadata import version
from threading import Lock
from typing import Any, TypeVar

from staytrue.backends.store import AnswerStore, key_of
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
            answers = {item: known[item] for item in set(asked) if item in known}
        fresh = [item for item in dict.fromkeys(asked) if item not in answers]
        if fresh:
            compute: Callable[[Sequence[Asked]], list[Any]] = getattr(self.inner, method)
            answers.update(zip(fresh, compute(fresh), strict=True))
        with self._lock:
            for item in fresh:
                known[item] = answers[item]
            while len(known) > self._kept:
                known.popitem(last=False)
        return [answers[item] for item in asked]


# What an answer is made of again; those of other methods are lists and dictionaries as they are.
_RECORDS: Mapping[str, Callable[..., Any]] = {"answer": Answer, "infer": Entailment}


class DiskCache:
    """Answers of models in a folder, at most so many megabytes; several processes may share it.

    An answer is kept under what was asked, the method, the model with its revision and our
    version, so that nothing else can be taken for it.
    """

    def __init__(self, folder: str, megabytes: float) -> None:
        self._store = AnswerStore(folder, megabytes)
        self._version = version("staytrue")

    def answers(
        self,
        method: str,
        model: str,
        asked: Sequence[Any],
        compute: Callable[[Sequence[Any]], list[Any]],
    ) -> list[Any]:
        """What the model answers; it computes what is not on disk, each different item once."""
        keys = {
            item: key_of(self._version, method, model, astuple(item))
            for item in dict.fromkeys(asked)
        }
        stored = self._store.get_all(keys.values())
        answers = {}
        for item, key in keys.items():
            if key in stored and (known := _read(method, stored[key])) is not None:
                answers[item] = known
        fresh = [item for item in keys if item not in answers]
        if fresh:
            computed = dict(zip(fresh, compute(fresh), strict=True))
            self._store.put_all({keys[item]: _written(one) for item, one in computed.items()})
            answers |= computed
        return [answers[item] for item in asked]


def _written(answer: Any) -> Any:
    return asdict(answer) if is_dataclass(answer) and not isinstance(answer, type) else answer


def _read(method: str, stored: Any) -> Any:
    """The answer as the model gave it; None for what no longer is one."""
    record = _RECORDS.get(method)
    try:
        return record(**stored) if record else stored
    except TypeError:
        return None
