"""A chatbot that is a Python function, or an object with a method `reply`.

    python:module:function      module is found as `python -m` would find it

The function takes the history (a list of Turn, the bot's own turns spoken by "bot") and, if it
has parameters of these names, `persona` and `seed`; it returns the reply.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from staytrue.core.errors import ChatbotError, UsageError, one_line
from staytrue.core.records import Turn


@dataclass(frozen=True)
class PythonChatbot:
    """Replies with what a function returns."""

    function: Callable[..., Any]

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The function's reply; anything but text is an error."""
        wanted = _accepted(self.function)
        extra = {"persona": tuple(persona), "seed": seed}
        text = self.function(list(history), **{k: v for k, v in extra.items() if k in wanted})
        if not isinstance(text, str):
            raise ChatbotError(f"The function returned {type(text).__name__} instead of text.")
        return text


def _accepted(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return {"persona", "seed"}
    return {p.name for p in parameters}


def load(rest: str) -> PythonChatbot:
    """Make the bot from `module:function`."""
    module, colon, name = rest.partition(":")
    if not colon or not module or not name:
        raise UsageError("Write the function as python:module:function.")
    try:
        target = getattr(_imported(module), name)
    except AttributeError:
        raise UsageError(f"The module {module} has nothing called {name}.") from None
    target = _made(target, rest) if inspect.isclass(target) else target
    function = getattr(target, "reply", target)
    if not callable(function):
        raise UsageError(f"{module}:{name} is neither a function nor an object with reply().")
    return PythonChatbot(function)


def _made(kind: Any, spec: str) -> Any:
    try:
        return kind()
    except Exception as error:
        raise UsageError(
            f"{spec} must be a class that can be made without arguments: {_summary(error)}."
        ) from None


def _summary(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}", 200).rstrip(".")


def _imported(module: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(f"Cannot import {module} from {here}: {error}.") from None
    except Exception as error:  # a module is foreign code: importing it may raise anything
        raise UsageError(f"Importing {module} fails, so fix it first: {_summary(error)}.") from None
