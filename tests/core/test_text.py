"""Laws of the pure text functions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.core.errors import one_line, printable
from staytrue.core.text import counted, decimals, spreadsheet_plain, spreadsheet_safe, words
from staytrue.english.words import spread, token_f1
from staytrue.metrics.q2.steps import answer_f1, normalise_answer

TOKENS = st.lists(st.sampled_from("abcde"), max_size=8)


@given(TOKENS, TOKENS)
def test_token_f1_is_symmetric_and_in_range(left: list[str], right: list[str]) -> None:
    assert token_f1(left, right) == token_f1(right, left)
    assert 0 <= token_f1(left, right) <= 1


@given(TOKENS)
def test_token_f1_of_equal_sides_is_one(tokens: list[str]) -> None:
    assert token_f1(tokens, tokens) == 1


def test_token_f1_counts_repeated_tokens_once_each() -> None:
    assert token_f1(["a", "a", "b"], ["a", "c"]) == 2 * 1 / 5


def test_answers_are_compared_without_case_punctuation_and_small_words() -> None:
    assert normalise_answer("The  Eiffel-Tower, in our PARIS!") == "eiffel tower paris"
    assert answer_f1("a dog", "The dog.") == 1


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise_answer(normalise_answer(text)) == normalise_answer(text)


def test_words_drop_punctuation() -> None:
    assert words("It's 3.5 km, OK?") == ["it", "s", "3", "5", "km", "ok"]


def test_printable_drops_terminal_codes_and_text_direction_tricks() -> None:
    assert printable("a\x1b[31mred\x07\u202egnp.exe\x9b") == "a[31mredgnp.exe"


@given(st.text())
def test_one_line_fits_and_holds_no_control_characters(text: str) -> None:
    line = one_line(text, 20)
    assert len(line) <= 20
    assert not any(ord(character) < 32 for character in line)


@pytest.mark.parametrize("start", ["", " ", "\u200b", "\ufeff", "\u00a0", "\u202e", "\x01"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
def test_no_sign_starts_a_formula_whatever_stands_before_it(start: str, sign: str) -> None:
    assert spreadsheet_safe(f"{start}{sign}1+1").startswith("'")


@given(st.text().filter(lambda text: "\x00" not in text))
def test_a_cell_comes_back_as_it_was(cell: str) -> None:
    assert spreadsheet_plain(spreadsheet_safe(cell)) == cell


@given(st.lists(st.integers(), max_size=300), st.integers(2, 50))
def test_a_spread_choice_keeps_order_and_ends(items: list[int], most: int) -> None:
    chosen = spread(list(enumerate(items)), most)
    assert len(chosen) == min(len(items), most)
    assert chosen == sorted(set(chosen))
    assert chosen[:1] == list(enumerate(items))[:1]
    assert chosen[-1:] == list(enumerate(items))[-1:]


def test_one_is_not_several() -> None:
    assert [counted(n, "error") for n in (0, 1, 2_000)] == ["0 errors", "1 error", "2,000 errors"]
    assert counted(3, "inquiry", "inquiries") == "3 inquiries"


def test_a_figure_that_rounds_to_zero_has_no_sign() -> None:
    assert [decimals(value) for value in (-0.0001, 0.0, 0.0004, -0.12)] == [
        *["0.000"] * 3,
        "-0.120",
    ]
    assert [decimals(value, signed=True) for value in (-0.0001, 0.0001)] == ["0.000", "0.000"]
    assert [decimals(value, signed=True) for value in (-0.12, 0.12)] == ["-0.120", "+0.120"]


def test_an_absent_figure_is_a_dash() -> None:
    assert (decimals(None), decimals(None, signed=True)) == ("–", "–")
