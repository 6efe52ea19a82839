"""English without a parse: word lists, lemmas, nouns for people, and the one sentence splitter.

Word lists are data, in text files of the lexicon whose first lines, which start with "#", say where
the words come from.

Sentences are split without a model: fast, and no character is lost that is not space. Edited text,
lower-case chat with its marks set apart (" . ") and Markdown are all read. Each list item, heading
and table row is a piece of its own; a row is told with its table's headings. Models that read
sentences take "3." for a number that is claimed and "[1]" for a part of the last word:
`without_markup` blanks both, and all offsets stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, TypeVar

from staytrue.core.records import Example

Gender = Literal["male", "female"]
Item = TypeVar("Item")

_KEPT_LEMMAS = 1 << 14
# What stands before an item of a list; space follows.
LIST_MARKER = r"(?:[-*+•‣▪]|\d{1,2}[.)])"
# The line below a table's header.
_CELL = r"[ \t]*(?:-{2,}|:-+:?|-+:)[ \t]*"
_RULE = re.compile(rf"\|?(?:{_CELL}\|)*{_CELL}\|?")

# Where a sentence may end: marks with the closing quotes after them, a new line, a bullet. A match
# starts only at the first of several marks: a run of 100,000 dots is looked at once, not per dot.
_END = re.compile(
    r"""(?<![.!?…])(?P<marks>[.!?…]+)(?P<closing>["'”’)\]*_]*)(?=\s|$)"""
    r"""|(?<![.!?…])(?P<tight>[!?]+|\.)(?=[^\W\d_])"""
    r"""|(?P<line>\n[\s]*)"""
    r"""|(?<=\s)(?=[•‣▪]\s)"""
)
_LAST_WORD = re.compile(r"[^\s\"'“”‘’(\[]*$")
_NEXT = re.compile(r"\s*([\"'“‘(\[*_]*)(\w*)")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")
_LIST_NUMBER = re.compile(r"\s*(\d{1,2})$")
_BULLET = re.compile(rf"{LIST_MARKER}|[>#|]")
_ADDRESS = re.compile(r"://|^www\.|@")
_WINDOW = 40
"""How far back the word before a mark is looked for."""
_WRAPPED = 60
"""A line at least this long that goes on in lower case was wrapped, not ended."""
# What a reader of sentences should not see.
_RULE_BELOW = rf"[ \t]*\|?(?:{_CELL}\|)+(?:{_CELL})?$"
_MARKER = rf"(?:{LIST_MARKER}|#{{1,6}})(?=[ \t])"
_CITED = r"(?:doc(?:ument)?|passage|source|ref(?:erence)?)?[ #]?[1-9]\d{0,2}"
_HIDDEN = re.compile(
    rf"(?P<rule>^{_RULE_BELOW})"
    rf"|(?P<item>(?<=\w)\n[ \t]*{_MARKER})"
    rf"|(?P<bullet>^[ \t]*{_MARKER})"
    rf"|(?P<header>^[ \t]*\|.*\|[ \t]*$(?=\n{_RULE_BELOW}))"
    r"|(?P<row>^[ \t]*\|.*\|[ \t]*$)"
    r"|(?P<bold>\*\*|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)|`+)"
    rf"|(?P<cites>[\[【]{_CITED}(?:[,;][ ]?{_CITED}){{0,9}}[\]】])"
    r"|(?P<link>\[(?=[^\]\n]{1,200}\]\([^)\s]{1,400}\))|(?<=[^\]\n])\]\([^)\s]{1,400}\))",
    re.MULTILINE | re.IGNORECASE,
)


# Lists


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


def negations() -> frozenset[str]:
    """Words that deny: "not", "never", "nobody"."""
    return word_list("negations")


def function_words() -> frozenset[str]:
    """Words that carry grammar rather than content: articles, pronouns, prepositions."""
    return word_list("function_words")


# Words


@lru_cache(maxsize=_KEPT_LEMMAS)
def lemma(word: str) -> str:
    """The dictionary form: "bees" → "bee", "went" → "go", "making" → "make".

    Irregular forms and verbs come from WordNet's tables; regular endings are cut by rule. A form
    of both a verb and a noun becomes the verb ("lives" → "live"), and comparatives stay.
    """
    form = word.lower().replace("’", "'")
    while (cut := _without_ending(form)) != form:
        form = cut  # "possessives's": a lemma has no ending left
    return form


def _without_ending(form: str) -> str:
    low = form.removesuffix("'s")
    irregular = _irregular()
    if low in irregular:
        return irregular[low]
    if low in verbs() or low in word_list("final_s"):
        return low
    for candidate in regular_verbs(low):
        if candidate in verbs() and candidate not in irregular:
            return candidate
    cut = singular_by_rule(low)
    return low if cut in irregular else cut


def verbs() -> frozenset[str]:
    """The base forms of verbs."""
    return word_list("verbs")


def _irregular() -> Mapping[str, str]:
    return word_pairs("irregular_forms")


def regular_verbs(word: str) -> list[str]:
    """The base forms that a verb's regular endings allow, the likeliest first."""
    if word.endswith(("ies", "ied")):
        return [f"{word[:-3]}y", word[:-1]]
    if word.endswith(("oes", "ses", "xes", "zes", "ches", "shes")):
        return [word[:-1], word[:-2]]
    if word.endswith("s"):
        return [word[:-1]] if not word.endswith("ss") else []
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            bare = word[: -len(ending)]
            if len(bare) > 2 and bare[-1] == bare[-2]:
                return [bare[:-1], bare, f"{bare}e"]
            return [f"{bare}e", bare]
    return []


def third_person(verb: str) -> str:
    """The verb as it agrees with "it": live → lives, try → tries, have → has."""
    if verb == "have":
        return "has"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb[-1:] == "y" and verb[-2:-1] not in "aeiou" else f"{verb}s"


def singular_by_rule(word: str) -> str:
    """A noun without the regular ending of the plural, if it has one."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


def is_person(word: str) -> bool:
    """Whether the noun, in the singular or plural, names a person."""
    people = word_pairs("people")
    low = word.lower()
    return low in people or lemma(low) in people


def name_a_person(words: Iterable[str]) -> bool:
    """Whether one of the words names a person."""
    return any(is_person(word) for word in words)


def gender_of(words: Iterable[str]) -> Gender | None:
    """The gender that one of the words says; None if none does."""
    people = word_pairs("people")
    genders = {people.get(word.lower()) or people.get(lemma(word)) for word in words}
    return "male" if "male" in genders else "female" if "female" in genders else None


def token_f1(left: Sequence[str], right: Sequence[str]) -> float:
    """Harmonic mean of the share of tokens that each side has in the other.

    Symmetric and in [0, 1]; two empty sides agree (1), one empty side shares nothing (0).
    """
    if not left or not right:
        return float(not left and not right)
    common = sum((Counter(left) & Counter(right)).values())
    return 2 * common / (len(left) + len(right))


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """All items, or `most` of them at even distances, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[step * (len(items) - 1) // (most - 1)] for step in range(most)]


# Sentences


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the space around it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match["line"]:
            ends = not _is_wrapped(text, start, match.start(), end)
        elif match["tight"]:
            ends = _ends_without_space(text, match)
        elif match["marks"]:
            here = _before_list_number(text, start, match)
            if here is not None:
                _add(spans, text, start, here)
                start = here
                continue
            ends = end == len(text) or _ends_sentence(text, start, match)
        else:
            ends = True
        if ends:
            _add(spans, text, start, end)
            start = end
    _add(spans, text, start, len(text))
    return spans


def sentences(text: str) -> list[str]:
    """The sentences of a text that say something, each with its closing mark."""
    pieces = (text[start:end] for start, end in sentence_spans(text))
    return [piece for piece in pieces if any(letter.isalnum() for letter in piece)]


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return
    start += len(piece) - len(piece.lstrip())
    if any(letter.isalnum() for letter in stripped) or not spans:
        spans.append((start, start + len(stripped)))
    else:
        # A stray mark belongs to the sentence before it.
        spans[-1] = (spans[-1][0], start + len(stripped))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether marks that space follows end a sentence."""
    marks = match["marks"]
    opening, following = _next_word(text, match.end())
    goes_on = following[:1].islower() and not opening
    if set(match["closing"]) & set("\"”’'") and goes_on:
        return False  # "Really?" he asked.
    if set(marks) & set("!?"):
        return True
    if marks != ".":  # an ellipsis is a pause if what follows goes on in lower case
        return not goes_on or text[start : start + 2].strip()[:1].islower()
    word = _word_before(text, start, match.start())
    if not word:  # " . " stands apart; between digits it is a decimal point: 5 . 7
        before = text[max(start, match.start() - 3) : match.start()].rstrip()
        return not (before[-1:].isdigit() and following[:1].isdigit())
    return not _is_abbreviation(text, start, match.start(), word, following)


def _is_abbreviation(text: str, start: int, dot: int, word: str, following: str) -> bool:
    """Whether the dot belongs to the word before it rather than to the sentence."""
    low = word.lower()
    if not text[start:dot].removesuffix(word).strip() and _LIST_NUMBER.fullmatch(word):
        return True  # "1. First": a number that opens a line
    kinds = _abbreviations().get(low, ())
    opener = following[:1].isupper() and following.lower() in word_list("sentence_openers")
    if "inner" in kinds:
        return True
    if following[:1].isdigit() and "numbered" in kinds:
        return True
    if "unit" in kinds and (following[:1].islower() or following[:1].isdigit()):
        before = text[max(start, dot - len(word) - 2) : dot - len(word)].rstrip()
        if before[-1:].isdigit():
            return True
    if "title" in kinds or ("rank" in kinds and word[:1].isupper() and following[:1].isupper()):
        return not opener
    if "closing" in kinds:
        return following[:1].islower() if not following[:1].isupper() else not opener
    if _INITIALS.fullmatch(low):
        if low == "i" and text[start : dot - 1].strip() and not _after_initial(text, dot - 1):
            return False  # "So do I."
        return not opener
    return False


def _after_initial(text: str, at: int) -> bool:
    return text[:at].rstrip()[-1:] == "." if at < _WINDOW else text[at - 3 : at].strip()[-1:] == "."


def _ends_without_space(text: str, match: re.Match[str]) -> bool:
    """Whether a mark that a letter follows ends a sentence: "hi!how are you", "left.He came"."""
    at = match.start()
    token = text[max(0, at - _WINDOW) : at + _WINDOW]
    around = token[: min(at, _WINDOW)].rsplit(None, 1)[-1:] + token[min(at, _WINDOW) :].split()[:1]
    if _ADDRESS.search("".join(around)):
        return False
    if match["tight"] != ".":
        return text[max(0, at - 1) : at].isalnum()
    word = _word_before(text, max(0, at - _WINDOW), at)
    _, following = _next_word(text, match.end())
    plain = len(word) > 2 and word.isalpha() and word[1:].islower()
    return plain and following[:1].isupper() and following[1:2].islower() and (
        word.lower() not in _abbreviations()
    )  # fmt: skip


def _before_list_number(text: str, start: int, match: re.Match[str]) -> int | None:
    """Where a numbered item starts inside a line: "1. Boil 2. Stir"."""
    if match["marks"] != ".":
        return None
    word = _word_before(text, start, match.start())
    number = _LIST_NUMBER.fullmatch(word)
    opened = re.match(r"\s*(\d{1,2})\.\s", text[start : start + 8])
    at = match.start() - len(word)
    if number and opened and at > start + 2 and int(number[1]) == int(opened[1]) + 1:
        return at
    return None


def _is_wrapped(text: str, start: int, newline: int, after: int) -> bool:
    """Whether a line break lies inside a sentence: a long line that goes on in lower case."""
    if newline - start < _WRAPPED or text.count("\n", newline, after) > 1:
        return False
    line = text.rfind("\n", start, newline) + 1 or start
    plain = not _BULLET.match(text[line : line + 4].lstrip())
    return plain and newline - line >= _WRAPPED and text[after : after + 1].islower()


def _word_before(text: str, start: int, end: int) -> str:
    word = _LAST_WORD.search(text[max(start, end - _WINDOW) : end])
    return word.group() if word else ""


def _next_word(text: str, at: int) -> tuple[str, str]:
    """The opening quotes and the word that follow, as far as a short look ahead shows."""
    match = _NEXT.match(text[at : at + _WINDOW])
    return (match[1], match[2]) if match else ("", "")


@lru_cache(maxsize=1)
def _abbreviations() -> Mapping[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in lexicon_lines("abbreviations"):
        word, kind = line.split()
        table[word] = (*table.get(word, ()), kind)
    return table


def tell_rows(pieces: Iterable[str]) -> Iterator[str]:
    """Each sentence as it is; a table's row with its headings, its header as nothing.

    "| Team | $119 |" below "| Plan | Monthly |" becomes "Team: Monthly $119.".
    """
    header: list[str] = []
    for sentence in pieces:
        lines = sentence.strip().splitlines()
        if not lines or not all("|" in line for line in lines):
            header = []
            yield sentence
        elif any(_RULE.fullmatch(line.strip()) for line in lines):
            header = _cells(lines[0])
            yield ""
        else:
            cells = _cells(sentence)
            yield _told(header, cells) if header and len(cells) == len(header) else sentence


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _told(header: list[str], cells: list[str]) -> str:
    about, *others = cells
    told = ", ".join(
        f"{name} {cell}".strip() for name, cell in zip(header[1:], others, strict=True)
    )
    return f"{about}: {told}." if told else f"{header[0]}: {about}."


def without_markup(text: str) -> str:
    """The text with blanks for markup and for the headings of tables; as long as it was."""
    return _HIDDEN.sub(_hidden, text)


def plain_line(text: str) -> str:
    """The text without markup, on one line."""
    return " ".join(without_markup(text).split())


def unmarked(example: Example) -> Example:
    """The example, response and knowledge without markup."""
    return replace(
        example,
        response=without_markup(example.response),
        knowledge=without_markup(example.knowledge),
    )


def _hidden(match: re.Match[str]) -> str:
    how = {"row": _row, "item": _item}.get(match.lastgroup or "", _blank)
    return how(match.group())


def _blank(text: str) -> str:
    return " " * len(text)


def _item(text: str) -> str:
    """The items of a list are statements, often without a full stop."""
    return f".{_blank(text[1:])}"


def _row(text: str) -> str:
    """A table's row as a list of its cells: "| Team | $119 |" becomes "  Team , $119 ."."""
    bare = text.rstrip()
    first, last = bare.index("|"), bare.rindex("|")
    cells = without_markup(bare[first + 1 : last].replace("|", ","))
    return f"{_blank(text[: first + 1])}{cells}.{_blank(text[last + 1 :])}"
