"""Bots that reply in workers on Ray: the dialogues, answers and errors of one process."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import pytest

from staytrue.core.errors import (
    ChatbotBusy,
    ChatbotError,
    MissingExtra,
    RunError,
    StaytrueError,
    UsageError,
)
from staytrue.core.installing import install_line
from staytrue.core.records import Example, Probe, Turn, example_to_json
from staytrue.core.retry import Retry, is_hopeless
from staytrue.core.usage import Usage
from staytrue.elicit.talking import Crew, Limits
from staytrue.elicit.talking.crew import Outcome, RemoteBot, Worker
from staytrue.elicit.talking.engine import at_once
from staytrue.runs.engines.cluster import Cluster

HISTORY = (Turn("user", "hello"),)
# Ray runs workers at a low priority, which on a busy machine means hardly at all.
os.environ.setdefault("RAY_worker_niceness", "0")

BOTS = """
import os, pathlib, time
HOME = pathlib.Path(__file__).parent

def write(line):
    with open(HOME / "log.txt", "a") as log:
        log.write(line + "\\n")

def moody(history, seed):
    write("+")
    time.sleep(0.02)
    write("-")
    if seed % 9 == 0:
        raise ValueError("out of order")
    return "I was born in 1984 in Berlin."

def timed(history, seed):
    with open(HOME / "times.txt", "a") as log:
        log.write(f"{time.time()} {os.getpid()}\\n")
    time.sleep(0.15)
    return "I was born in 1984 in Berlin."

def deadly(history, seed):
    if seed % 3 == 0 and (HOME / "armed").exists():
        (HOME / "armed").unlink()
        os._exit(1)
    return "My name is Ann and I have three cats."
"""


@dataclass
class Server:
    """Says what a bot behind a server says of itself, and counts."""

    timeout: float = 5.0
    concurrency: int = 3
    retry: Retry = field(default_factory=lambda: Retry(7))
    usage: Usage = field(default_factory=lambda: Usage(1.0, 2.0))

    def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
        self.usage.add(requests=1, tokens_out=4)
        if seed == 1:
            raise ChatbotBusy("come back later", 3.0)
        if seed == 2:
            raise MissingExtra("This bot", "hf")
        if seed == 3:
            raise KeyError("reply")
        return "fine"


def worker(**parts: object) -> Worker:
    return Worker(
        {name: lambda part=part: part for name, part in parts.items()}, version("staytrue")
    )


def test_a_worker_makes_a_part_once_and_tells_what_it_used_since() -> None:
    made = []

    def make() -> Server:
        made.append(Server())
        return made[-1]

    one = Worker({"bot": make}, version("staytrue"))
    outcomes = [one.call("bot", "reply", HISTORY) for _ in range(3)]
    assert [outcome.result() for outcome in outcomes] == ["fine"] * 3
    assert len(made) == 1
    assert sum(dict(outcome.used)["tokens_out"] for outcome in outcomes) == 12


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_error_arrives_as_one_that_costs_the_same(seed: int) -> None:
    outcome: Outcome = pickle.loads(
        pickle.dumps(worker(bot=Server()).call("bot", "reply", HISTORY, seed=seed))
    )
    with pytest.raises(StaytrueError) as caught:
        outcome.result()
    error = caught.value
    assert is_hopeless(error) == (seed == 2)
    assert dict(outcome.used)["requests"] == 1
    if seed == 1:
        assert isinstance(error, ChatbotBusy)
        assert error.wait == 3.0
    elif seed == 2:
        assert install_line("hf") in str(error)
    else:
        assert isinstance(error, ChatbotError)
        assert str(error) == "KeyError: 'reply'"


def test_a_worker_with_another_version_says_so() -> None:
    outcome = Worker({"bot": Server}, "0.0.1").call("bot", "reply", HISTORY)
    with pytest.raises(StaytrueError, match=r"instead of 0\.0\.1: install the same version"):
        outcome.result()


class Here(Crew):
    """Calls the worker in this process."""

    def __init__(self, **parts: object) -> None:
        self._worker = worker(**parts)

    def call(self, part: str, method: str, *arguments: object, **options: object) -> Outcome:
        return self._worker.call(part, method, *arguments, **options)


def test_a_server_is_asked_by_all_workers_together_and_a_model_by_each() -> None:
    class Model:
        concurrency = 1

        def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
            return ""

    crew = Here(server=Server(), model=Model())
    server, model = RemoteBot("server", Server(), crew), RemoteBot("model", Model(), crew)
    assert (at_once(server, 8), at_once(model, 8)) == (3, 8)
    assert server.reply(HISTORY) == "fine"
    with pytest.raises(ChatbotBusy):
        server.reply(HISTORY, seed=1)
    assert server.usage is not None
    assert (server.usage.requests, server.usage.cost) == (2, 16e-6)
    assert model.usage is None


def test_objects_instead_of_specs_are_refused() -> None:
    pytest.importorskip("ray")
    cluster = Cluster()
    with pytest.raises(UsageError, match="name them by their specs"):
        Crew(cluster, {"mine": Server()})
    with pytest.raises(UsageError, match="name them by their specs"):
        Crew(cluster, [Server()])
    with pytest.raises(UsageError, match="each worker would count max_cost"):
        Crew(cluster, ["persona:seed=1"], backend="llm:m@http://x/v1,max_cost=1,price_in=1")


def test_a_call_outside_of_a_sitting_is_a_failed_reply() -> None:
    pytest.importorskip("ray")
    with pytest.raises(ChatbotError, match="the sitting is over"):
        Crew(Cluster(), ["persona:seed=1"]).call("persona:seed=1", "reply", HISTORY)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Ray on this machine whose workers can import the bots of a folder."""
    pytest.importorskip("ray")
    from staytrue.runs.engines.cluster import connected

    folder = tmp_path_factory.mktemp("bots")
    (folder / "crew_bots.py").write_text(BOTS)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), before]))
    sys.path.insert(0, str(folder))
    try:
        with connected(Cluster(workers=2)):
            yield folder
    finally:
        sys.path.remove(str(folder))
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


def contents(run: Path) -> dict[str, list[bytes]]:
    return {path.name: sorted(path.read_bytes().split(b"\n")) for path in run.glob("*.jsonl")}


def most_at_once(log: Path) -> int:
    under_way = most = 0
    for sign in log.read_text().split():
        under_way += 1 if sign == "+" else -1
        most = max(most, under_way)
    return most


@pytest.mark.slow
def test_dialogues_on_ray_are_those_of_one_process(home: Path, tmp_path: Path) -> None:
    from staytrue.studies.aih.interrogate import interrogate

    bots = ["persona:seed=2,slip=0.5", "python:crew_bots:moody", "python:crew_bots:deadly"]
    limits = Limits(concurrency=2, retries=1)

    def run(out: str, dialogues: int, cluster: Cluster | None = None) -> list[int]:
        result = interrogate(
            bots, dialogues=dialogues, turns=3, backend="scripted", out=tmp_path / out, draws=10,
            limits=limits, cluster=cluster,
        )  # fmt: skip
        return [result.inquiries, len(result.failures), len(result.dialogues)]

    inquiries, failures, dialogues = run("here", 2)
    assert inquiries
    assert failures
    assert failures + dialogues == 18
    on = Cluster(workers=2, partition_size=5)
    (home / "armed").touch()  # the first worker that it meets dies, and is started again
    run("ray", 1, on)
    assert not (home / "armed").exists()
    log = home / "log.txt"
    log.unlink()  # with replies that began in the worker that died, and never ended
    assert run("ray", 2, on) == [inquiries, failures, dialogues]
    assert contents(tmp_path / "ray") == contents(tmp_path / "here")
    rankings = [(tmp_path / run / "ranking.json").read_bytes() for run in ("here", "ray")]
    assert rankings[0] == rankings[1]
    assert 1 <= most_at_once(log) <= 2
    # A finished run asks nobody anything.
    log.unlink()
    run("ray", 2, on)
    assert not log.exists()


@pytest.mark.slow
def test_requests_per_minute_are_counted_over_all_workers(home: Path, tmp_path: Path) -> None:
    from staytrue.studies.aih.interrogate import interrogate

    most = 4
    interrogate(
        ["python:crew_bots:timed"], dialogues=6, turns=3, backend="scripted", out=tmp_path,
        draws=10, limits=Limits(most, per_minute=600), cluster=Cluster(workers=2),
    )  # fmt: skip
    log = [line.split() for line in (home / "times.txt").read_text().splitlines()]
    assert len({worker for _, worker in log}) == 2
    times = sorted(float(time) for time, _ in log)
    assert len(times) >= 30
    # Those that wait for the workers to start come at once; each of two workers with a pace of its
    # own would take half as long.
    assert times[-1] - times[0] > (len(times) - 1 - most) * 60 / 600


@pytest.mark.slow
def test_answers_to_probes_on_ray_are_those_of_one_process(home: Path, tmp_path: Path) -> None:
    from staytrue.elicit.consistest.questioning import prepare

    file = tmp_path / "probes.jsonl"
    fact = "i have two dogs ."
    probe = Probe("do you have two dogs ?", "yes", fact, "yn", source="persona")
    rows = [Example(str(number), "", persona=(fact,), probe=probe) for number in range(30)]
    file.write_text("".join(json.dumps(example_to_json(row)) + "\n" for row in rows))
    counts = {}
    for out, cluster in (("here", None), ("ray", Cluster(workers=2))):
        asked = prepare(
            "python:crew_bots:moody", str(file), metrics=["probe-overlap"],
            limits=Limits(4, retries=0), cluster=cluster,
        )  # fmt: skip
        sitting = asked.sit(tmp_path / out)
        counts[out] = (sitting.counts["examples"], sitting.errors, sitting.scored)
    assert counts["ray"] == counts["here"]
    assert counts["here"][1] > 0
    assert contents(tmp_path / "ray") == contents(tmp_path / "here")


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_a_bot_that_no_worker_can_make_ends_the_run(tmp_path: Path) -> None:
    from staytrue.elicit.talking import Talking

    crew = Crew(Cluster(workers=1), ["python:crew_bots:nobody"])
    bot = RemoteBot("python:crew_bots:nobody", Server(), crew)
    talking = Talking({"bot": bot}, Limits(retries=3))
    rows = crew.during(iter([talking.reply]))
    reply = next(rows)
    with pytest.raises(StaytrueError, match="nothing called nobody"):
        reply("bot", HISTORY)
    rows.close()
    with pytest.raises((RunError, ChatbotError), match="the sitting is over"):
        crew.call("python:crew_bots:nobody", "reply", HISTORY)
