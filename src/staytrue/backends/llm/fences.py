"""Marks around the texts under judgement, and a canary that only our own instructions know.

Both follow from a hash of the texts and are drawn again until no text holds them. So they differ
from request to request, no text can hold its own marks (changing the text changes them), and the
same request has the same marks tomorrow, as a cache and a reproducible score need.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

_MARK = 12
_SYLLABLES = tuple(f"{c}{v}" for c in "bdfgklmnprstvz" for v in "aeiou")
# What chat templates take for the end of a turn: some servers read it even inside a message.
_TEMPLATE = re.compile(
    r"<(?=[|｜]|/?s>|/?(?:start|end)_of_turn>|/?(?:bos|eos)>)|\[(?=/?INST\]|/?SYS)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Fence:
    """The code that opens and closes every text of one request, and its canary."""

    code: str
    canary: str

    def around(self, name: str, text: str) -> str:
        """The text between its two marks, with what a chat template would obey broken up."""
        inside = _TEMPLATE.sub(lambda match: f"{match.group()} ", text)
        return f"<<{name} {self.code}>>\n{inside}\n<</{name} {self.code}>>"


def fence_for(texts: Sequence[str]) -> Fence:
    """The fence of a request with these texts, none of which holds its code or its canary."""
    material = json.dumps(list(texts)).encode()
    lowered = "\n".join(texts).lower()
    for attempt in count():
        digest = hashlib.blake2b(material, salt=attempt.to_bytes(8, "big")).digest()
        code = digest.hex()[:_MARK]
        # Syllables, because small models copy them without a slip; more of them at every try.
        letters = digest[_MARK : _MARK + 4 + attempt]
        canary = "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in letters)
        if code not in lowered and canary not in lowered:
            return Fence(code, canary)
    raise AssertionError("unreachable: the search does not end without a fence")
