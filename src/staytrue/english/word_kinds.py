"""Words of one kind, from which an altered question takes another one of the same kind."""

from __future__ import annotations

COLOURS = tuple("black white red green blue yellow orange purple pink brown grey".split())
HAIR_COLOURS = ("black", "brown", "blonde", "red", "grey")
EYE_COLOURS = ("brown", "blue", "green", "grey")
OTHER_COLOURS = frozenset("gray silver gold navy teal rainbow turquoise violet blond".split())

STATES = tuple(
    "alabama,alaska,arizona,california,colorado,florida,georgia,hawaii,idaho,illinois,indiana,"
    "iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,"
    "missouri,montana,nebraska,nevada,new jersey,new mexico,north carolina,ohio,oklahoma,oregon,"
    "pennsylvania,south carolina,tennessee,texas,utah,vermont,virginia,washington,wisconsin,"
    "wyoming".split(",")
)
CITIES = tuple(
    "chicago,boston,seattle,denver,atlanta,houston,dallas,miami,detroit,philadelphia,phoenix,"
    "san francisco,los angeles,new york,london,paris,berlin,rome,madrid,tokyo,toronto,sydney,"
    "manhattan,brooklyn,portland,austin,las vegas,san diego,new orleans,nashville".split(",")
)
COUNTRIES = tuple(
    "canada,mexico,brazil,argentina,france,germany,spain,italy,portugal,greece,sweden,norway,"
    "poland,russia,turkey,egypt,somalia,kenya,nigeria,india,china,japan,korea,vietnam,thailand,"
    "australia,england,ireland,scotland,the united states,cuba,haiti,jamaica,puerto rico,"
    "america".split(",")
)

JOBS = tuple(
    "doctor,nurse,dentist,lawyer,teacher,librarian,plumber,electrician,mechanic,chef,waiter,"
    "farmer,firefighter,journalist,accountant,architect,carpenter,pilot,hairdresser,"
    "veterinarian".split(",")
)
JOB_HEADS = frozenset(
    "accountant actor actress administrator advisor agent analyst architect artist assistant "
    "astronaut athlete attorney author babysitter baker banker barber barista bartender biologist "
    "blogger boxer builder bookkeeper butcher caregiver carpenter cashier chef chemist cleaner "
    "clerk coach comedian construction-worker consultant contractor cook cop counselor custodian "
    "dancer dentist designer detective developer director doctor driver economist editor "
    "electrician engineer farmer firefighter fireman fisherman florist gardener golfer guard guide "
    "hairdresser housekeeper illustrator inspector janitor jeweler journalist judge laborer lawyer "
    "librarian lifeguard machinist maid manager mechanic musician nanny nurse optometrist painter "
    "paralegal paramedic pharmacist photographer physician pianist pilot plumber police poet "
    "policeman politician principal professor programmer psychologist publisher receptionist "
    "reporter researcher sailor salesman salesperson saleswoman scientist secretary singer soldier "
    "stylist surgeon tailor teacher technician therapist trainer translator trucker tutor vet "
    "veterinarian waiter waitress welder worker wrestler writer".split()
)
# Jobs that one person may well have together with the one named.
RELATED_JOBS = {
    "worker": ("carpenter", "electrician", "plumber", "mechanic", "farmer", "nurse", "teacher"),
    "engineer": ("architect", "mechanic", "electrician"), "nurse": ("doctor",),
    "dentist": ("doctor",), "veterinarian": ("doctor",), "surgeon": ("doctor",),
    "teacher": ("librarian",), "professor": ("teacher",), "cook": ("chef",), "baker": ("chef",),
    "manager": ("accountant", "chef"), "writer": ("journalist", "teacher"),
    "stylist": ("hairdresser",), "builder": ("carpenter", "plumber", "electrician"),
}  # fmt: skip
WORKPLACES = (
    "bank", "school", "hospital", "bakery", "restaurant", "factory", "library", "bookstore",
    "hotel", "law firm", "bar", "gas station", "nursing home", "supermarket",
)  # fmt: skip

# Each word with one that cannot be true at the same time.
OPPOSITES = {
    "married": "single", "single": "married", "divorced": "single", "widowed": "single",
    "engaged": "single", "tall": "short", "short": "tall", "old": "young", "young": "old",
    "rich": "poor", "wealthy": "poor", "poor": "rich", "male": "female", "female": "male",
    "skinny": "overweight", "thin": "overweight", "overweight": "skinny", "fat": "skinny",
    "happy": "unhappy", "unhappy": "happy", "sad": "happy", "healthy": "sick",
    "shy": "outgoing", "outgoing": "shy", "introverted": "outgoing", "strong": "weak",
    "weak": "strong", "employed": "unemployed", "unemployed": "employed", "right-handed":
    "left-handed", "left-handed": "right-handed", "alive": "dead", "dead": "alive",
    "older": "younger", "younger": "older", "taller": "shorter", "bigger": "smaller",
}  # fmt: skip
OPPOSITE_NOUNS = {
    "boy": "girl", "girl": "boy", "man": "woman", "woman": "man", "male": "female",
    "female": "male", "mother": "father", "father": "mother", "mom": "dad", "dad": "mom",
    "vegan": "meat eater", "vegetarian": "meat eater", "introvert": "extrovert",
    "extrovert": "introvert", "pessimist": "optimist", "optimist": "pessimist",
}  # fmt: skip
LIKING = {
    "love": "hate", "like": "hate", "enjoy": "hate", "adore": "hate", "loves": "hates",
    "likes": "hates", "enjoys": "hates", "hate": "love", "dislike": "like", "hates": "loves",
    "dislikes": "likes", "despise": "love",
}  # fmt: skip

PARTNERS = frozenset("boyfriend girlfriend husband wife fiance fiancee spouse partner".split())
SIBLINGS = frozenset("brother brothers sister sisters sibling siblings twin".split())
CHILDREN = frozenset("child children kid kids son sons daughter daughters".split())
