"""Run folders made by hand, so that what the page must show is known exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from staytrue.core.records import Example, Failure, Verdict
from staytrue.runs.writer import RunWriter

MakeRun = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Write a run folder from records."""

    def make(
        examples: Sequence[Example], verdicts: Sequence[Verdict] = (),
        failures: Sequence[Failure] = (), *, name: str = "run",
    ) -> Path:  # fmt: skip
        metrics = list(dict.fromkeys(verdict.metric for verdict in verdicts)) or ["overlap"]
        signatures = {metric: f"{metric}|staytrue:1|seed:0" for metric in metrics}
        with RunWriter(tmp_path / name, signatures) as writer:
            writer.add(examples, verdicts, failures)
        return tmp_path / name

    return make
