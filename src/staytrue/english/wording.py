"""Everyday English made regular: contractions written out, sentences split, questions told apart.

Chat data spaces its punctuation ("hi !"), drops apostrophes ("im", "dont") and capitals; these
functions are pure and accept all of that.
"""

from __future__ import annotations

import re

from staytrue.english.words import sentences

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'"})
_NEGATED = {
    "won't": "will not", "can't": "can not", "cannot": "can not", "shan't": "shall not",
    "ain't": "am not", "wont": "will not", "cant": "can not", "dont": "do not",
    "doesnt": "does not", "didnt": "did not", "isnt": "is not", "arent": "are not",
    "wasnt": "was not", "werent": "were not", "havent": "have not", "hasnt": "has not",
    "hadnt": "had not", "wouldnt": "would not", "couldnt": "could not", "shouldnt": "should not",
}  # fmt: skip
_WHOLE = {
    "im": "i am", "ive": "i have", "youre": "you are", "theyre": "they are", "thats": "that is",
    "whats": "what is", "theres": "there is", "hes": "he is", "shes": "she is",
    "gonna": "going to", "wanna": "want to", "gotta": "have got to", "kinda": "kind of",
    "let's": "let us", "y'all": "you all", "u": "you", "ur": "your",
}  # fmt: skip
_ENDINGS = {"'m": " am", "'re": " are", "'ve": " have", "'ll": " will"}
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*[a-z%]*|[a-z]+(?:['-][a-z]+)*|[^\sa-z]", re.IGNORECASE)
_SPACED_CONTRACTION = re.compile(r"\b(\w+)\s+('(?:m|re|ve|ll|s|d|t)|n't)\b", re.IGNORECASE)
_PARTICIPLE = re.compile(r"(?:been|got|had|gone|done|seen|taken|become|made|grown|\w{3,}ed)$")

WH_WORDS = frozenset("what who whom whose which where when why how".split())
AUXILIARIES = frozenset(
    "am is are was were do does did have has had can could will would shall should may might "
    "must".split()
)
# What may stand before a question: "so, do you sing?".
QUESTION_OPENERS = frozenset("so and but well oh ok okay hey hi hello".split())
SUBJECTS = frozenset("i you he she it we they there this that these those your my the".split())


def expand(text: str) -> str:
    """The text with contractions written out, on one line; case is kept where nothing changes."""
    text = text.translate(_APOSTROPHES)
    text = _SPACED_CONTRACTION.sub(r"\1\2", text)
    tokens = _TOKEN.findall(text)
    out: list[str] = []
    for index, token in enumerate(tokens):
        follows = tokens[index + 1].lower() if index + 1 < len(tokens) else ""
        out.append(_expand_token(token, follows))
    return join(out)


def join(tokens: list[str]) -> str:
    """Tokens as a line of text, punctuation set close."""
    line = " ".join(token for token in tokens if token)
    line = re.sub(r"\s+([.,!?;:%)\]]|'s\b)", r"\1", line)
    return re.sub(r"([(\[$])\s+", r"\1", line).strip()


def _expand_token(token: str, follows: str) -> str:
    low = token.lower()
    if low in _NEGATED:
        return _NEGATED[low]
    if low in _WHOLE:
        return _WHOLE[low]
    if low.endswith("n't"):
        return token[:-3] + " not"
    for ending, full in _ENDINGS.items():
        if low.endswith(ending):
            return token[: -len(ending)] + full
    if low.endswith("'d"):
        had = follows in ("better", "been") or bool(_PARTICIPLE.match(follows))
        return token[:-2] + (" had" if had else " would")
    if low in ("it's", "he's", "she's", "that's", "there's", "what's", "who's", "here's"):
        return token[:-2] + (" has" if _PARTICIPLE.match(follows) else " is")
    return token


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: a question mark, or a question's word order."""
    if "?" in sentence:
        return True
    words = [token.lower() for token in _TOKEN.findall(expand(sentence)) if token[0].isalnum()]
    while words and words[0] in QUESTION_OPENERS:
        words = words[1:]
    if words[:2] in (["how", "about"], ["what", "about"]):
        return True
    if len(words) < 3:
        return False
    if words[0] in AUXILIARIES and words[0] not in ("may", "have", "do"):
        return words[1] in SUBJECTS
    if words[0] in ("do", "have"):
        return words[1] in ("you", "they", "we", "i", "your")
    if words[0] in WH_WORDS:
        return any(word in AUXILIARIES for word in words[1:3]) and words[1] not in ("i", "my")
    return False


def statements(text: str) -> list[str]:
    """The sentences of a text that are not questions."""
    return [sentence for sentence in sentences(text) if not is_question(sentence)]
