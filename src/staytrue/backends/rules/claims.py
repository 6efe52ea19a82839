"""Claims of a response by rules: sentences, then clauses that stand alone.

What claims nothing (greetings, questions back, refusals, opinions, reactions, headings, code) is
told apart by whole-sentence patterns, which are data: `no_claims.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from staytrue.core.protocols import Claim
from staytrue.english.sentences import sentence_spans

# Two statements in one sentence: a comma or semicolon, a conjunction, and a subject of its own.
_CLAUSE = re.compile(
    r"(?:\s*;\s+(?:(?:and|but|however|therefore|also),? )?"
    r"|,? (?:and|but|while|whereas|although|though) "
    r"(?=(?:it|they|he|she|you|we|i|there|this|that|these|those|its|his|her|their|our|your)"
    r"(?:'\w+)? (?!way\b|time\b))"
    r"|, (?:and|but|while|whereas) (?=(?:the|a|an|all|each|every|no|any|both) \w+)"
    r"|\s?, (?=(?:i|it|they|he|she|we|you)(?:'\w+)? ))",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
# Words before the claim itself; "did you know that" makes a question of what is claimed.
_OPENER = re.compile(
    r"(?:(?:well|oh|ah|so|actually|also|sure|of course|absolutely|certainly|definitely|indeed|"
    r"great question|good question|okay|ok|hi|hello|hey|thanks|i see|right|exactly|"
    r"yes|yeah|yep|yup|i agree|that(?:'s| is) (?:right|correct|true)|"
    r"(?:but )?(?:i think|i believe|i know|i heard|i've heard|i read|i found out|i guess)"
    r"(?: that)?|"
    r"did you know(?: that)?|do you know that|fun fact|interestingly|unfortunately|fortunately|"
    r"according to (?:our|the|my) (?:records|documentation|policy|documents|website|sources?)|"
    r"based on (?:our|the|my) (?:records|documentation|policy|documents|context|information)|"
    r"as far as i know|from what i (?:know|understand|can see)|i(?:'m| am) happy to say that|"
    r"i can confirm that|please note that|note that|keep in mind that)"
    r"\s*(?:[,!.:;–—-]\s*|\s+))+",
    re.IGNORECASE,
)
_KNOWN_QUESTION = re.compile(r"\s*(?:\w+[,!.] )?(?:did|do) you know (?:that )?", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_HEADING = re.compile(r"#{1,6} \S|\*\*[^*]+:?\*\*:?$|[^.!?]{1,60}:$")
_BULLET = re.compile(r"(?:[-*•‣]|\d{1,3}[.)]|\[[ x]\])\s+")
# What ⟨…⟩ in the patterns stands for: any words that start no statement of their own.
_WORDS = r"(?:(?!\bbut |, and |, (?:i|it|they|he|she|we|you)\b).)*"
_OUTER = " \t\n.!?…,;:\"'“”‘’()[]*_"


class RuleClaims:
    """Splits responses into claims by rules on words; needs no parse."""

    name = "rule-claims@1"

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each text, in order; together they cover every sentence."""
        return [list(_claims(text)) for text in texts]


def _claims(text: str) -> Iterator[Claim]:
    code = [match.span() for match in _CODE.finditer(text)]
    end = 0
    for start, stop in (*code, (len(text), len(text))):
        for first, last in sentence_spans(text[end:start]):
            yield from _of_sentence(text, end + first, end + last)
        if stop > start:
            yield Claim(text[start:stop], start, stop, "code")
        end = stop


def _of_sentence(text: str, start: int, end: int) -> Iterator[Claim]:
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet and bullet.end() < end else start
    sentence = text[start:end]
    kind = _kind(sentence)
    if kind != "statement":
        yield Claim(sentence, start, end, kind)
        return
    for first, last in _clauses(sentence):
        claim = _opened(sentence[first:last])
        yield Claim(claim, start + first, start + last, _kind(claim))


def _clauses(sentence: str) -> list[tuple[int, int]]:
    """Where the sentence can be cut so that each part has words enough to stand alone."""
    places: list[tuple[int, int]] = []
    start = 0
    for cut in _CLAUSE.finditer(sentence):
        before, after = sentence[start : cut.start()], sentence[cut.end() :]
        if min(len(before.split()), len(after.split())) < _LEAST_WORDS:
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
    if _HEADING.match(sentence):
        return "heading"
    bare = " ".join(sentence.replace("’", "'").replace(" ' ", "'").split()).strip(_OUTER).lower()
    bare = bare.replace(" ,", ",")  # chat data sets its marks apart
    for kind, pattern in _patterns():
        if pattern.fullmatch(bare):
            return kind
    return "statement"


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    lines = files("staytrue.backends.rules").joinpath("no_claims.txt").read_text("utf-8")
    rows = [line.split("\t") for line in lines.splitlines() if line and not line.startswith("#")]
    return [
        (
            kind,
            re.compile(
                f"(?:{pattern.replace('(?: ⟨…⟩)', f'(?:,? {_WORDS})').replace('⟨…⟩', _WORDS)})",
                re.DOTALL,
            ),
        )
        for kind, pattern in rows
    ]
