"""Small regressions whose weights ship as JSON: read, checked, applied."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from staytrue.core.errors import ModelError

_MOST = 30.0


@dataclass(frozen=True, slots=True)
class RegressionWeights:
    """A (multinomial) logistic regression on standardised features."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    """One row per class."""
    offsets: tuple[float, ...]

    def logits(self, values: Sequence[float]) -> list[float]:
        """One logit per class."""
        scaled = [(v - m) / s for v, m, s in zip(values, self.means, self.scales, strict=True)]
        return [
            offset + sum(w * v for w, v in zip(row, scaled, strict=True))
            for row, offset in zip(self.weights, self.offsets, strict=True)
        ]


def sigmoid(logit: float) -> float:
    """The probability with these log odds."""
    return 1 / (1 + math.exp(-max(-_MOST, min(_MOST, logit))))


def softmax(logits: Sequence[float]) -> list[float]:
    """Probabilities that sum to 1."""
    top = max(logits)
    raw = [math.exp(max(-_MOST, logit - top)) for logit in logits]
    return [value / sum(raw) for value in raw]


def shipped_name(file: str) -> str:
    """`silver@hash` of weights in the package, for signatures."""
    try:
        content = (files("staytrue") / "models" / file).read_bytes()
    except OSError:
        return "silver@missing"
    return f"silver@{hashlib.sha256(content).hexdigest()[:12]}"


@lru_cache(maxsize=8)
def load_weights(name: str, file: str, features: tuple[str, ...]) -> RegressionWeights:
    """Read the package's weights (`silver@…`) or a user's file; what is wrong is one sentence."""
    try:
        if name.startswith("silver@"):
            text = (files("staytrue") / "models" / file).read_text("utf-8")
        else:
            text = Path(name).read_text("utf-8")
        row = json.loads(text)
        if tuple(row["features"]) != features:
            raise KeyError("features")
        means, scales, offsets = (
            tuple(map(float, row[key])) for key in ("means", "scales", "offsets")
        )
        weights = tuple(tuple(map(float, line)) for line in row["weights"])
        return RegressionWeights(means, scales, weights, offsets)
    except OSError:
        raise ModelError(
            f"The weights '{name}' cannot be read: reinstall staytrue, or name a file of yours."
        ) from None
    except (KeyError, ValueError, TypeError):
        raise ModelError(
            f"The weights '{name}' do not fit this version: fit them again with "
            "python -m training.begin_regression."
        ) from None
