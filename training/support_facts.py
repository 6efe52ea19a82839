"""What support answers are about: kinds of facts, as a document and as a bot says them.

In a form, `[a|b]` is one of the two, `{s}` the company, `{k}` the thing that the fact is about,
`{v}` its value. Forms of one fact all say the same, or less than the document.
"""

from __future__ import annotations

from dataclasses import dataclass

Forms = tuple[str, ...]


@dataclass(frozen=True)
class Valued:
    """Things that have one value each: with another value a form is false."""

    theme: str
    keys: Forms | str  # a word beginning with @ names the pool to draw from
    kind: str
    pool: tuple[object, ...] | str
    doc: Forms
    bot: Forms
    wrong: Forms = ()  # false of the thing whatever its value
    below: Forms = ()  # that the value is less than {b}
    above: Forms = ()
    less: Forms = ()  # that {k} has less than {j}
    more: Forms = ()
    vague: Forms = ()  # with {m}, the month of a date


@dataclass(frozen=True)
class Ruled:
    """Things that are so or not so."""

    theme: str
    keys: Forms
    yes: Forms
    no: Forms
    all_but: Forms = ()  # so of everything of this kind but {k}
    only: Forms = ()  # so of {k} and nothing else of this kind


@dataclass(frozen=True)
class Related:
    """Who did what to whom; never true the other way round."""

    theme: str
    names: str
    doc: Forms
    bot: Forms
    single: bool  # whether {b} can have just one {a}
    wrong: Forms = ()


@dataclass(frozen=True)
class Listed:
    """Things that come with several items."""

    theme: str
    keys: Forms | str
    items: Forms
    closed: Forms  # that these are all
    open: Forms  # that these are some
    one: Forms  # that {i} is one of them
    lacks: Forms  # that {i} is none of them
    sole: Forms  # that {i} is the only one


Family = Valued | Ruled | Related | Listed

_DAYS = (7, 10, 14, 15, 21, 28, 30, 42, 45, 60, 90)
_MONTHS = (3, 6, 9, 12, 18, 24, 30, 36, 48, 60, 120)
_MINUTES = (5, 10, 15, 20, 25, 30, 40, 45, 60, 75, 90, 120, 150)
_PRICES = (4.99, 5, 7.5, 8, 9.99, 12, 15, 18, 19.99, 20, 25, 29, 35, 40, 49.5, 60, 75, 99)
_SUMS = (120, 149, 180, 200, 250, 320, 399, 450, 500, 640, 800, 950, 1200, 1500, 2500, 4000)
_RANGES = ((1, 2), (2, 3), (3, 5), (4, 6), (5, 7), (6, 8), (7, 10), (8, 12), (10, 14), (15, 20))
_MORNING = tuple(range(360, 721, 30))
_EVENING = tuple(range(930, 1380, 30))
_YEARS = tuple(range(1921, 2024))
_BIG = (150, 200, 300, 450, 600, 800, 1200, 1500, 2000, 2500, 3500, 5000, 7500, 12000, 20000)
_COSTS = ("costs", "is priced at", "sells for")

FAMILIES: tuple[Family, ...] = (
    # Shops
    Valued(
        "shop", ("clothing", "furniture", "jewellery", "footwear", "bedding", "camera equipment",
                 "sports gear", "kitchenware"), "days", _DAYS,
        doc=("{k} may be returned within {v} of delivery",
             "the return period for {k} is {v} from the date of delivery",
             "{s} accepts returns of {k} for {v} after delivery",
             "returns of {k}: {v} from delivery"),
        bot=("you have {v} [to return|to send back] {k}", "we take back {k} for {v} after delivery",
             "{k} can be sent back within {v} of delivery", "the return window for {k} is {v}",
             "if you change your mind about {k}, you can return it within {v} of delivery"),
        wrong=("{k} cannot be returned", "there is no time limit for returning {k}",
               "we do not accept returns of {k}"),
        below=("you have less than {b} to return {k}",),
        above=("you have more than {b} to return {k}",),
        less=("the return window for {k} is shorter than the one for {j}",
              "you have less time to return {k} than {j}"),
        more=("the return window for {k} is longer than the one for {j}",),
    ),
    Valued(
        "shop", ("standard shipping", "express shipping", "economy shipping",
                 "international shipping", "courier delivery", "pallet delivery"),
        "business", _RANGES,
        doc=("{k} takes {v}", "orders sent by {k} arrive within {v}",
             "the delivery time for {k} is {v}", "{k}: {v}"),
        bot=("with {k}, your order [will arrive|should arrive|gets to you] in {v}",
             "if you choose {k}, delivery takes {v}", "you can expect {k} to take {v}",
             "your parcel will be with you in {v} if you choose {k}"),
        wrong=("{k} is not available", "we do not offer {k}"),
        less=("{k} is faster than {j}", "your order arrives sooner with {k} than with {j}"),
        more=("{k} is slower than {j}", "{k} takes longer than {j}"),
    ),
    Valued(
        "shop", ("delivery to Canada", "delivery to the islands", "weekend delivery",
                 "evening delivery", "delivery of large items", "delivery to a pickup point"),
        "money", _PRICES,
        doc=("{k} costs {v} per order", "a fee of {v} per order is charged for {k}",
             "the charge for {k} is {v} per order", "{k}: {v} per order"),
        bot=("{k} is {v} per order", "you pay {v} per order for {k}", "we charge {v} for {k}",
             "the fee for {k} comes to {v} per order"),
        wrong=("{k} is free", "we do not charge anything for {k}", "{k} comes at no cost"),
        below=("{k} costs less than {b}", "you pay less than {b} for {k}"),
        above=("{k} costs more than {b}", "you pay more than {b} for {k}"),
        less=("{k} is cheaper than {j}", "{k} costs less than {j}"),
        more=("{k} is more expensive than {j}", "{k} costs more than {j}"),
    ),
    Valued(
        "shop", ("students", "teachers", "nurses", "first-time customers", "pensioners",
                 "newsletter subscribers"), "off", (5, 10, 15, 20, 25, 30, 40, 50),
        doc=("{k} receive {v}", "{s} offers {k} {v}", "{k} are entitled to {v}"),
        bot=("{k} get {v}", "we give {k} {v}", "there is a discount of {v} for {k}",
             "the discount for {k} is {v}"),
        wrong=("{k} pay the full price", "there is no discount for {k}"),
        less=("{k} get a smaller discount than {j}",), more=("{k} get a bigger discount than {j}",),
    ),
    Valued(
        "shop", "@product", "months", _MONTHS,
        doc=("{k} carries a warranty of {v}", "the warranty period of {k} is {v}",
             "{s} guarantees {k} for {v}", "{k} is covered by warranty for {v}"),
        bot=("{k} has a warranty of {v}", "you get {v} of warranty on {k}",
             "the warranty on {k} lasts {v}", "{k} is under warranty for {v}"),
        wrong=("{k} has no warranty", "{k} comes without any warranty",
               "{k} comes with a lifetime warranty"),
        below=("the warranty on {k} lasts less than {b}",),
        above=("the warranty on {k} lasts more than {b}",),
        less=("{k} has a shorter warranty than {j}",), more=("{k} has a longer warranty than {j}",),
    ),
    Valued(
        "shop", "@product", "money", _SUMS,
        doc=tuple(f"{{k}} {verb} {{v}}" for verb in _COSTS) + ("the price of {k} is {v}",),
        bot=("{k} will cost you {v}", "you can buy {k} for {v}", "the price tag on {k} is {v}",
             "{k} is yours for {v}", "{k} costs {v}"),
        wrong=("{k} is free of charge", "{k} is not for sale"),
        below=("{k} costs less than {b}", "{k} is priced below {b}"),
        above=("{k} costs more than {b}", "{k} is priced above {b}"),
        less=("{k} is cheaper than {j}", "{k} costs less than {j}"),
        more=("{k} is more expensive than {j}", "you pay more for {k} than for {j}"),
    ),
    Valued(
        "shop", "@product", "grams",
        (250, 400, 500, 750, 800, 1000, 1200, 1500, 1800, 2000, 2500, 3500, 5000),
        doc=("{k} weighs {v}", "the weight of {k} is {v}", "{k} has a net weight of {v}"),
        bot=("{k} weighs in at {v}", "{k} has a weight of {v}", "{k} weighs exactly {v}"),
        below=("{k} weighs less than {b}", "{k} is lighter than {b}"),
        above=("{k} weighs more than {b}", "{k} is heavier than {b}"),
        less=("{k} is lighter than {j}", "{k} weighs less than {j}"),
        more=("{k} is heavier than {j}", "{k} weighs more than {j}"),
    ),
    Valued(
        "shop", ("orders paid by card", "orders paid by bank transfer", "orders paid by gift card",
                 "orders paid in instalments", "orders placed by phone"), "name",
        ("store credit", "bank transfer", "cheque", "a voucher", "a refund to the original card"),
        doc=("refunds for {k} are made by {v}", "{k} are refunded by {v}",
             "the refund method for {k} is {v}"),
        bot=("for {k}, [you will get|you receive] your money back by {v}",
             "if you return {k}, the refund comes by {v}", "we refund {k} by {v}"),
        wrong=("{k} are not refundable", "we do not refund {k}"),
    ),
    Ruled(
        "shop", ("sale items", "personalised items", "opened cosmetics", "gift cards",
                 "used headphones", "earrings", "swimsuits", "damaged boxes", "custom rugs",
                 "digital downloads", "perishable goods", "clearance lamps"),
        yes=("{k} [can|may] be returned", "{k} are eligible for return", "we [accept|take] {k} back",
             "{k} are returnable", "you are allowed to return {k}", "it is possible to return {k}"),
        no=("{k} [cannot|may not] be returned", "{k} are not eligible for return",
            "we do not take {k} back", "{k} are excluded from returns",
            "you are not allowed to return {k}", "returns of {k} are not accepted"),
        all_but=("all items can be returned except {k}", "with the exception of {k}, every item in "
                 "the shop can be returned", "everything we sell is returnable, but not {k}"),
        only=("only {k} can be returned; nothing else is accepted back",
              "{k} are the only items that can be returned"),
    ),
    Ruled(
        "shop", ("gift wrapping", "assembly", "old appliance removal", "a spare battery",
                 "a carrying case", "an extra filter", "installation", "a charging cable",
                 "engraving", "a recipe book"),
        yes=("{k} is included in the price", "the price includes {k}",
             "you do not have to pay extra for {k}", "{k} comes at no extra cost",
             "there is no additional charge for {k}"),
        no=("{k} is not included in the price", "the price does not include {k}",
            "you have to pay extra for {k}", "{k} costs extra", "{k} is charged separately"),
    ),
    Listed(
        "shop", ("the online store", "the outlet", "the mobile app", "the downtown branch"),
        ("Visa", "Mastercard", "PayPal", "cash", "bank transfer", "gift vouchers", "Apple Pay",
         "cheques", "American Express", "Klarna", "bitcoin"),
        closed=("{k} accepts only {l}", "the only payment methods at {k} are {l}"),
        open=("{k} accepts several payment methods, including {l}",
              "among other payment methods, {k} takes {l}"),
        one=("you can pay with {i} at {k}", "{k} takes {i}", "{i} is accepted at {k}"),
        lacks=("you cannot pay with {i} at {k}", "{k} does not accept {i}"),
        sole=("{k} accepts nothing but {i}", "{i} is the only way to pay at {k}"),
    ),
    Listed(
        "shop", "@product",
        ("steel", "cotton", "oak", "wool", "bamboo", "glass", "recycled plastic", "leather",
         "aluminium", "cork", "linen", "silicone", "copper"),
        closed=("{k} is made only of {l}", "{k} consists of {l} and nothing else"),
        open=("the materials of {k} include {l}", "among other materials, {k} contains {l}"),
        one=("{k} contains {i}", "there is {i} in {k}", "{i} is one of the materials of {k}"),
        lacks=("{k} contains no {i}", "there is no {i} in {k}", "{k} is free of {i}"),
        sole=("{k} is made of {i} alone", "{i} is the only material in {k}"),
    ),
    # Hotels and venues
    Valued(
        "hotel", ("the pool", "the spa", "the breakfast room", "the front desk", "the rooftop bar",
                  "the gift shop", "the gym", "the sauna"), "clock", _MORNING,
        doc=("{k} opens at {v} every day", "{k} is open daily from {v}",
             "daily opening time of {k}: {v}"),
        bot=("{k} opens daily at {v}", "you can use {k} from {v} every day",
             "the doors of {k} open at {v}", "{k} is open from {v}"),
        wrong=("{k} is open around the clock", "{k} is closed all day"),
        below=("{k} opens before {b}", "{k} opens earlier than {b}"),
        above=("{k} opens after {b}", "{k} does not open until after {b}"),
        less=("{k} opens earlier than {j}", "{k} opens before {j} does"),
        more=("{k} opens later than {j}", "{k} opens after {j} does"),
    ),
    Valued(
        "hotel", ("the kitchen", "the garden", "the car park", "the library", "the tennis court",
                  "the lounge", "the kids' club"), "clock", _EVENING,
        doc=("{k} closes at {v} every day", "{k} is open daily until {v}",
             "closing time of {k}: {v} daily"),
        bot=("{k} shuts at {v}", "{k} closes daily at {v}", "you can use {k} until {v}",
             "{k} stays open until {v}"),
        wrong=("{k} never closes", "{k} is open around the clock"),
        below=("{k} closes before {b}",), above=("{k} closes after {b}", "{k} closes later than {b}"),
        less=("{k} closes earlier than {j}",), more=("{k} closes later than {j}",),
    ),
    Valued(
        "hotel", ("the conference room", "the spa area", "the main restaurant", "the laundry",
                  "the business centre", "the presidential suite", "the ballroom"),
        "ordinal", tuple(range(1, 11)),
        doc=("{k} is located on the {v} floor", "the {v} floor houses {k}", "{k}: {v} floor"),
        bot=("you will find {k} on the {v} floor", "{k} is on the {v} floor",
             "take the stairs to the {v} floor to get to {k}"),
        wrong=("{k} is not in this building",),
        less=("{k} is on a lower floor than {j}", "{k} is below {j}"),
        more=("{k} is on a higher floor than {j}",),
    ),
    Valued(
        "hotel", ("a single room", "a double room", "the family suite", "the penthouse",
                  "a studio", "a bunk bed"), "money", _SUMS[:12],
        doc=("{k} costs {v} per night", "the nightly rate for {k} is {v}", "{k}: {v} a night"),
        bot=("you pay {v} a night for {k}", "{k} is {v} per night",
             "one night in {k} will cost you {v}"),
        wrong=("{k} is free of charge",),
        below=("{k} costs less than {b} a night",), above=("{k} costs more than {b} a night",),
        less=("{k} is cheaper than {j}",), more=("{k} is more expensive than {j}",),
    ),
    Valued(
        "hotel", ("the Maple Hall", "the Blue Room", "the Harbour Hall", "the Garden Pavilion",
                  "the Oak Room", "the Crystal Hall"), "count", _BIG[:12],
        doc=("{k} seats {v} guests", "{k} has a capacity of {v} guests",
             "the maximum capacity of {k} is {v} guests"),
        bot=("{k} holds up to {v} guests", "at most {v} guests fit into {k}",
             "{k} has room for {v} guests", "up to {v} people can be seated in {k}"),
        below=("{k} holds fewer than {b} guests",), above=("{k} holds more than {b} guests",),
        less=("{k} is smaller than {j} in capacity", "{k} seats fewer guests than {j}"),
        more=("{k} seats more guests than {j}", "more guests fit into {k} than into {j}"),
    ),
    Valued(
        "hotel", ("the executive lounge", "the private beach", "the wine cellar", "the golf course",
                  "the rooftop terrace", "the steam bath"), "name",
        ("club members", "suite guests", "wedding parties", "hotel staff", "conference guests"),
        doc=("only {v} may use {k}", "{k} is reserved for {v}", "access to {k} is limited to {v}"),
        bot=("{k} is only open to {v}", "nobody but {v} can use {k}",
             "you cannot use {k} unless you are one of the {v}", "{k} is exclusively for {v}"),
        wrong=("{k} is open to everyone", "anyone can use {k}", "{v} are not allowed to use {k}",
               "not only {v} but all visitors can use {k}"),
    ),
    Ruled(
        "hotel", ("dogs", "cats", "bicycles", "drones", "candles", "outside drinks", "large groups",
                  "children's parties", "barbecues", "electric scooters"),
        yes=("{k} are [allowed|permitted|welcome]", "we allow {k}", "there is no ban on {k}",
             "{k} are not prohibited", "you will find that {k} are allowed here"),
        no=("{k} are not [allowed|permitted]", "{k} are [prohibited|forbidden]", "we do not allow {k}",
            "there is a ban on {k}", "unfortunately, {k} are not permitted here"),
    ),
    Ruled(
        "hotel", ("breakfast", "parking", "wireless internet", "airport transfer", "daily cleaning",
                  "late checkout", "a welcome drink", "bike rental", "a city tour", "laundry service"),
        yes=("{k} is included in the room rate", "the room rate covers {k}", "guests get {k} for free",
             "there is no extra charge for {k}", "you do not pay extra for {k}"),
        no=("{k} is not included in the room rate", "the room rate does not cover {k}",
            "{k} is charged on top of the room rate", "there is an extra charge for {k}",
            "{k} is not free"),
        all_but=("every service is included in the room rate except {k}",),
    ),
    # Travel
    Valued(
        "travel", ("economy passengers", "business passengers", "infants", "first class passengers",
                   "student travellers", "crew members"), "count", (1, 2, 3, 4, 5, 6),
        doc=("{k} may check in up to {v} of the standard bags",
             "the checked baggage allowance for {k} is {v} of the standard bags"),
        bot=("{k} can check in at most {v} standard bags",
             "the limit for {k} is {v} checked standard bags",
             "{k} cannot check in more than {v} standard bags"),
        wrong=("{k} cannot check in any bags", "there is no limit on checked bags for {k}"),
        less=("{k} can check in fewer bags than {j}",),
        more=("{k} can check in more bags than {j}",),
    ),
    Valued(
        "travel", ("a cabin bag", "a checked bag", "a sports bag", "an instrument case",
                   "a pet carrier", "a folded pram"), "kilos", (5, 7, 8, 10, 12, 15, 20, 23, 32),
        doc=("{k} may weigh no more than {v}", "the maximum weight of {k} is {v}",
             "the weight limit for {k} is {v}"),
        bot=("{k} can weigh up to {v}", "{k} must not be heavier than {v}",
             "you are allowed at most {v} for {k}", "{k} has a limit of {v}"),
        wrong=("{k} must weigh at least {v}", "there is no weight limit for {k}",
               "{k} can be as heavy as you like"),
        below=("the weight limit for {k} is below {b}",),
        above=("the weight limit for {k} is above {b}",),
        less=("{k} has a lower weight limit than {j}",),
        more=("{k} has a higher weight limit than {j}",),
    ),
    Valued(
        "travel", "@route", "clock", _MORNING + _EVENING,
        doc=("{k} departs at {v}", "the departure time of {k} is {v}", "{k} is scheduled to leave at {v}"),
        bot=("{k} leaves at {v}", "{k} sets off at {v}", "the scheduled departure of {k} is at {v}"),
        wrong=("{k} has been cancelled",),
        below=("{k} leaves before {b}",), above=("{k} leaves after {b}",),
        less=("{k} leaves before {j}", "{j} leaves later than {k}"),
        more=("{k} leaves after {j}", "{j} leaves earlier than {k}"),
    ),
    Valued(
        "travel", "@trip", "minutes", _MINUTES[3:],
        doc=("{k} takes {v}", "the travel time of {k} is {v}", "{k} has a duration of {v}"),
        bot=("you will need {v} for {k}", "{k} lasts {v}", "{k} is over in {v}"),
        below=("{k} takes less than {b}",), above=("{k} takes more than {b}",),
        less=("{k} is shorter than {j}",), more=("{k} takes longer than {j}",),
    ),
    Valued(
        "travel", ("the gate", "the bag drop", "online check-in", "the security desk",
                   "priority boarding", "the special assistance desk"), "minutes", _MINUTES[2:],
        doc=("{k} closes {v} before departure", "closing time of {k}: {v} before departure"),
        bot=("{k} shuts {v} before departure", "you can use {k} until {v} before departure",
             "{k} is closed {v} before you depart"),
        wrong=("{k} closes {v} after departure", "{k} stays open after departure"),
        less=("{k} closes later than {j}",), more=("{k} closes earlier than {j}",),
    ),
    Ruled(
        "travel", ("umbrellas", "knitting needles", "power banks", "hockey sticks", "baby food jars",
                   "walking sticks", "camping stoves", "skateboards", "guitars", "scissors"),
        yes=("{k} are [allowed|permitted] in the cabin", "you [can|may] take {k} into the cabin",
             "passengers may carry {k} in the cabin", "it is fine to bring {k} into the cabin"),
        no=("{k} are not [allowed|permitted] in the cabin", "you [cannot|may not] take {k} into the cabin",
            "{k} are banned from the cabin", "passengers must not carry {k} in the cabin"),
    ),
    # Software
    Valued(
        "software", ("the Basic plan", "the Team plan", "the Pro plan", "the Business plan",
                     "the Starter plan", "the Enterprise plan"), "money", _PRICES + _SUMS[:6],
        doc=("{k} costs {v} per month", "{k} is billed at {v} per month", "{k}: {v} a month"),
        bot=("you pay {v} a month for {k}", "{k} is {v} per month",
             "a month of {k} comes to {v}", "the monthly price of {k} is {v}"),
        wrong=("{k} is free", "{k} costs nothing"),
        below=("{k} costs less than {b} a month",), above=("{k} costs more than {b} a month",),
        less=("{k} is cheaper than {j}",), more=("{k} is more expensive than {j}",),
    ),
    Valued(
        "software", ("the Free tier", "the Silver tier", "the Gold tier", "the Bronze tier",
                     "the Platinum tier"), "storage", (2, 5, 10, 20, 25, 50, 100, 200, 500),
        doc=("{k} includes {v} of storage", "the storage quota of {k} is {v}", "{k} comes with {v} of storage"),
        bot=("you get {v} of storage with {k}", "{k} gives you {v} of storage space",
             "on {k} you can store up to {v}"),
        wrong=("{k} comes without any storage", "{k} offers unlimited storage"),
        below=("{k} gives you less than {b} of storage",),
        above=("{k} gives you more than {b} of storage",),
        less=("{k} has less storage than {j}",), more=("{k} has more storage than {j}",),
    ),
    Valued(
        "software", ("free accounts", "paid accounts", "trial accounts", "admin accounts",
                     "partner accounts"), "count", (10, 50, 100, *_BIG),
        doc=("{k} are limited to {v} requests per hour", "the rate limit for {k} is {v} requests per hour",
             "{k} may send up to {v} requests per hour"),
        bot=("{k} can send at most {v} requests per hour", "{k} cannot make more than {v} requests an hour",
             "the hourly limit for {k} is {v} requests"),
        wrong=("there is no rate limit for {k}", "{k} can send an unlimited number of requests",
               "{k} must send at least {v} requests per hour"),
        below=("the hourly limit for {k} is below {b} requests",),
        above=("the hourly limit for {k} is above {b} requests",),
        less=("{k} have a lower rate limit than {j}",), more=("{k} have a higher rate limit than {j}",),
    ),
    Valued(
        "software", ("audit logs", "deleted files", "chat messages", "crash reports",
                     "session recordings", "old backups"), "days", _DAYS,
        doc=("{k} are kept for {v}", "{k} are retained for {v} and then removed",
             "the retention period for {k} is {v}"),
        bot=("we keep {k} for {v}", "{k} are stored for {v}", "{k} are removed after {v}",
             "you can get at {k} for {v}"),
        wrong=("{k} are kept forever", "{k} are never removed", "{k} are not stored at all"),
        below=("{k} are kept for less than {b}",), above=("{k} are kept for more than {b}",),
        less=("{k} are kept for a shorter time than {j}",),
        more=("{k} are kept longer than {j}",),
    ),
    Valued(
        "software", ("the default theme", "the default language", "the default export format",
                     "the default start page", "the default time zone"), "name", "@setting",
        doc=("{k} is {v}", "{k} is set to {v}", "out of the box, {k} is {v}"),
        bot=("unless you change it, {k} is {v}", "{v} is {k}", "{k} is {v} when you install the app"),
        wrong=("{k} is not {v}", "{k} is anything but {v}"),
    ),
    Ruled(
        "software", ("automatic updates", "push notifications", "usage statistics", "dark icons",
                     "read receipts", "location tags", "keyboard shortcuts", "spelling suggestions"),
        yes=("{k} are enabled by default", "{k} are on unless you switch them off",
             "by default, {k} are turned on", "you do not have to switch {k} on yourself"),
        no=("{k} are disabled by default", "{k} are off unless you switch them on",
            "by default, {k} are turned off", "{k} are not enabled by default",
            "you have to switch {k} on yourself"),
        only=("only {k} are enabled by default; every other option is off",),
    ),
    Ruled(
        "software", ("creating a project", "exporting data", "inviting a guest", "resetting a device",
                     "viewing a report", "deleting a workspace", "linking a calendar",
                     "editing a template"),
        yes=("{k} requires administrator rights", "administrator rights are needed for {k}",
             "{k} is not possible without administrator rights",
             "you need administrator rights for {k}"),
        no=("{k} does not require administrator rights", "no administrator rights are needed for {k}",
            "{k} is possible without administrator rights",
            "you do not need administrator rights for {k}"),
    ),
    Ruled(
        "software", ("single sign-on", "offline mode", "phone support", "version history",
                     "a custom domain", "two-factor login", "an audit trail", "bulk editing"),
        yes=("[the app|{s}] supports {k}", "{k} is available", "you can use {k}", "{s} comes with {k}",
             "{k} is [part of|included in] the product"),
        no=("[the app|{s}] does not support {k}", "{k} is not available", "you cannot use {k}",
            "{s} does not come with {k}", "{s} lacks {k}"),
    ),
    Listed(
        "software", ("the importer", "the viewer", "the media player", "the converter", "the scanner"),
        ("PDF", "PNG", "CSV", "JSON", "MP3", "WAV", "DOCX", "SVG", "XML", "GIF", "FLAC", "EPUB"),
        closed=("{k} supports only {l}", "the only file formats that {k} supports are {l}"),
        open=("{k} supports many formats, among them {l}", "the formats that {k} supports include {l}"),
        one=("{k} supports {i}", "you can use {i} files with {k}", "{i} files work with {k}"),
        lacks=("{k} does not support {i}", "you cannot use {i} files with {k}"),
        sole=("{k} supports {i} and nothing else", "{i} is the only format that {k} supports"),
    ),
    # Health
    Valued(
        "health", "@medicine", "mg", (5, 10, 20, 25, 40, 50, 75, 100, 150, 200, 250, 400, 500),
        doc=("the usual adult dose of {k} is {v}", "adults take {v} of {k} per dose",
             "a single adult dose of {k} is {v}"),
        bot=("adults usually take {v} of {k} at a time", "one adult dose of {k} is {v}",
             "for adults, a dose of {k} is {v}"),
        below=("an adult dose of {k} is less than {b}",),
        above=("an adult dose of {k} is more than {b}",),
        less=("the adult dose of {k} is smaller than that of {j}",),
        more=("the adult dose of {k} is larger than that of {j}",),
    ),
    Valued(
        "health", "@medicine", "times", (1, 2, 3, 4, 5, 6),
        doc=("{k} is taken {v}", "take {k} {v}", "{k} should be taken {v}"),
        bot=("you should take {k} {v}", "{k} needs to be taken {v}", "{k} is to be taken {v}"),
        less=("{k} is taken less often than {j}",), more=("{k} is taken more often than {j}",),
    ),
    Valued(
        "health", "@medicine", "age", (2, 3, 6, 8, 12, 14, 16, 18),
        doc=("{k} is not suitable for children under {v}", "patients must be at least {v} years old to take {k}",
             "the minimum age for {k} is {v}"),
        bot=("you have to be {v} or older to take {k}", "nobody under {v} should take {k}",
             "{k} is only for patients aged {v} and over", "children younger than {v} must not take {k}"),
        wrong=("{k} is suitable for all ages", "{k} is only for patients under {v}",
               "there is no minimum age for {k}", "you must be at most {v} years old to take {k}"),
        below=("the minimum age for {k} is below {b}",), above=("the minimum age for {k} is above {b}",),
        less=("{k} has a lower minimum age than {j}",), more=("{k} has a higher minimum age than {j}",),
    ),
    Valued(
        "health", ("the eye clinic", "the skin clinic", "the heart ward", "the children's ward",
                   "the sleep lab", "the X-ray department"), "name", "@person",
        doc=("Dr. {v} heads {k}", "{k} is led by Dr. {v}", "head of {k}: Dr. {v}"),
        bot=("{k} is headed by Dr. {v}", "Dr. {v} is in charge of {k}", "Dr. {v} runs {k}",
             "the person in charge of {k} is Dr. {v}"),
        wrong=("Dr. {v} does not run {k}", "nobody is in charge of {k} at the moment"),
    ),
    Ruled(
        "health", ("a blood test", "an eye exam", "a flu shot", "an allergy test", "a stress test",
                   "a hearing test", "an ultrasound scan", "a dental check"),
        yes=("{k} requires an appointment", "an appointment is needed for {k}",
             "you cannot have {k} without an appointment", "you must book ahead for {k}"),
        no=("{k} does not require an appointment", "no appointment is needed for {k}",
            "you can have {k} without an appointment", "you do not have to book ahead for {k}"),
    ),
    Ruled(
        "health", ("physiotherapy", "acupuncture", "teeth whitening", "vaccination", "home care",
                   "speech therapy", "diet counselling", "massage"),
        yes=("{k} is covered by the insurance", "the insurance pays for {k}",
             "the cost of {k} is covered by the insurance", "the insurance does cover {k}"),
        no=("{k} is not covered by the insurance", "the insurance does not pay for {k}",
            "you have to pay for {k} yourself because the insurance does not cover it",
            "{k} is excluded from the insurance cover"),
        all_but=("the insurance covers all treatments except {k}",),
        only=("the insurance covers {k} and no other treatment",),
    ),
    # Recipes
    Valued(
        "recipe", ("flour", "sugar", "butter", "rice", "spinach", "lentils", "cheese", "oats"),
        "grams", (50, 80, 100, 120, 150, 200, 250, 300, 400, 500, 750, 1000, 1500),
        doc=("add {v} of {k}", "you will need {v} of {k}", "{k}: {v}", "weigh out {v} of {k}"),
        bot=("the recipe calls for {v} of {k}", "you need {v} of {k}", "use {v} of {k}",
             "the amount of {k} is {v}"),
        wrong=("the recipe contains no {k}", "you do not need any {k}", "leave out the {k}"),
        below=("you need less than {b} of {k}",), above=("you need more than {b} of {k}",),
        less=("you need less {k} than {j}", "the recipe has less {k} than {j}"),
        more=("you need more {k} than {j}", "there is more {k} than {j} in it"),
    ),
    Valued(
        "recipe", ("milk", "water", "cream", "stock", "apple juice", "oil"), "ml",
        (50, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500),
        doc=("pour in {v} of {k}", "add {v} of {k}", "{k}: {v}", "stir in {v} of {k}"),
        bot=("the recipe calls for {v} of {k}", "you need {v} of {k}", "{v} of {k} goes in"),
        wrong=("the recipe contains no {k}", "you do not need any {k}"),
        below=("you need less than {b} of {k}",), above=("you need more than {b} of {k}",),
        less=("you need less {k} than {j}",), more=("you need more {k} than {j}",),
    ),
    Valued(
        "recipe", ("the bread", "the pie", "the casserole", "the tart", "the crumble"),
        "celsius", (120, 140, 150, 160, 170, 180, 190, 200, 220, 230),
        doc=("bake {k} at {v}", "{k} is baked at {v}", "the oven temperature for {k} is {v}"),
        bot=("{k} goes into the oven at {v}", "set the oven to {v} for {k}", "{k} bakes at {v}"),
        wrong=("{k} does not need to be baked",),
        below=("{k} is baked below {b}",), above=("{k} is baked above {b}",),
        less=("{k} is baked at a lower temperature than {j}",),
        more=("{k} is baked at a higher temperature than {j}",),
    ),
    Valued(
        "recipe", ("the dough", "the sauce", "the soup", "the filling", "the glaze", "the stew"),
        "minutes", _MINUTES,
        doc=("let {k} rest for {v}", "{k} has to rest for {v}", "resting time for {k}: {v}"),
        bot=("{k} needs {v} of rest", "leave {k} to rest for {v}", "{k} should rest for {v}"),
        wrong=("{k} does not need to rest", "{k} must not be left to rest"),
        below=("{k} rests for less than {b}",), above=("{k} rests for more than {b}",),
        less=("{k} rests for a shorter time than {j}",), more=("{k} rests longer than {j}",),
    ),
    Listed(
        "recipe", ("the salad", "the curry", "the spice mix", "the marinade", "the dip"),
        ("garlic", "walnuts", "cumin", "mint", "ginger", "tofu", "celery", "sesame", "mustard",
         "tomatoes", "coriander", "chickpeas", "honey"),
        closed=("the only ingredients of {k} are {l}", "{k} is made of {l} and nothing else"),
        open=("the ingredients of {k} include {l}", "among other things, {k} contains {l}"),
        one=("{k} contains {i}", "there is {i} in {k}", "{k} is made with {i}"),
        lacks=("{k} contains no {i}", "there is no {i} in {k}", "{k} is made without {i}"),
        sole=("{k} contains nothing but {i}", "the only thing in {k} is {i}"),
    ),
    # Events and courses
    Valued(
        "event", ("the opening concert", "the book fair", "the summer gala", "the trade show",
                  "the charity run", "the annual meeting", "the film night", "the science fair"),
        "date", "@date",
        doc=("{k} takes place on {v}", "{k} is scheduled for {v}", "date of {k}: {v}"),
        bot=("{k} is on {v}", "{k} will be held on {v}", "you can visit {k} on {v}",
             "we are holding {k} on {v}"),
        wrong=("{k} has been cancelled", "no date has been set for {k}"),
        below=("{k} takes place before {b}",), above=("{k} takes place after {b}",),
        less=("{k} takes place before {j}", "{j} comes after {k}", "{k} is held earlier than {j}"),
        more=("{k} takes place after {j}", "{j} comes before {k}", "{k} is held later than {j}"),
        vague=("{k} is in {m}", "{k} takes place in {m}"),
    ),
    Valued(
        "event", ("grant applications", "early registration", "paper submission", "poster entries",
                  "hotel bookings", "volunteer sign-up"), "date", "@date",
        doc=("the deadline for {k} is {v}", "{k} must be completed by {v}", "deadline for {k}: {v}"),
        bot=("the last day for {k} is {v}", "the deadline for {k} falls on {v}",
             "you have until {v} for {k}"),
        wrong=("there is no deadline for {k}",),
        below=("the deadline for {k} is before {b}",), above=("the deadline for {k} is after {b}",),
        less=("the deadline for {k} is earlier than the one for {j}",),
        more=("the deadline for {k} is later than the one for {j}",),
        vague=("the deadline for {k} is in {m}",),
    ),
    Valued(
        "event", ("an adult ticket", "a child ticket", "a day pass", "a weekend pass",
                  "a family ticket", "a workshop seat"), "money", _PRICES + _SUMS[:4],
        doc=("{k} costs {v}", "the price of {k} is {v}", "{k}: {v}"),
        bot=("{k} is {v}", "you pay {v} for {k}", "{k} will set you back {v}"),
        wrong=("{k} is free", "you do not have to pay for {k}"),
        below=("{k} costs less than {b}",), above=("{k} costs more than {b}",),
        less=("{k} is cheaper than {j}",), more=("{k} is more expensive than {j}",),
    ),
    Valued(
        "event", ("the keynote", "the closing talk", "the pottery workshop", "the panel on energy",
                  "the coding class", "the poetry reading"), "name", "@person",
        doc=("{v} gives {k}", "{k} is given by {v}", "speaker of {k}: {v}"),
        bot=("{v} is the one giving {k}", "{k} will be given by {v}", "the person giving {k} is {v}"),
        wrong=("{v} is not giving {k}", "nobody has been found to give {k}"),
    ),
    Valued(
        "event", ("the beginners' course", "the evening class", "the dance show", "the night tour",
                  "the wine tasting", "the climbing session"), "age", (6, 8, 10, 12, 14, 16, 18, 21),
        doc=("participants in {k} must be at least {v} years old", "the minimum age for {k} is {v}",
             "{k} is open to persons aged {v} and over"),
        bot=("you have to be {v} or older for {k}", "nobody under {v} can take part in {k}",
             "you cannot join {k} if you are younger than {v}"),
        wrong=("{k} is open to all ages", "you must be at most {v} years old for {k}",
               "only people under {v} can take part in {k}", "there is no minimum age for {k}"),
        below=("the minimum age for {k} is below {b}",), above=("the minimum age for {k} is above {b}",),
        less=("{k} has a lower minimum age than {j}",), more=("{k} has a higher minimum age than {j}",),
    ),
    Ruled(
        "event", ("cameras", "backpacks", "water bottles", "folding chairs", "umbrellas", "strollers",
                  "flags", "home-made snacks"),
        yes=("{k} are [allowed|permitted] inside the venue", "you [can|may] bring {k} into the venue",
             "visitors may bring {k} inside", "{k} may be brought into the venue"),
        no=("{k} are not [allowed|permitted] inside the venue", "you [cannot|may not] bring {k} into "
            "the venue", "visitors must leave {k} outside", "{k} have to stay outside the venue"),
        all_but=("visitors may bring everything into the venue except {k}",),
    ),
    # Companies and people
    Valued(
        "company", "@company", "year", _YEARS,
        doc=("{k} was founded in {v}", "founded in {v}, {k} is a family business",
             "{k} has been in business since its founding in {v}"),
        bot=("{k} was set up in {v}", "the founding year of {k} is {v}", "{k} was established in {v}"),
        below=("{k} was founded before {b}",), above=("{k} was founded after {b}",),
        less=("{k} is older than {j}", "{k} was founded before {j}"),
        more=("{k} is younger than {j}", "{k} was founded after {j}"),
    ),
    Valued(
        "company", "@company", "name", "@place",
        doc=("{k} has its headquarters in {v}", "{k} is headquartered in {v}", "the head office of {k} is in {v}"),
        bot=("the headquarters of {k} are in {v}", "{k} is run from its head office in {v}",
             "you will find the head office of {k} in {v}"),
        wrong=("the head office of {k} is not in {v}",),
    ),
    Valued(
        "company", "@company", "count", _BIG,
        doc=("{k} employs {v} people", "the workforce of {k} numbers {v}", "{k} has a staff of {v}"),
        bot=("{v} people work for {k}", "{k} has {v} employees", "there are {v} people on the staff of {k}"),
        below=("{k} has fewer than {b} employees",), above=("{k} has more than {b} employees",),
        less=("{k} has fewer employees than {j}",), more=("{k} has more employees than {j}",),
    ),
    Valued(
        "company", ("the finance team", "the design team", "the sales team", "the legal team",
                    "the support team", "the research team"), "name", "@person",
        doc=("{v} is the head of {k}", "{k} is led by {v}", "{v} has led {k} for years"),
        bot=("{k} is headed by {v}", "{v} leads {k}", "{v} is in charge of {k}", "the leader of {k} is {v}"),
        wrong=("{v} is not the head of {k}", "{k} has no leader at the moment"),
    ),
    Valued(
        "company", "@work", "name", "@person",
        doc=("{v} wrote {k}", "{k} was written by {v}", "{k}, written by {v}, sold well"),
        bot=("{v} is the author of {k}", "the author of {k} is {v}", "{k} was authored by {v}"),
        wrong=("{v} did not write {k}", "nobody knows who wrote {k}"),
    ),
    Valued(
        "company", "@film", "name", "@person",
        doc=("{v} directed {k}", "{k} was directed by {v}"),
        bot=("{v} is the director of {k}", "the director of {k} is {v}", "{k} is a film by director {v}"),
        wrong=("{v} did not direct {k}",),
    ),
    Related(
        "company", "@person",
        doc=("{b} reports [directly |]to {a}", "{a} is the line manager of {b}"),
        bot=("{a} is {b}'s boss", "{b}'s manager is {a}", "{b} works under {a}", "{a} manages {b}"),
        single=True, wrong=("{b} does not report to {a}", "{a} and {b} have nothing to do with each other"),
    ),
    Related(
        "company", "@company",
        doc=("{a} acquired {b} [last year|in a cash deal|for an undisclosed sum]", "{b} was acquired by {a}"),
        bot=("{a} bought {b}", "{b} was taken over by {a}", "{b} was bought by {a}", "{a} took over {b}"),
        single=True, wrong=("{a} did not acquire {b}", "{a} failed to take over {b}"),
    ),
    Related(
        "company", "@person",
        doc=("{a} hired {b} as an engineer", "{b} was hired by {a} as an engineer"),
        bot=("{a} gave {b} a job", "{b} got an engineering job from {a}",
             "it was {a} who hired {b}", "{b} was recruited by {a}"),
        single=True, wrong=("{a} refused to hire {b}", "{b} was never hired by {a}"),
    ),
    Related(
        "company", "@person",
        doc=("{a} succeeded {b} as chief executive", "{b} was succeeded by {a} as chief executive"),
        bot=("{a} became chief executive after {b}", "{a} followed {b} as chief executive",
             "{b} was chief executive before {a}", "{a} replaced {b} as chief executive"),
        single=True,
    ),
    Related(
        "company", "@person",
        doc=("{a} taught {b} to play chess", "{b} was taught to play chess by {a}"),
        bot=("{b} learned chess from {a}", "{a} was {b}'s chess teacher", "it was {a} who taught {b} chess"),
        single=False,
    ),
    # Sport
    Related(
        "sport", "@team",
        doc=("{a} defeated {b} in the final", "{b} lost the final to {a}", "in the final, {a} beat {b}"),
        bot=("{a} won the final against {b}", "{b} was beaten by {a} in the final",
             "{b} was defeated by {a} in the final", "{a} came out on top against {b} in the final"),
        single=True, wrong=("the final between {a} and {b} ended in a draw", "{a} lost the final",
                            "{b} won the final"),
    ),
    Valued(
        "sport", "@team", "name", "@person",
        doc=("{v} coaches {k}", "{k} is coached by {v}", "the coach of {k} is {v}"),
        bot=("{v} is the coach of {k}", "{k} trains under coach {v}", "{k} has {v} as its coach"),
        wrong=("{v} does not coach {k}", "{k} has no coach at the moment"),
    ),
    Valued(
        "sport", "@team", "count", _BIG[6:],
        doc=("the home ground of {k} holds {v} spectators", "{k} plays in a stadium for {v} spectators"),
        bot=("the stadium of {k} has room for {v} spectators",
             "up to {v} people can watch {k} in its home stadium"),
        below=("the stadium of {k} holds fewer than {b} spectators",),
        above=("the stadium of {k} holds more than {b} spectators",),
        less=("the stadium of {k} is smaller than that of {j}",),
        more=("the stadium of {k} is larger than that of {j}",),
    ),
    Related(
        "sport", "@athlete",
        doc=("{a} finished ahead of {b} in the race", "{b} came in after {a} in the race"),
        bot=("{a} was faster than {b} in the race", "{a} crossed the finish line before {b}",
             "{b} was slower than {a} in the race", "{b} finished behind {a}"),
        single=False,
        wrong=("{a} and {b} crossed the finish line at the same moment", "{a} did not take part in the race"),
    ),
    Related(
        "sport", "@athlete",
        doc=("{a} is older than {b}", "{b} is younger than {a}", "{a} was born before {b}"),
        bot=("{a} is the older of the two, compared with {b}", "{b} was born after {a}",
             "{b} is not as old as {a}", "{a} has lived longer than {b}"),
        single=False, wrong=("{a} and {b} are twins",),
    ),
    # Libraries, gyms, clubs and offices
    Valued(
        "club", ("adult members", "junior members", "guest readers", "staff members",
                 "senior members", "Gold members"), "count", (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25),
        doc=("{k} may borrow up to {v} items at a time", "the loan limit for {k} is {v} items at a time"),
        bot=("{k} can borrow at most {v} items at once", "{k} cannot have more than {v} items on loan",
             "the maximum for {k} is {v} items at a time"),
        wrong=("{k} cannot borrow anything", "there is no loan limit for {k}",
               "{k} have to borrow at least {v} items at a time"),
        less=("{k} can borrow fewer items than {j}",), more=("{k} can borrow more items than {j}",),
    ),
    Valued(
        "club", ("novels", "films", "magazines", "board games", "audiobooks", "music scores"),
        "days", _DAYS,
        doc=("the loan period for {k} is {v}", "{k} are lent for {v}", "{k} must be brought back within {v}"),
        bot=("you can keep {k} for {v}", "{k} have to be back after {v}", "you can borrow {k} for {v}"),
        wrong=("{k} cannot be borrowed", "you can keep {k} as long as you like"),
        below=("you can keep {k} for less than {b}",), above=("you can keep {k} for more than {b}",),
        less=("{k} have a shorter loan period than {j}",), more=("{k} have a longer loan period than {j}",),
    ),
    Valued(
        "club", ("a monthly pass", "a yearly pass", "a student pass", "a family pass",
                 "an off-peak pass"), "money", _PRICES + _SUMS,
        doc=("{k} costs {v}", "the fee for {k} is {v}", "{s} sells {k} for {v}"),
        bot=("you pay {v} for {k}", "{k} is {v}", "{k} is available for {v}"),
        wrong=("{k} is free of charge", "we do not sell {k}"),
        below=("{k} costs less than {b}",), above=("{k} costs more than {b}",),
        less=("{k} is cheaper than {j}",), more=("{k} is more expensive than {j}",),
    ),
    Valued(
        "club", ("the yoga class", "the spin class", "the board meeting", "the book club",
                 "the choir practice", "the judo training"), "name",
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
        doc=("{k} meets every {v}", "{k} is held once a week, on {v}", "weekly day of {k}: {v}"),
        bot=("{k} takes place on {v}s", "you can join {k} each {v}", "the weekly day for {k} is {v}"),
        wrong=("{k} is never on a {v}", "{k} does not take place on {v}s"),
    ),
    Valued(
        "club", ("full-time employees", "part-time employees", "trainees", "contract workers",
                 "night-shift workers"), "days", (12, 14, 15, 18, 20, 21, 22, 24, 25, 26, 28, 30),
        doc=("{k} are entitled to {v} of paid leave per year", "the annual paid leave for {k} is {v}"),
        bot=("{k} get {v} of paid leave a year", "each year, {k} can take {v} off with pay"),
        wrong=("{k} get no paid leave", "{k} are not entitled to paid leave"),
        below=("{k} get less than {b} of paid leave a year",),
        above=("{k} get more than {b} of paid leave a year",),
        less=("{k} get less paid leave than {j}",), more=("{k} get more paid leave than {j}",),
    ),
    Valued(
        "club", ("the reading hall", "the weights room", "the archive", "the music studio",
                 "the darkroom", "the roof garden"), "name",
        ("members", "students", "staff", "residents", "researchers"),
        doc=("only {v} can use {k}", "{k} is reserved for {v}", "{k} may be used by {v} only"),
        bot=("{k} is for {v} only", "nobody except {v} can use {k}", "you can only use {k} if you "
             "are among the {v}"),
        wrong=("{k} is open to everyone", "anybody can use {k}", "{v} cannot use {k}",
               "{k} is not limited to {v}"),
    ),
    Ruled(
        "club", ("trainees", "contractors", "interns", "accountants", "drivers", "team leaders",
                 "receptionists", "translators"),
        yes=("{k} [may|can] work from home", "{k} are allowed to work remotely",
             "working from home is possible for {k}", "{k} do not have to come to the office"),
        no=("{k} [may not|cannot] work from home", "{k} are not allowed to work remotely",
            "working from home is not possible for {k}", "{k} have to come to the office"),
        all_but=("all employees may work from home except {k}",),
        only=("only {k} may work from home; all other employees may not",),
    ),
    Ruled(
        "club", ("lockers", "towels", "yoga mats", "parking spaces", "hair dryers", "water fountains",
                 "day lockers", "private showers"),
        yes=("{k} are included in the membership", "members get {k} for free",
             "the membership covers {k}", "you do not pay extra for {k}"),
        no=("{k} are not included in the membership", "members have to pay extra for {k}",
            "the membership does not cover {k}", "{k} cost extra for members"),
    ),
)  # fmt: skip
