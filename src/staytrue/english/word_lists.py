"""Word lists that are data, read from the lexicon when they are first used.

The first lines of a file, which start with "#", say where its words come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType


def lexicon_lines(name: str) -> list[str]:
    """The lines of a file of the lexicon that are not remarks."""
    text = (files("staytrue") / "english" / "lexicon" / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@lru_cache(maxsize=32)
def word_list(name: str) -> frozenset[str]:
    """The words of a file that lists words."""
    return frozenset(word for line in lexicon_lines(name) for word in line.split())


@lru_cache(maxsize=8)
def word_pairs(name: str) -> Mapping[str, str]:
    """The second word of each line by its first."""
    return MappingProxyType(dict(line.split() for line in lexicon_lines(name)))


@lru_cache(maxsize=8)
def word_groups(name: str) -> Mapping[str, tuple[str, ...]]:
    """The phrases of each group of a file with lines "group: phrase, phrase", in their order."""
    groups: dict[str, tuple[str, ...]] = {}
    for line in lexicon_lines(name):
        group, _, phrases = line.partition(": ")
        groups[group] = (*groups.get(group, ()), *phrases.split(", "))
    return MappingProxyType(groups)


def reply_openers() -> frozenset[str]:
    """Words that open a reply before it says anything: "yes", "well", "haha"."""
    return word_list("reply_openers")


def function_words() -> frozenset[str]:
    """Words that carry grammar rather than content: articles, pronouns, prepositions."""
    return word_list("function_words")
