from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from training import made_pairs
from training.made_pairs import (
    answer_pairs,
    chatty,
    grounded_pairs,
    misplaced,
    persona_pairs,
    role_pairs,
    talk_pairs,
)

Rows = list[dict[str, Any]]
Grounded = Callable[[str], Rows]

PARAGRAPHS = {
    "Coffee": "Coffee is a drink that was first brewed in Yemen in 1450. The beans are sold by "
    "Green Mountain, and the drink has been praised by seven kings.",
    "Lake_Como": "The lake is visited by many people from Milan, because it is near. Its fish "
    "were caught by Mario Rossi in 1890. A ferry can cross the lake in 30 minutes today.",
    "Chess": "The game was brought to Persia by Indian Traders in 600. A match can last for four "
    "hours, but most are over soon.",
}


@pytest.fixture
def wiki(tmp_path: Path, write_rows: Callable[..., Path]) -> Path:
    rows = [{"title": title, "text": text} for title, text in PARAGRAPHS.items()]
    return write_rows(tmp_path / "wiki_paragraphs.jsonl.gz", rows).parent


@pytest.fixture
def grounded(wiki: Path, monkeypatch: pytest.MonkeyPatch) -> Grounded:
    """Pairs with a label, whose responses are plain clauses."""
    monkeypatch.setattr(made_pairs, "chatty", lambda clause, topic, rng: clause)
    rows = list(grounded_pairs(wiki, 1, 250))
    return lambda label: [row for row in rows if row["label"] == label]


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def without_subject(text: str) -> str:
    """The clause from its verb on, because a pronoun may stand for what is before."""
    return plain(re.sub(r"^(?:it|they) ", "", text))


def test_chatty_keeps_the_words_of_the_clause() -> None:
    clause = "Tea came to Paris, then to Rome"
    forms = {chatty(clause, "tea", random.Random(seed)) for seed in range(200)}
    assert all(plain(clause) in plain(form) for form in forms)
    assert {clause, f"yes , {clause}.", "tea came to paris , then to rome ."} <= forms
    assert any("i love tea" in form for form in forms)


def test_a_response_that_follows_says_part_of_the_passage(grounded: Grounded) -> None:
    rows = grounded("entailment")
    assert len(rows) > 50
    for row in rows:
        assert without_subject(row["hypothesis"]) in plain(row["premise"]), row
    assert any(row["hypothesis"].startswith(("it ", "they ")) for row in rows)
    assert any(len(row["hypothesis"].split()) < len(row["premise"].split()) // 2 for row in rows)


def test_a_response_that_contradicts_says_what_the_passage_does_not(grounded: Grounded) -> None:
    rows = grounded("contradiction")
    ways = Counter()
    for row in rows:
        claim = without_subject(row["hypothesis"])
        assert claim not in plain(row["premise"]), row
        new = set(claim.split()) - set(plain(row["premise"]).split())
        ways["negated" if new & {"not", "never"} else "swapped"] += 1
        assert new, row
    assert min(ways["negated"], ways["swapped"]) > 5


def test_a_neutral_response_goes_beyond_the_passage(grounded: Grounded) -> None:
    rows = grounded("neutral")
    assert len(rows) > 50
    for row in rows:
        assert without_subject(row["hypothesis"]) not in plain(row["premise"]), row


def test_grounded_pairs_follow_from_the_seed_alone(wiki: Path) -> None:
    rows = list(grounded_pairs(wiki, 1, 60))
    assert len(rows) == 60
    assert rows[:30] == list(grounded_pairs(wiki, 1, 30))
    assert rows[:30] != list(grounded_pairs(wiki, 2, 30))
    assert {row["source"] for row in rows} == {"made_grounded"}


QUESTIONS = [
    ("Who led the work there?", "led by ", "President Lincoln", " during the war"),
    ("Who paid for it?", "paid by ", "Abraham Lincoln", " in gold coins"),
    ("Who wrote the song?", "written by ", "Clara Schumann", " for her friend"),
    ("When did it open?", "opened in ", "1871", " after long work"),
    ("When did it close?", "closed in ", "1930", " for lack of money"),
    ("What do they eat?", "they eat ", "the small green leaves", " of young trees"),
    ("What do they drink?", "they drink ", "water", " from the river"),
    ("What did it carry?", "it carried ", "coal", " from the north"),
]


@pytest.fixture
def questions(tmp_path: Path, write_rows: Callable[..., Path]) -> Path:
    rows = [
        {
            "id": str(number),
            "title": "Works",
            "question": question,
            "context": f"It was {before}{answer}{after}.",
            "answers": [{"text": answer, "answer_start": len(f"It was {before}")}],
        }
        for number, (question, before, answer, after) in enumerate(QUESTIONS)
    ]
    rows.append({"id": "none", "question": "Why?", "context": "It was so.", "answers": []})
    write_rows(tmp_path / "squad1.jsonl.gz", rows)
    write_rows(tmp_path / "qamr_dev.jsonl.gz", [])
    return write_rows(tmp_path / "qamr_test.jsonl.gz", []).parent


def answers_of(row: dict[str, Any]) -> tuple[str, str]:
    """The two answers; both texts start with the same question."""
    question, premise = row["premise"].split("? ", 1)
    again, hypothesis = row["hypothesis"].split("? ", 1)
    assert question.lower() == again.lower()
    return plain(premise), plain(hypothesis)


def test_an_entailed_answer_says_no_more_than_the_known_one(questions: Path) -> None:
    rows = [row for row in answer_pairs(questions, 1, 400) if row["label"] == "entailment"]
    assert len(rows) > 50
    small = {"the", "by", "in"}
    for row in rows:
        known, answer = answers_of(row)
        assert set(answer.split()) - small <= set(known.split()), row


def test_a_neutral_answer_says_all_of_the_known_one_and_more(questions: Path) -> None:
    rows = [row for row in answer_pairs(questions, 1, 400) if row["label"] == "neutral"]
    assert len(rows) > 20
    for row in rows:
        known, answer = answers_of(row)
        assert f" {known} " in f" {answer} ", row
        assert answer != known


def test_a_contradicting_answer_shares_no_word_with_the_known_one(questions: Path) -> None:
    rows = [row for row in answer_pairs(questions, 1, 400) if row["label"] == "contradiction"]
    assert len(rows) > 50
    for row in rows:
        known, answer = answers_of(row)
        assert not set(known.split()) & set(answer.split()), row


def test_a_year_is_contradicted_by_a_year_and_a_name_by_a_name(questions: Path) -> None:
    rows = [row for row in answer_pairs(questions, 1, 400) if row["label"] == "contradiction"]
    for row in rows:
        known, answer = answers_of(row)
        assert known.isdigit() == answer.isdigit(), row
        assert row["premise"].startswith("Who") == (answer.split()[-1] in ("lincoln", "schumann"))


def test_answer_pairs_follow_from_the_seed_alone(questions: Path) -> None:
    rows = list(answer_pairs(questions, 1, 60))
    assert rows[:30] == list(answer_pairs(questions, 1, 30))
    assert rows[:30] != list(answer_pairs(questions, 2, 30))
    assert {row["source"] for row in rows} == {"made_answers"}


def test_a_persona_pair_is_said_by_one_speaker_and_rules_out_contradiction_only(
    tmp_path: Path, write_rows: Callable[..., Path]
) -> None:
    people = [
        {"persona": ["i like tea", "i am old"], "response": "tea is great"},
        {"persona": ["i have dogs", "i am young", "i run"], "response": "my dogs bark"},
        {"persona": ["i am alone"], "response": "hello"},
    ]
    write_rows(tmp_path / "personachat.jsonl.gz", people)
    rows = list(persona_pairs(tmp_path, 1, 200))
    assert len(rows) == 200
    speakers = [{*person["persona"], person["response"]} for person in people[:2]]
    for row in rows:
        both = {row["premise"], row["hypothesis"]}
        assert len(both) == 2
        assert any(both <= lines for lines in speakers), row
        assert row["label"] == "not_contradiction"
    with_response = sum(
        "tea is great" in row.values() or "my dogs bark" in row.values() for row in rows
    )
    assert 0.5 < with_response / 200 < 0.7
    assert rows == list(persona_pairs(tmp_path, 1, 200))


def test_two_turns_of_one_person_do_not_contradict_each_other(
    tmp_path: Path, write_rows: Callable[..., Path]
) -> None:
    lines = {
        "a": ["I like tea a lot.", "My dog runs fast."],
        "b": ["We went home.", "It rained today."],
    }
    turns = [
        ("a", lines["a"][0]), ("b", lines["b"][0]), ("b", "Do you run?"), ("a", lines["a"][1]),
        ("b", lines["b"][1]),
    ]  # fmt: skip
    talk = [{"agent": who, "message": text} for who, text in turns]
    films = [{"uid": who, "text": text} for who, text in turns]
    write_rows(tmp_path / "topical_chat_valid_freq.jsonl.gz", [{"content": talk}])
    write_rows(tmp_path / "topical_chat_valid_rare.jsonl.gz", [{"content": talk[:2]}])
    write_rows(tmp_path / "cmu_dog_train.jsonl.gz", [{"history": films}])
    rows = list(talk_pairs(tmp_path, 1, 100))
    assert rows == list(talk_pairs(tmp_path, 1, 100))
    assert {(row["label"], row["source"]) for row in rows} == {("not_contradiction", "made_talk")}
    assert {(row["premise"], row["hypothesis"]) for row in rows} == {
        tuple(lines["a"]),
        tuple(f"Do you run? {text}" for text in lines["a"]),
        tuple(lines["b"]),
    }


def test_misplaced_names_come_from_the_same_passage() -> None:
    passage = "The film by Steven Spielberg starred Roy Scheider. It was shot near Boston in 1974."
    clause = "The film by Steven Spielberg starred Roy Scheider"
    assert {misplaced(clause, passage, random.Random(seed)) for seed in range(20)} == {
        "The film by Roy Scheider starred Steven Spielberg"
    }
    assert misplaced("It was shot near Boston", passage, random.Random(1)) is None


def test_names_of_a_list_do_not_change_places() -> None:
    listed = "It was sold in Paris Nord, New York and Los Angeles"
    assert misplaced(listed, listed, random.Random(1)) is None


def test_role_pairs_are_right_as_they_stand_or_have_a_name_in_the_wrong_place(
    tmp_path: Path, write_rows: Callable[..., Path]
) -> None:
    text = "The old film by Steven Spielberg has a part for Roy Scheider from New Jersey"
    write_rows(tmp_path / "wiki_paragraphs.jsonl.gz", [{"title": "Jaws", "text": text + "."}])
    rows = list(role_pairs(tmp_path, 1, 80))
    assert {row["label"] for row in rows} == {"entailment", "not_entailment"}
    for row in rows:
        right = plain(text) in plain(row["hypothesis"])
        assert row["premise"] == text + "."
        assert right == (row["label"] == "entailment")
