"""Run folders keep everything, and what they keep can be trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from staytrue.core.errors import RunError, UsageError
from staytrue.core.records import Example, Failure, FailureKind, Verdict
from staytrue.runs import processor
from staytrue.runs.folder import Run
from staytrue.runs.merge import merge
from staytrue.runs.runner import evaluate
from staytrue.runs.writer import RunWriter

SIGNATURES = {"overlap": "overlap|staytrue:1|seed:0"}


def fill(folder: Path, ids: range) -> None:
    with RunWriter(folder, SIGNATURES) as writer:
        for number in ids:
            example = Example(str(number), f"response {number}")
            writer.add([example], [Verdict(example.id, "overlap", number / 10, reason="r")])


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    with RunWriter(tmp_path, SIGNATURES, seed=7, settings={"inputs": ["a"]}) as writer:
        writer.add(
            [Example("1", "é\u2028\n")],
            [Verdict("1", "overlap", None, reason="empty")],
            [Failure("a:3", "broken")],
        )
    run = Run(tmp_path)
    assert [e.response for e in run.examples()] == ["é\u2028\n"]
    assert [v.reason for v in run.verdicts()] == ["empty"]
    assert [f.where for f in run.failures()] == ["a:3"]
    assert run.manifest["seed"] == 7
    assert run.manifest["counts"]["metrics"]["overlap"]["abstained"] == 1
    assert run.manifest["counts"]["unreadable"] == 1


def test_half_a_surrogate_pair_is_kept_and_not_judged_again(tmp_path: Path) -> None:
    for _ in range(2):
        with RunWriter(tmp_path, SIGNATURES) as writer:
            writer.add([Example("a\ud800", "x \udfff y")], [Verdict("a\ud800", "overlap", 0.5)])
    run = Run(tmp_path)
    assert [(e.id, e.response) for e in run.examples()] == [("a\ud800", "x \udfff y")]
    assert [v.example_id for v in run.verdicts()] == ["a\ud800"]


def test_a_run_names_every_kind_of_processor_that_it_was_made_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, kind in (("one", "x86_64, avx2"), ("two", "aarch64"), ("one", "aarch64")):
        monkeypatch.setattr(processor, "kind", lambda kind=kind: kind)
        fill(tmp_path / name, range(2))
    assert Run(tmp_path / "one").processors == ["x86_64, avx2", "aarch64"]
    monkeypatch.setattr(processor, "kind", lambda: "where they are only joined")
    merge([tmp_path / "two", tmp_path / "one"], tmp_path / "all")
    assert Run(tmp_path / "all").processors == ["aarch64", "x86_64, avx2"]


def test_nothing_is_stored_twice(tmp_path: Path) -> None:
    fill(tmp_path, range(3))
    fill(tmp_path, range(5))
    assert [v.example_id for v in Run(tmp_path).verdicts()] == ["0", "1", "2", "3", "4"]
    assert Run(tmp_path).manifest["counts"]["examples"] == 5


@pytest.mark.parametrize("name", ["examples.jsonl", "verdicts.jsonl", "errors.jsonl"])
def test_half_a_line_left_by_a_kill_is_cut_off(tmp_path: Path, name: str) -> None:
    fill(tmp_path, range(2))
    with (tmp_path / name).open("ab") as file:
        file.write(b'{"half": "a li')
    fill(tmp_path, range(4))
    for line in (tmp_path / name).read_text("utf-8").splitlines():
        assert "half" not in json.loads(line)
    assert len(list(Run(tmp_path).verdicts())) == 4


def test_a_run_of_another_signature_is_refused_and_says_why(tmp_path: Path) -> None:
    fill(tmp_path, range(1))
    other = RunWriter(tmp_path, {"overlap": "overlap|staytrue:2|seed:0"})
    with pytest.raises(RunError, match="staytrue is 1 in one and 2 in the other"), other:
        pass


def test_a_folder_of_other_files_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(RunError, match=r"other files, such as thesis\.tex: choose another --out"):
        fill(tmp_path, range(1))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_address_is_refused_and_no_local_folder_is_made_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ("s3://bucket/run", "gs://bucket", Path("hdfs://host:8020/run")):
        with pytest.raises(UsageError, match=r"(s3|gs|hdfs)://(bucket|host).* is an address"):
            evaluate([Example("1", "tea", "tea")], "overlap", out=address)
    assert not any(tmp_path.iterdir())


def test_a_folder_with_hidden_files_or_half_a_manifest_is_taken(tmp_path: Path) -> None:
    (tmp_path / ".gitkeep").touch()
    (tmp_path / "manifest.json.writing").touch()
    fill(tmp_path, range(1))
    assert len(list(Run(tmp_path).verdicts())) == 1


def test_two_writers_cannot_share_a_folder(tmp_path: Path) -> None:
    with RunWriter(tmp_path, SIGNATURES):
        other = RunWriter(tmp_path, SIGNATURES)
        with pytest.raises(RunError, match="Another command is writing"), other:
            pass


def test_errors_are_kept_until_they_are_retried(tmp_path: Path) -> None:
    failure = Failure("1", "The metric failed.", "overlap")
    with RunWriter(tmp_path, SIGNATURES) as writer:
        writer.add([Example("1", "r")], failures=[failure])
    with RunWriter(tmp_path, SIGNATURES) as writer:
        assert writer.has("1", "overlap")
        assert writer.counts["errors"] == 1
    with RunWriter(tmp_path, SIGNATURES, retry_errors=True) as writer:
        assert not writer.has("1", "overlap")
        assert writer.counts["errors"] == 0


def test_an_example_with_the_same_id_but_other_content_is_noticed(tmp_path: Path) -> None:
    fill(tmp_path, range(1))
    with RunWriter(tmp_path, SIGNATURES) as writer:
        assert not writer.holds_other(Example("0", "response 0"))
        assert writer.holds_other(Example("0", "changed"))
        assert not writer.holds_other(Example("new", "changed"))


def test_mean_and_deviation_are_those_of_the_scores(tmp_path: Path) -> None:
    fill(tmp_path, range(4))
    counts = Run(tmp_path).manifest["counts"]["metrics"]["overlap"]
    assert counts["mean"] == pytest.approx(0.15)
    assert counts["sd"] == pytest.approx(0.1290994)


def test_shards_merge_into_what_one_run_gives(tmp_path: Path) -> None:
    fill(tmp_path / "whole", range(6))
    fill(tmp_path / "a", range(0, 6, 2))
    fill(tmp_path / "b", range(1, 6, 2))
    merge([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")
    for name in ("examples.jsonl", "verdicts.jsonl"):
        whole = (tmp_path / "whole" / name).read_text().splitlines()
        assert sorted((tmp_path / "merged" / name).read_text().splitlines()) == sorted(whole)


def test_runs_of_other_metrics_are_not_merged(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with RunWriter(tmp_path / name, {f"metric {name}": "m|x"}):
            pass
    with pytest.raises(
        RunError, match=r"a and .*b have .*\(one has metric a, the other metric b\)"
    ):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")


def test_what_chatbots_used_adds_up_over_sittings_and_shards(tmp_path: Path) -> None:
    for name, sittings in (("a", 2), ("b", 1)):
        for _ in range(sittings):
            with RunWriter(tmp_path / name, {"overlap": "overlap|x"}) as writer:
                writer.add_usage("bot", {"requests": 10, "cost": 0.5})
    assert Run(tmp_path / "a").manifest["usage"] == {"bot": {"requests": 20, "cost": 1.0}}
    for _ in range(2):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")
        used = Run(tmp_path / "merged").manifest["usage"]
        assert used == {"bot": {"requests": 30, "cost": 1.5}}


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a run folder"):
        Run(tmp_path)


def test_retrying_some_failures_keeps_the_others(tmp_path: Path) -> None:
    settings = {"inputs": ["a.jsonl", "b.jsonl"]}
    with RunWriter(tmp_path, SIGNATURES, settings=settings) as writer:
        failed = [Failure(name, "no", "overlap") for name in ("a1", "a2", "b1")]
        unread = [Failure("a.jsonl:3", "broken"), Failure("b.jsonl:3", "broken")]
        writer.add([Example(name, "r") for name in ("a1", "a2", "b1")], [], [*failed, *unread])
    again = RunWriter(tmp_path, SIGNATURES, settings={"inputs": ["a.jsonl"]}, retry_errors=True)
    with again as writer:
        assert not writer.has("a1", "overlap")
        writer.add([], [Verdict("a1", "overlap", 1.0)], [Failure("a2", "again", "overlap")])
    kept = {(failure.where, failure.error) for failure in Run(tmp_path).failures()}
    assert kept == {("a2", "again"), ("b1", "no"), ("b.jsonl:3", "broken")}
    counts = Run(tmp_path).manifest["counts"]
    assert (counts["errors"], counts["unreadable"]) == (3, 1)


def test_rows_that_are_read_again_are_forgotten_and_nothing_else(tmp_path: Path) -> None:
    changed = Failure("1", "other", kind=FailureKind.CHANGED)
    failed = Failure("2", "no", "overlap", FailureKind.METRIC)
    unread = [Failure("a.jsonl:3", "broken"), Failure("b.jsonl:3", "broken")]
    with RunWriter(tmp_path, SIGNATURES, settings={"inputs": ["a.jsonl", "b.jsonl"]}) as writer:
        writer.add([], failures=[changed, failed, *unread])
    with RunWriter(tmp_path, SIGNATURES, settings={"inputs": ["a.jsonl"]}, rereads=True) as writer:
        assert not writer.has_failure(unread[0])
    assert list(Run(tmp_path).failures()) == [changed, failed, unread[1]]


@pytest.mark.parametrize("retried", [{"retry_errors": True}, {"rereads": True}])
def test_a_retry_that_was_cut_off_loses_no_failure(
    tmp_path: Path, retried: dict[str, bool]
) -> None:
    with RunWriter(tmp_path, SIGNATURES, settings={"inputs": ["a.jsonl"]}) as writer:
        writer.add([], [], [Failure("a.jsonl:3", "broken")])
    killed = RunWriter(tmp_path, SIGNATURES, settings={"inputs": ["a.jsonl"]}, **retried)
    with pytest.raises(KeyboardInterrupt), killed:
        raise KeyboardInterrupt
    assert [failure.where for failure in Run(tmp_path).failures()] == ["a.jsonl:3"]


def test_merging_other_content_under_one_id_is_an_error_record(tmp_path: Path) -> None:
    for name, response, score in (("a", "one", None), ("b", "two", 0.0)):
        with RunWriter(tmp_path / name, SIGNATURES) as writer:
            judged = [] if score is None else [Verdict("1", "overlap", score)]
            writer.add([Example("1", response)], judged)
    counts = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "both")
    both = Run(tmp_path / "both")
    assert [example.response for example in both.examples()] == ["one"]
    assert list(both.verdicts()) == []  # the verdict on "two" says nothing of "one"
    assert counts["errors"] == 1
    (failure,) = both.failures()
    assert "different content" in failure.error


def test_an_example_that_came_back_changed_is_told_from_its_verdicts(tmp_path: Path) -> None:
    changed = Failure("1", "other content", kind=FailureKind.CHANGED)
    with RunWriter(tmp_path, SIGNATURES) as writer:
        writer.add([Example("1", "r")], failures=[changed])
        assert writer.has_failure(changed)
        assert not writer.has_failure(Failure("1", "other content"))
    assert [failure.kind for failure in Run(tmp_path).failures()] == [FailureKind.CHANGED]


@pytest.mark.parametrize("kind", [FailureKind.CHANGED, FailureKind.BOT])
def test_an_example_is_no_failure_any_more_when_its_retry_succeeds(
    tmp_path: Path, kind: FailureKind
) -> None:
    settings = {"inputs": ["a.jsonl"]}
    with RunWriter(tmp_path, SIGNATURES, settings=settings) as writer:
        writer.add([], failures=[Failure("1", "other", kind=kind)])
    with RunWriter(tmp_path, SIGNATURES, settings=settings, retry_errors=True):
        pass
    assert list(Run(tmp_path).failures()) == []
