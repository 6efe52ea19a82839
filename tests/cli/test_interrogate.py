from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from staytrue.cli.interrogate import command
from staytrue.core.errors import (
    ChatbotError,
    MissingExtra,
    ModelError,
    RunError,
    StaytrueError,
    UsageError,
)
from staytrue.core.usage import Usage
from staytrue.elicit.aih.dialogues import read_dialogues
from staytrue.elicit.aih.interrogation import Interrogation, estimated
from staytrue.elicit.aih.talks import Plan
from staytrue.plugins.registry import load_backend, load_metric
from staytrue.report import write_report

BOTS = ["persona:seed=1,slip=0", "persona:seed=2,slip=0.5"]
FEW = ["--dialogues", "2", "--turns", "4", "--backend", "scripted", "--draws", "20", "--quiet"]


def interrogate(*arguments: object, bots: list[str] = BOTS) -> int:
    named = [part for bot in bots for part in ("--bot", bot)]
    result = CliRunner().invoke(command, [*named, *map(str, arguments)], catch_exceptions=True)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code


def rows(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_every_pair_talks_and_the_bots_are_ranked_as_typed(tmp_path: Path) -> None:
    assert interrogate(*FEW, "--out", tmp_path) == 0
    held = list(read_dialogues(tmp_path))
    assert {(d.first, d.second) for d in held} == {(a, b) for a in BOTS for b in BOTS}
    assert len(held) == 8
    ranking = json.loads((tmp_path / "ranking.json").read_text())
    assert sorted(bot["bot"] for bot in ranking["bots"]) == sorted(BOTS)
    keys = {"bot", "contradiction_rate", "low", "high", "inquiries", "contradictions", "induces"}
    assert all(keys <= set(bot) for bot in ranking["bots"])
    assert set(ranking["matrix"]) == set(BOTS)
    assert ranking["signature"].startswith("contradiction|")


def test_the_command_to_type_next_is_named_and_works(tmp_path: Path) -> None:
    few = [part for part in FEW if part != "--quiet"]
    out = tmp_path / "a run"
    output = CliRunner().invoke(command, ["--bot", BOTS[0], *few, "--out", str(out)]).output
    assert f"\nNext: staytrue report '{out}' " in output
    assert write_report(out).is_file()


def test_it_is_told_why_a_rate_is_not_contradictions_divided_by_inquiries(tmp_path: Path) -> None:
    few = [part for part in FEW if part != "--quiet"]
    bots = [option for bot in BOTS for option in ("--bot", bot)]
    output = CliRunner().invoke(command, [*bots, *few, "--out", str(tmp_path / "run")]).output
    assert "Each partner counts the same in a bot's rate" in output
    assert "Each partner counts the same" in write_report(tmp_path / "run").read_text("utf-8")


def test_examples_hold_the_utterance_the_answer_and_the_inquiry(tmp_path: Path) -> None:
    interrogate(*FEW, "--out", tmp_path)
    examples, verdicts = rows(tmp_path / "examples.jsonl"), rows(tmp_path / "verdicts.jsonl")
    inquiries = sum(len(d.inquiries) for d in read_dialogues(tmp_path))
    assert len(examples) == len(verdicts) == inquiries > 0
    for example in examples:
        assert example["history"][-1]["text"] == example["probe"]["question"]
        assert example["history"][-2]["text"] == example["knowledge"]
        assert set(example["tags"]) == {"first", "second", "dialogue", "strategy"}


def test_the_same_seed_repeats_the_run_whatever_the_concurrency(tmp_path: Path) -> None:
    interrogate(*FEW, "--out", tmp_path / "a", "--concurrency", 1)
    interrogate(*FEW, "--out", tmp_path / "b", "--concurrency", 5)
    for name in ("dialogues.jsonl", "verdicts.jsonl"):
        one, two = ((tmp_path / run / name).read_text().splitlines() for run in "ab")
        assert sorted(one) == sorted(two)


def test_a_finished_run_holds_no_dialogue_again_and_can_grow(tmp_path: Path) -> None:
    interrogate(*FEW, "--out", tmp_path)
    before = (tmp_path / "dialogues.jsonl").read_bytes()
    interrogate(*FEW, "--out", tmp_path)
    assert (tmp_path / "dialogues.jsonl").read_bytes() == before
    interrogate(*FEW, "--out", tmp_path, bots=[*BOTS, "persona:seed=3"])
    after = (tmp_path / "dialogues.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 9 * 2


def test_another_way_of_asking_is_refused_in_the_same_folder(tmp_path: Path) -> None:
    interrogate(*FEW, "--out", tmp_path)
    with pytest.raises(RunError, match="turns is 4"):
        interrogate(*FEW, "--turns", 5, "--out", tmp_path)


def test_a_bot_that_fails_costs_its_dialogues_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "def moody(history, seed):\n"
        "    if seed % 12 == 0: raise ValueError('out of order')\n"
        "    return 'I have two cats.'\n"
    )
    (tmp_path / "moody_bots.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    out = tmp_path / "run"
    bots = [BOTS[0], "python:moody_bots:moody"]
    assert interrogate(*FEW, "--dialogues", 6, "--out", out, bots=bots) == 1
    errors = rows(out / "errors.jsonl")
    held = list(read_dialogues(out))
    assert errors
    assert len(held) + len(errors) == 24
    assert all("out of order" in error["error"] for error in errors)
    assert json.loads((out / "ranking.json").read_text())["failed_dialogues"] == len(errors)
    (tmp_path / "moody_bots.py").write_text("def moody(history):\n    return 'I have two cats.'\n")
    monkeypatch.delitem(sys.modules, "moody_bots")
    assert interrogate(*FEW, "--dialogues", 6, "--out", out, "--retry-errors", bots=bots) == 0
    assert len(list(read_dialogues(out))) == 24
    assert rows(out / "errors.jsonl") == []


def test_a_budget_stops_the_run_and_the_next_sitting_goes_on(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    interrogate(*FEW, "--out", whole)
    sittings = 1
    while interrogate(*FEW, "--out", parts, "--max-requests", 40) == 1:
        sittings += 1
        assert sittings < 12
    assert sittings > 1
    for name in ("dialogues.jsonl", "verdicts.jsonl"):
        one, two = ((run / name).read_text().splitlines() for run in (whole, parts))
        assert sorted(one) == sorted(two)


class Counting:
    """A bot that counts its requests and tokens, and tries every reply as often as told."""

    def __init__(self, tries: int = 1, price_out: float = 0.0) -> None:
        self.usage = Usage(price_out=price_out)
        self.tries = tries

    def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
        self.usage.add(requests=self.tries, retries=self.tries - 1, tokens_in=9, tokens_out=1)
        return "I have two cats."


def interrogate_one(bot: Counting, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("staytrue.plugins.registry.load_chatbot", lambda spec: bot)
    return interrogate(*FEW, *arguments, bots=["one"])


def test_what_a_limited_sitting_begins_it_finishes_whatever_the_concurrency(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = Counting()
    limits = ["--turns", 15, "--dialogues", 50, "--max-requests", 200]
    assert interrogate_one(bot, monkeypatch, *limits, "--out", tmp_path) == 1
    held = list(read_dialogues(tmp_path))
    # At most 44 replies per dialogue; none is paid for and thrown away.
    assert len(held) >= 200 // 44
    assert bot.usage.requests == sum(29 + len(d.inquiries) for d in held) <= 200


def test_retries_of_a_bot_count_as_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = Counting(tries=3)
    limits = ["--dialogues", 50, "--max-requests", 60, "--concurrency", 1]
    assert interrogate_one(bot, monkeypatch, *limits, "--out", tmp_path) == 1
    # Two dialogues are under way at once, and a reply that has begun is tried to its end.
    assert bot.usage.requests < 60 + 2 * 3


def test_a_limit_below_one_dialogue_is_refused_with_the_number_that_would_do(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match="give at least 11"):
        interrogate(*FEW, "--max-requests", 10, "--out", tmp_path)


@pytest.mark.parametrize("money", [12, 60])
def test_a_cost_limit_stops_bots_that_state_their_prices(
    money: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dear = Counting(price_out=1e6)  # one a reply
    arguments = ["--dialogues", 50, "--max-cost", money, "--out", tmp_path]
    assert interrogate_one(dear, monkeypatch, *arguments) == 1
    held = list(read_dialogues(tmp_path))
    # At most 11 replies per dialogue; none is paid for and thrown away.
    assert len(held) >= money // 11
    assert dear.usage.cost == sum(7 + len(d.inquiries) for d in held) <= money


def test_what_the_bots_used_is_kept_over_all_sittings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = 0
    for _ in range(2):
        bot = Counting(tries=2)
        limits = ["--dialogues", 50, "--max-requests", 60, "--concurrency", 1]
        interrogate_one(bot, monkeypatch, *limits, "--out", tmp_path)
        requests += bot.usage.requests
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        used = manifest["usage"]["one"]
        assert used["requests"] == requests == 2 * used["retries"]
        assert used["tokens_in"] == 9 * used["tokens_out"]


def test_what_was_used_is_one_line_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "staytrue.plugins.registry.load_chatbot", lambda spec: Counting(price_out=1000)
    )
    few = [argument for argument in FEW if argument != "--quiet"]
    shown = CliRunner().invoke(command, ["--bot", "one", *few, "--out", str(tmp_path)]).output
    used = json.loads((tmp_path / "manifest.json").read_text())["usage"]["one"]
    assert f"{used['requests']} requests (0 retries among them)" in shown
    assert f"cost {used['requests'] / 1000:.4f}" in shown


@pytest.mark.parametrize(
    "error", [MissingExtra("A bot", "gguf"), ModelError("damaged"), UsageError("a wrong key")]
)
def test_a_bot_that_can_never_work_ends_the_run_at_once(
    error: StaytrueError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    class Broken:
        def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
            asked.append(seed)
            raise error

    monkeypatch.setattr("staytrue.plugins.registry.load_chatbot", lambda spec: Broken())
    with pytest.raises(type(error), match=str(error)[:5]):
        interrogate(*FEW, "--dialogues", 1000, "--out", tmp_path, bots=["one"])
    assert len(asked) < 100
    assert list(tmp_path.iterdir()) == []


def test_a_refused_run_leaves_no_folder_behind(tmp_path: Path) -> None:
    for bots, arguments in (
        (["nobody:1"], ()),
        (BOTS, ("--metric", "overlap")),
        (["openai:m@http://127.0.0.1:1/v1,retries=99,backoff=0"], ()),
    ):
        with pytest.raises(StaytrueError):
            interrogate(*FEW, *arguments, "--out", tmp_path / "runs" / "one", bots=bots)
        assert list(tmp_path.iterdir()) == []


def test_a_refused_run_leaves_a_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / ".gitkeep").touch()
    bots = ["openai:m@http://127.0.0.1:1/v1,retries=99,backoff=0"]
    for name in ("empty", "kept"):
        with pytest.raises(StaytrueError):
            interrogate(*FEW, "--out", tmp_path / name, bots=bots)
    assert list((tmp_path / "empty").iterdir()) == []
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [".gitkeep"]


def test_a_run_that_was_paid_for_is_kept_when_a_bot_stops_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Counting):
        """Replies at first, which costs tokens."""

        def reply(self, history: Any, *, persona: Any = (), seed: int = 0) -> str:
            if self.usage.requests > 20:
                raise UsageError("a wrong key")
            return super().reply(history, persona=persona, seed=seed)

    bot = Failing()
    monkeypatch.setattr("staytrue.plugins.registry.load_chatbot", lambda spec: bot)
    with pytest.raises(UsageError, match="a wrong key"):
        interrogate(*FEW, "--dialogues", 50, "--out", tmp_path / "run", bots=["one"])
    assert (tmp_path / "run" / "manifest.json").is_file()


def test_a_dry_run_estimates_and_writes_nothing(tmp_path: Path) -> None:
    named = [part for bot in BOTS for part in ("--bot", bot)]
    result = CliRunner().invoke(command, [*named, "--dry-run", "--dialogues", "10"])
    assert result.exit_code == 0
    # 4 pairs × 10 dialogues × (29 turns + at most 15 inquiries).
    assert "1,760" in result.output
    assert "tokens" in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_with_a_bot_that_raises_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "angry_bots.py").write_text("def angry(history):\n    return 1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ChatbotError, match=r"angry fails on 'hello' \(division by zero\)"):
        interrogate("--dry-run", bots=["python:angry_bots:angry"])


def test_a_dry_run_divides_the_time_by_what_a_bot_can_do_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Single(Counting):
        concurrency = 1

    monkeypatch.setattr("staytrue.elicit.talking.estimate.trial_seconds", lambda *trial: 2.0)
    single, several = (
        estimated({"one": bot}, 10, Plan(turns=4), 8).seconds for bot in (Single(), Counting())
    )
    assert single.expected == pytest.approx(8 * several.expected)
    assert single.most == pytest.approx(8 * several.most)


@pytest.mark.parametrize(
    ("bots", "arguments", "message"),
    [
        ([BOTS[0], BOTS[0]], ["--out", "x"], "named twice"),
        (BOTS, [], "--out RUN"),
        (BOTS, ["--out", "x", "--expert", BOTS[0]], "every --bot once"),
        (["nobody:1"], ["--out", "x"], "no chatbot 'nobody'"),
        (BOTS, ["--out", "x", "--strategy", "magic", "--backend", "scripted"], "magic"),
    ],
)
def test_wrong_commands_are_one_sentence(
    bots: list[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        interrogate(*arguments, bots=bots)


@pytest.mark.parametrize("metric", ["overlap", "q2", "hybrid", "consistency"])
def test_a_metric_that_never_finds_a_contradiction_is_refused(metric: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"Metric {metric} never calls an answer a contradiction"):
        interrogate("--turns", 2, "--dialogues", 1, "--metric", metric, "--out", tmp_path)
    assert not (tmp_path / "ranking.json").exists()


@pytest.mark.parametrize("metric", ["nli", "begin", "contradiction,tau=0.3"])
def test_a_metric_that_finds_contradictions_is_taken(metric: str) -> None:
    loaded = load_metric(metric)
    backend = load_backend("scripted")
    assert Interrogation({}, 1, Plan(), loaded, backend).metric is loaded


def test_the_expert_ranking_is_compared(tmp_path: Path) -> None:
    experts = [part for bot in reversed(BOTS) for part in ("--expert", bot)]
    interrogate(*FEW, *experts, "--out", tmp_path)
    ranking = json.loads((tmp_path / "ranking.json").read_text())
    assert all(bot["rank"] is None for bot in ranking["bots"])  # too few inquiries to rank
    assert ranking["expert"]["ranking"] == list(reversed(BOTS))
    assert ranking["expert"]["kendall"] is None


@pytest.mark.slow
def test_a_run_killed_in_the_middle_of_dialogues_goes_on_to_the_same_end(tmp_path: Path) -> None:
    (tmp_path / "slow_bots.py").write_text(
        "import time\n"
        "def slow(history, seed):\n"
        "    time.sleep(0.004)\n"
        "    return f'I have {seed % 7 + 2} cats.'\n"
    )
    bots = ["--bot", "python:slow_bots:slow", "--bot", BOTS[0]]
    common = [sys.executable, "-m", "staytrue", "interrogate", *bots, *FEW, "--dialogues", "8",
              "--turns", "6", "--batch-size", "4"]  # fmt: skip
    subprocess.run([*common, "--out", "whole"], cwd=tmp_path, check=True)
    file = tmp_path / "parts" / "dialogues.jsonl"
    for held in (3, 12):
        process = subprocess.Popen([*common, "--out", "parts"], cwd=tmp_path)
        deadline = time.monotonic() + 60
        while not file.exists() or file.read_bytes().count(b"\n") < held:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with file.open("ab") as torn:
        torn.write(b'{"first": "half a li')
    subprocess.run([*common, "--out", "parts"], cwd=tmp_path, check=True)
    for name in ("dialogues.jsonl", "verdicts.jsonl", "examples.jsonl"):
        one, two = ((tmp_path / run / name).read_text().splitlines() for run in ("whole", "parts"))
        assert sorted(one) == sorted(two)
    assert (tmp_path / "whole/ranking.json").read_text() == (
        tmp_path / "parts/ranking.json"
    ).read_text()


def test_inquiries_sign_the_english_pipeline_once_whoever_asks() -> None:
    for spec in ("embedded,size=small", "llm:any-model@http://127.0.0.1:9/v1"):
        backend = load_backend(spec)
        loaded = load_metric("contradiction", backend=backend)
        signature = Interrogation({}, 1, Plan(), loaded, backend).signature
        assert signature.count("en_core_web_sm@") == 1, signature
