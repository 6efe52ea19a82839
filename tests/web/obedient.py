"""A metric that does what it is told; a file of its own, as a worker's process imports it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Verdict
from staytrue.plugins.registry import NamedMetric


class Obedient:
    """Does what a response says, then scores it by its length."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        for example in examples:
            word, _, rest = example.response.partition(" ")
            if word == "sleep":
                time.sleep(float(rest.split()[0]))
            elif word == "fail":
                raise ValueError("bad")
            elif word == "crash":
                os._exit(1)
        return [
            Verdict(e.id, "obedient", min(1, len(e.response) / 100), reason=e.response)
            for e in examples
            if e.response != "lost"
        ]


def load(spec: str, **_: object) -> NamedMetric:
    """Stands in for `load_metric`; the worker's process imports it from here."""
    if spec == "missing":
        raise UsageError("A model is missing.")
    return NamedMetric(spec, Obedient(), f"{spec}|1")
