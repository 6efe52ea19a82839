"""Base forms and tenses of English verbs, from the pipeline's tables rather than from tags.

Lower-case chat text is tagged poorly ("i diet a lot": diet is a noun to the tagger), so the form
of a word in verb position is looked up instead. The tables are the pipeline's, which know verbs
only: `english.words.lemma` has none that tells "saw" from the noun, or "men" from a past tense.
"""

from __future__ import annotations

from functools import lru_cache

from staytrue.english import parses as language
from staytrue.english.words import regular_verbs

BE = {"am": "present", "is": "present", "are": "present", "was": "past", "were": "past"}
MODALS = frozenset("can could will would shall should may might must".split())
# The same word in the present and the past; the tagger decides, but "read" is present.
SAME_IN_PAST = frozenset(
    "read put cut hit let set shut quit cost hurt burst cast split spread bet beat rid".split()
)
# Irregular pasts that are also another verb's base form, or that the table lists oddly.
_PASTS = {
    "found": "find", "saw": "see", "left": "leave", "felt": "feel", "ground": "grind",
    "wound": "wind", "fell": "fall", "lay": "lie", "bore": "bear", "wed": "wed", "ate": "eat",
    "got": "get", "had": "have", "did": "do", "went": "go", "met": "meet", "led": "lead",
    "fed": "feed", "bred": "breed", "bled": "bleed", "lost": "lose", "spent": "spend",
    "shot": "shoot", "born": "bear", "fled": "flee", "rode": "ride", "wrote": "write",
    "woke": "wake", "broke": "break", "spoke": "speak", "wore": "wear", "knew": "know",
}  # fmt: skip


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, list[str]], frozenset[str]]:
    lookups = language.pipeline().get_pipe("lemmatizer").lookups  # type: ignore[attr-defined]
    # The tables are keyed by string hashes; `.get` takes the plain string.
    irregular = dict(lookups.get_table("lemma_exc")["verb"])
    index = frozenset(lookups.get_table("lemma_index")["verb"])
    return irregular, index


def is_verb(word: str) -> bool:
    """Whether the word can be a form of a verb."""
    irregular, index = _tables()
    word = word.lower()
    return word in index or word in irregular or word in _PASTS or base_form(word) in index


def is_past(word: str, tag: str = "") -> bool:
    """Whether a finite verb is in the past tense; `tag` helps where the form does not tell."""
    irregular, index = _tables()
    word = word.lower()
    if word in BE:
        return BE[word] == "past"
    if word in SAME_IN_PAST:
        return word != "read" and tag in ("VBD", "VBN")
    if word in _PASTS:
        return True
    if word.endswith("ed") and base_form(word) != word:
        return True
    return word in irregular and word not in index and not word.endswith("s")


def base_form(word: str) -> str:
    """The base form: went → go, tries → try, hopping → hop."""
    irregular, index = _tables()
    word = word.lower()
    if word in BE or word in ("been", "being", "be"):
        return "be"
    if word in ("has", "had", "having"):
        return "have"
    if word in ("does", "did", "done"):
        return "do"
    if word in _PASTS:
        return _PASTS[word]
    if word in SAME_IN_PAST:
        return word
    if word in irregular and (word not in index or word.endswith("ed")):
        return str(irregular[word][0])
    if word in index:
        return word
    for candidate in regular_verbs(word):
        if candidate in index:
            return candidate
    return word
