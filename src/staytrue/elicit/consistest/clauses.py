"""Statements taken apart into simple clauses: adjunct, subject, finite verb, rest.

A clause starts with a pronoun in most chat statements, and then word order alone is enough;
the parser is asked only for longer subjects, because it is unsure of lower-case text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from staytrue.elicit.consistest import verbs
from staytrue.english import parses as language
from staytrue.english.wording import expand, is_question, join
from staytrue.english.words import reply_openers

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_OPENERS = re.compile(
    rf"^(?:(?:{'|'.join(sorted(reply_openers()))}|yup|no|nope|hey|hi|hello|cool|nice|great|"
    r"awesome|honestly|and|but|also|plus|um|ah)\b"
    r"(?: there\b| guys\b| everyone\b)?|what is up\b)\s*[,!.]*\s*",
    re.IGNORECASE,
)
_PRONOUNS = frozenset("i we you he she they it this that these those there".split())
_OWN = frozenset("i we there".split())
_CONJUNCTIONS = frozenset(["and", "but", "so", "or", "yet", "because", ","])
_SUBORDINATORS = frozenset("when since after before while as because although though once".split())
_LEADING = frozenset(
    "in on for at during now sometimes today currently lately recently nowadays usually "
    "after before since when once every about with as right".split()
)
_ADVERBS = frozenset(
    "also just really always never often only usually currently now recently still both all "
    "sometimes rarely hardly barely seldom already even mostly mainly generally truly absolutely "
    "definitely probably actually honestly occasionally frequently secretly once ever simply "
    "finally too constantly deeply typically normally totally kind of sort".split()
)
_NOMINAL = frozenset(["NN", "NNS", "NNP", "NNPS", "PRP", "CD", "VBG", "DT", "WP", "EX"])
# Nouns after which a second "a" is right: "twice a week, an hour a day".
_PAIRED = frozenset(
    "hour day week month year time mile lot bit few little while day minute".split()
)
# Words that chat uses as verbs and the pipeline's tables do not know.
_NEW_VERBS = frozenset("workout facetime google text blog vlog roleplay skype homeschool".split())
_PAST_TIMES = frozenset("yesterday ago last earlier".split())
_OUTSIDE = frozenset("it they them he him she this that these those".split())


@dataclass(frozen=True, slots=True)
class PersonaClause:
    """One simple statement, in the agent's own person."""

    subject: tuple[str, ...]
    adverbs: tuple[str, ...]
    """What stands between subject and finite verb: "also", "never"."""
    finite: str
    """The verb that carries tense: "am", "have", "went"."""
    rest: tuple[str, ...]
    before: tuple[str, ...] = ()
    """A leading adjunct, such as "in my spare time"."""
    auxiliary: bool = False
    """Whether the finite verb moves to the front by itself; otherwise a form of "do" does."""
    past: bool = False
    capital: bool = False
    """Whether the statement was written with capitals."""

    @property
    def text(self) -> str:
        """The clause as a statement of its own."""
        words = [*self.before, *self.subject, *self.adverbs, self.finite, *self.rest]
        text = join(words) + "."
        return text[0].upper() + re.sub(r"\bi\b", "I", text[1:]) if self.capital else text


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a statement, or a part of it, gives no question."""

    text: str
    reason: str


def read_clauses(
    statements: Sequence[str], *, pronouns: bool = False
) -> list[list[PersonaClause | Refusal]]:
    """The simple clauses of each statement, or the reasons why there are none.

    `pronouns` keeps clauses about "she", "they" or "it", which need the words around them.
    """
    plain = [_plain(statement) for statement in statements]
    docs = list(language.parse([_for_parser(text) for text in plain]))
    clauses: list[list[PersonaClause | Refusal]] = []
    for statement, text, doc in zip(statements, plain, docs, strict=True):
        if "?" in statement or is_question(text):
            clauses.append([Refusal(statement, "It is a question.")])
        else:
            capital = statement.strip()[:1].isupper()
            clauses.append(
                [
                    replace(item, capital=capital) if isinstance(item, PersonaClause) else item
                    for item in _read(text, doc, pronouns)
                ]
            )
    return clauses


def _plain(statement: str) -> str:
    text = re.sub(r"^l\b", "i", expand(statement))  # a common slip in chat data
    text = re.sub(r"\b(\d+)years\b", r"\1 years", text)
    text = re.sub(r"\b(\d+)([a-z]{3,})\b", r"\1 \2", text)
    text = re.sub(r"^its\b", "it is", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\b(but|and|so|because) its (?=gone|so|a|not|very|my|hard|fun)", r"\1 it is ", text
    )
    while (shorter := _OPENERS.sub("", text)) != text:
        text = shorter
    return text.strip(" .!,;")


def _for_parser(text: str) -> str:
    # The space keeps a last "a" or "k" from being read as an abbreviation.
    return re.sub(r"\bi\b", "I", text) + " ."


def _read(text: str, doc: Doc, pronouns: bool) -> list[PersonaClause | Refusal]:
    tokens = [token for token in doc if not token.is_space]
    while tokens and tokens[-1].is_punct:
        tokens.pop()
    problem = _malformed(tokens)
    if problem:
        return [Refusal(text, problem)]
    clauses: list[PersonaClause | Refusal] = []
    last: PersonaClause | None = None
    for index, part in enumerate(_parts(tokens)):
        clause = _clause(part, last)
        if isinstance(clause, PersonaClause):
            outside = "" if pronouns else _points_outside(clause, first=index == 0)
            clauses.append(Refusal(clause.text, outside) if outside else clause)
            last = clause
        else:
            clauses.append(clause)
    return clauses


def _malformed(tokens: list[Token]) -> str:
    """Say what is wrong with the wording; chat data has numbers replaced by "a", for one."""
    words = [token.lower_ for token in tokens]
    if len(words) < 2:
        return "It is too short to ask about."
    if words[0] == "if":
        return "It is conditional."
    if words[-1] in ("a", "an", "the", "of", "my", "and", "was", "than"):
        return "Its end is missing."
    for index, (word, following) in enumerate(zip(words, tokens[1:], strict=False)):
        if word in ("a", "an") and _is_wrong_after_a(tokens, index + 1):
            return f"'{word} {following.lower_}' is not English."
        if word in ("i", "we") and following.tag_ in ("DT", "IN") and following.lower_ != "like":
            return f"'{word} {following.lower_}' is not English."
    return ""


def _is_wrong_after_a(tokens: list[Token], at: int) -> bool:
    following = tokens[at]
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if following.lower_ in ("a", "the", "i", "children", "kids", "times", "years", "k", "already"):
        return True
    if after is not None and after.lower_ in ("a", "an") and following.lower_ not in _PAIRED:
        return True  # "a building a robot": the first "a" stands for a lost number
    plural = following.tag_ == "NNS" and following.lower_ not in ("lot", "few")
    return plural and not (after is not None and after.tag_ in ("NN", "NNP", "NNS"))


def _parts(tokens: list[Token]) -> list[list[Token]]:
    """Cut the statement where a new clause starts."""
    parts: list[list[Token]] = []
    start = 0
    for at in range(1, len(tokens)):
        if tokens[at].lower_ in _CONJUNCTIONS and _starts_clause(tokens, start, at + 1):
            parts.append(tokens[start:at])
            start = at + 1
    parts.append(tokens[start:])
    return [part for part in parts if part]


def _starts_clause(tokens: list[Token], start: int, at: int) -> bool:
    if tokens[at - 1].lower_ == "because":
        return False  # a reason belongs to its statement
    while at < len(tokens) and (
        tokens[at].lower_ in _ADVERBS or tokens[at].lower_ in ("then", "and", "but", "so")
    ):
        at += 1
    if at >= len(tokens):
        return False
    word = tokens[at].lower_
    if word in _PRONOUNS or word in ("my", "our"):
        # "but now i am": a subject with a verb behind it; "my wife and my kids are" has none yet
        return _has_verb(tokens[start : at - 1]) and _verb_follows(tokens, at)
    if tokens[at - 1].lower_ == "or":
        return False
    if tokens[at - 1].lower_ in ("but", ",") and tokens[at].tag_ in (
        "NN",
        "NNS",
        "NNP",
        "DT",
        "PRP$",
    ):
        return any(t.tag_ in ("VBZ", "VBD", "VBP", "MD") for t in tokens[at + 1 : at + 7])
    return tokens[at - 1].lower_ != "," and _shares_subject(tokens, start, at)


def _has_verb(tokens: list[Token]) -> bool:
    return any(token.pos_ in ("VERB", "AUX") for token in tokens) or (
        len(tokens) > 1 and tokens[0].lower_ in _PRONOUNS
    )


def _verb_follows(tokens: list[Token], at: int) -> bool:
    after = [t for t in tokens[at + 1 : at + 5] if t.lower_ not in _ADVERBS]
    if tokens[at].lower_ in _PRONOUNS:
        return bool(after) and (verbs.is_verb(after[0].lower_) or after[0].lower_ in verbs.MODALS)
    return any(t.pos_ in ("VERB", "AUX") and t.tag_ not in ("VBG", "VBN") for t in after)


def _shares_subject(tokens: list[Token], start: int, at: int) -> bool:
    """Whether "and own my studio" starts a clause: a finite verb that cannot join the first."""
    verb, first = tokens[at], _first_finite(tokens[start:at])
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if first is not None and first.lower_ in verbs.BE and after is not None:
        liking = verb.lower_ in ("like", "love", "enjoy") and after.tag_ in ("VBG", "TO")
        if liking:  # "am interested in photography and like taking pictures"
            return True
    if first is None or verb.tag_ not in ("VBP", "VBD", "VBZ", "MD", "VB"):
        return False
    if first.lower_ in verbs.BE:
        own = tokens[start].lower_ in _PRONOUNS  # "band shirts and ruffle sleeves" has no verb
        return own and verb.pos_ in ("VERB", "AUX") and verb.dep_ in ("conj", "ROOT", "aux")
    past = verbs.is_past(verb.lower_, verb.tag_)
    if past or verbs.is_past(first.lower_, first.tag_):
        return past != (verb.tag_ == "VB") and verb.pos_ in ("VERB", "AUX")
    if at + 1 < len(tokens) and tokens[at + 1].lower_ == "been":
        return True
    plain = all(token.lower_ != "to" and token.tag_ != "MD" for token in tokens[start:at])
    return plain and verb.tag_ == "VBP" and verb.dep_ == "conj" and verb.head.i == first.i


def _first_finite(tokens: list[Token]) -> Token | None:
    for token in tokens:
        if token.tag_ in ("VBP", "VBD", "VBZ", "MD") or token.lower_ in verbs.BE:
            return token
    return tokens[1] if len(tokens) > 1 and tokens[0].lower_ in _PRONOUNS else None


def _clause(tokens: list[Token], last: PersonaClause | None) -> PersonaClause | Refusal:
    text = join([_shown(token) for token in tokens])
    before, tokens = _leading_adjunct(tokens)
    if not tokens:
        return Refusal(text, "No subject was found.")
    ends = _subject_end(tokens)
    if ends is None and last is not None:
        return _continued(tokens, last, text)
    if ends is None:
        return Refusal(text, "No subject and verb were found.")
    subject = tokens[:ends]
    at = ends
    while at < len(tokens) and _is_adverb(tokens, at):
        at += 1
    if at >= len(tokens):
        return Refusal(text, "No verb was found.")
    clause = _with_verb(before, subject, tokens[ends:at], tokens[at:])
    if clause is None:
        return Refusal(text, "No finite verb was found.")
    return clause


def _continued(tokens: list[Token], last: PersonaClause, text: str) -> PersonaClause | Refusal:
    """A clause without a subject takes the one before it."""
    at = 0
    while at < len(tokens) and _is_adverb(tokens, at):
        at += 1
    clause = _with_verb([], [], tokens[:at], tokens[at:]) if at < len(tokens) else None
    if clause is None:
        return Refusal(text, "No finite verb was found.")
    return replace(clause, subject=last.subject)


def _leading_adjunct(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """Split off what stands before the subject: "in my spare time i paint"."""
    first = tokens[0].lower_
    if first not in _LEADING and not _is_comma_adjunct(tokens):
        return [], tokens
    at = 1
    own_clause = len(tokens) > 2 and tokens[1].lower_ in _PRONOUNS and _verb_follows(tokens, 1)
    if first in _SUBORDINATORS and own_clause:
        at = 3  # the adjunct is itself a clause: "when i grow up i want to be a dog"
    while at < len(tokens):
        if tokens[at].lower_ in _OWN and at + 1 < len(tokens):
            after = [t for t in tokens[at + 1 :] if t.lower_ not in _ADVERBS]
            if after and (verbs.is_verb(after[0].lower_) or after[0].lower_ in verbs.MODALS):
                lead = [token for token in tokens[:at] if token.lower_ != ","]
                # "yummy, i love cookouts": an exclamation, not an adjunct
                return (lead if first in _LEADING else []), tokens[at:]
        at += 1
    return [], tokens


def _is_comma_adjunct(tokens: list[Token]) -> bool:
    return any(
        token.lower_ == "," and tokens[index + 1].lower_ == "i"
        for index, token in enumerate(tokens[:6])
        if index + 1 < len(tokens)
    )


def _subject_end(tokens: list[Token]) -> int | None:
    """Index one past the subject, or None when the tokens start with no subject."""
    first = tokens[0]
    if first.lower_ in _PRONOUNS and first.lower_ not in ("this", "that", "these", "those"):
        return 1
    for index, token in enumerate(tokens[:6]):
        if index and token.lower_ == "i" and tokens[index - 1].lower_ == "and":
            return index + 1  # "my boyfriend and i"
    for token in tokens:
        if token.dep_ in ("nsubj", "nsubjpass", "csubj", "expl") and token.head.dep_ in (
            "ROOT", "conj", "ccomp", "parataxis", "advcl",
        ):  # fmt: skip
            left, right = token.left_edge.i, token.right_edge.i
            end = right - first.i + 1
            if left <= first.i <= token.i and 0 < end < len(tokens):
                return _trim(tokens, end)
    return _by_first_verb(tokens)


def _trim(tokens: list[Token], end: int) -> int:
    while end > 1 and tokens[end - 1].lower_ in _ADVERBS:
        end -= 1
    return end


def _by_first_verb(tokens: list[Token]) -> int | None:
    if tokens[0].tag_ not in ("DT", "PRP$", "NN", "NNS", "NNP", "NNPS", "CD", "JJ", "VBG"):
        return None
    for index, token in enumerate(tokens[1:], start=1):
        if token.tag_ in ("VBZ", "VBD", "VBP", "MD") and tokens[index - 1].tag_ in _NOMINAL:
            return _trim(tokens, index)
    return None


def _is_adverb(tokens: list[Token], at: int) -> bool:
    token = tokens[at]
    if token.lower_ in _ADVERBS:
        # "i kind of like", but "i all" never; "i still" needs a verb behind it
        return at + 1 < len(tokens)
    return token.tag_ == "RB" and token.lower_.endswith("ly") and at + 1 < len(tokens)


def _with_verb(
    before: list[Token], subject: list[Token], adverbs: list[Token], tokens: list[Token]
) -> PersonaClause | None:
    verb, rest = tokens[0], tokens[1:]
    word = verb.lower_
    known = word in verbs.BE or word in verbs.MODALS or verbs.is_verb(word) or word in _NEW_VERBS
    if not known or verb.tag_ in ("VBG", "TO") or (rest and _is_second_verb(verb, rest[0])):
        return None
    past = verbs.is_past(word, verb.tag_)
    if subject and subject[-1].tag_ in ("NN", "NNP") and word in verbs.SAME_IN_PAST:
        past = True  # "my son hurt his wrist": the present would be "hurts"
    elif word in ("let", "put"):
        # Habits, whatever the tagger says: "i let my dog sleep in my bed".
        past = past and bool(_PAST_TIMES & {token.lower_ for token in (*before, *rest)})
    if word in ("have", "do") or (subject and subject[0].lower_ in ("he", "she", "it")):
        past = past and word not in ("have", "do", "has", "does")
    return PersonaClause(
        subject=_words(subject),
        adverbs=_words(adverbs),
        finite=_agreeing(word, subject),
        rest=_words(rest),
        before=_words(before),
        auxiliary=_is_auxiliary(verb, rest),
        past=past,
    )


def _agreeing(verb: str, subject: list[Token]) -> str:
    """The verb; "ain't" is written out as "am not", which fits "i" alone."""
    if verb != "am" or not subject or subject[-1].lower_ == "i":
        return verb
    plural = subject[-1].tag_ in ("NNS", "NNPS") or subject[-1].lower_ in ("we", "they", "you")
    return "are" if plural else "is"


def _is_second_verb(verb: Token, following: Token) -> bool:
    """Two finite verbs in a row: "i work took", "i live is"."""
    if verb.lower_ in verbs.BE or verb.lower_ in verbs.MODALS:
        return False
    if verb.lower_ in ("have", "has", "had", "do", "does", "did", "help", "helped"):
        return False
    return following.tag_ in ("VBZ", "VBD") and following.lower_ in (*verbs.BE, "took", "has")


def _is_auxiliary(verb: Token, rest: list[Token]) -> bool:
    word = verb.lower_
    if word in verbs.BE or word in verbs.MODALS:
        return True
    after = [token for token in rest if token.lower_ not in _ADVERBS and token.tag_ != "RB"]
    if not after:
        return False
    following = after[0]
    if any(token.lower_ == "not" for token in rest[:2]):
        return True
    if word in ("have", "has", "had"):
        participle = following.tag_ in ("VBN", "VBD") or following.lower_ in ("been", "had", "got")
        head = following.dep_ in ("ROOT", "conj", "ccomp", "advcl") or verb.dep_ == "aux"
        return participle and (head or following.lower_ in ("been", "had", "got"))
    if word in ("do", "does", "did"):
        if following.lower_ in ("live", "volunteer", "work", "research", "exercise"):
            at = rest.index(following) + 1
            return at < len(rest) and rest[at].tag_ in (
                "IN",
                "TO",
            )  # "i do live in", "do live action"
        return verb.dep_ == "aux" and following.pos_ == "VERB" and following.tag_ == "VB"
    return False


def _words(tokens: list[Token]) -> tuple[str, ...]:
    """The tokens as typed; what marks an owner ("mom's", "parents'") belongs to the word before."""
    words: list[str] = []
    for token in tokens:
        if token.tag_ == "POS" and words:
            words[-1] += token.text
        else:
            words.append(_shown(token))
    return tuple(words)


def _shown(token: Token) -> str:
    """The token as it was typed, except that "I" is written small when alone, as in chat data."""
    return "i" if token.text == "I" else str(token.text)


def _points_outside(clause: PersonaClause, *, first: bool) -> str:
    """Say which pronoun needs the words around the clause to be understood."""
    head = clause.subject[0].lower() if clause.subject else ""
    if head in _OUTSIDE and len(clause.subject) == 1:
        return f"'{head}' points outside the statement."
    words = [word.lower() for word in (*clause.before, *clause.subject, *clause.rest)]
    if "you" in words or "your" in words:
        return "It speaks of the other person."
    for word in words if not first else [w.lower() for w in clause.rest[:2]]:
        if word in ("it", "them", "him", "its", "their"):
            return f"'{word}' points outside the clause."
    if not first and not {"i", "my", "me", "we", "our", "us"} & set(words):
        return "It does not speak of the agent."
    return ""
