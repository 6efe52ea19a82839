from __future__ import annotations

import pytest

from staytrue.backends.rules.questions import RuleQuestions, SpacySpans
from staytrue.elicit.aih.inquirer import Inquirer
from staytrue.elicit.aih.one_clause import is_sound
from staytrue.elicit.aih.soundness import is_stated, phrase_of, whole
from staytrue.english.parses import parsed


def asked(utterance: str) -> dict[str, str]:
    """Span → question, of everything that can be asked about an utterance."""
    inquiries = Inquirer(SpacySpans(), RuleQuestions()).candidates([utterance])[0]
    return {one.span: one.question for one in inquiries}


@pytest.mark.parametrize(
    ("utterance", "span", "question"),
    [
        ("I love black panther.", "black panther", "Who or what do you love?"),
        ("i am a big fan of gothic rock.", "gothic rock", "What are you a big fan of?"),
        ("There are over 750 episodes.", "over 750", "How many episodes are there?"),
    ],
)
def test_a_name_or_a_number_is_asked_for_as_a_whole(
    utterance: str, span: str, question: str
) -> None:
    assert asked(utterance)[span] == question


def test_where_a_name_may_be_a_title_the_question_leaves_it_open() -> None:
    assert asked("I love shakespeare.") == {"shakespeare": "Who or what do you love?"}
    assert asked("I love Stephen King.") == {"Stephen King": "Who do you love?"}


@pytest.mark.parametrize(
    "utterance",
    [
        "I don't think Stephen King could reach the fridge.",
        "If I had to vote today I'd pick Biden over Sanders.",
        "I speak no French.",
        "I wish I could visit Rome.",
    ],
)
def test_what_is_denied_or_only_imagined_gives_no_inquiry(utterance: str) -> None:
    assert asked(utterance) == {}


@pytest.mark.parametrize(
    "utterance",
    ["I do need a coat, Joseph", "Bill Nye is awesome!", "I love game of thrones."],
)
def test_a_name_that_is_called_vague_praise_and_half_a_title_give_no_inquiry(
    utterance: str,
) -> None:
    assert asked(utterance) == {}


@pytest.mark.parametrize(
    ("question", "sound"),
    [
        ("Where do you live?", True),
        ("What is the best movie you have seen?", True),
        ("Who would you think for homework would be hard?", False),
        ("When do you have one?", False),
        ("Who uses what?", False),
        ("Who is awesome?", False),
        ("Who do you love to listen to on on your phone?", False),
        ('What were your novels published as" "?', False),
    ],
)
def test_a_question_is_sound_if_it_is_one_clause_that_asks_for_one_thing(
    question: str, sound: bool
) -> None:
    assert is_sound(parsed([question])[0]) is sound


def test_a_name_stays_alone_before_a_noun_that_can_be_asked_with_which() -> None:
    text = "I watched the Batman movie."
    parse = parsed([text])[0]
    span = next(s for s in SpacySpans().spans([text])[0] if "Batman" in s.text)
    start = text.index("Batman")
    name = phrase_of(span.__class__("Batman", start, start + 6, "entity", "PERSON"), parse)
    assert name is not None
    assert whole(name, parse, choices=frozenset({"movie"})).span.text == "Batman"
    assert whole(name, parse, choices=frozenset()).span.text == "Batman movie"


def test_a_span_with_a_pronoun_in_it_is_no_phrase() -> None:
    text = "I met her a few months ago."
    parse = parsed([text])[0]
    span = SpacySpans().spans([text])[0][0]
    around = phrase_of(span.__class__("her a few months", 6, 22, "entity", "DATE"), parse)
    assert around is not None
    assert not is_stated(around)


@pytest.mark.parametrize(
    "utterance",
    [
        "I've a Bachelor's degree in education.",
        "I have been in a lot of films like the last of the Mohicans.",
        "mine is the tale of Genji.",
        "I am also a huge fan of 1984.",
        "I'm 32 years old this year.",
        "i was deployed to iraq for",
        "i have two girlfriends joseph and cara.",
        "I'm half Chinese.",
        "i have, in 2001, as a kid.",
        "I just want to have enough money to chill",
        "I am jane too thanks",
    ],
)
def test_idioms_run_ons_and_half_statements_give_no_inquiry(utterance: str) -> None:
    assert asked(utterance) == {}


def test_a_name_that_may_be_a_works_is_asked_for_openly() -> None:
    assert asked("I am familiar with Youtube.") == {"Youtube": "Who or what are you familiar with?"}
