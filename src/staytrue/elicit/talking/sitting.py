"""One sitting of a run: what the bots say is judged and stored as it comes, and usage is added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from staytrue.core.records import Example, Failure, JsonDict
from staytrue.elicit.talking.crew import Crew
from staytrue.elicit.talking.engine import Talking
from staytrue.plugins.registry import NamedMetric
from staytrue.runs import runner
from staytrue.runs.engines.cluster import connected, judge_on_ray
from staytrue.runs.writer import RunWriter


@dataclass(frozen=True, slots=True)
class Sitting:
    """What a run folder holds after a sitting."""

    folder: Path
    counts: JsonDict
    """Examples, verdicts and errors, as the manifest counts them."""
    usage: Mapping[str, Mapping[str, float]]
    """What each bot that counts has used, over all sittings."""
    stopped: str
    """Why a limit ended the sitting early; empty if none did."""

    @property
    def errors(self) -> int:
        """Failures in the folder."""
        return int(self.counts["errors"])

    @property
    def scored(self) -> int:
        """Verdicts with a score."""
        return sum(metric["scored"] for metric in self.counts["metrics"].values())


def sit(
    talking: Talking,
    elicited: Callable[[RunWriter], Iterator[Example | Failure]],
    metrics: Sequence[NamedMetric],
    out: Path,
    *,
    signatures: Mapping[str, str] | None = None,
    settings: JsonDict | None = None,
    seed: int = 0,
    batch_size: int = runner.BATCH_SIZE,
    retry_errors: bool = False,
    crew: Crew | None = None,
    rows: int | None = None,
) -> Sitting:
    """Judge and store what `elicited` gives; a folder that exists is resumed.

    With a crew, whose workers reply, what they said is judged on Ray as well; `rows` is about how
    many examples that will be.
    """
    signed = signatures or {metric.name: metric.signature for metric in metrics}
    before = talking.budget.usage()
    with RunWriter(
        out, signed, seed=seed, settings=settings, retry_errors=retry_errors, rereads=True
    ) as writer:  # fmt: skip
        try:
            if crew is None:
                runner.judge_all(elicited(writer), metrics, writer, batch_size=batch_size)
            else:
                with connected(crew.cluster), closing(crew.during(elicited(writer))) as source:
                    judge_on_ray(
                        source, metrics, writer, crew.cluster, backend=crew.backend, seed=seed,
                        batch_size=batch_size, rows=rows, retry_errors=retry_errors,
                    )  # fmt: skip
        finally:
            # Also of a sitting that is broken off: it cost as much.
            for bot, counted in talking.budget.usage().items():
                used = counted.since(before[bot])
                if used.requests:
                    writer.add_usage(bot, used.to_json())
        return Sitting(out, writer.counts, writer.usage, talking.stopped)
