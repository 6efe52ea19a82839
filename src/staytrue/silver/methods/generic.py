"""Generic responses: a written inventory of openers and fillers, combined with the topic."""

from __future__ import annotations

import random

OPENERS = (
    "Yes", "Yeah", "Oh wow", "Wow", "Haha", "Oh", "Sure", "Definitely", "I agree", "Right",
    "I see", "Well", "Nice", "Cool", "Exactly", "True", "Yep", "Oh I see", "Absolutely", "Hmm",
    "That is true", "Good point", "Lol", "No", "Not really", "Maybe", "Sounds good", "Oh cool",
)  # fmt: skip
FILLERS = (
    "I don't know much about it", "I'm not sure about that", "that is very interesting",
    "that sounds like a lot of fun", "I never thought about it that way", "I would love to try it",
    "I have never heard of that before", "it is a great thing to do", "that's so cool",
    "I really enjoy it", "it is so much fun", "I can't imagine that", "that is amazing",
    "I have always wanted to learn more", "there is so much to know", "that makes sense",
    "I think so too", "I would like to do that someday", "it's hard to say", "I hope so",
    "that's a good way to look at it", "it has been around for a long time", "that's great to hear",
    "it can be different for everyone", "people really like it", "I'm glad you like it",
    "that must have been nice", "I wish I could", "it is pretty popular", "you should try it",
    "I didn't know that", "I'd have to look that up", "it depends on the person", "same here",
    "that's what I heard", "I feel the same way", "that would be nice", "it's a good one",
    "I've been meaning to look into it", "it really is something", "I'm sure it was",
    "thank you for telling me", "you are probably right", "that is a good question",
    "that's a shame", "I love it too", "I have never tried it", "it is an interesting history",
    "there are many different kinds", "they are very good at it", "it was a good time",
)  # fmt: skip
TOPICAL = (
    "I don't know much about {0}", "I have never tried {0}", "I like {0} as well",
    "I've heard of {0}", "{0} sounds interesting", "I would love to know more about {0}",
    "{0} is really popular", "there is a lot to learn about {0}", "it seems you like {0}",
    "I think {0} is great", "I'm not a big fan of {0}", "I should look into {0}",
    "many people like {0}", "I find {0} fascinating", "{0} can be a lot of fun",
)  # fmt: skip
QUESTIONS = (
    "What do you think?", "Do you like it?", "How about you?", "Have you tried it?",
    "What is your favorite?", "Why do you say that?", "Do you know more about it?",
    "When did you start?", "Is that right?", "What made you think of that?", "Have you ever been?",
    "Do you know much about {0}?", "Are you into {0}?", "What do you like about {0}?",
    "What else do you know about {0}?", "How long have you been into {0}?",
)  # fmt: skip
_SEPARATORS = (", ", "! ", ". ", " ")


def generic_response(topic: str, rng: random.Random) -> str:
    """A reply that would fit almost any talk, about `topic` if one is given."""
    fillers = [*FILLERS, *(t for t in TOPICAL if topic)]
    kind = rng.random()
    if kind < 0.12:
        text = _question(topic, rng)
    else:
        # The topical ones are few: draw them often enough to matter.
        filler = rng.choice(TOPICAL) if topic and rng.random() < 0.4 else rng.choice(fillers)
        text = filler.format(topic)
        if kind < 0.6:
            text = _joined(rng.choice(OPENERS), text, rng.choice(_SEPARATORS))
        if kind > 0.8:
            text = f"{text.rstrip('.')}. {_question(topic, rng)}"
        elif kind > 0.72:
            text = _joined(text, rng.choice(FILLERS), ". ")
    text = text[:1].upper() + text[1:]
    return text if text.endswith("?") else text + rng.choice([".", ".", "!"])


def _question(topic: str, rng: random.Random) -> str:
    fitting = [q for q in QUESTIONS if topic or "{0}" not in q]
    return rng.choice(fitting).format(topic)


def _joined(first: str, second: str, separator: str) -> str:
    if separator[0] in ".!":
        second = second[:1].upper() + second[1:]
    elif separator == " ":
        separator = ", "
    return f"{first}{separator}{second}"
