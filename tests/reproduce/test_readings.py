"""A second reading is compared with the first, on what was read twice."""

from __future__ import annotations

from reproduce.readings import SecondReading, second_reading


def test_agreement_is_of_the_rows_that_were_read_twice() -> None:
    rows = [{"good": True, "again": True}, {"good": False, "again": False}, {"good": True}]
    assert second_reading(rows, "good") == SecondReading(2, 2, "1.00")


def test_rows_that_are_judged_otherwise_lower_kappa() -> None:
    rows = [{"good": n < 2, "again": n in (0, 3)} for n in range(4)]
    assert second_reading(rows, "good") == SecondReading(4, 2, "0.00")


def test_without_a_second_reading_there_is_no_kappa() -> None:
    assert second_reading([{"good": True, "again": None}], "good") == SecondReading(0, 0, "–")
