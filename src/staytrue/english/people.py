"""Small lists of English nouns that name people, by gender where the word says it."""

from __future__ import annotations

MALE = frozenset(
    "man men boy guy king prince father dad daddy son brother uncle grandfather grandpa husband "
    "actor mr sir lord duke emperor gentleman waiter hero god monk priest pope nephew "
    "boyfriend".split()
)
FEMALE = frozenset(
    "woman women girl lady queen princess mother mom mommy daughter sister aunt grandmother "
    "grandma wife actress mrs ms madam duchess empress waitress heroine goddess nun niece "
    "girlfriend".split()
)
PEOPLE = (
    MALE
    | FEMALE
    | frozenset(
        "people person child kid baby friend family president judge chef cook artist human adult "
        "teen student doctor nurse guitarist fan celebrity founder parent cousin citizen "
        "immigrant chief captain coach poet novelist musician politician comedian physician "
        "magician librarian guardian veteran champion someone everyone anybody somebody everybody "
        "nobody anyone folk adults citizens saint bishop athlete vegan vegetarian singer "
        "writer author director drummer player".split()
    )
)
