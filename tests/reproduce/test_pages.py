"""What the generators of pages share: the line about the weights, limits, old pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproduce import pages

from staytrue.backends.embedded import large_folder


def test_the_weights_are_named_with_the_day_on_which_they_came() -> None:
    line = pages.weights("small")
    assert line.startswith("Weights: `staytrue-")
    assert "large" not in line
    assert " shipped since " in line


@pytest.mark.skipif(large_folder() is None, reason="the large models are not installed")
def test_the_large_models_have_a_day_of_their_own() -> None:
    line = pages.weights("both")
    assert "staytrue-large-" in line
    assert ", the large ones shipped since " in line


def test_a_page_of_some_rows_says_of_how_many() -> None:
    assert pages.limited(120, "rows") == "Of each set at most 120 rows were judged.\n"
    assert pages.limited(None, "rows") == ""


def test_pictures_that_a_page_no_longer_shows_are_removed(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text("![one](pictures/x-one.svg)\n")
    for name in ("x-one.svg", "x-old.svg", "y-other.svg"):
        pages.write_picture(page, name, "<svg/>")
    pages.drop_old_pictures(page, "x")
    left = {picture.name for picture in (tmp_path / "pictures").iterdir()}
    assert left == {"x-one.svg", "y-other.svg"}


def test_a_section_is_kept_as_the_page_has_it(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    assert pages.section_of(page, "Two") == []
    page.write_text("# Results\n\n## One\n\n1\n\n## Two\n\n### Part\n\n2\n\n## Three\n\n3\n")
    assert pages.section_of(page, "Two") == ["## Two", "", "### Part", "", "2", ""]
    assert pages.section_of(page, "Three") == ["## Three", "", "3"]
    assert pages.section_of(page, "Tw") == []


def test_a_section_is_put_before_another_and_later_in_its_own_place(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text("# Results\n\n## One\n\n1\n\n## Three\n\n3\n")
    pages.put_section(page, ["## Two", "", "2", ""], before="Three")
    assert page.read_text() == "# Results\n\n## One\n\n1\n\n## Two\n\n2\n\n## Three\n\n3\n"
    pages.put_section(page, ["## Two", "", "22", ""], before="One")
    assert page.read_text() == "# Results\n\n## One\n\n1\n\n## Two\n\n22\n\n## Three\n\n3\n"
