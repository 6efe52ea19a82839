"""Claims of a response by rules: sentences, clauses that stand alone, members of a list.

What claims nothing (greetings, questions back, refusals, opinions, reactions, headings, code) is
told apart by whole-sentence patterns, which are data: `no_claims.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from staytrue.backends.rules.questions import VERSIONS
from staytrue.core.protocols import Claim
from staytrue.english.parses import Parsed, parsed, pipeline_name
from staytrue.english.words import LIST_MARKER, reply_openers, sentence_spans, tell_rows

if TYPE_CHECKING:
    from staytrue.backends.rules.lists import Member

# Two statements in one sentence: a comma or semicolon, a conjunction, and a subject of its own.
_CLAUSE = re.compile(
    r"(?:\s*;\s+(?:(?:and|but|however|therefore|also),? )?"
    r"|,? (?:and|but|while|whereas|although|though) "
    r"(?=(?:it|they|he|she|you|we|i|there|this|that|these|those|its|his|her|their|our|your)"
    r"(?:'\w+)? (?!way\b|time\b))"
    r"|, (?:and|but|while|whereas) (?=(?:the|a|an|all|each|every|no|any|both) \w+)"
    r"|\s?, (?=(?:i|it|they|he|she|we|you)(?:'\w+)? )"
    # Who gives a reason claims it, too.
    r"|,? because (?=(?:it|they|he|she|there|this|that|these|those)\b))",
    re.IGNORECASE,
)
# What stands before a comma and a subject, but claims nothing by itself: "If it breaks, you …".
_LEAD_IN = re.compile(
    r"(?:if|when|whenever|while|once|unless|until|since|because|as|after|before|although|though|"
    r"even|whether|where|in|on|at|by|with|without|from|for|to|under|over|during|between|through|"
    r"within|upon|per|like|unlike|besides|except|instead|thanks|due|given|depending|according|"
    r"just|next|then|finally|first|second|third|last|today|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
# Words before the claim itself; "did you know that" makes a question of what is claimed.
_OPENER = re.compile(
    rf"(?:(?:{'|'.join(sorted(reply_openers()))}|yup|hmm+|haha+|ah|also|of course|absolutely|"
    r"certainly|definitely|indeed|exactly|great question|good question|hi|hello|hey|"
    r"thanks(?! (?:to|for)\b)|i see|ooh|aw+|whoa|i agree|that(?:'s| is) (?:right|correct|true)|"
    r"(?:but )?(?:i (?:do )?(?:think|believe|know|guess)|i heard|i've heard|i read|i found out)"
    # "I know a lot about him" tells of the speaker.
    r"(?: that|(?! (?:so|of|about|a|an|all|much|very|too|how|what|nothing|you|him|her|them|my)\b))|"
    r"it(?:'s| is| was) (?:hard|difficult) to (?:believe|imagine)(?: that)?|"
    r"did you know(?: that)?|do you know that|fun fact|interestingly|unfortunately|fortunately|"
    r"according to (?:our|the|my) (?:records|documentation|policy|documents|website|sources?)|"
    r"based on (?:our|the|my) (?:\w+ )?(?:records|documentation|policy|documents?|context|"
    r"information|passages?|sources?)(?: (?:provided|given|above|available|(?:that )?i have))?|"
    r"as an ai(?: language)?(?: model| assistant)?|"
    r"just so you know|just to let you know|for your information|to be clear|"
    r"as far as i know|from what i (?:know|understand|can see)|i(?:'m| am) happy to say that|"
    r"i can confirm that|please note that|note that|keep in mind that)"
    r"\s*(?:[,!.:;–—-]\s*|\s+))+",
    re.IGNORECASE,
)
_KNOWN_QUESTION = re.compile(r"\s*(?:\w+[,!.] )?(?:did|do) you know (?:that )?", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_HEADING = re.compile(r"#{1,6} \S|\*\*[^*]+:?\*\*:?$|[^.!?]{1,60}:$")
_BOLD_ITEM = re.compile(r"\*\*[^*]+[^*:]\*\*")
_BULLET = re.compile(rf"(?:{LIST_MARKER}|\[[ x]\])\s+")
# What ⟨…⟩ in the patterns stands for: after a comma, or "but", a statement may begin.
_WORDS = r"(?:(?!\bbut |, ).)*"
_LEAD = re.compile(r"(?P<words>[^,]+?) ?, (?:(?:but|and|so) )?(?=\S)")
_NO_CLAIMS = ("greeting", "reaction", "refusal")
# A name that the speaker calls ("You're welcome, Anna!"), and one below a letter's last line.
_CALLED = re.compile(r"\w+|[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){1,2}")
_FAREWELL = re.compile(
    r"(?:.*\b(?:regards|wishes|sincerely|truly|faithfully)|all the best|cheers),", re.I
)
_SIGNED = 5
# Marks of citations that stand behind a full stop belong to the sentence before it.
_CITED_AFTER = re.compile(
    r"\s*(?:[\[【](?:doc(?:ument)?|passage|source)?[ #]?\d{1,3}(?:, ?\d{1,3})*[\]】]\s*)+"
)
# "… days.[1] We open …" has no space where the sentence ends.
_CITED_WITHIN = re.compile(r"(?P<sentence>[.!?](?:\[\d{1,3}\])+)\s+(?=[A-Z])")
_SOURCES = re.compile(r"\W*(?:sources?|references?|citations?)\W*[:\[].*[\]\d)]\W*", re.I)
# "im", "ive", "dont", "havent", as people type them.
_UNMARKED = re.compile(
    r"\b(?:((?:do|does|did|is|are|was|were|have|has|had|could|would|should)n)t|(i)(m|ve))\b"
)
_OUTER = " \t\n.!?…,;:\"'“”‘’()[]*_"


# What joins statements or a list, and how long a sentence is whose parse can be trusted.
_JOINED = re.compile(r"\b(?:and|plus|but|yet|while|whereas)\b|&")
_LONGEST_JOINED = 60
_CITING = re.compile(r"\[|https?:")


class RuleClaims:
    """Splits responses into claims by rules on words, and lists by their parse."""

    @property
    def name(self) -> str:
        """What stands behind the claims, for signatures."""
        return f"{VERSIONS['claims']}+{pipeline_name()}"

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each text, in order; together they cover every sentence."""
        from staytrue.backends.rules.lists import members, statements

        split = [list(_claims(text)) for text in texts]
        # Statements first: each of them may list something.
        return _apart(texts, _apart(texts, split, statements), members)


def _claims(text: str) -> Iterator[Claim]:
    code = [match.span() for match in _CODE.finditer(text)]
    end = 0
    for start, stop in (*code, (len(text), len(text))):
        spans = _with_citations(text, end, start)
        told = tell_rows(text[first:last] for first, last in spans)
        farewell = False
        for (first, last), row in zip(spans, told, strict=True):
            if farewell and len(text[first:last].split()) <= _SIGNED:
                yield Claim(text[first:last], first, last, "greeting")
            elif row == text[first:last]:
                yield from _of_sentence(text, first, last)
            else:
                yield Claim(row or text[first:last], first, last, "statement" if row else "heading")
            farewell = _FAREWELL.fullmatch(text[first:last].strip()) is not None
        if stop > start:
            yield Claim(text[start:stop], start, stop, "code")
        end = stop


def _with_citations(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences between two places, each with the marks of citations behind its full stop."""
    spans: list[tuple[int, int]] = []
    for first, last in sentence_spans(text[start:end]):
        at, last = start + first, start + last
        marks = _CITED_AFTER.match(text, at, last)
        if marks and spans:
            spans[-1] = (spans[-1][0], at + len(marks.group().rstrip()))
            at = marks.end()
        for cut in _CITED_WITHIN.finditer(text, at, last):
            spans.append((at, cut.end("sentence")))
            at = cut.end()
        if at < last:
            spans.append((at, last))
    return spans


def _of_sentence(text: str, start: int, end: int) -> Iterator[Claim]:
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet and bullet.end() < end else start
    kind = _kind(text[start:end])
    # "1. **Tax number**" is no heading: it names what the list is about.
    if kind == "heading" and bullet and _BOLD_ITEM.fullmatch(text[start:end].strip()):
        yield Claim(text[start:end], start, end)
        return
    if kind not in ("statement", "personal"):
        yield Claim(text[start:end], start, end, kind)
        return
    # "Sorry, we close at five" claims what stands after the comma.
    while lead := _LEAD.match(text, start, end):
        words = lead["words"]
        kind = _plain_kind(words)
        if kind not in _NO_CLAIMS or _OPENER.match(text, start, end):
            break
        yield Claim(words, start, start + len(words), kind)
        start = lead.end()
    sentence = text[start:end]
    for first, last in _clauses(sentence):
        claim = _opened(sentence[first:last])
        yield Claim(claim, start + first, start + last, _kind(claim))


def _may_join(claim: Claim) -> bool:
    # What a sentence cites goes for all of it.
    plain = claim.kind == "statement" and not _CITING.search(claim.text)
    return bool(plain and _JOINED.search(claim.text)) and len(claim.text.split()) <= _LONGEST_JOINED


def _apart(
    texts: Sequence[str],
    split: Sequence[Sequence[Claim]],
    take_apart: Callable[[Parsed], Sequence[Member]],
) -> list[list[Claim]]:
    """The claims of each text; in place of one that can be taken apart, its parts."""
    joined = [
        (text, claim)
        for text, claims in zip(texts, split, strict=True)
        for claim in claims
        if _may_join(claim)
    ]
    parts: dict[int, list[Claim]] = {}
    parses = parsed([claim.text for _, claim in joined])
    for (text, claim), parse in zip(joined, parses, strict=True):
        # Behind an opener, and not at all where the claim is a table's row put into words.
        start = text.find(claim.text.rstrip(" ."), claim.start, claim.end)
        own = take_apart(parse) if start >= 0 else ()
        parts[id(claim)] = [
            Claim(part.text, start + part.start, start + part.end, _kind(part.text)) for part in own
        ] or [claim]
    return [[own for one in claims for own in parts.get(id(one), [one])] for claims in split]


def _clauses(sentence: str) -> list[tuple[int, int]]:
    """Where the sentence can be cut so that each part has words enough to stand alone."""
    places: list[tuple[int, int]] = []
    start = 0
    for cut in _CLAUSE.finditer(sentence):
        before, after = sentence[start : cut.start()], sentence[cut.end() :]
        if min(len(before.split()), len(after.split())) < _LEAST_WORDS:
            continue
        if cut.group().strip() == "," and _LEAD_IN.match(before):
            continue
        places.append((start, cut.start()))
        start = cut.end()
    places.append((start, len(sentence)))
    return places


def _opened(clause: str) -> str:
    """The clause without its openers; a "did you know" question becomes what it tells."""
    opener = _OPENER.match(clause)
    if not opener or len(clause[opener.end() :].split()) < _LEAST_WORDS:
        return clause
    rest = clause[opener.end() :]
    return rest.rstrip(" ?") + "." if rest.rstrip().endswith("?") else rest


def _kind(sentence: str) -> str:
    """What kind of sentence it is; "statement" claims something."""
    if sentence.rstrip(" \"'”)").endswith("?"):
        return "statement" if _KNOWN_QUESTION.match(sentence) else "question"
    if _HEADING.match(sentence) or _SOURCES.fullmatch(sentence):
        return "heading"
    kind = _plain_kind(sentence)
    first, *others = sentence.split(", ")
    if kind != "statement" or not others:
        return kind
    kinds = [
        _plain_kind(first),
        *(_plain_kind(p) for p in others if not _CALLED.fullmatch(p.strip(_OUTER))),
    ]
    if "statement" not in kinds:
        return "refusal" if "refusal" in kinds else kinds[0]
    opener = _OPENER.match(sentence)
    rest = _plain_kind(sentence[opener.end() :]) if opener else "statement"
    return rest if rest in _NO_CLAIMS else "statement"


def _plain_kind(words: str) -> str:
    """The kind of words without a question mark, by the patterns."""
    bare = " ".join(words.replace("’", "'").replace(" ' ", "'").split()).strip(_OUTER).lower()
    bare = bare.replace(" ,", ",")  # chat data sets its marks apart
    bare = _UNMARKED.sub(
        lambda match: f"{match[1] or match[2]}'{'t' if match[1] else match[3]}", bare
    )
    for kind, pattern in _patterns():
        if pattern.fullmatch(bare):
            return kind
    return "statement"


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    lines = files("staytrue.backends.rules").joinpath("no_claims.txt").read_text("utf-8")
    rows = [line.split("\t") for line in lines.splitlines() if line and not line.startswith("#")]
    return [
        (
            kind,
            re.compile(
                f"(?:{pattern.replace('⟨…⟩', _WORDS)})",
                re.DOTALL,
            ),
        )
        for kind, pattern in rows
    ]
