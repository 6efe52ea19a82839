"""Probabilities from the log-probabilities of an answer's tokens, where the server gives them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

# A label that is not among the likeliest tokens is improbable, not impossible.
_LEAST = 1e-4


def label_chances(tokens: Any, field: str, labels: Sequence[str]) -> dict[str, float] | None:
    """How probable each label was where the model chose one; None when the tokens do not tell.

    Labels must differ in their first letters, because the first token decides.
    """
    start = _value_start(tokens, field)
    if start is None:
        return None
    index, before = start
    chances = dict.fromkeys(labels, 0.0)
    for option in tokens[index].get("top_logprobs") or [tokens[index]]:
        token, logprob = str(option.get("token", "")), option.get("logprob")
        if not token.startswith(before) or not isinstance(logprob, int | float):
            continue
        label = _label(token[len(before) :], labels)
        if label:
            chances[label] += math.exp(min(0.0, logprob))
    if not any(chances.values()):
        return None
    total = sum(max(_LEAST, chance) for chance in chances.values())
    return {label: max(_LEAST, chance) / total for label, chance in chances.items()}


def stated(label: str, labels: Sequence[str], sure: float) -> dict[str, float]:
    """Probabilities where only the label is known: `sure` for it, the rest shared out."""
    rest = (1 - sure) / (len(labels) - 1)
    return {one: sure if one == label else rest for one in labels}


def value_chance(tokens: Any, field: str) -> float | None:
    """How probable the tokens of a value were, as their geometric mean; None when unknown."""
    start = _value_start(tokens, field)
    if start is None:
        return None
    logprobs = []
    for token in tokens[start[0] :]:
        logprob = token.get("logprob")
        if not isinstance(logprob, int | float):
            return None
        logprobs.append(min(0.0, logprob))
        if '"' in token["token"].lstrip(' "') or "}" in token["token"]:
            break
    return math.exp(sum(logprobs) / len(logprobs))


def mean(several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of several opinions on the same labels."""
    return {label: sum(one[label] for one in several) / len(several) for label in several[0]}


def _value_start(tokens: Any, field: str) -> tuple[int, str] | None:
    """The token in which the field's value begins, and what of it stands before the value.

    The tokens and not the message are searched: servers cut what a model wrote around its JSON.
    """
    if not isinstance(tokens, list) or not all(
        isinstance(token, dict) and isinstance(token.get("token"), str) for token in tokens
    ):
        return None
    text = "".join(token["token"] for token in tokens)
    ends = [m.end() for m in re.finditer(rf'"{re.escape(field)}"\s*:\s*"?', text)]
    if not ends:
        return None
    start = 0
    for index, token in enumerate(tokens):
        end = start + len(token["token"])
        if start <= ends[-1] < end:
            return index, token["token"][: ends[-1] - start]
        start = end
    return None


def _label(piece: str, labels: Sequence[str]) -> str:
    """The one label that the first token of a value can begin, else an empty string."""
    start = piece.strip().strip('"').lower()
    if not start:
        return ""
    fitting = [one for one in labels if one.startswith(start) or start.startswith(one)]
    return fitting[0] if len(fitting) == 1 else ""
