"""Seeds that follow from names: the same parts give the same seed, on every machine."""

from __future__ import annotations

import hashlib
import json


def derived_seed(*parts: str | int) -> int:
    """A seed of 63 bits for these parts, such as a run's seed, a pair of bots and a turn."""
    text = json.dumps(parts, ensure_ascii=False)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
