"""Signatures say what makes scores comparable."""

from __future__ import annotations

from staytrue.core.records import read_signature, signature_differences, write_signature


def test_a_signature_can_be_read_back() -> None:
    written = write_signature("q2", {"staytrue": "1", "nli": "off", "seed": 3})
    assert written == "q2|staytrue:1|nli:off|seed:3"
    assert read_signature(written) == {"metric": "q2", "staytrue": "1", "nli": "off", "seed": "3"}


def test_separators_in_values_cannot_forge_a_part() -> None:
    written = write_signature("q2", {"model": "x|seed:9\n"})
    assert read_signature(written)["model"] == "x/seed:9 "


def test_equal_signatures_have_no_differences() -> None:
    assert signature_differences("a|x:1", "a|x:1") == []


def test_differences_name_each_part_that_differs() -> None:
    differences = signature_differences("a|x:1|y:2", "a|x:1|y:3|z:4")
    assert differences == [
        "y is 2 in one and 3 in the other",
        "z is absent in one and 4 in the other",
    ]
