"""Yes/no questions by rules: word order, person, tense, polarity and alterations."""

from __future__ import annotations

import pytest

from staytrue.elicit.consistest import yes_no_questions
from staytrue.elicit.consistest.clauses import Refusal
from staytrue.elicit.consistest.yesno import questions_and_refusals


def asked(statement: str) -> list[tuple[str, str]]:
    return [(q.question, q.truth) for q in yes_no_questions([statement])[0]]


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("i am a librarian .", "are you a librarian?"),
        ("i'm four years old .", "are you four years old?"),
        ("i was raised on a horse farm .", "were you raised on a horse farm?"),
        ("my parents were both very athletic .", "were your parents both very athletic?"),
        ("i've two dogs .", "do you have two dogs?"),
        ("i have been ill since i was six .", "have you been ill since you were six?"),
        ("since june i've had powers .", "have you had powers since june?"),
        ("i had to have a transplant .", "did you have to have a transplant?"),
        ("i can sew my own clothes .", "can you sew your own clothes?"),
        ("i'll graduate in may .", "will you graduate in may?"),
        ("i shall visit my aunt soon .", "will you visit your aunt soon?"),
        ("i might become a chef .", "might you become a chef?"),
        ("we may adopt a child .", "might you adopt a child?"),
        ("i would love to visit japan .", "would you love to visit japan?"),
        ("i used to be a painter .", "did you use to be a painter?"),
        ("i went to yale .", "did you go to yale?"),
        ("my son hurt his wrist .", "did your son hurt his wrist?"),
        ("my ex cheated .", "did your ex cheat?"),
        ("my father drove a car for nascar .", "did your father drive a car for nascar?"),
        ("my wife spends all my money .", "does your wife spend all your money?"),
        ("the holidays make me depressed .", "do the holidays make you depressed?"),
        ("in my spare time i do volunteer work .", "do you do volunteer work in your spare time?"),
        ("when i grow up i want to be a vet .", "do you want to be a vet when you grow up?"),
        ("there is a pool in my garden .", "is there a pool in your garden?"),
        ("my favorite color is navy blue .", "is your favorite color navy blue?"),
        ("my wife and i are moving soon .", "are you and your wife moving soon?"),
        ("i do like watching cooking shows .", "do you like watching cooking shows?"),
        ("i work for the us postal service .", "do you work for the us postal service?"),
        ("I live in Paris.", "Do you live in Paris?"),
        ("im a nurse", "are you a nurse?"),
        ("i let my dog sleep in my bed .", "do you let your dog sleep in your bed?"),
        ("i let my son drive last year .", "did you let your son drive last year?"),
        ("my mom's cat is black .", "is your mom's cat black?"),
        ("my parents' house is big .", "is your parents' house big?"),
        ("i rest because i am ill .", "do you rest because you are ill?"),
    ],
)  # fmt: skip
def test_a_positive_statement_gives_a_question_answered_yes(statement: str, question: str) -> None:
    assert asked(statement)[0] == (question, "yes")


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("she works at a bank .", "does she work at a bank?"),
        ("they are my neighbors .", "are they your neighbors?"),
        ("it was a gift from my mom .", "was it a gift from your mom?"),
        ("he could read at three .", "could he read at three?"),
        ("we should move soon .", "should you move soon?"),
        ("i must take pills every day .", "do you have to take pills every day?"),
    ],
)
def test_every_person_can_be_asked_about(statement: str, question: str) -> None:
    assert yes_no_questions([statement], pronouns=True)[0][0].question == question


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("i do not drink soda .", "do you drink soda?"),
        ("i don't have many friends .", "do you have many friends?"),
        ("i'm not a good swimmer at all .", "are you a good swimmer at all?"),
        ("i have never been out of ohio .", "have you ever been out of ohio?"),
        ("i never broke a bone in my body .", "did you ever break a bone in your body?"),
        ("i can't swim well .", "can you swim well?"),
        ("i shall never eat meat again .", "will you ever eat meat again?"),
        ("my parents aren't very supportive .", "are your parents very supportive?"),
        ("my family doesn't support my choices .", "does your family support your choices?"),
        ("i have no kids .", "do you have any kids?"),
        ("i don't smoke anymore .", "do you still smoke?"),
        ("there is no school in my town .", "is there any school in your town?"),
        ("i can't drive because i am blind .", "can you drive?"),
        ("i never cry because i am strong .", "do you ever cry?"),
        ("i ain't got a car .", "have you got a car?"),
        ("my dad ain't nice .", "is your dad nice?"),
        ("my dogs ain't nice .", "are your dogs nice?"),
        ("i never say no .", "do you ever say no?"),
    ],
)
def test_a_negated_statement_gives_one_question_answered_no(statement: str, question: str) -> None:
    assert asked(statement) == [(question, "no")]


@pytest.mark.parametrize(
    ("statement", "form", "question"),
    [
        ("i have two dogs .", "number", "do you have four dogs?"),
        ("i am 24 years old .", "number", "are you 28 years old?"),
        ("i married in 1992 .", "number", "did you marry in 1988?"),
        ("i own 10,000 books .", "number", "do you own 12,000 books?"),
        ("i own 2000 books .", "number", "do you own 2200 books?"),
        ("i was born in 2000 .", "number", "were you born in 1996?"),
        ("i earn 2500 dollars .", "number", "do you earn 2700 dollars?"),
        ("i love cats because they are soft .", "antonym", "do you hate cats?"),
        ("i have short hair .", "antonym", "do you have long hair?"),
        ("i am married .", "antonym", "are you single?"),
        ("i love tacos .", "antonym", "do you hate tacos?"),
        ("my brother is older than me .", "antonym", "is your brother younger than you?"),
        ("i have a boyfriend .", "relation", "are you single?"),
        ("i have three sisters .", "relation", "are you an only child?"),
    ],
)
def test_an_altered_question_is_answered_no(statement: str, form: str, question: str) -> None:
    by_form = {q.form: (q.question, q.truth) for q in yes_no_questions([statement])[0]}
    assert by_form[f"altered:{form}"] == (question, "no")


@pytest.mark.parametrize(
    ("statement", "form", "original"),
    [
        ("my favorite color is blue .", "colour", "blue"),
        ("i have blonde hair .", "colour", "blonde"),
        ("i live in alaska .", "place", "alaska"),
        ("i was born in somalia .", "place", "somalia"),
        ("i am an electrician .", "job", "electrician"),
        ("i work at a bank .", "job", "bank"),
    ],
)
def test_colour_place_and_job_are_swapped_for_another(
    statement: str, form: str, original: str
) -> None:
    by_form = {q.form: q for q in yes_no_questions([statement])[0]}
    altered = by_form[f"altered:{form}"]
    assert altered.truth == "no"
    assert original not in altered.question


@pytest.mark.parametrize(
    "statement",
    ["i hate the color orange .", "i own a house in florida .", "i have over 1000 hats .",
     "i am also a waiter .", "i love cats and have a cat ."],
)  # fmt: skip
def test_what_excludes_nothing_is_not_swapped(statement: str) -> None:
    kinds = {q.form for q in yes_no_questions([statement])[0]}
    assert not kinds & {"altered:number", "altered:colour", "altered:place", "altered:job"}


def test_a_compound_statement_is_asked_about_in_parts() -> None:
    assert asked("hey my name is larry and i'm a plumber .")[:2] == [
        ("is your name larry?", "yes"),
        ("are you a plumber?", "yes"),
    ]
    assert ("do you own your own studio?", "yes") in asked(
        "i am a recording engineer and own my own studio ."
    )


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("do you like dogs ?", "It is a question."),
        ("they are constantly on my back .", "'they' points outside the statement."),
        ("i have been retired for a years .", "'a years' is not English."),
        ("if i am not cooking then i am on the water .", "It is conditional."),
        ("i hardly eat meat .", "It is neither a plain yes nor a plain no."),
        ("i can not wait to move out .", "Its negation is an idiom."),
        ("i may not go to college .", "Its negation leaves both answers open."),
        ("i must not eat nuts .", "Its negation leaves both answers open."),
        ("i don't because it hurts .", "It is only a short answer."),
        ("i ain't got no money .", "It is negated twice."),
        ("i like your name .", "It speaks of the other person."),
        ("yes", "It is too short to ask about."),
    ],
)
def test_what_gives_no_question_says_why(statement: str, reason: str) -> None:
    assert questions_and_refusals([statement]) == [[Refusal(_first_text(statement), reason)]]


def _first_text(statement: str) -> str:
    questions = questions_and_refusals([statement])[0][0]
    assert isinstance(questions, Refusal)
    return questions.text


def test_odd_text_gives_questions_or_reasons_and_no_error() -> None:
    odd = ["", ".", "???", "i", "i i i", "not", "my", "my my is is", "a", "and", ", , ,", "i am",
           "is", "when i", "there", "my dog", "i have no", "\u00e9\u00e9 \U0001f600", "x" * 500,
           "i , you", "1 2 3", "in my", "i've", "i don't"]  # fmt: skip
    for statement, outcome in zip(odd, questions_and_refusals(odd), strict=True):
        for item in outcome:
            assert isinstance(item, Refusal) or item.question.endswith("?"), statement


def test_results_do_not_depend_on_the_batch() -> None:
    statements = ["i have two dogs .", "my mom is a nurse .", "i don't smoke .", ""]
    together = yes_no_questions(statements)
    assert together == [yes_no_questions([s])[0] for s in statements]
    assert together[-1] == []


def test_what_only_may_be_so_is_not_altered() -> None:
    assert asked("i might have two dogs .") == [("might you have two dogs?", "yes")]
