"""Words that name one thing: spellings, short forms, near synonyms and forms that no lemma gives.

The hybrid evaluator reads both sides of a comparison through this table, because the paper's
guideline asks for the same concept and not for the same word.
"""

from __future__ import annotations

SAME = {
    "mom": "mother", "mum": "mother", "mommy": "mother", "dad": "father", "daddy": "father",
    "kid": "child", "tv": "television", "usa": "america", "us": "america",
    "states": "america", "bike": "bicycle", "favourite": "favorite", "colour": "color",
    "grey": "gray", "blond": "blonde", "movie": "film", "nyc": "york", "puppy": "dog",
    "kitten": "cat", "kitty": "cat", "wed": "marry", "grandma": "grandmother",
    "grandpa": "grandfather", "auto": "car", "automobile": "car", "photo": "picture",
    "photograph": "picture", "physician": "doctor", "attorney": "lawyer", "bunny": "rabbit",
    "sis": "sister", "bro": "brother",
    "once": "1", "twice": "2", "half": "0.5", "couple": "2", "several": "few", "weekly": "week",
    "daily": "day", "monthly": "month", "yearly": "year", "annually": "year", "nightly": "night",
    "crash": "accident", "wreck": "accident", "job": "work", "jogging": "run",
    "teen": "teenager", "veggie": "vegetable",
    "cop": "police", "policeman": "police", "nope": "no", "apartment": "flat", "big": "large",
    "huge": "large", "small": "little", "tiny": "little", "begin": "start", "began": "start",
    "soda": "pop", "store": "shop", "boat": "ship", "pal": "friend",
    "buddy": "friend", "bestie": "friend", "spouse": "partner", "infant": "baby",
    "college": "university", "uni": "university", "xmas": "christmas", "bbq": "barbecue",
    "pic": "picture", "vet": "veterinarian", "doc": "doctor", "prof": "professor",
    "born": "birth",
}  # fmt: skip
