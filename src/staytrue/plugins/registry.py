"""Names → objects, lazily, from entry points; the built-in parts use the same door as plug-ins."""

from __future__ import annotations

import hashlib
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import Any, Literal

from staytrue.core import signature
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Backend, Chatbot, DatasetReader, Metric
from staytrue.core.records import Example, Verdict
from staytrue.plugins.option_values import number, one_of, switch

GROUPS = ("metrics", "backends", "chatbots", "datasets")
DEFAULT_BACKEND = "embedded"


@dataclass(frozen=True)
class NamedMetric:
    """A metric, the name that it was asked for by, and what makes its scores comparable."""

    name: str
    metric: Metric
    signature: str

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """Judge the examples; every verdict carries the name as asked for."""
        return [replace(verdict, metric=self.name) for verdict in self.metric.judge(examples)]


def names(group: str) -> dict[str, str]:
    """Registered names of a group → where each comes from (`module:object`)."""
    return {name: entry.value for name, entry in sorted(_entries(group).items())}


def load_metric(
    spec: str, *, backend: Backend | str | None = None, seed: int = 0, **options: Any
) -> NamedMetric:
    """Load a metric by name, options after commas (`q2,nli=off`) or as keywords."""
    name, given = parse_spec(spec)
    given.update(options)
    factory = _load("metrics", name)
    accepted = inspect.signature(factory).parameters
    settings = _typed_options(f"metric {name}", factory, given)
    parts: dict[str, object] = {"staytrue": version("staytrue")}
    if "backend" in accepted:
        loaded = load_backend(backend or DEFAULT_BACKEND)
        parts |= _backend_parts(name, factory, loaded)
        settings["backend"] = loaded
    if "seed" in accepted:
        settings["seed"] = seed
    metric = factory(**settings)
    for option, parameter in accepted.items():
        if option not in ("backend", "seed"):
            # One option may set others: what the metric holds is what it does.
            value = getattr(metric, option, settings.get(option, parameter.default))
            parts[option] = _content_of(value)
    parts["seed"] = seed
    shown = ",".join([name, *(f"{k}={v}" for k, v in given.items())])
    return NamedMetric(shown, metric, signature.write(name, parts))


def _content_of(value: Any) -> Any:
    """A file by its name and the hash of its content: a path says nothing about what is in it."""
    # A name without a suffix is an option's value, even if a file happens to be called like it.
    if not isinstance(value, str) or not Path(value).suffix or not Path(value).is_file():
        return value
    return f"{Path(value).name}@{hashlib.sha256(Path(value).read_bytes()).hexdigest()[:12]}"


def load_backend(spec: str | Backend, **options: Any) -> Backend:
    """Load a backend by name, options after commas or as keywords; its models load when used."""
    if not isinstance(spec, str):
        return spec
    name, given = parse_spec(spec)
    given.update(options)
    return _cached_backend(name, tuple(sorted(given.items())))


@lru_cache(maxsize=8)
def _cached_backend(name: str, options: tuple[tuple[str, Any], ...]) -> Backend:
    # Metrics of one run share the loaded models.
    factory = _load("backends", name)
    backend: Backend = factory(**_typed_options(f"backend {name}", factory, dict(options)))
    return backend


def load_chatbot(spec: str) -> Chatbot:
    """Load a chatbot from its spec, such as `persona:seed=1,slip=0.2`."""
    name, _, rest = spec.partition(":")
    bot: Chatbot = _load("chatbots", name)(rest)
    return bot


def load_dataset(name: str) -> DatasetReader:
    """Load the reader of a named benchmark, such as `q2`."""
    reader: DatasetReader = _load("datasets", name)
    return reader


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split `name,option=value,…`."""
    name, *pairs = (part.strip() for part in spec.split(","))
    options = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(
                f"'{pair}' in '{spec}' is not an option: write NAME,option=value,option=value."
            )
        options[key.strip()] = value.strip()
    return name, options


def _entries(group: str) -> Mapping[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=f"staytrue.{group}")}


def _load(group: str, name: str) -> Callable[..., Any]:
    known = _entries(group)
    if name not in known:
        kind = group.removesuffix("s")
        raise UsageError(f"There is no {kind} '{name}'; choose one of: {', '.join(sorted(known))}.")
    loaded: Callable[..., Any] = known[name].load()
    return loaded


def _backend_parts(name: str, factory: Callable[..., Any], backend: Backend) -> dict[str, str]:
    models = backend.models()
    used = getattr(factory, "uses", tuple(models))
    missing = [method for method in used if method not in models]
    if missing:
        raise UsageError(
            f"Metric {name} needs a backend that can {' and '.join(missing)}; "
            f"this one can {', '.join(models) or 'do nothing'}."
        )
    kind = getattr(backend, "name", type(backend).__name__)
    return {"backend": kind, **{method: models[method] for method in used}}


def _typed_options(
    owner: str, factory: Callable[..., Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Check the options against the constructor and turn command-line text into their types."""
    target = factory.__init__ if inspect.isclass(factory) else factory
    hints = typing.get_type_hints(target)
    allowed = [
        p for p in inspect.signature(factory).parameters if p not in ("backend", "seed", "self")
    ]
    unknown = [option for option in given if option not in allowed]
    if unknown:
        has = f"it has: {', '.join(allowed)}" if allowed else "it has none"
        raise UsageError(f"The {owner} has no option '{unknown[0]}'; {has}.")
    return {k: _typed(f"{k} of {owner}", v, hints.get(k, str)) for k, v in given.items()}


def _typed(option: str, value: Any, hint: Any) -> Any:
    if typing.get_origin(hint) is Literal:
        return one_of(option, value, typing.get_args(hint))
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [h for h in typing.get_args(hint) if h is not type(None)]
        return _typed(option, value, inner[0]) if len(inner) == 1 else value
    if hint is bool and isinstance(value, str):
        return switch(option, value)
    if hint in (int, float) and isinstance(value, str):
        return number(option, value, hint)
    return value
