"""The Q² page is written from a few examples of each set, with its baselines at their best."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproduce import q2


@pytest.mark.slow
def test_the_page_runs_through_with_a_few_examples(published_data: Path, tmp_path: Path) -> None:
    page = q2.page(tmp_path / "runs", {}, limit=16, file=tmp_path / "q2.md")
    for said in (
        "end-to-end NLI, as published",
        "end-to-end NLI, by probability",
        "Q² as published",
        "a draw for each system",
        "Fleiss' κ",
        "+ coreference",
        "five, without the original human one",
    ):
        assert said in page
    assert (tmp_path / "pictures" / "q2-systems.svg").exists()
