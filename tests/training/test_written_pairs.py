"""Pairs written for training are well formed, balanced, and none of the everyday cases."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from training import written_pairs
from training.common import GROUNDEDNESS_LABELS, folded

GOLDEN = Path(__file__).parent.parent / "golden"
# So many words in a row recur by chance only.
TELLING_WORDS = 9

RECORDS = [*written_pairs.records(kept=False), *written_pairs.records(kept=True)]


def runs_of_words(text: str) -> set[str]:
    words = folded(text).split()
    return {" ".join(words[n : n + TELLING_WORDS]) for n in range(len(words) - TELLING_WORDS + 1)}


def test_each_edit_changes_one_place_of_its_passage() -> None:
    for record in RECORDS:
        assert record["edits"]
        for old, new in record["edits"]:
            assert record["a"].count(old) == 1, record["a"]
            assert old != new


def test_labels_are_those_of_entailment_or_of_begin() -> None:
    for record in RECORDS:
        known = GROUNDEDNESS_LABELS if "message" in record else tuple(written_pairs.LABELS)
        for claim, *labels in record["claims"]:
            assert claim.strip()
            assert len(labels) == 2
            assert set(labels) <= set(known)


def test_most_claims_cannot_be_judged_by_their_own_words() -> None:
    labels = [labels for record in RECORDS for _, *labels in record["claims"]]
    assert sum(first != second for first, second in labels) > 0.5 * len(labels)


def test_entailed_and_contradicted_claims_are_about_as_common(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # To cut all passages takes a quarter of a minute.
    monkeypatch.setattr(written_pairs, "records", lambda *, kept: RECORDS[::12])
    labels = Counter(pair["label"] for pair in written_pairs.pairs())
    assert 0.75 < labels["entailment"] / labels["contradiction"] < 1.5


def test_passages_kept_out_are_about_a_tenth_and_none_is_trained_on() -> None:
    kept = {record["a"] for record in written_pairs.records(kept=True)}
    trained = {record["a"] for record in written_pairs.records(kept=False)}
    assert not kept & trained
    assert 0.05 < len(kept) / len(RECORDS) < 0.15


@pytest.mark.parametrize("half", ["everyday_seen", "everyday_blind"])
def test_no_everyday_case_was_written_for_training(half: str) -> None:
    lines = (GOLDEN / f"{half}.jsonl").read_text("utf-8").splitlines()
    # Greetings and thanks are everybody's.
    cases = [case for line in lines if (case := json.loads(line))["consistent"] is not None]
    texts = chain.from_iterable((str(c.get("knowledge", "")), c["response"]) for c in cases)
    tested = set().union(*(runs_of_words(text) for text in texts))
    for record in RECORDS:
        written = [record["a"], *(claim for claim, *_ in record["claims"])]
        for text in written:
            assert not runs_of_words(text) & tested, text


def test_a_short_answer_is_told_as_the_statement_that_it_makes() -> None:
    assert written_pairs.as_statement("Is parking free? No.") == "parking is not free."
    assert written_pairs.as_statement("Parking is free.") == "Parking is free."


PADDING = " ".join(f"Room {n} has a window and a chair." for n in range(20))
LIFT = {
    "k": "document", "a": f"The lift stops at the third floor. Guests eat at noon. {PADDING}",
    "edits": [["third", "fourth"], ["at noon", "at one"]],
}  # fmt: skip


def pairs_of(record: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    monkeypatch.setattr(written_pairs, "records", lambda *, kept: [record])
    return list(written_pairs.pairs())


def test_a_long_passage_is_cut_and_keeps_every_sentence_that_an_edit_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claims = [["Room 7 is where guests eat at twelve.", "n", "c"]]
    rows = pairs_of({**LIFT, "claims": claims}, monkeypatch)
    assert [row["label"] for row in rows] == ["neutral", "contradiction"]
    assert "Room 7" in rows[0]["premise"]
    assert all("fourth" in row["premise"] and "at one" in row["premise"] for row in rows[1:])
    assert all(len(row["premise"].split()) <= written_pairs.LONGEST_PASSAGE for row in rows)


def test_of_a_long_passage_no_claim_is_used_whose_sentences_may_have_been_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (
        pairs_of({**LIFT, "claims": [["Room 7 can be seen out of.", "e", "e"]]}, monkeypatch) == []
    )
    endless = {**LIFT, "edits": [[PADDING, PADDING.replace("chair", "bed")]]}
    assert pairs_of({**endless, "claims": [["Room 7 has a chair.", "e", "c"]]}, monkeypatch) == []


def test_a_short_passage_is_given_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    short = {**LIFT, "a": "The lift stops at the third floor. Guests eat at noon. It is old."}
    rows = pairs_of({**short, "claims": [["You can ride to level 3.", "e", "c"]]}, monkeypatch)
    assert [row["premise"] for row in rows] == list(written_pairs.versions(short))
