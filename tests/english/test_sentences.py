"""Sentences are found in edited text and in dialogue alike, and no word is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.english.words import sentence_spans, sentences, tell_rows, without_markup


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("i like cats . do you ?", ["i like cats .", "do you ?"]),
        ("It cost 3.5 dollars. Cheap.", ["It cost 3.5 dollars.", "Cheap."]),
        ("Dr. Smith came. He left.", ["Dr. Smith came.", "He left."]),
        ("J. K. Rowling wrote it.", ["J. K. Rowling wrote it."]),
        ("First line\nsecond line", ["First line", "second line"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("wow ! !", ["wow ! !"]),
        ("", []),
        ("   ", []),
        ("...", ["..."]),
        ("Dr. Smith was born in St. Louis.", ["Dr. Smith was born in St. Louis."]),
        ("He lives in the U.S. He likes it.", ["He lives in the U.S.", "He likes it."]),
        ("It opens at 9 a.m. every day.", ["It opens at 9 a.m. every day."]),
        ("Fruit, e.g. apples, vs. nuts.", ["Fruit, e.g. apples, vs. nuts."]),
        ("no. i hate it.", ["no.", "i hate it."]),
        ("Take No. 5 to Main St. It is close.", ["Take No. 5 to Main St.", "It is close."]),
        ("So do I. He left.", ["So do I.", "He left."]),
        ("i like cats. do you?", ["i like cats.", "do you?"]),
        ("it is 5 . 7 miles . ok", ["it is 5 . 7 miles .", "ok"]),
        ("Founded in 2010. 5 people came.", ["Founded in 2010.", "5 people came."]),
        ("Well... maybe not.", ["Well... maybe not."]),
        ("well... do you like it?", ["well...", "do you like it?"]),
        ('"Really?" he asked. "Yes."', ['"Really?" he asked.', '"Yes."']),
        ("See https://a.example/x?y=1.5 now. Ok.", ["See https://a.example/x?y=1.5 now.", "Ok."]),
        ("hi!how are you", ["hi!", "how are you"]),
        ("We left.He came back.", ["We left.", "He came back."]),
        ("We use Node.js and example.com.", ["We use Node.js and example.com."]),
        ("1. Boil water\n2. Add tea\n- Wait", ["1. Boil water", "2. Add tea", "- Wait"]),
        ("1. Boil it. 2. Stir it.", ["1. Boil it.", "2. Stir it."]),
        ("1. Boil 2. Stir", ["1. Boil", "2. Stir"]),
        (
            "# Title\n| a | b |\n|---|---|\n| 1 | 2 |",
            ["# Title", "| a | b |\n|---|---|", "| 1 | 2 |"],
        ),
        ("Tea • Milk • Sugar", ["Tea", "• Milk", "• Sugar"]),
        ("**Note.** Read it. _Now._ Go", ["**Note.**", "Read it.", "_Now._", "Go"]),
        (
            "This is a line that was wrapped by a mail program at about seventy\nletters. Ok.",
            ["This is a line that was wrapped by a mail program at about seventy\nletters.", "Ok."],
        ),
        ("It is 5 ft. tall. Max. 3 people.", ["It is 5 ft. tall.", "Max.", "3 people."]),
        ("Gen. Lee met Sen. Smith.", ["Gen. Lee met Sen. Smith."]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@given(st.text(max_size=200))
def test_spans_are_in_order_and_only_space_lies_between_them(text: str) -> None:
    spans = sentence_spans(text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    for end, start in zip(ends, starts, strict=True):
        assert end <= start
        assert not text[end:start].strip()


@given(
    st.lists(
        st.sampled_from(
            "Dr. a.m. no. ... 1. 5 . hi! ok ? \n - • I. e.g. https://a.b/?c U.S. It".split(" ")
        )
    )
)
def test_no_character_is_lost_in_texts_full_of_marks(parts: list[str]) -> None:
    text = " ".join(parts)
    kept = "".join(text[start:end] for start, end in sentence_spans(text))
    assert "".join(kept.split()) == "".join(text.split())


def test_the_sentences_of_a_text_hold_words() -> None:
    assert sentences("... hi . !") == ["... hi . !"]
    assert sentences("!!!") == []


PRICES = """Our plans:

| Plan | Users | Billed yearly |
|---|:-:|---:|
| Team | up to 10 | $1,188 |
| Business | up to 50 | $2,388 |

All prices include support."""


def told(text: str) -> list[str]:
    return list(tell_rows(pieces(text)))


def test_a_row_is_told_with_the_headings_of_its_table() -> None:
    assert told(PRICES) == [
        "Our plans:",
        "",
        "Team: Users up to 10, Billed yearly $1,188.",
        "Business: Users up to 50, Billed yearly $2,388.",
        "All prices include support.",
    ]


@pytest.mark.parametrize(
    "text",
    ["a | b", "| Team | $119 |", "Use cat file | sort.", "| A | B |\n|---|---|\n| only one cell |"],
)
def test_what_has_no_header_of_its_width_stays_as_it_is(text: str) -> None:
    assert told(text)[-1] == text.splitlines()[-1]


def test_a_table_of_one_column_is_told_with_its_heading() -> None:
    assert told("| Bring |\n|---|\n| a passport |")[-1] == "Bring: a passport."


def test_nothing_is_told_of_nothing() -> None:
    assert list(tell_rows([])) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. **Passport** needed [1].", "Passport needed ."),
        ("- one\n* two.\n• three", "one. two.\n three"),
        ("## Prices\nIt is `free`.", "Prices\nIt is free ."),
        ("It costs $5.[1][2] Yes.", "It costs $5. Yes."),
        ("See [doc 2], [1, 3] and 【4】.", "See , and ."),
        ("Read [our terms](https://example.com/a) first.", "Read our terms first."),
        ("| Team | $119 |", "Team , $119 ."),
        ("| Plan | Price |\n|---|---|\n| **Team** | $119 |", "\n\n Team , $119 ."),
        ("| Plan | Price |\n|:-|:-:|\n| Team | $119 |", "\n\n Team , $119 ."),
    ],
)
def test_markup_is_not_seen(text: str, expected: str) -> None:
    blanked = without_markup(text)
    assert len(blanked) == len(text)
    assert [line.split() for line in blanked.splitlines()] == [
        line.split() for line in expected.splitlines()
    ]


@pytest.mark.parametrize(
    "text",
    [
        "It is 5 * 3 - 2 = 13.",
        "The years 1990-1995 [citation needed] were good.",
        "a | b and snake_case and x[0]",
        "2.5 metres high",
        "I *love* it - really.",
    ],
)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert without_markup(text) == text


@given(st.text(alphabet="ab1 .|-*_[]()`#\n", max_size=60))
def test_the_length_never_changes_and_letters_stay(text: str) -> None:
    blanked = without_markup(text)
    assert len(blanked) == len(text)
    assert all(new in (old, *" ,.") for old, new in zip(text, blanked, strict=True))


def test_long_runs_of_marks_take_no_time() -> None:
    for mark in "|*[-`#_":
        without_markup(mark * 50_000)
        without_markup(f"{mark} " * 50_000)
