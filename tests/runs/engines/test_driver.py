"""What the driver takes for a row is measured on copies of a sample."""

from __future__ import annotations

from staytrue.core.records import Example, Verdict
from staytrue.runs.engines.driver import measure_driver


def test_the_driver_is_timed_on_copies_of_a_sample_with_its_verdicts() -> None:
    examples = [Example("a", "tea " * 5, "tea"), Example("b", "tea", "tea")]
    verdicts = [Verdict("a", "m", 0.5), Verdict("b", "m", 1.0), Verdict("a", "n", None, reason="r")]
    driver = measure_driver(examples, verdicts, partition_size=7, rows=50)
    assert 0 < driver.stage < 1
    assert 0 < driver.store < 1
