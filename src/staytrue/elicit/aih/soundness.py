"""Which spans can be asked for, by their parse: half a name or a run-on gives no inquiry.

Chat is written in haste, and the parse of it is often wrong. A question that is made from a wrong
parse can mostly be told by its own (see `one_clause`): it has two finite verbs, or a pronoun that
stands for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from staytrue.backends.rules.clauses import DURATIONS
from staytrue.backends.rules.clauses import is_person as names_somebody
from staytrue.core.protocols import Span
from staytrue.core.text import words
from staytrue.elicit.aih.one_clause import FINITE
from staytrue.english.values.calendar import MONTHS
from staytrue.english.words import is_person, negations, verbs

if TYPE_CHECKING:
    from spacy.tokens import Span as Stretch
    from spacy.tokens import Token

    from staytrue.english.parses import Parsed

_TIMES = frozenset({"DATE", "TIME"})
# Words of a noun phrase that belong to its name: "black panther", "the Christian church".
_OF_THE_NAME = frozenset({"compound", "amod", "nmod"})
# What a whole phrase may be in its clause; everything else is a slip of the parser in chat.
_ROLES = frozenset("nsubj nsubjpass dobj pobj attr acomp oprd poss nummod npadvmod advmod".split())
_MORE_OF_IT = frozenset({"cc", "conj", "relcl", "acl"})
_ADVERBIAL = frozenset({"npadvmod", "advmod"})
# A clause below these is not the speaker's own statement of a fact.
_OTHER_CLAUSES = frozenset({"relcl", "acl", "appos", "parataxis", "csubj", "csubjpass"})
_NOT_SAID_AS_TRUE = frozenset(
    "hope wish want doubt imagine pretend wonder dream fear bet let".split()
)
_CONDITIONS = frozenset({"if", "unless", "whether"})
# "I live without a car" denies nothing.
_DENIED = (negations() - {"without"}) | {"n't", "nt", "hardly"}
LIKING = frozenset("love like enjoy hate prefer want need adore dislike miss".split())
USING = frozenset("watch read play use hear study learn eat drink see try collect".split())
_THINKING = frozenset("think believe guess know mean say suppose".split())
_WITHOUT_OBJECT = frozenset("go come live be".split())
WITH_PEOPLE = frozenset("meet marry vote work date call".split())
_WHERE_TO = frozenset("at in to on near from".split())
_PAUSES = frozenset(",;:")
_TELLING = frozenset("be become name call nickname".split())
_LIGHT_VERBS = frozenset({"be", "have", "do"})
_COMPLEMENTS = frozenset("dobj attr acomp xcomp ccomp".split())
_EMPTY_ENDS = frozenset({"DT", "CC", "PRP$", "TO", "MD"})
_LEFT_BEHIND = frozenset({"advmod", "nummod", "neg"})
_LASTS = re.compile(r"^(?:day|night|month|season|time|year|holiday)s?$")
_OF_MANY = frozenset("friend fan favorite president leader one".split())
_PLACES = frozenset({"GPE", "LOC", "FAC"})
# "What year" asks for a number, "what month" and "what day" for a name.
_CALENDAR = {
    "year": re.compile(r"\b(?:1\d|20)\d\d\b"),
    "decade": re.compile(r"\d0s\b"),
    "century": re.compile(r"century"),
    "month": re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.I),
    "day": re.compile(r"day\b|\d", re.I),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Phrase:
    """A span with its words in the parse of its statement."""

    stretch: Stretch
    span: Span

    @property
    def root(self) -> Token:
        """The word that the span's phrase hangs on."""
        return self.stretch.root

    @property
    def role(self) -> str:
        """What the span's phrase is in its clause."""
        return str(self.root.dep_)

    @property
    def preposition(self) -> Token | None:
        """The preposition before the span, if there is one."""
        return self.root.head if self.role == "pobj" else None


def phrase_of(span: Span, parse: Parsed) -> Phrase | None:
    """The span in the parse; None where the two do not fit."""
    start, end = parse.tidy.from_original(span.start, span.end)
    stretch = parse.doc.char_span(start, end, alignment_mode="expand")
    return Phrase(stretch, span) if stretch is not None and len(stretch) else None


def whole(phrase: Phrase, parse: Parsed, *, choices: frozenset[str]) -> Phrase:
    """The span with the rest of its name and with what limits its number.

    A name before one of `choices` stays alone, as it can be asked for: "which movie".
    """
    if phrase.role == "nummod" or phrase.root.pos_ == "NUM":
        return _extended(phrase, parse, _start_of_number(phrase.stretch), phrase.stretch.end)
    if phrase.span.label in _TIMES or phrase.role == "poss":
        return phrase
    head, end = phrase.root, phrase.stretch.end
    while head.dep_ in _OF_THE_NAME and head.head.pos_ in ("NOUN", "PROPN"):
        if head.head.i < end or head.head.lower_ in choices:
            return phrase
        head, end = head.head, head.head.i + 1
    start = phrase.stretch.start
    for token in reversed(list(head.lefts)):
        if token.i >= start:
            continue
        if token.dep_ not in _OF_THE_NAME:
            break
        start = token.left_edge.i
    return _extended(phrase, parse, start, end)


def _start_of_number(stretch: Stretch) -> int:
    """Where "up to 180" starts."""
    start = int(stretch.start)
    while start and stretch.doc[start - 1].dep_ in ("quantmod", "advmod"):
        if stretch.doc[start - 1].head.i < start:
            break
        start -= 1
    return start


def _extended(phrase: Phrase, parse: Parsed, start: int, end: int) -> Phrase:
    if (start, end) == (phrase.stretch.start, phrase.stretch.end):
        return phrase
    stretch = parse.doc[start:end]
    first, last = parse.tidy.to_original(stretch.start_char, stretch.end_char)
    # "nfl games" is no organisation: a common noun at the end gives the name its kind.
    label = phrase.span.label if stretch.root.pos_ in ("PROPN", "NUM") else ""
    text = parse.tidy.original[first:last]
    return Phrase(stretch, replace(phrase.span, text=text, start=first, end=last, label=label))


def is_stated(phrase: Phrase) -> bool:
    """Whether the span is a whole phrase of something that the speaker states as a fact."""
    root = phrase.root
    if phrase.role not in _ROLES or any(token.tag_ == "PRP" for token in phrase.stretch):
        return False
    if phrase.role in _ADVERBIAL and phrase.span.label not in _TIMES:
        return False
    if phrase.role != "nsubj" and _is_after_pause(phrase):
        return False  # "I need a coat, Joseph"
    if any(token.tag_ == "JJS" for token in phrase.stretch) or _is_half_a_range(phrase):
        return False
    if any(child.lower_ in _DENIED or child.dep_ in _MORE_OF_IT for child in root.children):
        return False  # only half of it could be asked for
    if _is_cut(phrase) or _is_deep(phrase) or _breaks_off(phrase.stretch.sent):
        return False
    if phrase.role == "poss" and not _is_of_somebody(phrase):
        return False
    if phrase.preposition is not None and _is_part_of_a_title(phrase.preposition):
        return False
    return all(_is_plain(above) for above in _up_to_clause(root))


def _is_cut(phrase: Phrase) -> bool:
    """ "mango", where the salads behind it went to the verb; "Knicks.they"."""
    if any("." in token.text.strip(".") and len(token) > 4 for token in phrase.stretch):
        return True
    if any(token.is_punct and token.text not in "-–'’,." for token in phrase.stretch):
        return True
    if phrase.stretch[-1].is_punct or (len(phrase.stretch) > 1 and len(phrase.stretch[-1]) == 1):
        return not phrase.stretch[-1].like_num
    if phrase.role == "poss":
        return False
    end = phrase.root.head.i + 1 if phrase.role == "nummod" else phrase.stretch.end
    follows = phrase.stretch.doc[end] if end < len(phrase.stretch.doc) else None
    return follows is not None and phrase.role not in _OF_THE_NAME and _runs_on(follows, phrase)


def _runs_on(follows: Token, phrase: Phrase) -> bool:
    """Whether the next word must belong to the phrase: "3 kids a boy and a girl"."""
    if follows.ent_type_ in _TIMES or "npadvmod" in (follows.dep_, follows.head.dep_):
        return False
    if phrase.span.label in _TIMES:
        return follows.pos_ in ("NOUN", "PROPN")
    if follows.tag_ in FINITE and phrase.role in ("dobj", "pobj", "attr"):
        return True
    return follows.pos_ in ("NOUN", "PROPN", "DET", "PRON", "ADJ") or follows.tag_ == "VBG"


def _is_deep(phrase: Phrase) -> bool:
    """ "films like the last of the Mohicans": one noun between verb and span is as far as it goes.

    Where "is" says what something is, even that is too far: "mine is the tale of Genji".
    """
    start = phrase.root.head if phrase.role in ("nummod", "poss") else phrase.root
    between: list[Token] = []
    for above in start.ancestors:
        if above.pos_ in ("VERB", "AUX"):
            break
        if above.pos_ in ("NOUN", "PROPN", "PRON"):
            between.append(above)
    if len(between) != 1 or between[0].dep_ != "attr":
        return len(between) > 1
    subject = next((c for c in between[0].head.children if c.dep_ == "nsubj"), None)
    return subject is not None and subject.lower_ not in ("i", "we", "there")


def _breaks_off(sentence: Stretch) -> bool:
    """ "i was deployed to iraq for": the bot ran out of words."""
    tokens = [token for token in sentence if not token.is_punct]
    last = tokens[-1]
    if last.tag_ in _EMPTY_ENDS:
        return True
    asks = any(token.tag_ in ("WP", "WDT", "WRB") for token in tokens)
    return last.dep_ == "prep" and last.pos_ == "ADP" and not asks


def _is_of_somebody(phrase: Phrase) -> bool:
    """ "a bachelor's degree" is nobody's, and "most of her books" are not asked for by "whose"."""
    noun = phrase.root.head
    article = any(c.lower_ in ("a", "an") for c in (*noun.lefts, *phrase.root.lefts))
    part = noun.dep_ == "pobj" and noun.head.lower_ == "of"
    return not article and not part


def _is_part_of_a_title(preposition: Token) -> bool:
    """ "game of thrones": a noun without an article before "of" mostly belongs to a name."""
    noun = preposition.head
    bare = noun.pos_ in ("NOUN", "PROPN") and not any(
        child.dep_ in ("det", "poss", "nummod", "predet") for child in noun.lefts
    )
    return preposition.lower_ == "of" and bare


def _is_half_a_range(phrase: Phrase) -> bool:
    """ "to 180", where "up" went to the verb."""
    return phrase.root.pos_ == "NUM" and phrase.stretch[0].lower_ == "to"


def _is_after_pause(phrase: Phrase) -> bool:
    start = phrase.stretch.start
    return start > 0 and phrase.stretch.doc[start - 1].text in _PAUSES


def _up_to_clause(token: Token) -> Iterator[Token]:
    """The token and everything above it in its sentence."""
    yield token
    yield from token.ancestors


def _is_plain(token: Token) -> bool:
    """Whether nothing at this word says that what is below it may not be so."""
    if token.dep_ in _OTHER_CLAUSES or token.tag_ == "UH":
        return False
    if token.pos_ in ("ADP", "SCONJ") and token.lower_ in ("than", "like"):
        return False
    if token.pos_ not in ("VERB", "AUX"):
        return True
    children = list(token.children)
    joined = token.tag_ in ("VBG", "VB") and any(c.dep_ == "conj" for c in children)
    if joined and not any(c.dep_ in ("nsubj", "aux") and c.tag_ != "TO" for c in children):
        return False  # "going to Europe and having fun": half of it would be asked for
    if token.lemma_.lower() in _NOT_SAID_AS_TRUE and any(c.dep_ == "ccomp" for c in children):
        return False
    if token.lemma_.lower() in ("wish", "hope"):
        return False
    if any(c.dep_ == "neg" or c.lower_ in _DENIED for c in children):
        return False
    if any(c.dep_ in ("mark", "advmod") and c.lower_ in _CONDITIONS for c in children):
        return False
    if any(c.tag_ in ("WP", "WDT", "WP$") for c in children):
        return False  # "that is what Jacob uses"
    if any(c.dep_ == "nsubj" and any(a.dep_ == "appos" for a in c.children) for c in children):
        return False  # "my mom, Mary, and I": the subject is seldom read whole
    conditions = [m for c in children if c.dep_ == "advcl" for m in c.children if m.dep_ == "mark"]
    return not any(mark.lower_ in _CONDITIONS for mark in conditions)


def fits(question: str, phrase: Phrase) -> bool:
    """Whether the question word is the one for this span, where the span stands."""
    asked = words(question)
    verb = _verb(phrase.root)
    if asked[:2] != ["who", "or"] and asked[0] == "who" and not _may_be_a_person(phrase, verb):
        return False
    local = asked[0] == "where" or phrase.span.label in _PLACES
    if local and not _is_the_only_place(phrase, verb):
        return False
    if asked[0] in ("who", "what") and _is_left_behind(phrase):
        return False
    if _ends_with_its_opening(asked, phrase) or _ends_with_an_afterthought(asked, phrase):
        return False
    if _leaves_words_behind(phrase) or _says_little(asked, phrase, verb):
        return False
    if asked[0] == "what" and phrase.role in ("dobj", "pobj") and _is_somebody(phrase):
        return False
    if verb is not None and verb.lemma_.lower() in _THINKING and phrase.role != "nsubj":
        return False
    if asked[0] == "what" and phrase.role == "nsubj" and phrase.span.label == "PERSON":
        return asked[-1] == "name"
    if phrase.span.label in _TIMES and not _fits_time(asked, phrase):
        return False
    if asked[:2] == ["how", "many"]:
        counted = phrase.root.head
        deep = counted.dep_ == "pobj" and counted.head.head.pos_ in ("NOUN", "PROPN")
        if deep and counted.head.lower_ != "of":
            return False
        if any(child.dep_ in ("cc", "conj", "acl", "relcl") for child in counted.children):
            return False
        if counted.dep_ == "pobj" and _has_object(verb):
            return False
        return phrase.role == "nummod" or phrase.span.label != "CARDINAL"
    if phrase.span.label == "CARDINAL":
        return asked[:2] == ["how", "old"]
    if phrase.role == "dobj":
        if phrase.root.head.lemma_ in _WITHOUT_OBJECT:
            return False
        return not any(c.dep_ == "dobj" and c != phrase.root for c in phrase.root.head.children)
    return True


def _is_somebody(phrase: Phrase) -> bool:
    common = phrase.root.pos_ == "NOUN"
    return is_person(phrase.root.lemma_) or (common and names_somebody(phrase.root))


def _leaves_words_behind(phrase: Phrase) -> bool:
    """ "I'm half Chinese", "a spanish meme about the beach": the rest of it would stay behind."""
    if phrase.role not in ("attr", "acomp", "oprd", "dobj", "pobj") or phrase.span.label in _TIMES:
        return False
    before = [c for c in phrase.root.lefts if c.i < phrase.stretch.start]
    if phrase.root.pos_ != "NUM" and any(c.dep_ in _LEFT_BEHIND for c in before):
        return True
    behind = [c for c in phrase.root.rights if c.i >= phrase.stretch.end]
    if phrase.role == "dobj":
        end = phrase.stretch.end
        return end < len(phrase.stretch.doc) and phrase.stretch.doc[end].lower_ == "by"
    return any(c.dep_ == "prep" for c in behind)


def _says_little(asked: list[str], phrase: Phrase, verb: Token | None) -> bool:
    """Whether the question leaves out what its verb needs, or asks with a number for a name."""
    if verb is None:
        return False
    lemma = verb.lemma_.lower()
    others = [c for c in verb.children if c != phrase.root]
    complete = any(c.dep_ in _COMPLEMENTS for c in others)
    subject = next((c for c in verb.children if c.dep_ == "nsubj"), None)
    personal = subject is not None and subject.pos_ == "PRON"
    timed = asked[0] in ("when", "until", "since", "from") or asked[:2] == ["how", "long"]
    if timed and lemma in _LIGHT_VERBS and not complete and personal:
        return True  # "i have, in 2001"
    if timed and asked[:3] in (["when", "are", "you"], ["when", "is", "your"]) and lemma == "be":
        return True  # "I'm 32 years old this year"
    if phrase.role in ("attr", "acomp", "oprd") and lemma not in _TELLING:
        return True  # "I am leaning republican"
    if phrase.role == "nsubj" and any(c.dep_ == "dobj" and c.pos_ == "NUM" for c in others):
        return True  # "James Earl Jones spent only 2"
    if verb.tag_ == "VBG" and verb.dep_ == "xcomp" and verb.head.lemma_.lower() in _THINKING:
        return True  # "I would have to say seeing the New York minutes"
    to = phrase.preposition is not None and phrase.preposition.lower_ == "to"
    return to and phrase.span.text in verbs()  # "enough money to chill"


def _verb(token: Token) -> Token | None:
    return next((a for a in token.ancestors if a.pos_ in ("VERB", "AUX")), None)


def _may_be_a_person(phrase: Phrase, verb: Token | None) -> bool:
    """The recogniser takes many titles and brands for people, most of all single words."""
    if phrase.preposition is not None and phrase.preposition.lower_ in ("in", "on", "at"):
        return False
    lemma = verb.lemma_.lower() if verb is not None else ""
    if phrase.span.label != "PERSON":
        copular = phrase.role in ("attr", "nsubj") and lemma == "be"
        return copular or lemma in WITH_PEOPLE or is_person(phrase.root.lemma_)
    if lemma in WITH_PEOPLE:
        return True
    if any(t.pos_ == "NOUN" or not t.text[:1].isupper() for t in phrase.stretch):
        return False
    if phrase.role == "nsubj" and not _is_said_of_people(phrase.root.head):
        return False
    return not (lemma in USING and phrase.role == "dobj")


def _is_said_of_people(verb: Token) -> bool:
    """ "was a lovely city" is not said of anybody."""
    told = [child for child in verb.children if child.dep_ == "attr"]
    return all(is_person(child.lemma_) or child.lower_ in _OF_MANY for child in told)


def _is_left_behind(phrase: Phrase) -> bool:
    """ "what do you work at Acme in?": a place after "in" is asked for with "where" or not."""
    before = phrase.preposition
    if before is None:
        return False
    if before.head.pos_ in ("NOUN", "PROPN") and before.lower_ not in ("of", "about", "to"):
        return True
    if before.lower_ in ("by", "from"):
        return _has_object(_verb(phrase.root))
    if before.lower_ not in ("in", "on", "at", "of"):
        return False
    return phrase.span.label in _PLACES or _has_object(_verb(phrase.root))


def _has_object(verb: Token | None) -> bool:
    return verb is not None and any(child.dep_ == "dobj" for child in verb.children)


def _ends_with_its_opening(asked: list[str], phrase: Phrase) -> bool:
    """ "pretty good, I am eating lunch" → "what are you eating pretty good?"."""
    sentence = phrase.stretch.sent
    subject = next((token for token in sentence if token.dep_ in ("nsubj", "nsubjpass")), None)
    if subject is None:
        return False
    opening = list(sentence.doc[sentence.start : subject.left_edge.i])
    if any(token.pos_ in ("ADP", "NUM", "PROPN") for token in opening):
        return False
    behind = sentence.doc[subject.i : sentence.end]
    last = asked[-1]
    return last in {t.lower_ for t in opening} and last not in {t.lower_ for t in behind}


def _ends_with_an_afterthought(asked: list[str], phrase: Phrase) -> bool:
    """ "my cat is named Tom, after a film" → "what is your cat named after a film?"."""
    doc, end = phrase.stretch.doc, phrase.stretch.end
    if end >= len(doc) or doc[end].text not in _PAUSES:
        return False
    behind = {token.lower_ for token in phrase.stretch.sent if token.i > end}
    return asked[-1] in behind - {token.lower_ for token in doc[:end]}


def _fits_time(asked: list[str], phrase: Phrase) -> bool:
    """A day that something is said of, or that is somebody's favorite, is no answer to "when"."""
    text = phrase.span.text
    if asked[:2] == ["how", "old"]:
        return True
    if text.isdigit() and not _CALENDAR["year"].fullmatch(text):
        return False
    specific = any(token.pos_ == "PROPN" or token.like_num for token in phrase.stretch)
    if not specific and not re.search(r"\d|ago|last|next|this", text) and asked[0] != "how":
        return False
    if phrase.preposition is not None and phrase.preposition.lower_ == "of":
        return False  # "a huge fan of 1984"
    dated = any(_CALENDAR["year"].fullmatch(word) for word in asked)
    if dated and (asked[0] == "when" or asked[:2] == ["how", "long"]):
        return False
    if asked[0] == "when":
        subjects = [c for c in phrase.root.head.children if c.dep_ == "nsubj"]
        named = any(_LASTS.search(subject.lower_) for subject in subjects)
        return phrase.role not in ("nsubj", "dobj") and not (phrase.role == "attr" and named)
    if asked[:2] == ["how", "long"]:
        return phrase.root.lemma_.lower() in DURATIONS and (
            specific or phrase.preposition is not None
        )
    at = asked.index("what") + 1 if "what" in asked[:2] else 0
    kind = _CALENDAR.get(asked[at])
    if kind is not None and asked[at + 1] != "of":
        subject_of_be = phrase.role in ("nsubj", "attr")
        return bool(kind.search(phrase.span.text)) and not subject_of_be
    return True


def _is_the_only_place(phrase: Phrase, verb: Token | None) -> bool:
    """ "I work at Acme in Rome": where one works is then asked with half of the answer given."""
    before = phrase.preposition
    if before is None or verb is None:
        return True
    if before.head.pos_ in ("PROPN", "ADJ") or before.head.dep_ == "pobj":
        return False
    if before.lower_ == "on" and phrase.root.pos_ == "NOUN":
        return False
    others = [c for c in verb.children if c.dep_ == "prep" and c != before]
    if any(c.lower_ in _WHERE_TO and _is_described(c) for c in others):
        return False
    bare = not any(c.dep_ in ("dobj", "xcomp", "ccomp") for c in verb.children)
    return not (bare and verb.lemma_.lower() in LIKING)


def _is_described(preposition: Token) -> bool:
    """Whether more than "to school" follows the preposition, so that it says where by itself."""
    objects = [child for child in preposition.children if child.dep_ == "pobj"]
    return any(o.pos_ == "PROPN" or o.ent_type_ or list(o.children) for o in objects)
