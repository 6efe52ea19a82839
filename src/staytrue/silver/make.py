"""Silver data from grounded dialogues: every method on every example (BEGIN, section 4)."""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from staytrue.core.protocols import Chatbot
from staytrue.core.records import Example, Turn
from staytrue.english import parses as language
from staytrue.silver.edits import Edit, Edited
from staytrue.silver.methods.additions import addition
from staytrue.silver.methods.antonyms import oppose_adjectives
from staytrue.silver.methods.carry import carry_over
from staytrue.silver.methods.chat import chatty, in_model_style
from staytrue.silver.methods.entailed import looks_entailed, shared_words
from staytrue.silver.methods.entities import swap_entities
from staytrue.silver.methods.generic import generic_response
from staytrue.silver.methods.inversion import invert
from staytrue.silver.methods.negation import negate
from staytrue.silver.methods.opinions import opinion, with_opinion
from staytrue.silver.methods.paraphrase import PARAPHRASES
from staytrue.silver.methods.verbs import replace_verbs
from staytrue.silver.pool import Pool
from staytrue.silver.rows import LABELS, Grounded, Material, SilverRow, same_text, topic_of

Method = Callable[[Grounded, Material, random.Random], SilverRow | None]

# An off-topic response that repeats the evidence would not be off topic.
_OFF_TOPIC_SHARED = 0.5
# At this temperature a dialogue model says what fits anywhere (BEGIN, section 4).
_GENERIC_TEMPERATURE = 0.4
# A paraphrase may leave out words, but a response must keep something to judge.
_FEWEST_WORDS = 3


def gather(examples: Iterable[Example], bot: Chatbot | None = None) -> Material:
    """Parse the examples that have knowledge and a response, and pool what they mention.

    Responses marked as inconsistent are left out: edits of them would have the wrong labels.
    """
    usable = []
    inconsistent = 0
    for example in examples:
        if example.consistent is False:
            inconsistent += 1
        elif example.knowledge.strip() and example.response.strip():
            usable.append(example)
    evidence = list(language.parse(e.knowledge for e in usable))
    responses = list(language.parse(e.response for e in usable))
    pool = Pool()
    items = []
    by_topic: dict[str, list[int]] = defaultdict(list)
    for number, (example, known, response) in enumerate(
        zip(usable, evidence, responses, strict=True)
    ):
        topic = topic_of(example, known)
        items.append(Grounded(example, topic, known, response))
        pool.add(known, topic)
        by_topic[topic].append(number)
    return Material(items, pool, bot, dict(by_topic), inconsistent)


def make(
    material: Material,
    *,
    methods: Sequence[str] = (),
    seed: int = 0,
    chatty_share: float = 0.0,
) -> Iterator[SilverRow]:
    """Every row that the methods can make; the same seed gives the same rows.

    `chatty_share` of the rows get an opener or a tail and the look of a dialogue model's output.
    """
    for item in material.items:
        for name in methods or METHODS:
            # Each row has its own generator, so that leaving out a method changes no other row.
            rng = random.Random(f"{seed}/{name}/{item.example.id}")
            row = METHODS[name](item, material, rng)
            if row is None or not row.response.strip():
                continue
            yield _styled(row, rng) if rng.random() < chatty_share else row


def balanced(rows: Iterable[SilverRow], size: int | None = None, seed: int = 0) -> list[SilverRow]:
    """As many rows of each label as the rarest has (or `size` / 5), drawn evenly by method."""
    rng = random.Random(f"balance/{seed}")
    grouped: dict[str, dict[str, list[SilverRow]]] = {label: defaultdict(list) for label in LABELS}
    for row in rows:
        grouped[row.label][row.method].append(row)
    present = {label: methods for label, methods in grouped.items() if methods}
    if not present:
        return []
    smallest = min(sum(map(len, methods.values())) for methods in present.values())
    each = smallest if size is None else min(smallest, -(-size // len(present)))
    chosen = [row for methods in present.values() for row in _draw(methods, each, rng)]
    rng.shuffle(chosen)
    return chosen


def _draw(methods: dict[str, list[SilverRow]], wanted: int, rng: random.Random) -> list[SilverRow]:
    """An even share of each method, and what a rare method lacks from the others."""
    for rows in methods.values():
        rng.shuffle(rows)
    drawn: list[SilverRow] = []
    decks = [list(rows) for rows in methods.values()]
    while len(drawn) < wanted and any(decks):
        for deck in decks:
            if deck and len(drawn) < wanted:
                drawn.append(deck.pop())
    return drawn


def _styled(row: SilverRow, rng: random.Random) -> SilverRow:
    plain = row.label in ("generic", "off-topic")
    response = row.response if plain else chatty(row.response, rng)
    return replace(row, response=in_model_style(response, rng), styled=True)


def at_temperature(bot: Chatbot, temperature: float) -> Chatbot:
    """The bot at another temperature; one that has none is taken as it is."""
    if not hasattr(bot, "temperature"):
        return bot
    other = copy.copy(bot)  # shares the weights, if they are loaded
    object.__setattr__(other, "temperature", temperature)
    return other


def _row(item: Grounded, label: str, method: str, response: str, edited: Edited | None = None,
         changed: str = "") -> SilverRow:  # fmt: skip
    original = {"evidence": item.example.knowledge, "response": item.example.response}
    edits = edited.edits if edited else ()
    if not changed and response != item.example.response:  # another response in its place
        changed = "response"
        edits = (Edit(0, len(item.example.response), item.example.response, response),)
    return SilverRow(
        evidence=item.example.knowledge,
        message=item.example.message,
        response=response,
        label=label,
        method=method,
        original=original.get(changed, item.example.response),
        changed=changed,
        edits=edits,
        source=item.example.id,
        topic=item.topic,
    )


def _is_entailed(item: Grounded) -> bool:
    return looks_entailed(item.example.response, item.example.knowledge)


def _entailed(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
    if not _is_entailed(item):
        return None
    return _row(item, "entailment", "human", item.example.response)


def _paraphrased(name: str) -> Method:
    def method(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
        edited = PARAPHRASES[name](item.response, rng) if _is_entailed(item) else None
        if edited is None or len(edited.text.split()) < _FEWEST_WORDS:
            return None
        return _row(item, "entailment", name, edited.text, edited, "response")

    return method


def _on_response(name: str, edit: Callable[[Grounded, random.Random], Edited | None]) -> Method:
    def method(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
        edited = edit(item, rng) if _is_entailed(item) else None
        if edited is None or same_text(edited.text, item.example.response):
            return None
        return _row(item, "contradiction", name, edited.text, edited, "response")

    return method


def _on_evidence(
    name: str, edit: Callable[[Grounded, Material, random.Random], Edited | None]
) -> Method:
    """Edit the evidence and pair the reply to it with the original evidence."""

    def method(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
        edited = edit(item, material, rng)
        if edited is None:
            return None
        if material.bot is not None:
            # A knowledge-grounded bot gets its evidence as the first turn.
            history = [Turn("knowledge", edited.text), *item.example.history]
            response = material.bot.reply(history, seed=rng.randrange(2**31))
        else:
            carried = carry_over(edited.edits, item.example.response)
            if carried is None or same_text(carried.text, item.example.response):
                return None
            response = carried.text
        return _row(item, "hallucination", name, response, edited, "evidence")

    return method


def _with_opinion(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
    if not item.topic:
        return None
    if _is_entailed(item) and rng.random() < 0.6:
        response = with_opinion(item.example.response, item.topic, rng)
    else:
        response = opinion(item.topic, rng)
    return _row(item, "hallucination", "personal-opinion", response)


def _with_addition(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
    other = material.same_topic(item, rng)
    if other is None or other.topic != item.topic:
        return None
    opening = [doc[0] for doc in (item.response, other.response)]
    proper = frozenset(t.text for t in opening if t.pos_ == "PROPN" or t.ent_type_ or t.text == "I")
    response = addition(
        item.example.response, other.example.response, item.example.knowledge, rng, proper
    )
    return None if response is None else _row(item, "hallucination", "invented-addition", response)


def _off_topic(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
    other = material.same_topic(item, rng)
    if other is None:
        return None
    response = other.example.response
    if shared_words(response, item.example.knowledge) > _OFF_TOPIC_SHARED:
        return None
    return _row(item, "off-topic", "off-topic", response)


def _generic(item: Grounded, material: Material, rng: random.Random) -> SilverRow | None:
    if material.bot is not None and item.example.history:
        bot = at_temperature(material.bot, _GENERIC_TEMPERATURE)
        response = bot.reply(item.example.history, seed=rng.randrange(2**31))
        return _row(item, "generic", "generic", response)
    topic = item.topic.lower() if rng.random() < 0.7 else ""
    return _row(item, "generic", "generic", generic_response(topic, rng))


_KINDS: dict[str, dict[str, Method]] = {
    "entailment": {
        "human": _entailed,
        **{name: _paraphrased(name) for name in PARAPHRASES},
    },
    "hallucination": {
        "entity-swap": _on_evidence(
            "entity-swap",
            lambda item, m, rng: swap_entities(item.evidence, m.pool, item.topic, rng),
        ),
        "inversion": _on_evidence("inversion", lambda item, m, rng: invert(item.evidence, rng)),
        "verb-swap": _on_evidence(
            "verb-swap", lambda item, m, rng: replace_verbs(item.evidence, m.pool, rng)
        ),
        "personal-opinion": _with_opinion,
        "invented-addition": _with_addition,
    },
    "contradiction": {
        "negation": _on_response("negation", lambda item, rng: negate(item.response)),
        "antonym": _on_response("antonym", lambda item, rng: oppose_adjectives(item.response, rng)),
    },
    "off-topic": {"off-topic": _off_topic},
    "generic": {"generic": _generic},
}
METHODS = {name: method for methods in _KINDS.values() for name, method in methods.items()}
"""Name → method; the names are those of `staytrue perturb --method`."""
LABEL_OF = {name: label for label, methods in _KINDS.items() for name in methods}
"""Name of a method → the label of the rows that it makes."""
