"""WH questions of persona facts by pattern: age, job, favorite, home, colour, number, kind.

A generator asks "What are you?" about "i am a plumber", which nobody could answer; these patterns
ask what people ask. Each knows its truth, so that no reader is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from staytrue.core.records import Probe
from staytrue.elicit.consistest.drops import Candidates
from staytrue.english.numbers import to_digits
from staytrue.english.person import text_to_second
from staytrue.english.word_kinds import ALL_COLOURS, JOB_HEADS
from staytrue.english.wording import expand
from staytrue.english.words import is_person, lemma
from staytrue.metrics.q2.steps import normalise_answer

_ADVERB = r"(?:(?:also|only|currently|just|still|now|usually|recently|mostly|always|actually) )?"
_NUMBER = r"(\d+(?:\.\d+)?)"
_AGE = re.compile(
    rf"\bi am (?:(?:a|an|only|about|almost) )*{_NUMBER}(?: ?-?years?-?(?: |-)old|$| and\b)"
)
_FAVORITE = re.compile(
    r"\bmy ((?:all time )?favou?rite (?:\w+ ){1,4}?)(is|are|was|were) (?!not\b)(.+)"
)
_LOOKS = re.compile(r"\b(?:i have|my) ((?:\w+ ){0,4}?)(hair|eyes)\b(?: (?:is|are) (\w+(?: \w+)?))?")
_HOME = re.compile(
    rf"^(i |my (?:\w+ ){{1,3}}?){_ADVERB}(live|lives|lived|work|works|worked|volunteer|volunteers|"
    r"volunteered|teach|teaches|study|studies|grew up|was born|am from|come from|was raised)"
    r"(?: (?:full ?time|part ?time|alone))? (?:(?:in|at|on|near|from|inside|by|for) )?"
    r"((?:the |a |an |my )?\w[\w' ]*)$"
)
_PLACED = re.compile(r"\b(?:in|at|on|near|from|inside|by|next door)\b")
_JOB = re.compile(rf"^i (am|was|work as|worked as) {_ADVERB}(?:a|an|the) ([\w' ]+)$")
_RETIRED = re.compile(r"^(?:retired|former) ")
_COUNT = re.compile(rf"^i (?:have|own) {_ADVERB}{_NUMBER} ((?:\w+ ){{0,2}}?\w+s|children|people)\b")
_ONE = re.compile(r"^i have (?:only )?(1) (brother|sister|dog|cat|child|son|daughter|kid|sibling)$")
_PET = re.compile(r"\bi have (?:a|an) pet (\w+)$")
_GRADE = re.compile(r"\bi am in (?:the )?(\w+) grade\b")
_BE_LATER = re.compile(r"\bi (?:want|would like|hope|plan) to (?:be|become) (?:a |an )?([\w' ]+)$")
_COLOURED = re.compile(
    r"^my ((?!favou?rite)(?:\w+ ){0,2}\w+) (is|are) ((?:\w+ )?\w+(?: and (?:\w+ )?\w+)?)$"
)
_NAME = re.compile(r"\bmy (?:full |first )?name is ([\w' ]+?)(?: and\b.*)?$")
_DRIVES = re.compile(rf"^i {_ADVERB}drive (?:a |an |the |my )([\w' -]+?)(?: and\b.*| to\b.*)?$")
_WORKS_FOR = re.compile(rf"^i {_ADVERB}work for (?:a |an |the )?([\w' ]+)$")
_MADE_OF = re.compile(
    rf"^i {_ADVERB}((?:(?:like|love|enjoy|prefer|hate) (?:to )?)?(?:play|drink|eat|watch|read|wear|"
    r"buy|own|have|like|love|enjoy|prefer|hate|coach|teach|cook|bake|collect|ride|study|listen to|"
    r"listening to|watching|reading|playing|eating|drinking|wearing|riding|cooking|collecting|"
    r"work on)) (?:only )?(?:(?:a|an|the|my) )?((?!a |an |the |my )(?:[\w-]+ )?[\w-]+) ([a-z]+)$"
)
_CHILDREN = re.compile(rf"\b(?:i have|with) {_NUMBER} (?:\w+ )?(kids|children|sons|daughters)\b")
_ALLERGY = re.compile(r"\bi (?:have an allergy|am allergic) to ([\w' ]+)$")
_MAJOR = re.compile(r"\bi am (?:a|an) ([\w ]+) (?:major|student)\b")
_TEAM = re.compile(r"\bi am on (?:the|a|my) ([\w ]+) team\b")
_RELATION = re.compile(r"\bi am in (?:a|an) ([\w ]+) relationship$")
_FAITH = re.compile(
    r"\bi am (?:a |an )?(christian|buddhist|catholic|muslim|jewish|hindu|atheist|mormon)$"
)
_INSTRUMENTS = frozenset(
    "piano guitar violin drums drum flute cello trumpet saxophone bass clarinet harp keyboard "
    "ukulele banjo viola".split()
)
_SPORTSPEOPLE = frozenset("player athlete streamer racer skater".split())
_COLOUR_WORDS = ALL_COLOURS | {"hazel", "lime"}
_NO_KIND = frozenset(
    "of and or in at on to with for much many lot time own new good great it the a an my named "
    "called every each all day week year just very really some any".split()
)
_PAST = {"lived": "live", "worked": "work", "volunteered": "volunteer", "grew up": "grow up"}
_BORN = {"was born": "were you born", "was raised": "were you raised"}
_ORIGIN = ("am from", "come from")


def templates(clause: str) -> Iterator[tuple[str, str]]:
    """Questions to the agent about a clause of its own, each with its truth."""
    text = re.sub(r"\s+", " ", to_digits(expand(clause)).lower()).strip(" .!,")
    yield from _children(text)
    if re.search(r"\b(?:not|never|no|if|would)\b", text):
        return
    for made in (_age, _favorite, _looks, _job, _home, _numbers, _small, _instruments, _kind):
        yield from made(text)


def with_templates(
    statement: str, generated: Candidates, source: str, turn: int | None
) -> Candidates:
    """What patterns ask first, then the generator's questions, none of them twice."""
    made = {
        question: Probe(question, truth, statement, "wh", source, turn)
        for question, truth in templates(statement)
    }
    asked = {normalise_answer(question) for question in made}
    truths = {normalise_answer(probe.truth) for probe in made.values()}
    others = [
        probe
        for probe in generated.probes
        if normalise_answer(probe.question) not in asked
        and normalise_answer(probe.truth) not in truths
    ]
    return Candidates((*made.values(), *others), generated.drops)


def _children(text: str) -> Iterator[tuple[str, str]]:
    if match := _CHILDREN.search(text):
        yield f"How many {match[2]} do you have?", match[1]


def _age(text: str) -> Iterator[tuple[str, str]]:
    if (match := _AGE.search(text)) and float(match[1]) < 120:
        yield "How old are you?", match[1]


def _favorite(text: str) -> Iterator[tuple[str, str]]:
    if match := _FAVORITE.search(text):
        thing, verb, truth = match[1].strip(), match[2], _without_article(match[3])
        truth = re.split(r" (?:and i|because|but|so|that|which)\b", truth)[0]
        named = thing.split()[-1]
        who = "Who" if is_person(named) or named in _SPORTSPEOPLE else "What"
        if len(truth.split()) <= 6:
            yield f"{who} {verb} your {thing}?", truth


def _looks(text: str) -> Iterator[tuple[str, str]]:
    for match in _LOOKS.finditer(text):
        verb = "is" if match[2] == "hair" else "are"
        description = f"{match[1]} {match[3] or ''}".split()
        colours = [word for word in description if word in _COLOUR_WORDS]
        if colours:
            yield f"What color {verb} your {match[2]}?", " ".join(colours)
        elif match[1].strip() and description[-1] not in ("my", "her", "his", "their", "and"):
            yield f"What kind of {match[2]} do you have?", _without_article(match[1])


def _job(text: str) -> Iterator[tuple[str, str]]:
    match = _JOB.match(text)
    if not match:
        return
    job = re.split(r" (?:and|who|that|at|in|for|by|with|from|to|on|of)\b", match[2])[0].strip()
    head = job.split()[-1] if job else ""
    known = head in JOB_HEADS or (head in _SPORTSPEOPLE and " " in job)
    if not known and match[1] in ("am", "was"):
        return
    past = match[1] in ("was", "worked as") or _RETIRED.match(job)
    yield f"What {'did' if past else 'do'} you do for a living?", _RETIRED.sub("", job)


def _home(text: str) -> Iterator[tuple[str, str]]:
    if match := _WORKS_FOR.match(text):
        yield "Who do you work for?", match[1]
        return
    match = _HOME.match(text)
    if not match or not _PLACED.search(text) or text.startswith("i work as"):
        return
    who, verb = match[1].strip(), match[2]
    location = re.split(r" (?:as|and|with|because|but|who|that|where|when|so)\b", match[3])[0]
    if " for " in f" {text} " and "work" not in verb:
        return
    truth = _without_article(location.strip())
    if who != "i":
        if verb not in ("lives", "works", "lived", "worked", "teaches", "studies"):
            return
        do = "did" if verb in _PAST else "does"
        yield f"Where {do} {text_to_second(who)} {lemma(verb)}?", truth
    elif verb in _BORN:
        yield f"Where {_BORN[verb]}?", truth
    elif verb in _ORIGIN:
        yield "Where are you from?", truth
    elif verb in _PAST:
        yield f"Where did you {_PAST[verb]}?", truth
    else:
        yield f"Where do you {verb}?", truth


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    if (match := _COUNT.match(text)) and not _CHILDREN.search(text):
        yield f"How many {match[2]} do you have?", match[1]
    elif match := _ONE.match(text):
        plural = "children" if match[2] == "child" else f"{match[2]}s"
        yield f"How many {plural} do you have?", match[1]
    elif match := re.match(rf"^{_NUMBER} (\w+s) live with me$", text):
        yield f"How many {match[2]} live with you?", match[1]


_SHORT = (
    (_PET, "What kind of pet do you have?"), (_GRADE, "What grade are you in?"),
    (_NAME, "What is your name?"), (_ALLERGY, "What are you allergic to?"),
    (_MAJOR, "What do you study?"), (_TEAM, "What team are you on?"),
    (_RELATION, "What kind of relationship are you in?"), (_FAITH, "What is your religion?"),
    (_DRIVES, "What do you drive?"),
)  # fmt: skip


def _small(text: str) -> Iterator[tuple[str, str]]:
    for pattern, question in _SHORT:
        if match := pattern.search(text):
            yield question, match[1]
    if match := _BE_LATER.search(text):
        yield "What do you want to be?", re.split(r" (?:and|when|one|some)\b", match[1])[0]
    match = _COLOURED.match(text)
    if match and set(match[3].split()) - {"and", "bright", "dark", "light"} <= _COLOUR_WORDS:
        yield f"What color {match[2]} your {match[1]}?", match[3]


def _instruments(text: str) -> Iterator[tuple[str, str]]:
    words = text.split() if text.startswith("i play ") else []
    played = [word.strip(",") for word in words if word.strip(",") in _INSTRUMENTS]
    if len(played) > 1:
        yield "What instruments do you play?", " and ".join(played)
    elif played:
        yield "What instrument do you play?", played[0]


def _kind(text: str) -> Iterator[tuple[str, str]]:
    """ "i like to drink fancy tea" → what kind of tea? The word before the noun is the answer."""
    match = _MADE_OF.match(text)
    if not match or match[2].startswith("pet"):
        return
    kind, noun = match[2], match[3]
    modifiers = kind.split()
    if _NO_KIND & {*modifiers, noun} or modifiers[0].isdigit() or noun in ("hair", "eyes"):
        return
    if modifiers[0] in ("color", "colour"):
        yield f"What {modifiers[0]} do you {match[1]}?", noun
        return
    if modifiers[0].endswith("ing"):  # "i enjoy building houses": a verb, not a kind
        return
    yield f"What kind of {noun} do you {match[1]}?", f"{kind} {noun}"


def _without_article(text: str) -> str:
    return re.sub(r"^(?:a|an|the|my|in|at|to) (?:the |a |an )?", "", text.strip()).strip()
