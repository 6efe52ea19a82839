"""What a bot says of itself: lines of a persona, and what agrees with them or does not."""

from __future__ import annotations

from dataclasses import dataclass

Forms = tuple[str, ...]


@dataclass(frozen=True)
class Trait:
    """Something of a person with one value of the pool; `wrong` is false whatever the value."""

    pool: Forms
    doc: Forms
    bot: Forms
    wrong: Forms = ()
    single: bool = True  # whether no other value can be true besides
    free: bool = True  # whether its wrong lines say nothing about other traits
    less: Forms = ()  # what follows, but would be possible with other values, too


_JOBS = (
    "a nurse", "a truck driver", "a teacher", "a librarian", "a baker", "a lawyer", "a plumber",
    "a dentist", "an accountant", "a farmer", "a pilot", "a hairdresser", "an electrician",
    "a firefighter", "a waiter", "a journalist", "a carpenter", "a software developer",
)  # fmt: skip
_CITIES = (
    "chicago", "portland", "miami", "london", "toronto", "dublin", "seattle", "berlin", "sydney",
    "boston", "dallas", "rome", "madrid", "denver", "atlanta", "glasgow", "mumbai", "osaka",
)  # fmt: skip
_COUNTS = ("two", "three", "four", "five", "six")

TRAITS: tuple[Trait, ...] = (
    Trait(
        _JOBS,
        ("i work as {v}", "i am {v}", "i am {v} by profession", "my job is working as {v}"),
        ("i earn my living as {v}", "i work as {v}", "my job? i am {v}", "professionally, i am {v}",
         "i make my money as {v}"),
        ("i do not have a job", "i have never worked a day in my life", "i am unemployed right now",
         "i am retired now and do not work"),
        free=False,
    ),
    Trait(
        _CITIES,
        ("i live in {v}", "i currently live in {v}", "my home is in {v}"),
        ("{v} is where i live", "i am living in {v}", "my place is in {v}",
         "i have my home in {v}"),
        ("i do not live in {v}", "i have never been to {v}"),
        free=False,
    ),
    Trait(
        _CITIES,
        ("i was born in {v}", "my birthplace is {v}"),
        ("i was born in {v}", "the city i was born in is {v}", "{v} is where i was born"),
        ("i was not born in {v}", "i have never set foot in {v}"),
        free=False,
    ),
    Trait(
        _COUNTS,
        ("i have {v} dogs", "i own {v} dogs",
         "there are {v} dogs at my house and they are all mine"),
        ("my {v} dogs keep me busy", "i have got {v} dogs", "i am the owner of {v} dogs",
         "i own dogs",
         "i am a dog owner"),
        ("i do not have any pets", "i have never owned a dog", "i have only one dog",
         "i do not own any animals"),
    ),
    Trait(
        _COUNTS,
        ("i have {v} children", "i am a parent of {v}", "i am raising my {v} kids"),
        ("i have {v} kids", "i am a parent of {v} children", "i have children",
         "my {v} kids are great"),
        ("i do not have any children", "i never had kids", "i have just one child"),
    ),
    Trait(
        _COUNTS,
        ("i have {v} sisters and no brothers", "i have {v} sisters, but no brothers"),
        ("i have {v} sisters", "i grew up with sisters and no brothers",
         "the number of my sisters is {v}"),
        ("i am an only child", "i do not have any siblings", "my brother called me yesterday",
         "i have no sisters"),
    ),
    Trait(
        ("falafel", "mango", "fried rice", "vegetable curry", "lentil soup", "french fries",
         "watermelon", "mushroom risotto", "tacos", "dumplings", "pancakes", "ramen"),
        ("my favorite food is {v}", "{v} is my favorite food"),
        ("i like {v} more than any other food", "no food beats {v} for me",
         "the food i like best is {v}"),
        ("i hate {v}", "i cannot stand {v}", "i do not like {v} at all", "i have never tried {v}"),
        less=("i love {v}", "i like {v} a lot", "i have eaten {v} before"),
    ),
    Trait(
        ("blue", "green", "purple", "red", "yellow", "orange", "pink", "black", "turquoise"),
        ("my favorite color is {v}", "{v} is my favorite color"),
        ("i like {v} best of all colors", "the color i like most is {v}"),
        ("i cannot stand the color {v}", "{v} is the color i like least"),
        less=("i love the color {v}", "i am fond of the color {v}"),
    ),
    Trait(
        ("chess", "the violin", "the piano", "tennis", "the drums", "basketball", "the guitar",
         "badminton", "the flute", "volleyball"),
        ("i play {v} every week", "every week i play {v}"),
        ("i play {v}", "i play {v} weekly", "playing {v} is something i do each week",
         "i can play {v}"),
        ("i have never played {v}", "i do not know how to play {v}", "i never play {v}"),
        single=False,
    ),
    Trait(
        ("gardening", "hiking", "painting", "fishing", "knitting", "baking", "camping", "surfing",
         "reading mysteries", "birdwatching", "woodworking", "singing"),
        ("i enjoy {v}", "i love {v}", "{v} is my hobby", "in my spare time i enjoy {v}"),
        ("i am fond of {v}", "{v} is something i like", "i like {v}", "i am into {v}"),
        ("i hate {v}", "i do not enjoy {v}", "i cannot stand {v}", "i find {v} awful"),
        single=False,
    ),
    Trait(
        ("peanuts", "cats", "shellfish", "pollen", "bee stings"),
        ("i am allergic to {v}", "i have an allergy to {v}"),
        ("{v} give me an allergic reaction", "i have to be careful because i am allergic to {v}"),
        ("i do not have any allergies", "i am not allergic to {v}", "i have no allergies at all"),
        single=False,
    ),
    Trait(
        ("vegan",),
        ("i am a {v}", "i have been a {v} for years"),
        ("i do not eat meat", "i do not eat any animal products", "i follow a {v} diet",
         "i avoid eggs and milk"),
        ("i had a big steak for dinner last night", "i eat chicken almost every day", "i eat meat",
         "i eat eggs for breakfast every day"),
    ),
    Trait(
        ("single",),
        ("i am {v} and have never been married", "i have never been married and i am {v}"),
        ("i am not married", "i do not have a husband or a wife",
         "i have never had a wedding of my own"),
        ("my wife and i just had our anniversary", "my husband is a great cook", "i am divorced",
         "i got married last year"),
    ),
    Trait(
        ("married",),
        ("i am {v}", "i am happily {v}"),
        ("i have a spouse", "i am not single", "i am a {v} person"),
        ("i am single", "i have never been married", "i am not married",
         "i am divorced and live alone"),
    ),
    Trait(
        ("nineteen", "twenty five", "thirty", "thirty eight", "forty two", "fifty", "sixty five"),
        ("i am {v} years old", "i am {v}"),
        ("my age is {v}", "i am {v} years of age", "i am an adult",
         "i turned {v} on my last birthday"),
        ("i am only ten years old", "i am a hundred years old", "i am not {v} years old"),
        free=False,
    ),
    Trait(
        ("a red truck", "a black motorcycle", "an old blue van", "a white convertible",
         "a small electric car"),
        ("i drive {v} to work", "i go to work in {v}", "my only vehicle is {v}"),
        ("i own a vehicle", "{v} is what i drive", "i drive {v}"),
        ("i do not know how to drive", "i do not own any vehicle", "i have never driven anything"),
        single=False, free=False,
    ),
    Trait(
        ("english and spanish", "english and french", "english and german", "english and korean"),
        ("i speak {v}", "the languages i speak are {v}"),
        ("i can speak two languages", "i am able to speak {v}", "i speak more than one language"),
        ("i speak only one language", "i cannot speak any english", "i do not speak english"),
        single=False, free=False,
    ),
    Trait(
        ("an early riser",),
        ("i am {v} and get up at five every day", "i get up at five every morning"),
        ("i get up early", "i wake up before six", "i am not someone who sleeps in"),
        ("i sleep until noon every day", "i never get up before ten", "i sleep in every morning"),
    ),
)  # fmt: skip
# One of each pair of traits only: they could not both be drawn.
EXCLUDES = ((12, 13),)
STRAY = (
    "i am going to see a movie tonight", "i just bought a new phone",
    "my neighbor is very friendly",
    "i watched a documentary about whales", "i need to do my laundry today",
    "my shoes are brand new",
    "i am thinking about learning to juggle", "i saw a rainbow this morning",
    "the weather is nice today",
    "i lost my umbrella last week", "my favorite season is autumn",
    "i want to visit iceland someday",
    "i like old comic books", "my internet has been slow lately", "i met an old friend yesterday",
    "my grandmother taught me a card game", "i am a bit tired today", "i wear glasses",
    "my favorite month is october", "i collect old coins", "i once won a raffle",
)  # fmt: skip
TALK = (
    "hi , how are you ?", "that is cool .", "nice ! tell me more .", "oh wow !",
    "i am doing well , thanks .",
    "what do you do for fun ?", "that sounds fun !", "same here !", "do you have any plans today ?",
)  # fmt: skip
