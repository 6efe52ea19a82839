"""Numbers, money, measures, dates and times in a text as typed values that can be compared."""

from staytrue.english.values.compare import comparable, same_value, says_less, within
from staytrue.english.values.find import find_values
from staytrue.english.values.value import Value

__all__ = ["Value", "comparable", "find_values", "same_value", "says_less", "within"]
