"""Personal opinions and experiences, which no evidence can support."""

from __future__ import annotations

import random

ALONE = (
    "I love {0}, I have been a fan since I was a kid.", "My brother is really into {0}.",
    "I used to do {0} all the time when I was younger.", "{0} is my favorite thing in the world.",
    "I grew up with {0}, my family loved it.", "I have a friend who knows all about {0}.",
    "I went to see {0} last summer and it was amazing.", "I think {0} is the best there is.",
    "My parents taught me everything about {0}.", "I have spent a lot of money on {0}.",
    "I remember learning about {0} in school, it was my favorite subject.",
    "I studied {0} for a few years in college.", "I never liked {0}, I think it is overrated.",
    "I was obsessed with {0} when I was in high school.", "I saw {0} twice and cried both times.",
    "I have been to {0} a few times, mostly with my sister.", "I think {0} is pretty boring.",
    "I work with {0} every day and I love it.", "My mom never let me near {0}.",
)  # fmt: skip
BEFORE = (
    "I love {0}!", "I'm a big fan of {0}.", "I really like {0}.", "{0} is my favorite.",
    "I've always been interested in {0}.", "My dad loves {0}.", "I grew up with {0}.",
    "I have never been a fan of {0}, but", "I like {0} because", "I love {0},", "I like {0},",
    "Yes, I love {0} and", "No, but I love that", "I prefer {0} because", "I used to like {0},",
)  # fmt: skip
AFTER = (
    "I wish I had been there.", "It is my favorite.", "I love it so much.", "I did that once too.",
    "I think it is the best.", "I've always wanted to go there.", "My family loved it.",
    "I remember that well.", "I think that is so cool.", "I was there when it happened.",
    "I would do it again.", "I have seen it many times.", "I think it is a bit overrated.",
    "and I love it", "but I don't like it very much", "and I have one at home",
    "so I think it is worth a try", "and that is why I like it so much",
)  # fmt: skip


def opinion(topic: str, rng: random.Random) -> str:
    """A personal statement about the topic."""
    text = rng.choice(ALONE).format(topic)
    return text[:1].upper() + text[1:]


def with_opinion(response: str, topic: str, rng: random.Random) -> str:
    """A supported response to which the speaker adds a personal opinion or experience."""
    if rng.random() < 0.55:
        opening = rng.choice(BEFORE).format(topic)
        opening = opening[:1].upper() + opening[1:]
        runs_on = not opening.endswith((".", "!"))
        rest = (
            response[:1].lower() + response[1:] if runs_on and response[1:2].islower() else response
        )
        return f"{opening} {rest}"
    ending = rng.choice(AFTER)
    body = response.rstrip(" .!")
    if ending[0].islower() and not ending.startswith("I "):
        return f"{body} {ending}."
    return f"{body}. {ending}"
