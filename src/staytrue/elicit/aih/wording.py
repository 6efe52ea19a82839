"""Inquiries in the second person, and which of them a person could answer."""

from __future__ import annotations

import re

from staytrue.core.protocols import Span, Target
from staytrue.core.text import words
from staytrue.english.person import text_to_second
from staytrue.english.word_kinds import RELATIVES
from staytrue.english.wording import AUXILIARIES, WH_WORDS
from staytrue.english.words import is_person, reply_openers, word_groups, word_list

_WORDS = word_groups("inquiries")

# What people put before a statement; a question must not carry it along.
_LEAD_IN = re.compile(
    rf"^(?:(?:{'|'.join(sorted(reply_openers()))}|hmm+|haha+|no|nope|and|but|also|honestly|anyway|"
    r"hey|hi|hello|ah|cool|nice|true|i see|i mean|you know|you see|"
    r"of course|exactly|definitely|absolutely|maybe|i agree|i think|i guess|i know|i do|me too|"
    r"to be honest|let me (?:tell you something|see|think)|as for me|in fact|by the way|"
    r"good question|thanks|thank you)\s*[,:;–-]\s*)+",
    re.I,
)
_TAIL = re.compile(
    r",? (?:by the way|actually|too|though|as well|you know|of course|lol|haha+)\s*([.!]*)\s*$",
    re.I,
)
# Adverbs about the saying, not about what is said; a question must not carry them along.
_ASIDES = re.compile(
    r" (?:maybe|perhaps|probably|apparently|actually|honestly|personally|basically|obviously|"
    r"definitely|certainly|luckily|unfortunately|just|also|literally|simply|"
    r"of course|though|too|as well)"
    r"(?= |\?$)",
    re.I,
)
_PLACES = frozenset(
    "place city town country state home hometown island destination village capital".split()
)
_PETS = frozenset("dog cat pet puppy horse kitten pug".split())
# "my best friend" before a name.
_KIN = re.compile(
    r"\bmy ((?:best |older |younger |little |big )?)"
    rf"({'|'.join(sorted(_PETS | RELATIVES))}|friend|boss|teacher),? $",
    re.I,
)
_RELIGION = re.compile(r"(?:anity|ism)$", re.I)
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
        (
            r"^(?:who|what place|where) "
            r"(?=.*\b(?:watch(?:ed)?|drive|drink|eat|speak|read|cook|wear)\b(?! by))",
            "What ",
        ),
        (r"^what place (?!.*\b(?:visit|go|travel|move|see|vacation|trip|are you in)\b)", "What "),
        (r"^when (?=.*\bforward to\b)", "What "),
        (r"^what (?=.*\bvot(?:ed?|ing) for\b)", "Who "),
        (r"^what(?: place)? (?=(?:do|did|have) you (?:work|worked) for\b)", "Who "),
        (r"^(?:what|who) is your (dog|cat|pet|puppy|horse|kitten)\?$", r"What is your \1's name?"),
        (r"^how many your (\w+)\b.*", r"How many \1 do you have?"),
        (
            r"^what is an? "
            r"(?=(?:dog|cat|pet|puppy|horse|bird|son|daughter|friend) (?:named|called))",
            "What is your ",
        ),
        (r"^(?:when|how \w+|what) (?:is|was) your age\?$|^.*\bthe age of\?$", "How old are you?"),
        (r"^how much money (?=is|was)", "How much "),
        (r"^what year (?=of experience)", "How many years "),
        # "What do you study at?" once the name of a school is taken for something else.
        (
            r"^(?:what|who) ((?:do|did|does|are|is|were|was|have|has|had) .*"
            r"(?<!look)(?<!looking)(?<!good)(?<!bad)(?<!laugh)(?<!great)) at\?$",
            r"Where \1?",
        ),
        (
            r"^(?:what|who) ((?:are|is|were|was) (?:you|your \w+) (?:originally )?from)\?$",
            r"Where \1?",
        ),
        (r"^(how many .*?s(?: [^?]*?)?) is there\b", r"\1 are there"),
    )
)
# Nobody can be asked for these: they say little, or stand for something else.
_VAGUE = frozenset(_WORDS["vague"])
_OFTEN = re.compile(
    r"(?:each|every|all|most|any|some|once|twice|another|almost|under|over|only|about|more than|"
    r"the age of)\b",
    re.I,
)
_POINTING = frozenset(
    "he him his she her hers they them their it its this that these those".split()
)
_PARTNER = frozenset("you your yours yourself".split())
_OPENERS = (WH_WORDS - {"why"}).union("in at on since from for by with to until".split())
CHOICES = frozenset(_WORDS["choices"])
_MEASURES = frozenset("place year month time day percentage nationality type".split())
_PLURALS = frozenset("people children men women feet mice fish sheep".split())
_NEVER_LAST = frozenset("the a an dr mr mrs and or but yet then always either".split())
_LONGEST = 14
# A question made of these alone asks for nothing in particular.
_LIGHT = frozenset(_WORDS["light"])
# "I'd be happy to tell you about Rome" is courtesy: nobody can be caught contradicting it.
_COURTESY = re.compile(
    r"\byou (?:be )?(?:(?:so|very|really|more than) )*"
    r"(?:happy|glad|sorry|pleased|delighted|excited|thrilled|honou?red) (?:to|for)\b"
)
_BROKEN = re.compile(
    r"^(?:what|who) (?:and|of)\b|\bgot you\b|^when (?:have|has)\b|\bthe name\?$|"
    r"^which year's|^how long (?:do|are|is) .*\$|"
    r"\b(?:you best|as for you|everything)\?$|\b(?:no|nobody|nothing|none|never|not)\b| - |"
    r"^(?!.*\b(?:more|less|rather|other|better|worse|\w+er)\b.*\bthan\b).*\bthan\b|"
    r"\bthan(?: you\b.*)?\?$|\b(?:before|after|over|during|as|until|since|around|like|yourself)\?$|"
    r"\bfav(?:ou?rite)?(?:\?| (?:the|a|an)\b)|^(?:when|where) (?:of|in|on)\b|^whose (?:your|the)\b|"
    r"^(?:what|who) (?:is|are|was|were) you\?$|\bwhat kind of\b|\b(?:m|t|re|ve|ll)\b|"
    r"\b(?:your|who|due to)\?$|^when are there\b|,|\bnt\b|^where are you (?:in|a|an|at|right)\b|"
    r"\b(?:love|like|want|ready|going|need|have) to\?$|^what are you (?:at|in)\b|"
    r"^how many (?:first|last|next|only|other|same|to|over)\b|^since when (?:do|does|is|are)\b",
    re.I,
)


def without_lead_in(statement: str) -> str:
    """The statement without "well," or "to be honest," in front, and ", by the way" behind."""
    bare = _TAIL.sub(r"\1", _LEAD_IN.sub("", statement)).strip()
    return bare[0].upper() + bare[1:] if bare and statement[:1].isupper() else bare


def is_askable(span: Span) -> bool:
    """Whether the words of a span are worth a question."""
    text = " ".join(words(span.text))
    return bool(text) and text not in _VAGUE and not _OFTEN.match(text)


def names_kin(target: Target) -> bool:
    """Whether the span is the name in "my dog Bella"."""
    return bool(_KIN.search(target.text[: target.span.start]))


def second_person(question: str, target: Target) -> str | None:
    """The question as the bot's partner would ask it; None when it speaks of the partner."""
    if _PARTNER & set(words(question)):
        return None
    turned = text_to_second(question).replace(" to to ", " to ")
    turned = _ASIDES.sub("", re.sub(r"\byou is\b", "you are", turned).strip())
    turned = _mended(turned, target)
    return turned[0].upper() + turned[1:]


def _head(phrase: str) -> str:
    """The last word of a noun phrase before a preposition: "your friend at work" → "friend"."""
    before = re.split(r"\b(?:of|in|on|at|for|from|with|by|to|who|that)\b", phrase, maxsplit=1)[0]
    return (words(before) or [""])[-1]


def _is_doer(noun: str) -> bool:
    """Whether the noun ends as many names of people do: driver, singer, guitarist."""
    return noun.endswith(("er", "or", "ist", "ian")) and noun not in word_list("not_people")


def _mended(question: str, target: Target) -> str:
    """The question with the question word that fits: entity labels in chat are often wrong."""
    span = target.span
    kin = _KIN.search(target.text[: span.start])
    if kin and span.label in ("PERSON", "GPE", "ORG", ""):
        pet = kin[2].lower() in _PETS
        return f"What is your {kin[1]}{kin[2]}'s name?" if pet else f"Who is your {kin[1]}{kin[2]}?"
    where = _WHERE.match(question)
    if where:
        return f"Where {where['rest']}{where['tail']}?"
    if re.match(r"(?:what|when|how \w+) are you(?: now)?\?$", question, re.I) and re.fullmatch(
        r"\d{1,2}(?: years old)?", span.text.strip()
    ):
        return "How old are you?"
    if re.match(r"who are you\?$", question, re.I):
        named = re.fullmatch(rf"(?:i am|i'm|im) {re.escape(span.text)}\W*", target.text, re.I)
        return "What is your name?" if named else question
    if re.match(r"(?:this|last|next) ", span.text, re.I):
        question = re.sub(r"^how long ", "When ", question, flags=re.I)
    unit = words(span.text)[-1] if words(span.text) else ""
    if unit.endswith("s") and len(words(span.text)) > 1:
        question = re.sub(r"^how much (?!money)", f"How many {unit} ", question, flags=re.I)
    copula = _COPULA.match(question)
    if copula and span.label == "NORP" and is_person(_head(copula["rest"])):
        return f"What nationality {copula['be']} {copula['rest']}"
    if copula and set(words(copula["rest"])) & {"holiday", "season"}:
        question = f"What {copula['be']} {copula['rest']}"
    if copula and span.label in ("GPE", "LOC", "PERSON", "ORG", "FAC", "NORP", ""):
        about = set(words(copula["rest"]))
        head = _head(copula["rest"])
        person = is_person(head) or (span.label == "PERSON" and _is_doer(head))
        word = "Who" if person and span.label in ("PERSON", "GPE", "ORG", "") else "What"
        if not (about & _PLACES and question.lower().startswith("where")):
            question = f"{word} {copula['be']} {copula['rest']}"
    full_name = span.label == "PERSON" and len(words(span.text)) > 1
    for pattern, better in _MENDED:
        question = question if full_name and better == "What " else pattern.sub(better, question)
    if re.search(r"\b(?:a|an) $", target.text[: span.start], re.I) or _RELIGION.search(span.text):
        question = re.sub(r"^who ", "What ", question, flags=re.I)
    return question


def is_good_question(question: str, target: Target) -> bool:
    """Whether it asks with a question word in front, gives no answer away and points nowhere."""
    asked = words(question)
    if len(asked) < 3 or not question.endswith("?") or asked[0] not in _OPENERS:
        return False
    if _POINTING & set(asked) or {"i", "me", "my"} & set(asked):
        return False
    if _BROKEN.search(question) or _COURTESY.search(question):
        return False
    if question != "How old are you?" and all(word in _LIGHT for word in asked):
        return False
    if len(asked) > _LONGEST or _has_lost_preposition(question, target):
        return False
    if not _has_sound_opening(asked) or asked[-1] in _NEVER_LAST:
        return False
    if not {"you", "your", "yours"} & set(asked) and not _is_sure_of_the_world(asked, target):
        return False
    given = [word for word in words(target.span.text) if word not in ("a", "an", "the", "my")]
    return not (given and _contains(asked, given))


def _has_sound_opening(asked: list[str]) -> bool:
    """ "what bell is your favorite?" comes from half of a name; "what pays your rent?" is sound."""
    if asked[0] == "which":
        return asked[1] in CHOICES
    if asked[0] == "what":
        plain = asked[1] in AUXILIARIES or asked[1] in CHOICES or asked[1] in _MEASURES
        return plain or asked[2] in ("you", "your", "the", "a")
    if asked[:3] == ["who", "are", "you"]:
        return asked[-1] in ("to", "with", "of") and asked[3] not in ("ready", "able", "going")
    if asked[:2] == ["how", "many"]:
        counted = [word for word in asked[2:4] if word not in AUXILIARIES]
        return any(word.endswith("s") or word in _PLURALS for word in counted)
    return True


def _is_sure_of_the_world(asked: list[str], target: Target) -> bool:
    """Whether a question about something else than the bot may be asked.

    In chat, names are often taken for something else: only dates, counts and full names are sure.
    """
    if asked[0] == "who":
        return target.span.label == "PERSON" and len(words(target.span.text)) > 1
    return asked[0] == "when" or asked[:2] == ["how", "many"]


def _has_lost_preposition(question: str, target: Target) -> bool:
    """ "i watch sports on youtube" → "what do you watch sports?" misses its "on"."""
    if question.lower().startswith("where") and re.search(
        r"\bin an? $", target.text[: target.span.start], re.I
    ):
        return True  # "in a jeep" is no place
    before = re.search(
        r"\b(on|at|to|from|for|with|by|about|of|in) (?:the |a |an |my )?$",
        target.text[: target.span.start],
        re.I,
    )
    if not before or not re.match(
        r"(?:what|who)\b(?! (?:place|year|month|time|day))", question, re.I
    ):
        return False
    return before[1].lower() not in words(question)


def _contains(where: list[str], what: list[str]) -> bool:
    size = len(what)
    return any(where[n : n + size] == what for n in range(len(where) - size + 1))
