"""What is trained on, what constants are chosen on and what is reported never mix."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from training import splits
from training.common import folded

PARTS: tuple[splits.Part, ...] = ("models", "constants", "reporting")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(splits, "DATA", tmp_path)
    return tmp_path


def knowledge_rows(count: int) -> list[dict[str, Any]]:
    return [
        {"knowledge": f"Fact number {n // 3}.", "response": f"r{n}", "label": "entailment"}
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("read", "file"),
    [(splits.audit, "faithdial_audit"), (splits.grounded_claims, "grounded_claims")],
)
def test_rows_are_split_by_knowledge_into_half_a_quarter_and_a_quarter(
    data: Path, write_rows, read, file: str
) -> None:
    rows = knowledge_rows(3000)
    write_rows(data / "train" / f"{file}.jsonl.gz", rows)
    parts = {part: read(part) for part in PARTS}
    assert sum(map(len, parts.values())) == 3000
    texts = {part: {row["knowledge"] for row in members} for part, members in parts.items()}
    assert texts["models"].isdisjoint(texts["constants"] | texts["reporting"])
    assert texts["constants"].isdisjoint(texts["reporting"])
    shares = {part: len(members) / 1000 for part, members in texts.items()}
    assert shares["models"] == pytest.approx(0.5, abs=0.05)
    assert shares["constants"] == pytest.approx(0.25, abs=0.05)


def test_the_split_ignores_case_and_punctuation_and_stays_as_it_is() -> None:
    assert splits.part("Coffee is a drink.") == splits.part("coffee  is a DRINK")
    # Changing these moves rows that models were trained on into the part that is reported.
    known = {text: splits.part(text) for text in ("coffee", "tea", "wine", "milk")}
    assert known == {
        "coffee": "constants", "tea": "reporting", "wine": "models", "milk": "models",
    }  # fmt: skip


@pytest.mark.slow
def test_the_parts_of_the_published_rows_share_no_knowledge(published_data: Path) -> None:
    for read, whole in ((splits.audit, 2304), (splits.grounded_claims, 5247)):
        texts = {part: [folded(row["knowledge"]) for row in read(part)] for part in PARTS}
        counts = Counter({part: len(known) for part, known in texts.items()})
        assert counts.total() == whole
        assert counts["models"] / whole == pytest.approx(0.5, abs=0.06)
        for one in PARTS:
            others = {text for part in PARTS if part != one for text in texts[part]}
            assert others.isdisjoint(texts[one])


def test_kept_paws_pairs_share_no_sentence_with_the_others(
    data: Path, write_rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits, "PAWS_KEPT", 10)
    # Chains: the hypothesis of a pair is the premise of the next one, in another spelling.
    rows = [
        {"source": "PAWS-Wiki", "premise": f"Chain {c}, link {n}.", "label": "entailment",
         "hypothesis": f"chain {c} link {n + 1}"}
        for c in range(20) for n in range(3)
    ]  # fmt: skip
    write_rows(data / "train" / "nli2.jsonl.gz", [*rows, {**rows[0], "source": "SNLI"}])
    trained, kept = splits.paws()
    assert len(trained) + len(kept) == 60, "rows of other sources are no PAWS pairs"
    assert len(kept) == 9, "whole chains, as many as fit"
    sides = [
        {folded(row[side]) for row in part for side in ("premise", "hypothesis")}
        for part in (trained, kept)
    ]
    assert sides[0].isdisjoint(sides[1])


def test_a_thousand_published_paws_pairs_are_kept_out(published_data: Path) -> None:
    trained, kept = splits.paws()
    assert 990 <= len(kept) <= 1000
    assert {row["label"] for row in kept} == {"entailment", "not_entailment"}
    sides = {folded(row[side]) for row in trained for side in ("premise", "hypothesis")}
    assert all(folded(row[side]) not in sides for row in kept for side in ("premise", "hypothesis"))


@pytest.mark.slow
def test_kept_unanswerable_questions_are_about_other_paragraphs(published_data: Path) -> None:
    trained, kept = splits.unanswerable()
    assert 990 <= len(kept) <= 1000
    assert {folded(row["context"]) for row in trained}.isdisjoint(
        folded(row["context"]) for row in kept
    )


@pytest.fixture
def dev(data: Path, write_rows) -> splits.DevTexts:
    """Dev sets with one row each that matters."""
    for name in splits._KNOWLEDGE_SETS:
        write_rows(data / "dev" / f"{name}.jsonl.gz", [])
    for name in splits._PAIR_SETS:
        write_rows(data / "dev" / f"{name}.jsonl.gz", [])
    lines = "Wine is made from grapes. It has been made in the Caucasus for 8,000 years."
    write_rows(data / "dev" / "q2_cross_annotation.jsonl.gz", [{"knowledge": lines}])
    write_rows(data / "dev" / "begin_v1_dev.jsonl.gz", [{"evidence": "Tea is a drink."}])
    write_rows(data / "dev" / "usr_topical_chat.jsonl.gz", [{"fact": "Milk is white."}])
    pair = {"premise": "A dog runs.", "hypothesis": "An animal moves.", "label": "entailment"}
    write_rows(data / "dev" / "snli_dev.jsonl.gz", [pair])
    claim = {"premise": "Some evidence.", "hypothesis": "Paris is in Spain.", "label": "x"}
    write_rows(data / "dev" / "fever_symmetric_dev.jsonl.gz", [claim])
    return splits.DevTexts()


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("a dog runs", "An animal moves!"),
        ("TEA is a drink", "anything"),
        ("milk is white", "anything"),
        ("Other words. It has been made in the Caucasus, for 8,000 years. More.", "anything"),
        ("other evidence", "paris is in spain"),
    ],
)
def test_what_a_dev_set_has_is_dropped(dev: splits.DevTexts, premise: str, hypothesis: str) -> None:
    assert dev.hold(premise, hypothesis)


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("A dog runs.", "A cat moves."),
        ("A cat runs.", "An animal moves."),
        ("Red. Wine is made from grapes. More.", "a sentence of five words recurs by chance"),
        ("", "no knowledge"),
    ],
)
def test_what_no_dev_set_has_stays(dev: splits.DevTexts, premise: str, hypothesis: str) -> None:
    assert not dev.hold(premise, hypothesis)


def test_no_published_audit_row_of_a_dev_set_s_knowledge_gets_through(
    published_data: Path,
) -> None:
    dev = splits.dev_texts()
    rows = splits.audit("models")
    dropped = [row for row in rows if dev.hold(row["knowledge"], row["response"])]
    assert 100 < len(dropped) < len(rows)
    assert not {folded(row["knowledge"]) for row in rows if row not in dropped} & dev.knowledge
