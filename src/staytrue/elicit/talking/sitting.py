"""One sitting of a run: what the bots say is judged and stored as it comes, and usage is added."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from staytrue.core.errors import StaytrueError
from staytrue.core.records import Example, Failure, JsonDict
from staytrue.elicit.talking.crew import Crew
from staytrue.elicit.talking.engine import Talking
from staytrue.plugins.registry import NamedMetric
from staytrue.runs import runner
from staytrue.runs.engines.cluster import connected, judge_on_ray
from staytrue.runs.folder import MANIFEST, Run
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
    writing = RunWriter(
        out, signed, seed=seed, settings=settings, retry_errors=retry_errors, rereads=True
    )
    with _nothing_left_if_refused(out), writing as writer:
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


@contextmanager
def _nothing_left_if_refused(out: Path) -> Iterator[None]:
    """Remove what a run made that is refused before anything is stored or paid for.

    Some mistakes, such as a wrong address or a missing model, show only at the first reply.
    """
    made = [folder for folder in (out, *out.parents) if not folder.exists()]
    held = set(out.iterdir()) if out.is_dir() else set()
    try:
        yield
    except StaytrueError:
        if out / MANIFEST not in held and _is_empty_run(out):
            for path in set(out.iterdir()) - held:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
            for folder in made:
                with suppress(OSError):  # another command may use it by now
                    folder.rmdir()
        raise


def _is_empty_run(folder: Path) -> bool:
    if not (folder / MANIFEST).is_file():
        return False
    # Requests alone do not count: those to a wrong address are counted, too.
    usage = Run(folder).manifest.get("usage", {}).values()
    if any(used["tokens_in"] or used["tokens_out"] for used in usage):
        return False
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return not any(path.stat().st_size for path in files)
