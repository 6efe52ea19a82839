"""The manner of chatbots: openers, tags, lower case, spaced marks. The meaning stays."""

from __future__ import annotations

import random
import re

OPENERS = (
    "Yes,", "Yes,", "Yeah,", "Yep,", "Well,", "Oh,", "Oh yes,", "Right,", "True,", "Actually,",
    "Did you know that", "Sure,", "That's right,", "Exactly,", "Interesting!", "Oh cool,", "Wow,",
    "No, but", "Apparently", "That is true,", "Ah,", "Good question.", "Absolutely!", "Also,",
    "I know that", "I heard that", "I'm not sure, but", "I think", "Haha,", "Oh, I see,", "Indeed,",
)  # fmt: skip
TAILS = (
    "!",
    "!",
    ", right?",
    ", you know.",
    ". Pretty cool!",
    ". Interesting, right?",
    ", lol",
    "",
)
_PROPER = re.compile(r"(?:[A-Z][\w'-]*\s+[A-Z]|[A-Z]{2}|I\b|I')")
_TOKENS = (
    (re.compile(r"(\w)n't\b"), r"\1 n't"),
    (re.compile(r"(\w)('s|'re|'ve|'ll|'d|'m)\b"), r"\1 \2"),
    (re.compile(r"(?<=\w)([,.!?;])(?=\s|$)"), r" \1"),
)


def chatty(text: str, rng: random.Random, opener: float = 0.4, tail: float = 0.15) -> str:
    """The text as a chatbot would say it, with an opener and a tail now and then."""
    if rng.random() < opener:
        chosen = rng.choice(OPENERS)
        joins = not chosen.endswith((".", "!"))
        body = text[:1].lower() + text[1:] if joins and not _PROPER.match(text) else text
        text = f"{chosen} {body}"
    if rng.random() < tail:
        text = text.rstrip(" .!") + rng.choice(TAILS)
    return text


def in_model_style(text: str, rng: random.Random) -> str:
    """Lower case, spaced marks or a missing full stop, as dialogue models write."""
    kind = rng.random()
    if kind < 0.4:
        text = text.lower()
    elif kind < 0.75:
        for pattern, new in _TOKENS:
            text = pattern.sub(new, text)
    return text.rstrip(" .") if rng.random() < 0.45 else text
