"""One value that a text states: its kind, its bounds in a canonical unit, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal[
    "number", "ordinal", "percent", "money", "quantity", "duration",
    "date", "time", "weekday", "phone",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text; a range has two bounds, everything else has the same one twice."""

    kind: Kind
    low: float
    """In the canonical unit. Dates are year·10000 + month·100 + day with 0 for what is not said,
    times are minutes after midnight, weekdays count from Monday = 0."""
    high: float
    """Below `low` only for times that pass midnight and weekdays that pass Sunday."""
    unit: str
    """The canonical unit ("m2", "USD", "second"), with a period or a noun for a rate ("USD/month");
    the noun counted for numbers and ordinals; empty where there is none."""
    text: str
    start: int
    end: int
    system: Literal["metric", "imperial", "other"] = "other"
    """The unit's system: who converts from one to another rounds."""
    others: tuple[Value, ...] = ()
    """Other readings of the same words: 3/4/2024 as 4 March, "9:00" as 21:00."""

    @property
    def readings(self) -> tuple[Value, ...]:
        """Every reading of the words, the likeliest first."""
        return (replace(self, others=()), *self.others)

    @property
    def is_range(self) -> bool:
        """Whether two bounds were written: "3 to 5 days"."""
        return self.low != self.high
