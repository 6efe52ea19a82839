from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from staytrue.annotation.blind_names import NO_KEY, blind
from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS, dialogue_of, write_sheet
from staytrue.cli import annotate, interrogate
from staytrue.core.errors import DataError, StaytrueError, UsageError
from staytrue.core.records import Example
from staytrue.runs.folder import Run
from staytrue.runs.runner import evaluate

BOTS = ["persona:seed=1,slip=0", "persona:seed=2,slip=0.6"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    named = [part for bot in BOTS for part in ("--bot", bot)]
    few = ["--dialogues", "3", "--turns", "4", "--draws", "20", "--quiet"]
    CliRunner().invoke(interrogate.command, [*named, *few, "--out", str(out)])
    return out


def call(*arguments: object) -> Result:
    result = CliRunner().invoke(annotate.command, [*map(str, arguments)])
    if isinstance(result.exception, StaytrueError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def fill(sheet: Path, out: Path, answers: dict[str, str], flip: int = 0) -> list[dict[str, str]]:
    """Answer every row alike, the contradictions by parity of the row, `flip` of them wrongly."""
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        row |= {**answers, "contradictory": "yes" if (number % 2) ^ (number < flip) else "no"}
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return rows


def test_a_sheet_is_blind_and_asks_three_things(run: Path, tmp_path: Path) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv")
    text = (tmp_path / "s.csv").read_text()
    assert "persona:" not in text
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len((run / "examples.jsonl").read_text().splitlines())
    assert {"appropriate", "relevant", "contradictory", "seconds"} <= set(rows[0])
    assert rows[0]["talk"].splitlines()[-1] == f"bot: {rows[0]['utterance']}"


def test_names_on_a_sheet_cannot_be_found_by_hashing_guesses(run: Path, tmp_path: Path) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(newline="") as file:
        shown = {name for row in csv.DictReader(file) for name in (row["item"], row["dialogue"])}
    examples = list(Run(run).examples())
    guesses = {blind(name, NO_KEY) for e in examples for name in (e.id, dialogue_of(e))}
    assert not shown & guesses
    assert (run / "sheets.key").stat().st_mode & 0o077 == 0


def test_a_sheet_read_with_another_key_is_refused(run: Path, tmp_path: Path) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv", "--key", tmp_path / "one.key")
    fill(tmp_path / "s.csv", tmp_path / "ann.csv", {"appropriate": "yes", "relevant": "yes"})
    call("results", run, tmp_path / "ann.csv", "--key", tmp_path / "one.key")
    with pytest.raises(DataError, match="--key"):
        call("results", run, tmp_path / "ann.csv")


def test_a_sheet_of_version_0_1_0_is_read_and_counted_with_newer_ones(
    run: Path, tmp_path: Path
) -> None:
    write_sheet(list(Run(run).examples()), tmp_path / "old.csv", INQUIRY_FIELDS)
    call("sheet", run, "--out", tmp_path / "new.csv")
    for sheet, name in (("old", "ann"), ("new", "bob")):
        answers = {"appropriate": "yes", "relevant": "yes"}
        fill(tmp_path / f"{sheet}.csv", tmp_path / f"{name}.csv", answers)
    sheets = (tmp_path / "ann.csv", tmp_path / "bob.csv")
    output = json.loads(call("results", run, *sheets, "--json").output)
    assert output["items"] == len(list(Run(run).examples()))
    assert output["annotators"] == ["ann", "bob"]


def test_dialogues_are_drawn_for_each_pair_by_the_seed(run: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        call("sheet", run, "--out", tmp_path / name, "--dialogues", 1, "--seed", seed)
    a, b, c = ((tmp_path / name).read_text() for name in "abc")
    assert a == b != c
    with (tmp_path / "a").open(newline="") as file:
        assert len({row["dialogue"] for row in csv.DictReader(file)}) <= 4


def test_three_annotators_give_majority_agreement_and_human_rates(
    run: Path, tmp_path: Path
) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv")
    good = {"appropriate": "yes", "relevant": "1", "seconds": "2"}
    for name, flip in (("ann", 0), ("bob", 0), ("cid", 3)):
        rows = fill(tmp_path / "s.csv", tmp_path / f"{name}.csv", good, flip)
    sheets = [tmp_path / f"{name}.csv" for name in ("ann", "bob", "cid")]
    output = json.loads(call("results", run, *sheets, "--json").output)
    assert output["items"] == len(rows)
    assert output["annotators"] == ["ann", "bob", "cid"]
    assert output["shares"]["appropriate"] == 1
    odd = len(rows) // 2
    assert output["shares"]["contradictory"] == pytest.approx(odd / len(rows))
    assert output["correlation"]["ann"] == pytest.approx(1)
    assert output["correlation"]["cid"] < 1
    assert output["agreement"]["contradictory"]["name"] == "Fleiss' kappa"
    assert 0 < output["agreement"]["contradictory"]["value"] < 1
    assert {bot["bot"] for bot in output["bots"]} <= set(BOTS)
    assert all(bot["automatic_rate"] is not None for bot in output["bots"])
    assert all(set(bot["correlation"]) == {"ann", "bob", "cid"} for bot in output["bots"])
    pairs = {(pair["first"], pair["second"]): pair for pair in output["pairs"]}
    assert set(pairs) <= {(first, second) for first in BOTS for second in BOTS}
    assert sum(pair["items"] for pair in output["pairs"]) == len(rows)
    assert all(pair["automatic_rate"] is not None for pair in output["pairs"])
    shown = call("results", run, *sheets).output
    assert "By pair of bots" in shown
    assert "mean" in shown
    held = len((run / "dialogues.jsonl").read_text().splitlines())
    assert output["per_dialogue"]["seconds"] == pytest.approx(2 * len(rows) / held)
    assert output["per_dialogue"]["contradictions"] == pytest.approx(odd / held)
    assert json.loads((run / "human.json").read_text()) == output


def test_a_word_that_is_no_answer_is_named_with_its_line(run: Path, tmp_path: Path) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv")
    fill(tmp_path / "s.csv", tmp_path / "a.csv", {"appropriate": "perhaps"})
    with pytest.raises(DataError, match=r"a\.csv:2: 'perhaps' is not an answer to appropriate"):
        call("results", run, tmp_path / "a.csv")


def test_a_sheet_in_another_encoding_says_how_to_save_it(run: Path, tmp_path: Path) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv", "--annotator", "Renée")
    fill(tmp_path / "s.csv", tmp_path / "a.csv", {"appropriate": "yes"})
    text = (tmp_path / "a.csv").read_text("utf-8")
    (tmp_path / "a.csv").write_bytes(text.encode("cp1252", "replace"))
    with pytest.raises(DataError, match=r"a\.csv is not UTF-8: save it again as 'CSV UTF-8'"):
        call("results", run, tmp_path / "a.csv")


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "long"])
def test_seconds_that_are_no_time_are_named_with_their_line(
    seconds: str, run: Path, tmp_path: Path
) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv")
    fill(tmp_path / "s.csv", tmp_path / "a.csv", {"seconds": seconds})
    with pytest.raises(DataError, match=rf"a\.csv:2: '{seconds}' is not a number of seconds"):
        call("results", run, tmp_path / "a.csv")


def test_an_empty_sheet_or_one_of_another_run_is_refused(run: Path, tmp_path: Path) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv")
    with pytest.raises(DataError, match="fill them in"):
        call("results", run, tmp_path / "s.csv")
    fill(tmp_path / "s.csv", tmp_path / "a.csv", {"item": "0123", "appropriate": "yes"})
    with pytest.raises(DataError, match="not from this source"):
        call("results", run, tmp_path / "a.csv")


def test_a_sheet_that_is_named_twice_is_no_agreement(run: Path, tmp_path: Path) -> None:
    call("sheet", run, "--out", tmp_path / "s.csv")
    answers = {"appropriate": "yes", "relevant": "yes", "seconds": "2,5"}
    fill(tmp_path / "s.csv", tmp_path / "ann.csv", answers)
    each = json.loads(call("results", run, tmp_path / "ann.csv", "--json").output)["per_dialogue"]
    assert each["seconds"] == pytest.approx(2.5 * each["items"])
    with pytest.raises(DataError, match="'ann' judges an item twice"):
        call("results", run, tmp_path / "ann.csv", tmp_path / "ann.csv")


def test_a_run_without_inquiries_has_nothing_to_ask_about(tmp_path: Path) -> None:
    rows = [Example("1", "It is red.", "It is blue.")]
    evaluate(rows, metrics=["overlap"], out=tmp_path / "run", progress=False)
    with pytest.raises(UsageError, match="no answers to inquiries"):
        call("sheet", tmp_path / "run", "--out", tmp_path / "s.csv")


def test_natural_talk_is_judged_turn_by_turn(tmp_path: Path) -> None:
    lines = ["hi", "i live in rome.", "nice", "i live in oslo.", "ok", "bye"]
    context = "\n".join(f"{'System' if n % 2 else 'User'}: {text}" for n, text in enumerate(lines))
    talk = tmp_path / "dstc9_botty.jsonl"
    talk.write_text(json.dumps({"context": context, "consistent": 0}) + "\n")
    given = ("sheet", f"dstc9:{talk}", "--natural", "--out", tmp_path / "s.csv")
    with pytest.raises(DataError, match="fewer than 5 turns"):
        call(*given)
    call(*given, "--fewest-turns", 3)
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["utterance"] for row in rows) == ["bye", "i live in oslo."]
    for row in rows:
        row |= {"inconsistent": "yes" if "oslo" in row["utterance"] else "no", "seconds": "30"}
    with (tmp_path / "a.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    shown = call("results", f"dstc9:{talk}", tmp_path / "a.csv", "--natural", "--json").output
    output = json.loads(shown)
    assert output["bots"][0]["bot"] == "botty"
    assert output["per_dialogue"] == {"items": 2.0, "contradictions": 1.0, "seconds": 60.0}


def test_natural_talk_with_abusive_words_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    rows = []
    for insult in ("you shitty liar", "you liar"):
        talk = "\n".join(f"User: {insult}\nSystem: i said {n} to {insult}" for n in range(6))
        rows.append(json.dumps({"context": talk, "consistent": 1}))
    (tmp_path / "dstc9_botty.jsonl").write_text("\n".join(rows) + "\n")
    given = ("sheet", f"dstc9:{tmp_path / 'dstc9_botty.jsonl'}", "--natural", "--out")
    shown = call(*given, tmp_path / "clean.csv").output
    call(*given, tmp_path / "all.csv", "--keep-abusive")
    assert "Left out: 5 turns of dialogues" in shown
    assert "shitty" not in (tmp_path / "clean.csv").read_text()
    assert "shitty" in (tmp_path / "all.csv").read_text()
    assert len((tmp_path / "all.csv").read_text()) > len((tmp_path / "clean.csv").read_text())


def test_one_turn_one_item_and_one_annotator_are_told_as_such(tmp_path: Path) -> None:
    rows = []
    for turns in (2, 3):
        lines = "\n".join(f"User: hi\nSystem: i said {n} of {turns}" for n in range(turns))
        rows.append(json.dumps({"context": lines, "consistent": 1}))
    talk, sheet = tmp_path / "dstc9_botty.jsonl", tmp_path / "s.csv"
    talk.write_text("\n".join(rows) + "\n")
    given = ("sheet", f"dstc9:{talk}", "--natural", "--fewest-turns", 3, "--out", sheet)
    assert "Left out: 1 turn of dialogues" in call(*given).output
    talk.write_text(rows[0] + "\n")
    call("sheet", f"dstc9:{talk}", "--natural", "--fewest-turns", 1, "--out", sheet)
    fill(sheet, tmp_path / "a.csv", {"inconsistent": "no", "seconds": "2"})
    shown = call("results", f"dstc9:{talk}", tmp_path / "a.csv", "--natural").output
    assert re.search(r"\b1 item, 1 annotator\b", shown)


def test_inquiries_and_natural_talk_stand_side_by_side(run: Path, tmp_path: Path) -> None:
    each = {"items": 20.0, "contradictions": 0.625, "seconds": 77.0}
    natural = {"bots": [{"bot": BOTS[0], "per_dialogue": each}], "per_dialogue": each}
    (tmp_path / "n.json").write_text(json.dumps(natural))
    call("sheet", run, "--out", tmp_path / "s.csv")
    fill(tmp_path / "s.csv", tmp_path / "a.csv", {"appropriate": "yes", "seconds": "2"})
    given = ["results", run, tmp_path / "a.csv", "--beside", tmp_path / "n.json"]
    shown = call(*given).output
    assert "natural dialogue" in shown
    assert "0.625" in shown
    assert "77.000" in shown
    output = json.loads(call(*given, "--json").output)
    assert output["natural"] == {"per_dialogue": each, "bots": {BOTS[0]: each}}
    (tmp_path / "n.json").write_text("[]")
    with pytest.raises(DataError, match="has no figures of natural dialogue"):
        call(*given)


def test_the_threshold_table_has_rates_and_with_sheets_f1(run: Path, tmp_path: Path) -> None:
    plain = call("tau", run).output
    assert all(f"{tau:g}" in plain for tau in (0.1, 0.15, 0.3, 0.5))
    call("sheet", run, "--out", tmp_path / "s.csv")
    fill(tmp_path / "s.csv", tmp_path / "a.csv", {"appropriate": "yes", "relevant": "yes"})
    judged = call("tau", run, tmp_path / "a.csv", "--tau", "0.0").output
    odd = len((run / "examples.jsonl").read_text().splitlines())
    assert f"{2 * (odd // 2) / (odd + odd // 2):.3f}" in judged
