"""Carry an edit of the evidence over to the response, for want of a chatbot to reply to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from staytrue.silver.edits import Edit, Edited, edit


def carry_over(edits: Sequence[Edit], response: str) -> Edited | None:
    """Make the same replacements in the response; None when it says none of the old words."""
    changes: list[Edit] = []
    for change in sorted(edits, key=lambda e: -len(e.old)):
        old = change.old.strip()
        if not old:
            continue
        for match in re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", response, re.IGNORECASE):
            if all(match.end() <= c.start or match.start() >= c.end for c in changes):
                changes.append(Edit(match.start(), match.end(), match.group(), change.new))
    return edit(response, changes) if changes else None
