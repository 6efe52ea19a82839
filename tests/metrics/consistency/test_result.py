"""How the headline score tells what it found."""

from __future__ import annotations

import pytest

import staytrue


@pytest.mark.parametrize(
    ("response", "quoted"),
    [
        ("The guitar has six strings.", "“The guitar has six strings”."),
        ("the guitar has six strings .", "“the guitar has six strings”."),
        ("The guitar comes from the U.S.", "“The guitar comes from the U.S.”."),
    ],
)
def test_a_quoted_claim_ends_without_a_full_stop_of_its_own(response: str, quoted: str) -> None:
    example = staytrue.Example("1", response, "Chess is a game for two players.")
    (verdict,) = staytrue.evaluate([example], "consistency", backend="scripted").verdicts
    assert verdict.reason.endswith(quoted)
