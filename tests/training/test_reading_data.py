from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from training import reading_data
from training.common import SHIPPED
from training.reading_data import (
    SHARES,
    ReadingRow,
    columns,
    cut,
    in_place,
    nearest_sentences,
    some_sentences,
    squad2_readings,
    squad_readings,
    wh_word,
)

CONTEXT = (
    "The mill stands by the river. It was built in 1790 by Anna Keller. Two wheels drive it, and "
    "they are large. Bread is sold there now. Many visit it in May."
)


def randoms() -> list[random.Random]:
    return [random.Random(seed) for seed in range(80)]


def span_of(answer: str, context: str = CONTEXT) -> tuple[int, int]:
    start = context.index(answer)
    return start, start + len(answer)


@pytest.mark.parametrize("answer", ["The mill", "Anna Keller", "May", "1790 by Anna"])
def test_a_cut_passage_holds_the_answer_where_it_says(answer: str) -> None:
    lengths = set()
    for rng in randoms():
        passage, start, end = cut(CONTEXT, *span_of(answer), rng)
        assert passage[start:end] == answer
        assert passage in CONTEXT
        lengths.add(passage.count("."))
    assert lengths == {1, 2, 3}


def test_an_answer_across_two_sentences_keeps_both() -> None:
    answer = "by Anna Keller. Two wheels"
    for rng in randoms():
        passage, start, end = cut(CONTEXT, *span_of(answer), rng)
        assert passage[start:end] == answer


def test_other_sentences_never_hold_what_they_should_not() -> None:
    passages = {some_sentences(CONTEXT, rng, without="anna keller") for rng in randoms()}
    assert None in passages
    assert len(passages) > 5
    assert not any("Anna Keller" in passage for passage in passages if passage)
    assert all(passage in CONTEXT for passage in passages if passage)
    assert some_sentences("", random.Random(1)) is None


def test_the_nearest_sentence_shares_most_words_with_the_question() -> None:
    cuts = {nearest_sentences(CONTEXT, "Who is the bread sold to now?", rng) for rng in randoms()}
    assert "Bread is sold there now." in cuts
    assert all("Bread is sold there now." in passage for passage in cuts)
    assert max(passage.count(".") for passage in cuts) == 3


@pytest.mark.parametrize(
    ("question", "answer", "word"),
    [
        ("Who built it?", "Anna", "who"),
        ("In when was it?", "1790", "when"),
        ("How many wheels are there?", "two", "how many"),
        ("What year was it built?", "1790", "when"),
        ("Which mill is it?", "the old one", "what"),
    ],
)
def test_the_word_that_stands_for_the_answer(question: str, answer: str, word: str) -> None:
    assert wh_word(answer, question) == word


def test_a_statement_asks_with_the_answer_replaced_in_place() -> None:
    asked = {in_place(CONTEXT, *span_of("Anna Keller"), "Who built it?", rng) for rng in randoms()}
    assert asked == {"It was built in 1790 by who?"}
    asked = {in_place(CONTEXT, *span_of("Two wheels"), "What drives it?", rng) for rng in randoms()}
    assert asked == {"what drive it, and they are large?", None}


SQUAD = [
    {
        "title": "Mill",
        "question": "In which year did Anna Keller build the mill?",
        "context": CONTEXT,
        "answers": [{"text": "1790", "answer_start": CONTEXT.index("1790")}],
        "n_occ": 1,
    },
    {
        "title": "Mill",
        "question": "What does a farmer with Peter Holt and 30 others grow?",
        "context": "The farm lies in a valley. Peter Holt and 30 others grow wheat there.",
        "answers": [{"text": "wheat", "answer_start": 57}],
        "n_occ": 1,
    },
    {
        "title": "Mill",
        "question": "Unclear which?",
        "context": "It is it.",
        "answers": [{"text": "It", "answer_start": 0}],
        "n_occ": 2,
    },
]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows) -> Path:
    write_rows(tmp_path / "train" / "squad1.jsonl.gz", SQUAD)
    asked = {"question": "Who sold the mill?", "context": CONTEXT, "answers": []}
    answered = {key: SQUAD[0][key] for key in ("question", "context", "answers")}
    rows = [{**row, "id": f"q{number}"} for number in range(20) for row in (asked, answered)]
    write_rows(tmp_path / "train" / "squad2_part.jsonl.gz", rows)
    monkeypatch.setattr(reading_data, "DATA", tmp_path)
    return tmp_path


def made(rounds: int = 40) -> list[ReadingRow]:
    rngs = [random.Random(seed) for seed in range(rounds)]
    return [row for rng in rngs for row in (*squad_readings(rng), *squad2_readings(rng))]


@pytest.mark.usefixtures("data")
def test_every_way_of_making_a_row_has_a_share() -> None:
    sources = Counter(row.source for row in made())
    assert set(sources) - set(SHARES) == {"squad2_kept", "squad2_kept_none"}
    other = {"qamr", "qamr_elsewhere", "tydi", "shifts_wiki", "shifts_reddit"}
    assert set(SHARES) - set(sources) == other


@pytest.mark.usefixtures("data")
def test_a_question_kept_from_training_comes_in_no_other_form() -> None:
    sources = Counter(row.source for row in squad2_readings(random.Random(1)))
    kept = sources["squad2_kept"]
    assert 0 < kept < 10
    assert sources["squad2_kept_none"] == kept
    forms = ("squad2", "squad2_cut", "squad2_none", "squad2_near_none")
    assert [sources[form] for form in forms] == [20 - kept] * 4
    assert all(row.startswith("squad2_kept") == (row not in SHARES) for row in sources)


@pytest.mark.usefixtures("data")
def test_rows_with_an_answer_mark_it_and_rows_without_do_not_hold_it() -> None:
    answers = {"1790", "wheat"}
    for row in made():
        if row.start >= 0:
            assert row.passage[row.start : row.end] in answers
        else:
            assert (row.start, row.end) == (-1, -1)
        if row.source.endswith(("elsewhere", "removed")):
            own = "1790" if "mill" in row.question.lower() or "It was" in row.question else "wheat"
            assert own not in row.passage, row


@pytest.mark.usefixtures("data")
def test_a_swapped_question_asks_about_something_else() -> None:
    questions = {row["question"] for row in SQUAD}
    edits = ("squad_swapped", "squad_turned", "squad_reworded", "squad_full_reworded")
    rows = made()
    for edit in edits:
        edited = [row for row in rows if row.source == edit]
        assert len(edited) > 10, edit
        assert not any(row.question in questions for row in edited)
        assert all(row.start == -1 for row in edited)


@pytest.mark.usefixtures("data")
def test_questions_whose_answer_stands_twice_are_not_used() -> None:
    assert not any("Unclear" in row.question for row in made())


@pytest.mark.usefixtures("data")
def test_the_same_random_numbers_make_the_same_rows() -> None:
    assert made(3) == made(3)


def encode(row: ReadingRow):
    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer.encode(row.question, row.passage)


def test_the_columns_are_the_tokens_of_the_answer() -> None:
    row = ReadingRow("squad", "Who built it?", CONTEXT, *span_of("Anna Keller"))
    encoding = encode(row)
    arrays = columns(row, encoding)
    assert arrays is not None
    first, last = arrays["firsts"], arrays["lasts"]
    assert isinstance(first, int)
    assert isinstance(last, int)
    offsets = encoding.offsets
    assert CONTEXT[offsets[first][0] : offsets[last][1]] == "Anna Keller"
    assert encoding.type_ids[first] == 1
    assert arrays["sources"] == "squad"


def test_no_answer_is_the_first_token() -> None:
    row = ReadingRow("squad_removed", "Who built it?", CONTEXT, -1, -1)
    assert columns(row, encode(row)) == {"firsts": 0, "lasts": 0, "sources": "squad_removed"}


def test_a_row_whose_answer_is_no_token_is_left_out() -> None:
    row = ReadingRow("squad", "Who built it?", "a   b", 2, 3)
    assert columns(row, encode(row)) is None
