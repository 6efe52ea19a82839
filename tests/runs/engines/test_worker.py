"""Workers: whose fault a death is, and what a worker says instead of dying."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from staytrue.core.records import Example, Verdict
from staytrue.plugins.registry import NamedMetric
from staytrue.runs.engines import worker
from staytrue.runs.engines.partitions import Part, Partition
from staytrue.runs.engines.worker import Attempts, Job, PartitionJudge


class Death(BaseException):
    """Ends a worker as a kill would: nothing after it is done."""


class Deadly:
    """Ends the worker at responses that say so."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        if any("die" in example.response for example in examples):
            raise Death
        return [Verdict(example.id, "deadly", 1.0) for example in examples]


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    class Calm(Deadly):
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            return [Verdict(example.id, "calm", 0.0) for example in examples]

    metrics = [NamedMetric("deadly", Deadly(), "deadly|1"), NamedMetric("calm", Calm(), "calm|1")]
    monkeypatch.setattr(worker, "load_metrics", lambda *args, **options: metrics)
    signatures = {"deadly": "deadly|1", "calm": "calm|1"}
    return Job(tmp_path, ("deadly", "calm"), signatures, None, 0, 64)


def batch(responses: Sequence[str]) -> dict[str, list[Any]]:
    examples = tuple(Example(str(n), text, "k") for n, text in enumerate(responses))
    return {"path": ["0.jsonl"], "bytes": [Partition(("deadly", "calm"), examples).to_bytes()]}


def deaths_until_done(job: Job, rows: dict[str, list[Any]]) -> int:
    """Restart the worker as Ray does, and count how often it died."""
    attempts = Attempts()
    for deaths in range(20):
        try:
            PartitionJudge(job, attempts)(rows)
        except Death:
            continue
        return deaths
    raise AssertionError("the partition never ends")


def test_a_row_among_several_is_an_error_after_it_killed_its_batch_and_twice_its_worker_alone(
    job: Job,
) -> None:
    assert deaths_until_done(job, batch(["tea", "die", "coffee", "die too"])) == 1 + 2 + 2
    part = Part.read(job.parts / "0.jsonl")
    assert [(f.where, f.metric) for f in part.failures] == [("1", "deadly"), ("3", "deadly")]
    assert "died 2 times while it judged this row alone" in part.failures[0].error
    judged = {(v.example_id, v.metric) for v in part.verdicts}
    assert judged == {("0", "deadly"), ("2", "deadly")} | {(str(n), "calm") for n in range(4)}


def test_the_only_row_of_a_partition_is_an_error_after_it_killed_two_workers(job: Job) -> None:
    assert deaths_until_done(job, batch(["die"])) == 2
    part = Part.read(job.parts / "0.jsonl")
    assert [(f.where, f.metric) for f in part.failures] == [("0", "deadly")]
    assert [v.metric for v in part.verdicts] == ["calm"]


def test_rows_are_told_as_they_are_judged_and_those_of_a_dead_worker_once(job: Job) -> None:
    judged: list[int] = []

    class Watched(Attempts):
        def done(self, partition: str, rows: int) -> None:
            super().done(partition, rows)
            judged.append(self.judged())

    attempts, rows = Watched(), batch(["tea", "coffee", "die", "milk"])
    with pytest.raises(Death):
        PartitionJudge(job, attempts)(rows)
    assert judged == [1]  # the batch of the next two is lost
    for _ in range(2):
        with pytest.raises(Death):
            PartitionJudge(job, attempts)(rows)
    PartitionJudge(job, attempts)(rows)
    assert judged == [1, 1, 2, 1, 2, 1, 2, 3, 4]
    assert attempts.judged() == 4


def test_a_row_is_not_to_blame_for_one_death(job: Job) -> None:
    attempts = Attempts()
    rows = batch(["tea", "coffee"])
    attempts.start("0.jsonl")  # a worker began, and died
    assert attempts.start("0.jsonl") == {}
    attempts.at("0.jsonl", (1, "deadly"))  # another died here
    PartitionJudge(job, attempts)(rows)
    assert len(Part.read(job.parts / "0.jsonl").verdicts) == 4


def test_a_partition_that_ended_is_forgotten() -> None:
    attempts = Attempts()
    assert attempts.start("0") is None
    attempts.end("0")
    assert attempts.start("0") is None


def test_a_worker_with_other_models_refuses(job: Job) -> None:
    other = Job(job.parts, job.metrics, {**job.signatures, "calm": "calm|2"}, None, 0, 64)
    (trouble,) = PartitionJudge(other, Attempts())(batch(["tea"]))["trouble"]
    assert "has a different signature (calm: " in trouble
    assert "install the same version" in trouble


def test_a_folder_that_the_worker_does_not_see_is_told_in_one_sentence(job: Job) -> None:
    away = Job(job.parts / "elsewhere", job.metrics, job.signatures, None, 0, 64)
    (trouble,) = PartitionJudge(away, Attempts())(batch(["tea"]))["trouble"]
    assert trouble.endswith("put --out on storage that all machines of the cluster share.")
