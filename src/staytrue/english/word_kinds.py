"""Words of one kind, from which an altered question takes another one of the same kind."""

from __future__ import annotations

from staytrue.english.words import word_groups

_KINDS = word_groups("word_kinds")


def _by_first(group: str) -> dict[str, str]:
    return dict(entry.split("=", 1) for entry in _KINDS[group])


def _all_by_first(group: str) -> dict[str, tuple[str, ...]]:
    lists: dict[str, tuple[str, ...]] = {}
    for entry in _KINDS[group]:
        first, _, second = entry.partition("=")
        lists[first] = (*lists.get(first, ()), second)
    return lists


COLOURS = _KINDS["colours"]
HAIR_COLOURS = _KINDS["hair colours"]
EYE_COLOURS = _KINDS["eye colours"]
ALL_COLOURS = frozenset((*COLOURS, *_KINDS["other colours"]))

STATES = _KINDS["states"]
CITIES = _KINDS["cities"]
COUNTRIES = _KINDS["countries"]

JOBS = _KINDS["jobs"]
JOB_HEADS = frozenset(_KINDS["job heads"])
# Jobs that one person may well have together with the one named.
RELATED_JOBS = _all_by_first("related jobs")
WORKPLACES = _KINDS["workplaces"]

# Each word with one that cannot be true at the same time.
OPPOSITES = _by_first("opposites")
OPPOSITE_NOUNS = _by_first("opposite nouns")
LIKING = _by_first("liking")

RELATIVES = frozenset(_KINDS["relatives"])
PARTNERS = frozenset(_KINDS["partners"])
SIBLINGS = frozenset(_KINDS["siblings"])
CHILDREN = frozenset(_KINDS["children"])
