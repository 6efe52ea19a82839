"""Silver rows: every method, deterministic, balanced, with their history."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from click.testing import CliRunner

from staytrue.cli.perturb import command
from staytrue.core.records import Example, Turn
from staytrue.silver import make as silver
from staytrue.silver.rows import LABELS

TEXTS = {
    "Rome": [
        "Rome is the capital of Italy, which is an old country.",
        "Augustus founded the Roman Empire and ruled for forty years.",
        "The Vatican was founded in 1929 by a treaty with Italy.",
    ],
    "Skiing": [
        "Early skiers used one long pole in Norway.",
        "Sondre Norheim built short skis in 1870.",
        "The first race was held in Oslo in 1868.",
    ],
    "Apple": [
        "Apple bought Beats Electronics in 2014.",
        "Steve Jobs founded three large companies.",
        "Tim Cook has led Apple since 2011.",
    ],
}


def examples() -> list[Example]:
    return [
        Example(f"{topic}{n}", text, text, (Turn("user", f"Tell me about {topic}."),),
                tags={"topic": topic})
        for topic, texts in TEXTS.items()
        for n, text in enumerate(texts)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def material():
    return silver.gather(examples())


@pytest.fixture(scope="module")
def rows(material):
    return list(silver.make(material, seed=1))


def test_all_five_labels_and_most_methods_appear(rows):
    assert {row.label for row in rows} == set(LABELS)
    assert {"entity-swap", "negation", "off-topic", "generic", "human"} <= {r.method for r in rows}
    assert all(silver.LABEL_OF[row.method] == row.label for row in rows)


def test_every_row_keeps_the_original_evidence_and_says_what_was_changed(rows):
    evidence = {text for texts in TEXTS.values() for text in texts}
    for row in rows:
        assert row.evidence in evidence
        assert bool(row.edits) == bool(row.changed)
        assert row.changed or row.method == "human"
        for edit in row.edits:
            assert row.original[edit.start : edit.end] == edit.old


def test_a_row_in_chatty_style_says_so(material):
    assert all(row.styled for row in silver.make(material, seed=1, chatty_share=1.0))


def test_the_same_seed_makes_the_same_rows_and_methods_do_not_disturb_each_other(material, rows):
    assert list(silver.make(material, seed=1)) == rows
    alone = list(silver.make(material, methods=["negation"], seed=1))
    assert alone == [row for row in rows if row.method == "negation"]
    assert list(silver.make(material, seed=2)) != rows


def test_off_topic_responses_come_from_the_same_topic_and_other_evidence(rows):
    for row in rows:
        if row.method == "off-topic":
            assert row.response in TEXTS[row.topic]
            assert row.response != row.evidence


def test_balancing_gives_equal_labels(rows):
    counts = Counter(row.label for row in silver.balanced(rows, seed=1))
    assert len(set(counts.values())) == 1
    assert len(silver.balanced(rows, 10)) == 10
    assert silver.balanced([]) == []


def test_a_chatbot_replies_to_the_changed_evidence():
    class Parrot:
        def reply(self, history, *, persona=(), seed=0):
            return history[0].text

    material = silver.gather(examples(), Parrot())
    rows = list(silver.make(material, methods=["entity-swap"], seed=1))
    assert rows
    for row in rows:
        assert row.response != row.evidence
        assert any(edit.new in row.response for edit in row.edits)


def test_a_chatbot_gives_the_generic_responses_at_low_temperature_without_the_evidence():
    class Warm:
        temperature = 1.0

        def reply(self, history, *, persona=(), seed=0):
            assert all(turn.speaker != "knowledge" for turn in history)
            return f"Sure, at {self.temperature}."

    bot = Warm()
    rows = list(silver.make(silver.gather(examples(), bot), methods=["generic"], seed=1))
    with_history = [row for row in rows if row.message]
    assert with_history
    assert {row.response for row in with_history} == {"Sure, at 0.4."}
    assert bot.temperature == 1.0


def test_rows_without_knowledge_are_left_alone():
    assert silver.gather([Example("a", "Hi", ""), Example("b", "", "Know")]).items == []


def test_responses_that_people_call_inconsistent_are_left_out_and_counted():
    right, unjudged = examples()[:2]
    wrong = Example("wrong", "Rome is in Spain.", right.knowledge, consistent=False)
    material = silver.gather([right, wrong, unjudged])
    assert [item.example for item in material.items] == [right, unjudged]
    assert material.inconsistent == 1


def test_the_command_writes_rows_that_can_be_scored_again(tmp_path):
    data, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    data.write_text(
        "\n".join(
            json.dumps({"id": e.id, "response": e.response, "knowledge": e.knowledge,
                        "message": e.message, "tags": dict(e.tags)})
            for e in examples()
        )
    )  # fmt: skip
    done = CliRunner().invoke(command, [str(data), "--out", str(out), "--size", "10", "--quiet"])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 10
    assert {"knowledge", "message", "response", "label", "method", "original"} <= set(rows[0])


def test_the_command_names_its_methods():
    done = CliRunner().invoke(command, ["--list-methods"])
    assert "entity-swap" in done.output
    assert done.exit_code == 0
