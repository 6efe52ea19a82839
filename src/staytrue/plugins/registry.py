"""Names → objects, lazily, from entry points; the built-in parts use the same door as plug-ins."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import Any

from staytrue.core import signature
from staytrue.core.errors import StaytrueError, UsageError
from staytrue.core.protocols import Backend, Chatbot, DatasetReader, Metric
from staytrue.core.records import Example, Verdict
from staytrue.core.text import nearest_name, one_line
from staytrue.plugins.options import option_parameters, parse_spec, split_main, typed_options

GROUPS = ("metrics", "backends", "chatbots", "datasets")
DEFAULT_BACKEND = "embedded"
# Arguments of metrics that the registry fills in; they are no options.
RESERVED = ("backend", "seed")
_OURS = "staytrue"


class BadVerdict(ValueError):
    """A metric returned something that is no verdict on the examples that it was given."""


@dataclass(frozen=True)
class NamedMetric:
    """A metric, the name that it was asked for by, and what makes its scores comparable."""

    name: str
    metric: Metric
    signature: str

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """Judge the examples; verdicts carry the name as asked for, and are checked.

        Whoever judges goes through here, so that no caller can forget the check.
        """
        return _checked(self.name, examples, self.metric.judge(examples))


def _checked(name: str, examples: Sequence[Example], returned: Any) -> list[Verdict]:
    """The verdicts under the metric's name as asked for, or a BadVerdict that says what is wrong.

    Without this, a metric that leaves out one verdict would give each later example another's.
    """
    verdicts = list(returned) if isinstance(returned, Sequence) else None
    if verdicts is None or not all(isinstance(verdict, Verdict) for verdict in verdicts):
        raise BadVerdict("the metric did not return a list of verdicts")
    if [verdict.example_id for verdict in verdicts] != [example.id for example in examples]:
        raise BadVerdict("the metric did not return one verdict per example, in order")
    return [replace(v, metric=name, score=_score(v), evidence=tuple(v.evidence)) for v in verdicts]


def _score(verdict: Verdict) -> float | None:
    """The score as Python's own float, where a library may give one of its own."""
    if verdict.score is None:
        if not verdict.reason:
            raise BadVerdict("the metric abstained without a reason")
        return None
    try:
        score = float(verdict.score)
    except (TypeError, ValueError):
        raise BadVerdict(f"the metric's score {verdict.score!r} is not a number") from None
    if not (math.isfinite(score) and 0 <= score <= 1):
        raise BadVerdict(f"the metric's score {score:g} is not in [0, 1]")
    return score


def names(group: str) -> dict[str, str]:
    """Registered names of a group → where each comes from (`module:object`)."""
    return {name: entries[0].value for name, entries in sorted(_entries(group).items())}


def load_metric(
    spec: str, *, backend: Backend | str | None = None, seed: int = 0, **options: Any
) -> NamedMetric:
    """Load a metric by name, options after commas (`q2,nli=off`) or as keywords."""
    name, given = parse_spec(spec)
    given.update(options)
    factory = load_part("metrics", name)
    accepted = inspect.signature(factory).parameters
    settings = typed_options(f"metric {name}", factory, given, RESERVED)
    parts: dict[str, object] = {_OURS: version(_OURS)}
    if package := _plug_in(_entries("metrics")[name][0]):
        parts["package"] = package
    if "backend" in accepted:
        loaded = load_backend(backend or DEFAULT_BACKEND)
        parts |= _backend_parts(name, factory, loaded)
        settings["backend"] = loaded
    if "seed" in accepted:
        settings["seed"] = seed
    metric = factory(**settings)
    for option, parameter in option_parameters(factory, RESERVED).items():
        # One option may set others: what the metric holds is what it does.
        value = getattr(metric, option, settings.get(option, parameter.default))
        parts[option] = _content_of(value)
    if "seed" in accepted:
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
    """Load a backend by name, options after commas or as keywords; its models load when used.

    What follows a colon is the argument `target` of backends that have one: `llm:MODEL@URL`.
    """
    if not isinstance(spec, str):
        return spec
    head, given = parse_spec(spec)
    name, colon, target = head.partition(":")
    if colon:
        given["target"] = target
    given.update(options)
    return _cached_backend(name, tuple(sorted(given.items())))


@lru_cache(maxsize=4)
def _cached_backend(name: str, options: tuple[tuple[str, Any], ...]) -> Backend:
    # Metrics of one run, and calls one after another, share the loaded models.
    factory = load_part("backends", name)
    backend: Backend = factory(**typed_options(f"backend {name}", factory, dict(options)))
    return backend


def forget_backends() -> None:
    """Let go of the models that were loaded last, so that their memory can be used again."""
    _cached_backend.cache_clear()


def load_chatbot(spec: str) -> Chatbot:
    """Load a chatbot from its spec, such as `persona:seed=1,slip=0.2`."""
    name, _, rest = spec.partition(":")
    load = load_part("chatbots", name)
    main_parameter, options = chatbot_parameters(load)
    if not options:  # the whole text is the loader's, commas and equals signs included
        if main_parameter is None and rest.strip():
            raise UsageError(f"The chatbot {name} has no options: write  {name}:")
        bot: Chatbot = load(rest) if main_parameter else load()
        return bot
    main, given = split_main(rest)
    if main and main_parameter is None:
        raise UsageError(
            f"The chatbot {name} takes options only, not '{main}': write {name}:option=value."
        )
    reserved = (main_parameter,) if main_parameter else ()
    settings = typed_options(f"chatbot {name}", load, given, reserved)
    bot = load(main, **settings) if main_parameter else load(**settings)
    return bot


def chatbot_parameters(
    load: Callable[..., Any],
) -> tuple[str | None, dict[str, inspect.Parameter]]:
    """The argument of a loader that takes a spec's main part, if one does; and its options."""
    parameters = option_parameters(load)
    main = next((n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY), None)
    return main, {name: p for name, p in parameters.items() if name != main}


def load_dataset(name: str) -> DatasetReader:
    """Load the reader of a named benchmark, such as `q2`."""
    reader: DatasetReader = load_part("datasets", name)
    return reader


def load_part(group: str, name: str) -> Callable[..., Any]:
    """The class or function behind a name; what is wrong with a plug-in is one sentence."""
    known = _entries(group)
    kind = group.removesuffix("s")
    if name not in known:
        near = nearest_name(name, known)
        hint = f" (did you mean '{near}'?)" if near else ""
        raise UsageError(
            f"There is no {kind} '{name}'{hint}; choose from: {', '.join(sorted(known))}."
        )
    entry, *others = known[name]
    if others:
        clash = " and ".join(sorted(_package(e) for e in (entry, *others)))
        outside = next(_package(e) for e in (*others, entry) if _package(e) != _OURS)
        raise UsageError(
            f"The packages {clash} both have a {kind} '{name}': uninstall {outside}, or rename "
            "its entry point."
        )
    try:
        loaded: Callable[..., Any] = entry.load()
    except StaytrueError:
        raise
    except Exception as error:  # a plug-in is foreign code: importing it may raise anything
        reason = one_line(f"{type(error).__name__}: {error}", 200).rstrip(".")
        raise UsageError(
            f"The {kind} '{name}' of the package {_package(entry)} cannot be imported ({reason}): "
            "update the package or uninstall it."
        ) from error
    return loaded


def _entries(group: str) -> dict[str, list[EntryPoint]]:
    """Name → its entry points; more than one if packages clash."""
    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=f"staytrue.{group}"):
        entries.setdefault(entry.name, []).append(entry)
    return entries


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else "unknown"


def _plug_in(entry: EntryPoint) -> str:
    """`package@version` of an outside part; empty for ours, which the version of staytrue names."""
    if entry.dist is None or entry.dist.name == _OURS:
        return ""
    return f"{entry.dist.name}@{entry.dist.version}"


def _backend_parts(name: str, factory: Callable[..., Any], backend: Backend) -> dict[str, str]:
    models = backend.models()
    used = getattr(factory, "uses", tuple(models))
    missing = [method for method in used if method not in models]
    if missing:
        raise UsageError(
            f"Metric {name} needs a backend with {' and '.join(missing)}, and this one has "
            f"{', '.join(models) or 'nothing'}: use --backend llm:MODEL@URL, which has everything."
        )
    parts = {"backend": getattr(backend, "name", type(backend).__name__)}
    if package := _package_of_backend(backend):
        parts["backend package"] = package
    return {**parts, **{method: models[method] for method in used}}


def _package_of_backend(backend: Backend) -> str:
    """`package@version` of an outside backend, also when it came as an object or in a cache."""
    kind = type(getattr(backend, "inner", backend))
    for entries in _entries("backends").values():
        for entry in entries:
            if (entry.module, entry.attr) == (kind.__module__, kind.__qualname__):
                return _plug_in(entry)
    return ""
