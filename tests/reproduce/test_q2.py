"""The Q² page is written from a few examples of each set, with its baselines at their best."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproduce import q2, q2_sets


@pytest.mark.slow
def test_the_page_runs_through_with_a_few_examples(
    published_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(q2_sets, "PICTURES", tmp_path / "pictures")
    page = q2.page(tmp_path / "runs", {}, limit=16)
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
