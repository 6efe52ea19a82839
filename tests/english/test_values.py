"""Values in a text: found with their places, and equal however they are written."""

from __future__ import annotations

import time
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.english.numbers import in_words, ordinal
from staytrue.english.values import (
    Value,
    comparable,
    find_values,
    same_value,
    says_less,
    within,
)


def the_value(text: str) -> Value:
    values = find_values(text)
    assert len(values) == 1, (text, values)
    return values[0]


SAME = [
    "2,500 square feet | 2500 square feet | two thousand five hundred sq ft | 2,500 sq. ft.",
    "3/14/2024 | 14 March 2024 | March 14th, 2024 | the fourteenth of March 2024 | 2024-03-14 | "
    "14.03.2024 | Mar. 14, 2024 | 14/3/24 | March 14, 2024",
    "14 March | March 14th | the 14th of March | 14 March 2024",
    "9 a.m. until 5 p.m. | 9:00-17:00 | from nine to five | 9am-5pm | between 9 AM and 5 PM | "
    "09:00 – 17:00 | 9-5 pm | open 9-5",
    "10 pm to 6 am | 22:00-6:00 | 10 p.m. until 6 a.m.",
    "3 to 5 business days | 3-5 days | three to five days | between 3 and 5 days | 72 to 120 hours",
    "half an hour | 30 minutes | 30 min | thirty minutes | 0.5 hours | ½ hour | a half-hour walk",
    "a fortnight | 14 days | 2 weeks | two weeks",
    "50% | half of them | 50 percent | fifty per cent | 1/2 of it | 5 out of 10",
    "75% | three quarters | 3/4 of it",
    "a third of them | 33% | one third of it",
    "$20 | 20 dollars | USD 20 | twenty dollars | $20.00 | 20 bucks | US$20 | 20 USD",
    "€1.5 million | €1.5m | 1,500,000 euros | EUR 1,500,000",
    "£20 | 20 pounds | GBP 20 | 20 quid",
    "$20-30 | $20 to $30 | 20 to 30 dollars | between $20 and $30",
    "$20 a month | $20 per month | 20 dollars each month | $20/month | $240 a year",
    "50 cents | $0.50 | 50¢",
    "1 kg | 1,000 g | 1000 grams | one kilogram",
    "70 kg | 154 pounds | 154 lbs",
    "5 feet 10 inches | 70 inches | 5'10\" | 1.78 metres",
    "26.2 miles | 42.2 km",
    "60 mph | 60 miles per hour | 96.6 km/h",
    "77°F | 25 °C | 25 degrees Celsius",
    "a dozen eggs | 12 eggs | twelve eggs",
    "half a dozen eggs | six eggs",
    "1.5 million people | 1,500,000 people | one and a half million people",
    "60,000 bees | sixty thousand honey bees | 60000 bees | 60k bees",
    "1,200 people | 1200 people | twelve hundred people",
    "the 1980s | the eighties | the 80s | the nineteen eighties | 1980 to 1989 | 1980–89",
    "the 19th century | the nineteenth century | the 1800s",
    "in 1987 | nineteen eighty-seven | the year 1987",
    "44 BC | 44 BCE",
    "September 1969 | September of 1969",
    "June to August 2024 | from June 2024 to August 2024",
    "March 3-5, 2024 | 3 to 5 March 2024 | March 3 to March 5, 2024",
    "Monday to Friday | Mon-Fri | weekdays | Monday through Friday",
    "the 3rd floor | the third floor",
    "1 hour and 30 minutes | 90 minutes | 1.5 hours | an hour and a half | one and a half hours",
    "90 days | three months",
    "a year | 12 months | 365 days | one year",
    "twice a week | 2 times a week | two times per week",
    "half past nine | 9:30 | nine thirty pm | 9:30 p.m.",
    "noon | 12 p.m. | 12:00",
    "at 9. | 9 o'clock | 9:00 | 9 p.m.",
    "555-123-4567 | (555) 123-4567",
    "-5 degrees | −5 degrees",
    "10-15% | 10% to 15% | ten to fifteen percent",
    "100 MB | 0.1 GB",
    "ages 18 to 25 | between 18 and 25",
    "an 18- to 49-year-old | an 18-49-year-old | 18 to 49 years",
    "a two- or three-week course | 2-3 weeks",
]


@pytest.mark.parametrize("notations", SAME)
def test_one_value_in_many_notations_is_the_same_value(notations: str) -> None:
    values = [the_value(notation) for notation in notations.split(" | ")]
    for value in values:
        assert same_value(values[0], value), (values[0], value)
        assert same_value(value, values[0]), (values[0], value)


DIFFERENT = [
    "3 dogs | 4 dogs", "$20 | $25", "$20 a month | $20 a year", "30 minutes | 30 hours",
    "3 to 5 days | 3 to 6 days", "9:00-17:00 | 9:00-18:00", "14 March 2024 | 15 March 2024",
    "14 March | 14 April", "in 1987 | in 1988", "the 1980s | the 1990s", "50% | 55%",
    "Monday | Tuesday", "the third floor | the 4th floor", "1 kg | 1.1 kg", "77°F | 30 °C",
    "5 miles | 9 km", "60,000 bees | 6,000 bees", "9 a.m. | 9 p.m.", "a week | 8 days",
    "a month | 40 days", "555-123-4567 | 555-123-4568", "the 1980s | 1985",
]  # fmt: skip


@pytest.mark.parametrize("pair", DIFFERENT)
def test_different_values_of_one_kind_can_be_compared_and_differ(pair: str) -> None:
    a, b = (the_value(text) for text in pair.split(" | "))
    assert comparable(a, b)
    assert not same_value(a, b)


INCOMPARABLE = [
    "3 dogs | 3 cats", "$20 | €20", "5 kg | 5 km", "30 minutes | 30 metres", "50% | 50 people",
    "Monday | 14 March 2024", "in March | in 2024", "9 a.m. | 9 dogs", 
    "$5 per person | $5 per night",
]  # fmt: skip


@pytest.mark.parametrize("pair", INCOMPARABLE)
def test_values_of_different_kinds_or_units_are_not_compared(pair: str) -> None:
    a, b = (the_value(text) for text in pair.split(" | "))
    assert not comparable(a, b)
    assert not same_value(a, b)


@pytest.mark.parametrize(
    "text",
    [
        "COVID-19, F-16 and B12", "one of them", "no one knows", "This one is better.", "24/7",
        "version 3.10.2", "see https://a.example/5?x=6", "write to box5@mail.example",
        "First, we left; second, we came back.", "just a minute", "once upon a time",
        "you may come", "they march on", "the sun sat still", "a lot of people", "in her thirties",
        "hundreds of people",
    ],
)  # fmt: skip
def test_words_that_only_look_like_values_are_left_alone(text: str) -> None:
    assert find_values(text) == []


def test_a_text_with_many_values_gives_each_with_its_kind_and_place() -> None:
    text = "On Monday, 3 June the 2nd tour (12 people, 2.5 hours) starts at 9 a.m. for $15 a head."
    values = find_values(text)
    assert [(v.kind, v.text) for v in values] == [
        ("weekday", "Monday"), ("date", "3 June"), ("ordinal", "2nd"), ("number", "12"),
        ("duration", "2.5 hours"), ("time", "9 a.m."), ("money", "$15"),
    ]  # fmt: skip
    assert all(text[v.start : v.end] == v.text for v in values)


def test_a_number_carries_the_noun_that_it_counts() -> None:
    assert the_value("60,000 worker bees live there").unit == "bee"
    assert the_value("two children").unit == "child"
    assert the_value("iPhone 15 costs more").unit == ""


def test_a_date_with_two_readings_matches_either_of_them() -> None:
    ambiguous = the_value("3/4/2024")
    assert same_value(ambiguous, the_value("March 4, 2024"))
    assert same_value(ambiguous, the_value("3 April 2024"))
    assert not same_value(ambiguous, the_value("5 March 2024"))


def test_a_value_lies_within_a_range_that_holds_it() -> None:
    assert within(the_value("1985"), the_value("the 1980s"))
    assert within(the_value("March 14, 2024"), the_value("in 2024"))
    life = the_value("January 8, 1935 – August 16, 1977")
    assert within(the_value("in 1935"), life)
    assert within(the_value("in August 1977"), life)
    assert not within(the_value("in 1934"), life)
    assert within(the_value("10 a.m."), the_value("9 a.m. to 5 p.m."))
    assert within(the_value("1 a.m."), the_value("10 p.m. to 6 a.m."))
    assert not within(the_value("6 p.m."), the_value("9 a.m. to 5 p.m."))
    assert within(the_value("4 days"), the_value("3 to 5 days"))
    assert not within(the_value("a week"), the_value("3 to 5 days"))


@given(st.integers(min_value=2, max_value=999_999_999))
def test_a_number_is_the_same_in_words_in_digits_and_with_commas(number: int) -> None:
    digits, words, commas = (
        the_value(f"{written} pebbles.")
        for written in (f"{number:06}", in_words(number), f"{number:,}")
    )
    assert digits.low == number
    assert same_value(words, digits)
    assert same_value(commas, digits)


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2199, 12, 31)))
def test_a_date_is_the_same_in_every_notation(day: date) -> None:
    month = day.strftime("%B")
    for written in (
        f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}",
        f"the {ordinal(day.day)} of {month} {day.year}", f"{day.month}/{day.day}/{day.year}",
        f"{day.day}.{day.month}.{day.year}", f"{day:%d %b} {day.year}", f"{day.day} {month}",
    ):  # fmt: skip
        assert same_value(the_value(f"It was {written}."), the_value(day.isoformat())), written


@given(st.times())
def test_a_time_is_the_same_on_both_clocks(moment: object) -> None:
    twelve = f"{moment:%I:%M %p}"
    assert same_value(the_value(twelve), the_value(f"{moment:%H:%M}"))


@given(st.text(alphabet="0123456789 .,:/-$%€aApPmMkto half past nine a of March 'I\n", max_size=60))
def test_any_text_is_read_and_every_value_points_at_its_words(text: str) -> None:
    values = find_values(text)
    assert all(text[v.start : v.end] == v.text and v.text for v in values)
    assert all(a.end <= b.start for a, b in pairwise(values))
    assert all(same_value(v, v) for v in values)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["5 ", "a ", "and ", "half a ", "5-", "5.", "1,000", "9 to ", "$", "March ", "x", "@", "-",
     "5/", "two hundred and ", "+1 ", "from nine to five on Monday, "],
)  # fmt: skip
def test_a_long_text_takes_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        begin = time.process_time()
        find_values(text)
        return time.process_time() - begin

    seconds(1000)
    short, long = (min(seconds(size) for _ in range(2)) for size in (5_000, 25_000))
    assert long < 0.05 + 12 * short  # quadratic time would be 25 times as much


def test_thousands_of_a_text_cut_into_tokens_are_one_number() -> None:
    assert same_value(the_value("23 , 768 shops"), the_value("23,768 shops"))
    assert [value.low for value in find_values("between 2 , 5 and 7")] == [2.0, 5.0, 7.0]


def test_a_rate_lies_within_another_only_in_the_same_period() -> None:
    per_second, per_minute = (
        find_values(f"600 requests per {unit}")[0] for unit in ("second", "minute")
    )
    assert not within(per_second, per_minute)
    assert within(
        find_values("600 requests per hour")[0], find_values("5 to 20 requests per minute")[0]
    )


def test_a_year_says_less_than_its_days() -> None:
    year, day = find_values("in 2025")[0], find_values("on 15 January 2025")[0]
    assert says_less(year, day)
    assert not says_less(day, year)
    assert not says_less(day, day)


def test_second_after_a_year_is_an_ordinal() -> None:
    assert [(v.kind, v.text) for v in find_values("our fiscal 2022 second quarter")] == [
        ("date", "2022"),
        ("ordinal", "second"),
    ]
    assert [(v.kind, v.text) for v in find_values("a 30 second delay")] == [
        ("duration", "30 second")
    ]
    assert find_values("second-quarter sales")[0].unit == "quarter"


@pytest.mark.parametrize(
    "text", ["You save a fifth.", "Prices fell by a third, then rose.", "one third"]
)
def test_a_share_of_what_is_not_named_is_no_ordinal(text: str) -> None:
    assert find_values(text) == []


@pytest.mark.parametrize("text", ["a third time", "a third reason", "a 5th", "He came fifth."])
def test_a_place_in_a_row_stays_an_ordinal(text: str) -> None:
    assert [value.kind for value in find_values(text)] == ["ordinal"]


def test_the_dot_that_ends_a_sentence_is_no_part_of_a_date() -> None:
    assert find_values("It is on 5 July.")[0].text == "5 July"
    assert find_values("It is on Dec. 5, 2024.")[0].text == "Dec. 5, 2024"


def test_short_scales_of_money() -> None:
    assert find_values("$1.2 bn")[0].low == find_values("$1.2 billion")[0].low
