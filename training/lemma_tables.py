"""Write the word tables of `staytrue.english.words`: `python -m training.lemma_tables`.

WordNet's index and exception lists come with the English pipeline. Only what the rules of
`lemmas` do not already give is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from staytrue.english.parses import pipeline
from staytrue.english.words import regular_verbs, singular_by_rule
from training.common import REPOSITORY

LEXICON = REPOSITORY / "src" / "staytrue" / "english" / "lexicon"
NOTICE = (
    "# From WordNet 3.0, Copyright 2006 by Princeton University, by training/lemma_tables.py.\n"
    "# Used under the WordNet licence, whose text stands in silver/methods/WORDNET_LICENSE.txt.\n"
)
_PLAIN = re.compile(r"[a-z]{2,}")
# Forms that WordNet's lists lack or give another word for.
FORMS = {
    "am": "be", "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "being": "be",
    "has": "have", "had": "have", "having": "have", "does": "do", "did": "do", "done": "do",
    "people": "person", "found": "find", "saw": "see", "left": "leave", "felt": "feel",
    "ground": "grind", "fell": "fall", "born": "bear", "got": "get", "gotten": "get",
    "lost": "lose", "won": "win", "sent": "send", "lit": "light", "shot": "shoot",
    "spent": "spend", "better": "better", "best": "best", "data": "data",
    "media": "media", "worse": "worse", "worst": "worst", "lay": "lay", "bound": "bound",
    "wound": "wound", "bore": "bore", "rent": "rent", "hung": "hang", "lives": "live",
    "leaves": "leave", "men": "man", "women": "woman", "children": "child", "feet": "foot",
    "teeth": "tooth", "skied": "ski", "mice": "mouse", "geese": "goose", "wives": "wife",
    "axes": "axe", "rose": "rose",
}  # fmt: skip
# Words whose ending is their own, though what is left without it is a word too.
WHOLE = (
    "always as christmas clothes clothing darling evening jeans means news pants perhaps physics "
    "series sibling species sometimes this thus towards us wedding yes his its hers ours yours "
    "theirs afterwards besides overseas texas lens gas bus plus during nothing something anything "
    "everything thing king ring spring string wing"
).split()


def plain(words: Iterable[str]) -> list[str]:
    """The words that are one word of lower-case letters."""
    return sorted(word for word in words if _PLAIN.fullmatch(word))


def plural(noun: str) -> str:
    """The regular plural of a noun."""
    if re.search(r"(?:[sxz]|[cs]h)$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def irregular_forms(
    nouns: list[str], verbs: set[str], exceptions: list[dict[str, list[str]]]
) -> dict[str, str]:
    """Each form that the rules would not lead back to its word, with that word."""
    forms: dict[str, str] = {}
    for table in exceptions:
        for form, bases in table.items():
            known = form in verbs or any(base in verbs for base in regular_verbs(form))
            if _PLAIN.fullmatch(form) and _PLAIN.fullmatch(bases[0]) and not known:
                forms.setdefault(form, bases[0])
    for noun in nouns:
        form = plural(noun)
        regular = any(base in verbs for base in regular_verbs(form)) or form in verbs
        if singular_by_rule(form) != noun and not regular and not noun.endswith("s"):
            forms.setdefault(form, noun)
    forms |= FORMS
    # A word that other forms lead to stays itself, so that a lemma's lemma is the lemma.
    for base in set(forms.values()) - set(FORMS):
        forms.pop(base, None)
    return {form: base for form, base in forms.items() if _stays(base, forms, verbs)}


def _stays(base: str, forms: dict[str, str], verbs: set[str]) -> bool:
    """Whether the lemma of a lemma is the lemma: "lieder" → "lied" would go on to "lie"."""
    if base in forms:
        return forms[base] == base
    return base in verbs or not any(verb in verbs for verb in regular_verbs(base))


def main() -> None:
    lookups = pipeline().get_pipe("lemmatizer").lookups  # type: ignore[attr-defined]
    index = {kind: plain(lookups.get_table("lemma_index")[kind]) for kind in ("noun", "verb")}
    exceptions = [dict(lookups.get_table("lemma_exc")[kind]) for kind in ("verb", "noun")]
    nouns, verbs = index["noun"], set(index["verb"])
    forms = irregular_forms(nouns, verbs, exceptions)
    known = {*nouns, *verbs}
    others = plain(
        word for kind in ("adj", "adv") for word in lookups.get_table("lemma_index")[kind]
    )
    bases = {base for base in forms.values() if base.endswith("s")}
    final_s = sorted(
        {word for word in (*nouns, *others) if _loses_its_own_ending(word, known)}
        | set(WHOLE)
        | bases
    )
    _write("irregular_forms", [f"{form} {base}" for form, base in sorted(forms.items())])
    _write("verbs", sorted(verbs - set(WHOLE)))
    _write("final_s", final_s)


def _loses_its_own_ending(word: str, known: set[str]) -> bool:
    """Whether the rule for plurals would make something of the word that is no word."""
    cut = singular_by_rule(word)
    return cut != word and cut not in known


def _write(name: str, lines: list[str]) -> None:
    (LEXICON / f"{name}.txt").write_text(NOTICE + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{name}: {len(lines)} lines")


if __name__ == "__main__":
    main()
