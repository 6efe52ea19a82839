"""Names → objects, lazily, from entry points; and their options: read from a spec, checked, typed.

The built-in parts use the same door as plug-ins. The arguments of a part's constructor or loader
are its options; their annotations say the types.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import Any, Literal

from staytrue.core.errors import StaytrueError, UsageError, nearest_name, one_line
from staytrue.core.protocols import Backend, Chatbot, DatasetReader, Metric
from staytrue.core.records import Example, Verdict, write_signature

GROUPS = ("metrics", "backends", "chatbots", "datasets")
DEFAULT_BACKEND = "embedded"
# Arguments of metrics that the registry fills in; they are no options.
RESERVED = ("backend", "seed")
_OURS = "staytrue"
_ON, _OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")
# A comma separates only if an option's name and an equals sign follow, so that URLs, paths and
# sentences may hold commas.
_OPTION = re.compile(r"\s*[a-z_]\w*\s*=", re.ASCII | re.IGNORECASE)
_SEPARATOR = re.compile(rf",(?={_OPTION.pattern})", _OPTION.flags)
# The least that options of these names may be: less would hang, or never ask.
_LEAST: Mapping[str, float] = {
    "concurrency": 1, "retries": 0, "backoff": 0, "max_tokens": 1, "context": 1, "threads": 0,
    "temperature": 0, "price_in": 0, "price_out": 0, "memory": 0, "per_minute": 0,
    "max_requests": 0, "max_cost": 0,
}  # fmt: skip
_ABOVE_ZERO = frozenset({"timeout", "top_p", "cache_megabytes"})


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
    if not all(isinstance(verdict.metric, str) for verdict in verdicts):
        raise BadVerdict("the metric put its score in the place of its name: write score=…")
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
    if not isinstance(spec, str):
        kind = getattr(spec, "__name__", type(spec).__name__)
        raise UsageError(
            f"Name the metric, such as 'overlap' or 'q2,nli=off', instead of passing {kind}: "
            "only metrics that are loaded by name have a signature."
        )
    name, given = parse_spec(spec)
    given.update(options)
    factory = load_part("metrics", name)
    accepted = inspect.signature(factory).parameters
    settings = typed_options(f"metric {name}", factory, given, RESERVED)
    parts: dict[str, object] = {_OURS: version(_OURS)}
    if package := _plug_in(_entries("metrics")[name][0]):
        parts["package"] = package
    if revision := getattr(factory, "revision", None):
        parts["revision"] = revision
    if "backend" in accepted:
        loaded = load_backend(backend or DEFAULT_BACKEND)
        parts |= _backend_parts(name, factory, loaded)
        settings["backend"] = loaded
    if "seed" in accepted:
        settings["seed"] = seed
    metric = factory(**settings)
    # What it reads with besides the backend, unless a model of the backend names it already.
    # A plug-in may call something else "models", such as an option.
    models = getattr(metric, "models", None)
    own: Mapping[str, str] = models() if callable(models) else {}
    signed = " ".join(map(str, parts.values()))
    parts |= {what: model for what, model in own.items() if model not in signed}
    for option, parameter in option_parameters(factory, RESERVED).items():
        # One option may set others: what the metric holds is what it does.
        value = getattr(metric, option, settings.get(option, parameter.default))
        parts[option] = _content_of(value)
    if "seed" in accepted:
        parts["seed"] = seed
    shown = ",".join([name, *(f"{k}={v}" for k, v in given.items())])
    return NamedMetric(shown, metric, write_signature(name, parts))


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
    name, given = _parse_backend(spec)
    given.update(options)
    return _cached_backend(name, tuple(sorted(given.items())))


def _parse_backend(spec: str) -> tuple[str, dict[str, Any]]:
    head, given = parse_spec(spec)
    name, colon, target = head.partition(":")
    if colon:
        given["target"] = target
    return name, given


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


def check_metric_spec(spec: str) -> None:
    """Refuse an unknown metric and wrong options; no backend is made."""
    name, given = parse_spec(spec)
    typed_options(f"metric {name}", load_part("metrics", name), given, RESERVED)


def check_backend_spec(spec: str) -> None:
    """Refuse an unknown backend and wrong options; the backend is not made."""
    name, given = _parse_backend(spec)
    typed_options(f"backend {name}", load_part("backends", name), given)


def _check_name(group: str, name: str) -> None:
    known = _entries(group)
    if name not in known:
        near = nearest_name(name, known)
        hint = f" (did you mean '{near}'?)" if near else ""
        raise UsageError(
            f"There is no {group.removesuffix('s')} '{name}'{hint}; "
            f"choose from: {', '.join(sorted(known))}."
        )


def load_part(group: str, name: str) -> Callable[..., Any]:
    """The class or function behind a name; what is wrong with a plug-in is one sentence."""
    _check_name(group, name)
    kind = group.removesuffix("s")
    entry, *others = _entries(group)[name]
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


def _plug_in(entry: EntryPoint | None) -> str:
    """`package@version` of an outside part; empty for ours, which the version of staytrue names."""
    if entry is None or entry.dist is None or entry.dist.name == _OURS:
        return ""
    return f"{entry.dist.name}@{entry.dist.version}"


def _backend_parts(name: str, factory: Callable[..., Any], backend: Backend) -> dict[str, str]:
    models = backend.models()
    used = getattr(factory, "uses", tuple(models))
    missing = [method for method in used if method not in models]
    if missing:
        raise UsageError(
            f"Metric {name} needs a backend with {' and '.join(missing)}, and this one has "
            f"{', '.join(models) or 'nothing'}: the backend llm:MODEL@URL has everything."
        )
    parts = {"backend": backend_name(backend)}
    if package := _plug_in(_backend_entry(backend)):
        parts["backend package"] = package
    return {**parts, **{method: models[method] for method in used}}


def backend_name(backend: Backend) -> str:
    """What a backend is called: as it says itself, as it is registered, or like its class."""
    inner = getattr(backend, "inner", backend)
    if own := getattr(backend, "name", None) or getattr(inner, "name", None):
        return str(own)
    entry = _backend_entry(backend)
    return entry.name if entry else type(inner).__name__


def _backend_entry(backend: Backend) -> EntryPoint | None:
    """The entry point behind a backend, also when it came as an object or in a cache."""
    kind = type(getattr(backend, "inner", backend))
    for entries in _entries("backends").values():
        for entry in entries:
            # A package may name what one of its modules defines.
            inside = f"{kind.__module__}.".startswith(f"{entry.module}.")
            if inside and entry.attr == kind.__qualname__:
                return entry
    return None


# Options


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split the spec of a metric or backend, `name,option=value,…`.

    A target that follows the name after a colon belongs to it, commas included.
    """
    name, options = split_main(spec)
    plain, comma, rest = name.partition(",")
    if (comma and ":" not in plain) or (options and not name):
        wrong = rest.strip() if comma else spec
        raise UsageError(
            f"'{wrong}' in '{spec}' is not an option: write NAME,option=value,option=value."
        )
    return name, options


def split_main(rest: str) -> tuple[str, dict[str, Any]]:
    """Split `main,option=value,…`, as every spec is; main may be empty."""
    parts = _SEPARATOR.split(rest)
    main = "" if _OPTION.match(parts[0]) else parts.pop(0)
    pairs = (part.partition("=") for part in parts)
    return main.strip(), {key.strip(): value.strip() for key, _, value in pairs}


def option_parameters(
    factory: Callable[..., Any], reserved: Collection[str] = ()
) -> dict[str, inspect.Parameter]:
    """The arguments of a part that are options: all but the reserved and the catch-alls."""
    catch_alls = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: parameter
        for name, parameter in inspect.signature(factory).parameters.items()
        if name not in reserved and parameter.kind not in catch_alls
    }


def typed_options(
    owner: str,
    factory: Callable[..., Any],
    given: Mapping[str, Any],
    reserved: Collection[str] = (),
) -> dict[str, Any]:
    """Check the options against the part's arguments and turn text into their types."""
    allowed = option_parameters(factory, reserved)
    unknown = [option for option in given if option not in allowed]
    if unknown:
        has = f"it has: {', '.join(allowed)}" if allowed else "it has none"
        raise UsageError(f"The {owner} has no option '{unknown[0]}'; {has}.")
    for name, parameter in allowed.items():
        if parameter.default is parameter.empty and name not in given:
            raise UsageError(f"The {owner} needs the option '{name}': add {name}=VALUE.")
    hints = _hints(factory)
    return {
        name: _typed(f"{name} of {owner}", value, hints.get(name, type(allowed[name].default)))
        for name, value in given.items()
    }


def closed_options(factory: Callable[..., Any], reserved: Collection[str] = ()) -> set[str]:
    """The options whose type itself says which values there are: choices, switches and numbers.

    Any other one, such as text, may name a file, a model or an address: only whoever runs the
    program may set it, never a stranger's request.
    """
    hints = _hints(factory)
    return {
        name for name in option_parameters(factory, reserved) if _is_closed(hints.get(name, str))
    }


def _is_closed(hint: Any) -> bool:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return all(map(_is_closed, typing.get_args(hint)))
    return typing.get_origin(hint) is Literal or hint in (bool, int, float, type(None))


def _hints(factory: Callable[..., Any]) -> dict[str, Any]:
    """The types of a part's arguments; those that only a type checker can see are left out."""
    target = factory.__init__ if inspect.isclass(factory) else factory
    try:
        return typing.get_type_hints(target)
    except Exception:  # an annotation is foreign code, and a name may lie under TYPE_CHECKING
        return _hints_one_by_one(factory, getattr(target, "__annotations__", {}))


def _hints_one_by_one(
    factory: Callable[..., Any], annotations: Mapping[str, Any]
) -> dict[str, Any]:
    module = vars(sys.modules[factory.__module__])
    hints = {}
    for name, annotation in annotations.items():
        holder = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            hints.update(typing.get_type_hints(holder, module))
        except Exception:
            continue
    return hints


def _typed(option: str, value: Any, hint: Any) -> Any:
    if typing.get_origin(hint) is Literal:
        return one_of(option, value, typing.get_args(hint))
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [h for h in typing.get_args(hint) if h is not type(None)]
        return _typed(option, value, inner[0]) if len(inner) == 1 else value
    if hint is bool and isinstance(value, str):
        return switch(option, value)
    if hint in (int, float) and isinstance(value, str):
        return _large_enough(option, number(option, value, hint))
    return value


def switch(option: str, value: str) -> bool:
    """Whether the option is on."""
    if value.lower() in (*_ON, *_OFF):
        return value.lower() in _ON
    raise UsageError(f"Option {option} takes on or off.")


def number(option: str, value: str, kind: type[int] | type[float]) -> int | float:
    """The number, whole if `kind` is int."""
    try:
        parsed = kind(value)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise UsageError(f"Option {option} takes {wanted}, not '{value}'.") from None
    if not math.isfinite(parsed):
        raise UsageError(f"Option {option} takes a finite number, not '{value}'.")
    return parsed


def share(option: str, value: Any) -> float:
    """The number between 0 and 1, given as such or as text."""
    try:
        parsed = float(value)
    except (TypeError, ValueError):
        parsed = math.nan
    if not 0 <= parsed <= 1:
        shown = one_line(str(value), 40)
        raise UsageError(f"Option {option} takes a number between 0 and 1, not '{shown}'.")
    return parsed


def _large_enough(option: str, value: float) -> float:
    name = option.partition(" ")[0]
    if name in _ABOVE_ZERO and value <= 0:
        raise UsageError(f"Option {option} takes a number above 0, not '{value:g}'.")
    if name in _LEAST and value < _LEAST[name]:
        raise UsageError(f"Option {option} takes {_LEAST[name]:g} or more, not '{value:g}'.")
    return value


def one_of(option: str, value: Any, choices: Sequence[Any]) -> Any:
    """The choice that the value spells."""
    for choice in choices:
        if str(choice) == str(value):
            return choice
    raise UsageError(f"Option {option} takes one of: {', '.join(map(str, choices))}.")


def settle(metric: Any, compat: str, settings: Mapping[str, object]) -> None:
    """Give a frozen metric these options, so that its signature says what is done.

    An option that was given another value contradicts the name, which is refused.
    """
    plain = {field.name: field.default for field in fields(metric)}
    for name, value in settings.items():
        if getattr(metric, name) not in (plain[name], value):
            raise UsageError(f"compat={compat} means {name}={value}: leave {name} out.")
        object.__setattr__(metric, name, value)
