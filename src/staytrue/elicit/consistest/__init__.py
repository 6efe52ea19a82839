"""Questions that put an agent to the test about its persona and history (ConsisTest)."""

from __future__ import annotations

from staytrue.elicit.consistest.yesno import YesNo, yes_no_questions

__all__ = ["YesNo", "yes_no_questions"]
