"""Names, wrappings and lines of conversation for the made support answers."""

from __future__ import annotations

import random
from collections.abc import Callable

_FIRST = (
    "Marta Owen Priya Tomas Aisha Leon Ingrid Felix Naomi Victor Yuki Samuel Greta Omar Bianca "
    "Declan Freya Hassan Ivy Jonas Keiko Liam Mona Nils Olga Pedro Ruth Stefan Tara Umar Vera "
    "Walter Ximena Zoe Arthur Beth Cyrus Dora Emil Fiona"
).split()
_LAST = (
    "Abbott Bianchi Castell Duarte Eklund Farrow Gupta Hartley Ibsen Jankowski Kimura Lindqvist "
    "Marchetti Ndiaye Okafor Pereira Quigley Reyes Sorensen Tillman Ueda Vasquez Whitlock Yilmaz "
    "Zeller Ashby Brandt Cole Dempsey Ellery Finch Garland Hobbs Iverson Jarvis Kessler Lowry"
).split()
_FRONT = (
    "Nor Vel Bri Cal Dor Fen Gal Hel Ista Jor Kel Lum Mar Nim Orb Pel Quan Ros Sol Tor Ulm Var "
    "Wes Zan Alt Bel Cor"
).split()
_BACK = "vora dyne mark tera lio via wick ston mont nix pax rell sano tica vio zen bury den".split()
_GOODS = (
    "kettle blender backpack tent lamp headset toaster drill stroller keyboard heater camera "
    "monitor suitcase scooter vacuum juicer printer speaker radio"
).split()
_TOWNS = (
    "Ashford Brighton Calgary Dresden Exeter Florence Geneva Hobart Izmir Jackson Kyoto Leeds "
    "Malmo Naples Oslo Porto Quebec Riga Seville Turin Utrecht Vienna Warsaw York Zagreb Austin "
    "Boston Cardiff Denver Lyon"
).split()
_MEDICINE = "Cal Dex Fen Lor Mir Nov Pir Rel Sef Tol Ver Zan".split()
_DOSE = "adol ipril oxan amine ozol itine evir olam".split()
_TITLE_A = "Silent Golden Broken Last Hidden Northern Paper Crimson Distant Burning".split()
_TITLE_B = "River Lantern Garden Harbour Winter Orchard Mirror Bridge Letters Island".split()
_RIDES = ("the morning train", "the night bus", "the ferry", "the flight", "the coach", "the tram")
_TRIPS = ("the bus ride", "the boat trip", "the train ride", "the drive", "the cable car ride")
_SESSIONS = tuple(
    f"the {name}"
    for name in (
        "opening speech", "lunch break", "robot demo", "award ceremony", "group photo", "quiz",
        "fire drill", "museum visit", "auction", "parade", "magic show", "prize draw",
    )
)  # fmt: skip
_CLUBS = ("{} United", "FC {}", "{} Rovers", "Sporting {}", "{} Athletic")


def _company(rng: random.Random) -> str:
    return rng.choice(_FRONT) + rng.choice(_BACK)


def _person(rng: random.Random) -> str:
    return f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"


def _title(rng: random.Random) -> str:
    return f"{rng.choice(_TITLE_A)} {rng.choice(_TITLE_B)}"


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "@company": _company,
    "@person": _person,
    "@athlete": _person,
    "@product": lambda rng: (
        f"the {_company(rng)} {rng.choice(['X', 'S', 'T', ''])}{rng.randint(2, 90)}"
        f"{rng.choice(['', '0'])} {rng.choice(_GOODS)}"
    ),
    "@place": lambda rng: rng.choice(_TOWNS),
    "@team": lambda rng: rng.choice(_CLUBS).format(rng.choice(_TOWNS)),
    "@route": lambda rng: f"{rng.choice(_RIDES)} to {rng.choice(_TOWNS)}",
    "@trip": lambda rng: f"{rng.choice(_TRIPS)} to {rng.choice(_TOWNS)}",
    "@session": lambda rng: rng.choice(_SESSIONS),
    "@medicine": lambda rng: rng.choice(_MEDICINE) + rng.choice(_DOSE),
    "@work": lambda rng: f'the novel "The {_title(rng)}"',
    "@film": lambda rng: f'the film "The {_title(rng)}"',
}


class Names:
    """Names for one document: no two of them share a word that tells them apart."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()

    def draw(self, pool: str) -> str:
        while True:
            name = _MAKERS[pool](self._rng)
            words = {
                word
                for word in name.replace('"', "").split()
                if word[0].isupper() and word not in {"FC", "United", "Rovers", "Sporting", "The"}
            } - {"Athletic"} | set(name.split()) & set(_GOODS) or {name}
            if not words & self._taken:
                self._taken |= words
                return name


# What no document here says: true or not, one cannot tell.
UNSAID = {
    "shop": (
        "the company was founded by two sisters", "all parcels are packed by hand",
        "our warehouse runs on solar power", "a new store opens next month",
        "the most popular colour is green", "loyalty points expire at the end of the year",
        "the catalogue is printed twice a year", "the packaging is fully compostable",
    ),
    "hotel": (
        "the hotel was renovated two years ago", "the building used to be a monastery",
        "the rooms overlook the river", "the chef trained in Lyon", "the mattresses are brand new",
        "the lobby is decorated with local art", "the owner lives on the top floor",
    ),
    "travel": (
        "the seats are made of leather", "the company has ordered new vehicles",
        "passengers can win a free trip", "the staff speak five languages",
        "a vegetarian meal is served on board", "the windows can be opened",
    ),
    "software": (
        "the app is written in Rust", "the servers are located in Finland",
        "a new version comes out next spring", "the logo was redesigned last year",
        "the developers hold a meeting every week", "most customers are schools",
    ),
    "health": (
        "the waiting room has been repainted", "the building has a helicopter pad",
        "most patients come from abroad", "the nurses work in three shifts",
        "the tablets taste of lemon", "the clinic won an award last year",
    ),
    "recipe": (
        "the dish comes from the south of Portugal", "the recipe was handed down by a grandmother",
        "it tastes even better the next day", "it goes well with a glass of cider",
        "children love this dish", "the recipe won a competition",
    ),
    "event": (
        "the mayor will give a speech", "free coffee is served all day", "a band plays at the end",
        "more visitors are expected than last year", "the programme is printed on recycled paper",
        "all profits go to a school",
    ),
    "company": (
        "the office has a view of the park", "the staff canteen is popular",
        "profits doubled last year", "the logo shows a heron", "employees get a cake on birthdays",
    ),
    "sport": (
        "it was raining during the match", "the tickets were sold out within an hour",
        "the fans sang all evening", "the referee was injured", "the mascot is a fox",
    ),
    "club": (
        "the building is more than a hundred years old", "a café will open in the lobby",
        "the walls were painted by volunteers", "the manager plays the cello",
        "there is a waiting list of several months", "the heating was replaced last winter",
    ),
}  # fmt: skip

TITLES = {
    "shop": "a shop", "hotel": "a hotel", "travel": "a travel company", "software": "an app",
    "health": "a clinic", "recipe": "a cookbook", "event": "a festival", "club": "a club",
    "company": "a business magazine", "sport": "a sports magazine",
}  # fmt: skip
OPENERS = (
    "Great question! ", "Sure! ", "Sure, ", "Of course! ", "Thanks for asking! ", "Good news: ",
    "Hi there! ", "Absolutely. ", "Happy to help! ", "Let me check that for you. ", "Hello! ",
    "Thank you for reaching out. ", "According to our information, ", "As far as I can see, ",
    "Just so you know, ", "I looked it up: ", "To answer your question, ", "Well, ", "Right, so ",
    "Based on the document, ", "Our records show that ", "I can confirm that ",
)  # fmt: skip
CLOSERS = (
    " Let me know if you need anything else!", " Is there anything else I can help you with?",
    " I hope that helps!", " Have a great day!", " Feel free to ask if you have more questions.",
    " Hope this answers your question.", " Just let me know!", " Thanks for your patience.",
)  # fmt: skip
NOTES = (
    "please note that ", "as a rule, ", "for your information, ", "note: ", "at present, ",
    "under the current rules, ",
)  # fmt: skip
DENIALS = (
    "it is not true that ", "it is not the case that ", "it would be wrong to say that ",
    "it is incorrect that ",
)  # fmt: skip
AFFIRMATIONS = (
    "it is true that ", "it is correct that ", "there is no doubt that ",
    "it is not wrong to say that ",
)  # fmt: skip
CONTRACTIONS = (
    ("cannot", "can't"), ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"),
    ("is not", "isn't"), ("are not", "aren't"), ("was not", "wasn't"), ("it is", "it's"),
    ("you will", "you'll"), ("I am", "I'm"), ("I have never", "I've never"), ("there is",
                                                                              "there's"),
    ("that is", "that's"), ("will not", "won't"), ("you are", "you're"), ("we are", "we're"),
    ("must not", "mustn't"), ("I would", "I'd"), ("could not", "couldn't"),
)  # fmt: skip
