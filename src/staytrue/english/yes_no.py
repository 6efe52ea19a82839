"""Short answers to yes/no questions: "nope", "of course", "i do", "i'm not", "not really".

Pure rules over words. A response may open with several of them ("yes, i do"), and they may
disagree ("yes, i don't"); any pronoun and any auxiliary makes one, so no list of question
openings is needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.english.wording import AUXILIARIES, expand
from staytrue.english.words import word_groups

_SHORT = word_groups("short_answers")
_SIGNS = frozenset(",.!;-:")
# What these say depends on the question: "i hate it" is a yes to "do you hate school?".
_LIKING = tuple(f"i {verb} {thing}" for verb in _SHORT["likes"] for thing in _SHORT["liked"])
_DISLIKING = tuple(f"i {verb} {thing}" for verb in _SHORT["dislikes"] for thing in _SHORT["liked"])
_DISLIKING_VERBS = frozenset(_SHORT["asks for dislikes"])
_FILLERS = _SIGNS.union("?", _SHORT["before"])
_PRONOUNS = frozenset(_SHORT["pronouns"])
_PLAIN_YES_NO = _SIGNS.union(_SHORT["may run on"])
_BOUNDARY = _SIGNS.union("?", _SHORT["after"])
_SOFTENERS = frozenset(_SHORT["softeners"])
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]", re.UNICODE)


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """The short answers at the start of a response."""

    parts: tuple[tuple[str, bool], ...]
    """Each short answer, with True for yes and False for no."""
    rest: str
    """The long answer behind them, perhaps empty; with the last one where it runs on."""

    @property
    def agrees(self) -> bool:
        """Whether all parts say the same."""
        return len({polarity for _, polarity in self.parts}) == 1

    @property
    def polarity(self) -> bool:
        """What the first part says."""
        return self.parts[0][1]


def _table(phrases: Sequence[str], polarity: bool) -> dict[tuple[str, ...], bool]:
    return {tuple(phrase.split()): polarity for phrase in phrases}


_FIXED = _table(_SHORT["yes"], True) | _table(_SHORT["no"], False)
_AFTER_LIKING = _FIXED | _table(_LIKING, True) | _table(_DISLIKING, False)
_AFTER_DISLIKING = _FIXED | _table(_LIKING, False) | _table(_DISLIKING, True)
_LONGEST = max(len(phrase) for phrase in _AFTER_LIKING)


def asks_for_dislikes(question: str) -> bool:
    """Whether a question asks what somebody does not like: "Do you hate school?"."""
    return not _DISLIKING_VERBS.isdisjoint(_words_of(question))


def _words_of(question: str) -> list[str]:
    return expand(question.lower()).rstrip("?").split()


def _phrases_for(question: str) -> dict[tuple[str, ...], bool]:
    table = _AFTER_DISLIKING if asks_for_dislikes(question) else _AFTER_LIKING
    if _words_of(question)[:1] == ["did"]:  # "did you smoke?" "i used to" is a yes
        return table | {("i", "used", "to"): True}
    return table


def read_short_answer(response: str, question: str = "") -> ShortAnswer | None:
    """The short answers that a response opens with, or None when it opens with none."""
    phrases = _phrases_for(question)
    written = _TOKEN.findall(expand(response))
    tokens = [token.lower() for token in written]
    at = _skip_fillers(tokens, 0)
    rest = at
    parts: list[tuple[str, bool]] = []
    while at < len(tokens):
        at += bool(parts) and _takes_back(tokens, at, parts[-1][1])
        reading = _phrase(phrases, tokens, at) or _pronoun_form(tokens, at)
        if reading is None:
            break
        length, polarity = reading
        parts.append((" ".join(tokens[at : at + length]), polarity))
        begun, at = at, _skip_fillers(tokens, at + length)
        # "never been there" runs on: the long answer needs the word that it hangs on
        stands_alone = at > begun + length or tokens[begun] in _PLAIN_YES_NO
        rest = at if stands_alone else begun
    if not parts:
        return None
    return ShortAnswer(tuple(parts), _joined(written[rest:] if at < len(tokens) else []))


def _takes_back(tokens: list[str], at: int, polarity: bool) -> bool:
    """Whether "and" joins the opposite of what was just said: "yes and no"."""
    if tokens[at] not in ("and", "or", "but") or at + 1 >= len(tokens):
        return False
    other = _FIXED.get((tokens[at + 1],))
    ends = at + 2 >= len(tokens) or tokens[at + 2] in ".,!;:-"
    return tokens[at + 1] in _PLAIN_YES_NO and other is not None and other != polarity and ends


def truth_polarity(truth: str) -> bool | None:
    """Whether a yes/no truth means yes or no; None when it is neither ("super fast")."""
    for alternative in truth.split("|"):
        short = read_short_answer(alternative)
        if short is not None:
            return short.polarity
    for alternative in truth.split("|"):
        words = expand(alternative.lower()).split()
        if words[:1] and words[0] in _PRONOUNS and words[1:2] and words[1] in AUXILIARIES:
            return words[2:3] != ["not"] and "never" not in words
        if words[:1] in (["not"], ["never"]):
            return False
    return None


def _skip_fillers(tokens: list[str], at: int) -> int:
    while at < len(tokens) and tokens[at] in _FILLERS:
        if tokens[at] in ("my", "why", "so") and tokens[at + 1 : at + 2] not in ([","], ["gosh"]):
            break  # "my dog is brown" is no exclamation
        at += 1
    return at


_ENDED = frozenset(["gave", "quit", "stopped"])


def _phrase(
    phrases: dict[tuple[str, ...], bool], tokens: list[str], at: int
) -> tuple[int, bool] | None:
    ahead = " ".join(tokens[at : at + 3])
    if any(ahead.startswith(opening) for opening in _SHORT["not short"]):
        return None
    for length in range(min(_LONGEST, len(tokens) - at), 0, -1):
        polarity = phrases.get(tuple(tokens[at : at + length]))
        if polarity is None:
            continue
        end = at + length
        ends = end >= len(tokens) or tokens[end] in _BOUNDARY
        # A plain yes or no may run on ("no i hate it"); every other phrase must stand alone.
        runs_on = length == 1 and tokens[at] in {*_PLAIN_YES_NO, "never"}
        runs_on = runs_on or tokens[at] in ("of", "not")
        runs_on = runs_on or (length > 1 and tokens[at + 1] in _ENDED)
        if ends or runs_on or _pronoun_form(tokens, end):
            return length, polarity
    return None


def _pronoun_form(tokens: list[str], at: int) -> tuple[int, bool] | None:
    """ "i do", "she is not", "there are": a pronoun and an auxiliary, and nothing more."""
    if tokens[at : at + 1] == ["not"]:  # "not since i was a kid"
        return 1, False
    if at >= len(tokens) or tokens[at] not in _PRONOUNS:
        return None
    here = at + 1
    while here < len(tokens) and tokens[here] in _SOFTENERS - {"do"}:
        here += 1
    if here >= len(tokens) or tokens[here] not in AUXILIARIES:
        return None
    here += 1
    negated = here < len(tokens) and tokens[here] in ("not", "never")
    here += negated
    # "i sure do" agrees, but "i am not sure" says nothing
    while here < len(tokens) and tokens[here] in _SOFTENERS - {"do", "sure"}:
        here += 1
    run_on = here < len(tokens) and tokens[here] == "so" and tokens[here + 1 : here + 2] != ["i"]
    if here >= len(tokens) or (tokens[here] in _BOUNDARY and not run_on):
        return here - at, not negated
    return None


def _joined(tokens: list[str]) -> str:
    text = re.sub(r"\s+([.,!?;:])", r"\1", " ".join(tokens))
    return text.strip(" ,.;:!-")
