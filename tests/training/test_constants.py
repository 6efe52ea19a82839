from __future__ import annotations

from typing import Any

import pytest
from training import constants, splits


def test_only_rows_for_constants_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = []

    def rows(part: str) -> list[dict[str, Any]]:
        parts.append(part)
        return [
            {"knowledge": "k", "response": "r", "history": [], "label": label, "consistent": right}
            for label, right in (("entailment", True), ("hallucination", False), ("odd", False))
        ]

    monkeypatch.setattr(splits, "audit", rows)
    monkeypatch.setattr(splits, "grounded_claims", rows)
    supported = [right for _, right in constants.labelled_pairs()]
    assert supported == [True, False, True, False, False], "an unknown label is left out"
    assert [label for _, label in constants.labelled_items()] == ["entailment", "hallucination"]
    assert len(constants.labelled_items(1)) == 1
    assert set(parts) == {"constants"}
