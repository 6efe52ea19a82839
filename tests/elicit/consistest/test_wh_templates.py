"""Patterns ask about persona facts what people ask, and know the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.elicit.consistest.build import Builder
from staytrue.elicit.consistest.wh_templates import templates
from staytrue.english.numbers import to_digits
from staytrue.english.person import text_to_second
from staytrue.metrics.q2.steps import normalise_answer


@pytest.mark.parametrize(
    ("fact", "question", "truth"),
    [
        ("i'm a plumber .", "What do you do for a living?", "plumber"),
        ("i am a retired gym teacher", "What did you do for a living?", "gym teacher"),
        ("i'm 60years old", "How old are you?", "60"),
        ("i am a twelve year old girl", "How old are you?", "12"),
        ("my favorite color is navy blue .", "What is your favorite color?", "navy blue"),
        ("my favourite artist is travis scott", "Who is your favourite artist?", "travis scott"),
        ("i have short brown hair", "What color is your hair?", "brown"),
        ("my eyes are green", "What color are your eyes?", "green"),
        ("i've short hair", "What kind of hair do you have?", "short"),
        ("i volunteer at the homeless shelter", "Where do you volunteer?", "homeless shelter"),
        ("i grew up on a farm .", "Where did you grow up?", "farm"),
        ("my best friend lives next door", "Where does your best friend live?", "next door"),
        ("i currently work for a watch dealer", "Who do you work for?", "watch dealer"),
        ("i own two vintage mustangs", "How many vintage mustangs do you have?", "2"),
        ("i have two grown children who never visit", "How many children do you have?", "2"),
        ("i've a pet turtle", "What kind of pet do you have?", "turtle"),
        ("i'm in the third grade", "What grade are you in?", "3rd"),
        ("i hate the color orange .", "What color do you hate?", "orange"),
        ("i love to drink fancy tea", "What kind of tea do you love to drink?", "fancy tea"),
        ("i play the piano and guitar and sing", "What instruments do you play?",
         "piano and guitar"),
        ("i have an allergy to water", "What are you allergic to?", "water"),
        ("my bedroom is purple", "What color is your bedroom?", "purple"),
    ],
)  # fmt: skip
def test_a_fact_is_asked_about_as_people_ask(fact: str, question: str, truth: str) -> None:
    assert (question, truth) in list(templates(fact))


@pytest.mark.parametrize(
    "fact",
    [
        "i am not a plumber", "i never eat fancy food", "i have a cat named spook",
        "i enjoy building houses", "i read a book every week", "i am a descendant of kings",
        "i drive", "i own a yacht", "i am tired", "",
    ],
)  # fmt: skip
def test_what_fits_no_pattern_is_not_asked(fact: str) -> None:
    assert list(templates(fact)) == []


def released(published_data: Path) -> dict[str, list[tuple[str, str]]]:
    file = published_data / "dev" / "consistest" / "persona_qas.json"
    facts: dict[str, list[tuple[str, str]]] = {}
    for group in json.loads(file.read_text("utf-8")).values():
        for row in group:
            if row["type"] == "wh":
                facts.setdefault(row["c"].strip(), []).append((row["q"], row["a"]))
    return facts


def test_where_the_authors_ask_the_same_the_truth_is_the_same(published_data: Path) -> None:
    def plain(text: str) -> str:
        return normalise_answer(to_digits(text))

    alike = [
        bool(set(plain(truth).split()) & set(plain(answer).split()))
        for fact, asked in released(published_data).items()
        for question, truth in templates(fact)
        for other, answer in asked
        if plain(question) == plain(text_to_second(other))
    ]
    assert len(alike) > 60
    assert sum(alike) >= 0.97 * len(alike)


@pytest.mark.slow
def test_four_of_five_facts_with_a_released_wh_question_get_one_of_ours(
    published_data: Path,
) -> None:
    facts = list(released(published_data))
    probes = Builder(models=EmbeddedBackend())._about(facts, "persona", [None] * len(facts))
    asked = sum(any(probe.kind == "wh" for probe in one.probes) for one in probes)
    assert asked / len(facts) >= 180 / 221
