"""Numbers, money, measures, dates and times in a text as typed values that can be compared."""

from staytrue.english.values.compare import (
    comparable,
    names_all_of,
    same_value,
    says_less,
    within,
)
from staytrue.english.values.find import find_values
from staytrue.english.values.value import Value

__all__ = [
    "Value",
    "comparable",
    "find_values",
    "names_all_of",
    "same_value",
    "says_less",
    "within",
]
