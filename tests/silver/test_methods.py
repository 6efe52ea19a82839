"""Each perturbation on sentences whose right outcome is plain."""

from __future__ import annotations

import random

import pytest

from staytrue.silver.methods.additions import addition
from staytrue.silver.methods.antonyms import oppose_adjectives
from staytrue.silver.methods.chat import chatty, in_model_style
from staytrue.silver.methods.clauses import drop_clause
from staytrue.silver.methods.entailed import looks_entailed
from staytrue.silver.methods.entities import swap_entities
from staytrue.silver.methods.generic import generic_response
from staytrue.silver.methods.inversion import invert
from staytrue.silver.methods.negation import negate
from staytrue.silver.methods.numbers import rewrite_number
from staytrue.silver.methods.opinions import with_opinion
from staytrue.silver.methods.pronouns import use_pronoun
from staytrue.silver.methods.split import split_sentence
from staytrue.silver.methods.synonyms import plural, use_synonyms
from staytrue.silver.methods.verbs import replace_verbs
from staytrue.silver.methods.voice import turn_voice
from staytrue.silver.pool import Pool


def rng(seed: int = 0) -> random.Random:
    return random.Random(seed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The market is large.", "The market is not large."),
        ("She can swim.", "She cannot swim."),
        ("He wrote the book in 1990.", "He did not write the book in 1990."),
        ("They own a shop.", "They do not own a shop."),
        ("She has two cats.", "She does not have two cats."),
        ("He has visited Rome.", "He has not visited Rome."),
        ("The album was not released.", "The album was released."),
        ("He wrote and directed the film.", "He did not write or direct the film."),
    ],
)
def test_negation_keeps_tense_and_agreement(parse, text, expected):
    made = negate(parse(text))
    assert made is not None
    assert made.text == expected


@pytest.mark.parametrize("text", ["Is it large?", "Hello there!", ""])
def test_questions_and_fragments_are_not_negated(parse, text):
    assert negate(parse(text)) is None


def test_adjectives_become_their_antonyms_with_the_right_article(parse):
    made = oppose_adjectives(parse("It is an old house."), rng())
    assert made is not None
    assert made.text == "It is a young house." or made.text == "It is a new house."
    assert oppose_adjectives(parse("It is a house."), rng()) is None


def test_subject_and_object_change_places(parse):
    made = invert(parse("Google acquired Android in 2005."), rng())
    assert made is not None
    assert made.text == "Android acquired Google in 2005."


def test_inversion_needs_two_nouns_that_agree_with_the_verb(parse):
    assert invert(parse("The company sells three cars."), rng()) is None
    assert invert(parse("She sings."), rng()) is None


def test_an_entity_is_swapped_for_one_of_the_same_type_from_another_document(parse):
    pool = Pool()
    doc = parse("Barack Obama was born in Honolulu.")
    pool.add(doc, "obama")
    pool.add(parse("Angela Merkel lived in Templin."), "merkel")
    made = swap_entities(doc, pool, "obama", rng(3))
    assert made is not None
    assert {e.new for e in made.edits} <= {"Angela Merkel", "Templin"}
    own = Pool()
    own.add(doc, "obama")
    assert swap_entities(doc, own, "obama", rng()) is None


def test_a_verb_is_replaced_by_one_of_the_same_tense(parse):
    pool = Pool()
    pool.add(parse("The dog chased the cat."), "dog")
    made = replace_verbs(parse("The firm built the bridge."), pool, rng())
    assert made is not None
    assert made.text == "The firm chased the bridge."
    assert replace_verbs(parse("The firm is big."), pool, rng()) is None


def test_a_clause_between_commas_is_dropped(parse):
    made = drop_clause(parse("Rome, which is very old, lies on the Tiber."), rng())
    assert made is not None
    assert made.text == "Rome lies on the Tiber."


def test_nothing_is_dropped_in_the_scope_of_a_negation(parse):
    assert (
        drop_clause(parse("Rome, which is old, was not built in a day, as they say."), rng())
        is None
    )


def test_active_and_passive_turn_into_each_other(parse):
    passive = turn_voice(parse("Nolan directed the film."))
    assert passive is not None
    assert passive.text == "The film was directed by Nolan."
    active = turn_voice(parse("The film was directed by Nolan."))
    assert active is not None
    assert active.text == "Nolan directed the film."


def test_two_predicates_become_two_sentences(parse):
    made = split_sentence(parse("Nolan wrote the script and directed the film."))
    assert made is not None
    assert made.text == "Nolan wrote the script. Nolan directed the film."


def test_synonyms_take_the_form_of_the_word_they_replace(parse):
    made = use_synonyms(parse("Two lawyers came."), rng())
    assert made is not None
    assert made.text == "Two attorneys came."
    assert [plural(w) for w in ("city", "boy", "bus")] == ["cities", "boys", "buses"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She has two cats.", "She has 2 cats."),
        ("She has 2 cats.", "She has two cats."),
        ("It was on 3 May 1999.", None),
        ("He drives in Formula One.", None),
        ("It runs Windows 10 now.", None),
    ],
)
def test_small_numbers_are_written_the_other_way_outside_names_and_dates(text, expected):
    made = rewrite_number(text, rng())
    assert (made.text if made else None) == expected


def test_a_pronoun_takes_the_place_of_the_subject(parse):
    made = use_pronoun(parse("The old bridges were built in 1990."), rng())
    assert made is not None
    assert made.text == "They were built in 1990."
    assert use_pronoun(parse("It was built in 1990."), rng()) is None


def test_the_filter_for_entailed_responses_wants_shared_words_and_no_first_person():
    evidence = "A ski is a narrow strip worn underfoot to glide over snow."
    assert looks_entailed("A ski is worn to glide over snow.", evidence)
    assert not looks_entailed("I think a ski is worn to glide over snow.", evidence)
    assert not looks_entailed("Football needs a big stadium, people say.", evidence)


def test_generic_responses_differ_by_seed_and_never_show_a_placeholder():
    made = {generic_response("skiing", rng(n)) for n in range(200)}
    assert len(made) > 150
    assert not any("{" in text for text in made)
    assert not any("  " in generic_response("", rng(n)) for n in range(200))


def test_an_addition_is_not_made_of_what_the_evidence_says():
    evidence = "The dog is big and brown."
    assert addition("The dog is big.", "The dog is brown and big.", evidence, rng()) is None
    made = addition("The dog is big.", "It won three prizes in Paris.", evidence, rng())
    assert made is not None
    assert "prizes" in made


def test_an_opinion_is_added_to_the_response():
    made = with_opinion("Skis are narrow.", "skiing", rng(1))
    assert "narrow" in made
    assert len(made) > len("Skis are narrow.")


def test_the_manner_of_chatbots_keeps_every_word():
    text = "Rome doesn't lie on the Rhine."
    for seed in range(50):
        reply = in_model_style(chatty(text, rng(seed)), rng(seed)).lower().replace(" n't", "n't")
        assert "rome doesn't lie on the rhine" in reply
