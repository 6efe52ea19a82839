"""Inquiries in the second person, and which of them a person could answer."""

from __future__ import annotations

import re

from staytrue.protocols import Span, Target
from staytrue.text import words

_TO_YOU = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "we": "you",
    "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves", "am": "are",
}  # fmt: skip
_PIECE = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")
_WAS = re.compile(r"\bwas (?=(?:n't |not )?i\b)|(?<=\bi )was\b|(?<=\bi never )was\b", re.I)

# What people put before a statement; a question must not carry it along.
_LEAD_IN = re.compile(
    r"^(?:(?:well|oh|yes|yeah|yep|no|nope|so|and|but|also|actually|honestly|anyway|hmm+|haha+|lol|"
    r"ok|okay|sure|hey|hi|hello|ah|wow|cool|nice|true|right|i see|i mean|you know|you see|"
    r"of course|to be honest|let me (?:tell you something|see|think)|as for me|in fact|by the way|"
    r"good question|thanks|thank you)\s*[,:;–-]\s*)+",
    re.I,
)
_PEOPLE = frozenset(
    "friend author writer singer actor actress artist player coach boss teacher neighbor husband "
    "wife spouse partner brother sister mother father mom dad son daughter uncle aunt cousin "
    "person hero idol employer president captain director musician poet painter man woman".split()
)
_PLACES = frozenset(
    "place city town country state home hometown island destination village capital".split()
)
_COPULA = re.compile(
    r"^(?:what place|who|where|what|when|how much|how long) (?P<be>is|was|are|were) "
    r"(?P<rest>(?:your|the) .+)$",
    re.I,
)
_WHERE = re.compile(
    r"^what (?:place )?(?P<rest>(?:do|did|does|are|were|have|will|would) (?:you|your \w+)"
    r"(?: \w+)*? (?:work|working|worked|live|living|lived|study|studied|studying|teach|shop|stay|"
    r"stayed|grow up|go|travel|move|moved|born)) (?:at|in|to)"
    r"(?P<tail>(?: (?:for|since|every|as) [^?]+)?)\?$",
    re.I,
)
_MENDED = tuple(
    (re.compile(pattern, re.I), better)
    for pattern, better in (
        (r"^(?:who|what place|where) (?=.*\b(?:call|called|name|named)\b)", "What "),
        (r"^(?:what|what place|where) (?=.*\b(?:meet|marry|married to|marrying)\b)", "Who "),
        (r"^who (?=.*\b(?:watch|drive|drink|eat|speak|read|cook|wear)\b(?! by))", "What "),
        (r"^how much money (?=is|was)", "How much "),
        (r"^what year (?=of experience)", "How many years "),
    )
)
# Nobody can be asked for these: they say little, or stand for something else.
_VAGUE = frozenset(
    "one ones first second today tonight tomorrow yesterday now day days night morning evening "
    "weekend time times half both daily once twice hi hello hey lol haha thanks ok okay yeah yes "
    "wow oh mr mrs ms omg lmao god".split()
) | {"a day", "these days", "the day", "this day", "a while", "one day", "a lot", "the weekend",
     "the night", "the morning", "that day", "some day", "this morning", "all day", "years",
     "a few", "a couple", "the weekends", "weekends", "at least one", "the evening"}  # fmt: skip
_OFTEN = re.compile(r"(?:each|every|all|most|any|some|once|twice|another|the age of)\b", re.I)
_POINTING = frozenset(
    "he him his she her hers they them their it its this that these those".split()
)
_PARTNER = frozenset("you your yours yourself".split())
_OPENERS = frozenset(
    "what who whom whose which where when how in at on since from for by with to until".split()
)
# A question made of these alone asks for nothing in particular.
_LIGHT = frozenset(
    "what who whom which where when how many much long far place time kind money do did does are "
    "is was were am be been have has had will would can could should you your yours the a an of to "
    "in at on by for with from and or so got get say said tell know think guess mean make turn "
    "go see manage there not really just like too also".split()
)
_BROKEN = re.compile(
    r"^(?:what|who) (?:and|got you)\b|\bthe name\?$|^which year's|^how long (?:do|are|is) .*\$|"
    r"\b(?:you best|as for you|everything)\?$|\b(?:no|nobody|nothing|none|never)\b|"
    r"^(?!.*\b(?:more|less|rather|other|better|worse|\w+er)\b.*\bthan\b).*\bthan\b|"
    r"^(?:what|who) (?:is|are|was|were) you\?$",
    re.I,
)


def without_lead_in(statement: str) -> str:
    """The statement without "well," or "to be honest," in front."""
    bare = _LEAD_IN.sub("", statement).strip()
    return bare[0].upper() + bare[1:] if bare and statement[:1].isupper() else bare


def is_askable(span: Span) -> bool:
    """Whether the words of a span are worth a question."""
    text = " ".join(words(span.text))
    return bool(text) and text not in _VAGUE and not _OFTEN.match(text)


def second_person(question: str, target: Target) -> str | None:
    """The question as the bot's partner would ask it; None when it speaks of the partner."""
    if _PARTNER & set(words(question)):
        return None
    were = _WAS.sub(lambda found: found[0].lower().replace("was", "were"), question)
    turned = "".join(_TO_YOU.get(p.lower(), p) for p in _PIECE.findall(were))
    turned = _mended(re.sub(r"\byou is\b", "you are", turned).strip(), target)
    return turned[0].upper() + turned[1:]


def _mended(question: str, target: Target) -> str:
    """The question with the question word that fits: entity labels in chat are often wrong."""
    span = target.span
    where = _WHERE.match(question)
    if where:
        return f"Where {where['rest']}{where['tail']}?"
    if re.match(r"(?:what|when|how \w+) are you(?: now)?\?$", question, re.I) and re.fullmatch(
        r"\d{1,2}(?: years old)?", span.text.strip()
    ):
        return "How old are you?"
    unit = words(span.text)[-1] if words(span.text) else ""
    if unit.endswith("s") and len(words(span.text)) > 1:
        question = re.sub(r"^how much (?!money)", f"How many {unit} ", question, flags=re.I)
    copula = _COPULA.match(question)
    if copula and span.label in ("GPE", "LOC", "PERSON", "ORG", "FAC", "NORP", ""):
        about = set(words(copula["rest"]))
        word = "Who" if about & _PEOPLE and span.label in ("PERSON", "GPE", "ORG", "") else "What"
        if not (about & _PLACES and question.lower().startswith(("where", "what place"))):
            question = f"{word} {copula['be']} {copula['rest']}"
    for pattern, better in _MENDED:
        question = pattern.sub(better, question)
    return question


def is_good_question(question: str, target: Target) -> bool:
    """Whether it asks with a question word in front, gives no answer away and points nowhere."""
    asked = words(question)
    if len(asked) < 3 or not question.endswith("?") or asked[0] not in _OPENERS:
        return False
    if _POINTING & set(asked) or {"i", "me", "my"} & set(asked) or _BROKEN.search(question):
        return False
    if question != "How old are you?" and all(word in _LIGHT for word in asked):
        return False
    given = [word for word in words(target.span.text) if word not in ("a", "an", "the", "my")]
    return not (given and _contains(asked, given))


def _contains(where: list[str], what: list[str]) -> bool:
    size = len(what)
    return any(where[n : n + size] == what for n in range(len(where) - size + 1))
