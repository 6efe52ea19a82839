from __future__ import annotations

import pytest

from staytrue.backends.rules.questions import RuleQuestions, SpacySpans
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Span, Target
from staytrue.elicit.aih.inquirer import Inquirer
from staytrue.elicit.aih.wording import second_person, without_lead_in


def inquirer(*strategies: str) -> Inquirer:
    return Inquirer(SpacySpans(), RuleQuestions(), strategies or ("entity",))


@pytest.mark.parametrize(
    ("utterance", "question"),
    [
        ("I have three kids.", "How many kids do you have?"),
        ("i have three kids .", "How many kids do you have?"),
        ("I was born in Poland.", "Where were you born?"),
        ("well , i live in chicago .", "Where do you live?"),
        ("My dog is called Bella.", "What is your dog called?"),
        ("Oh, cool! My favorite band is Metallica. Who is yours?", "What is your favorite band?"),
        ("I get up at 5 am.", "When do you get up?"),
        ("I bought my house in 2015.", "When did you buy your house?"),
        ("My commute is ten miles.", "How many miles is your commute?"),
        ("The rent of my place is $1,400.", "How much is the rent of your place?"),
        ("I am 45 years old.", "How old are you?"),
    ],
)
def test_the_question_asks_for_the_entity_in_the_second_person(
    utterance: str, question: str
) -> None:
    asked = [inquiry.question for inquiry in inquirer().candidates([utterance])[0]]
    assert question in asked


@pytest.mark.parametrize(
    "utterance",
    [
        "",
        "Do you live in Chicago?",
        "That's nice.",
        "One day at a time.",
        "Hi there!",
        "???",
        "I'd be happy to share more about William Shakespeare.",
        "i'm so sorry to hear about the olympic games.",
    ],
)
def test_questions_and_small_talk_give_no_inquiry(utterance: str) -> None:
    assert inquirer().inquire([utterance]) == [None]


def test_opinions_are_asked_about_when_that_strategy_is_chosen() -> None:
    utterance = "I really love old trains."
    assert inquirer("entity").candidates([utterance]) == [[]]
    asked = inquirer("opinion").candidates([utterance])[0]
    assert [(one.question, one.strategy) for one in asked] == [
        ("What do you really love?", "opinion")
    ]


def test_a_place_of_work_is_asked_for_with_where() -> None:
    target = Target("i work at a daycare center", Span("a daycare center", 10, 26, "chunk"))
    assert second_person("What do I work at?", target) == "Where do you work?"


def test_yes_no_inquiries_follow_the_probe_rules() -> None:
    asked = inquirer("yesno").candidates(["I have two dogs."])[0]
    assert ("Do you have two dogs?", "yes") in [(one.question, one.span) for one in asked]
    assert "no" in [one.span for one in asked]


def test_one_question_is_drawn_by_the_seed() -> None:
    utterance = "I live in Boston. I have two dogs. I was born in 1990."
    drawn = {inquirer().inquire([utterance], seed)[0] for seed in range(30)}
    assert len(drawn) > 1
    assert inquirer().inquire([utterance], 5) == inquirer().inquire([utterance], 5)


def test_a_result_does_not_depend_on_the_other_utterances() -> None:
    utterances = ["I have three kids.", "hello", "I was born in Poland."]
    together = inquirer().candidates(utterances)
    assert together == [inquirer().candidates([one])[0] for one in utterances]


@pytest.mark.parametrize(
    ("question", "turned"),
    [
        ("Where was I born?", "Where were you born?"),
        ("What am I afraid of?", "What are you afraid of?"),
        ("Who gave me my first guitar?", "Who gave you your first guitar?"),
        ("When do we meet our cousins?", "When do you meet your cousins?"),
        ("What did I tell you?", None),
    ],
)
def test_turning_to_the_second_person(question: str, turned: str | None) -> None:
    assert second_person(question, Target("x", Span("x", 0, 1))) == turned


def test_lead_ins_are_taken_off() -> None:
    assert without_lead_in("Well, to be honest, I live here.") == "I live here."
    assert without_lead_in("I live here.") == "I live here."


def test_an_unknown_strategy_is_named() -> None:
    with pytest.raises(UsageError, match="guessing"):
        inquirer("guessing")


def test_as_published_every_entity_gives_a_question_however_it_reads() -> None:
    utterances = ["Do you know Rome? I met Anna in Paris on Monday.", "That's nice."]
    spans, questions = SpacySpans(), RuleQuestions()
    # Written anew from the paper: no question sentences, each entity, one question, one drawn.
    sentence = "I met Anna in Paris on Monday."
    entities = [span for span in spans.spans([sentence])[0] if span.kind == "entity"]
    made = questions.ask([Target(sentence, span) for span in entities])
    with_question = [span.text for span, some in zip(entities, made, strict=True) if some]
    published = inquirer("paper").candidates(utterances)
    assert [inquiry.span for inquiry in published[0]] == with_question
    assert len(with_question) > 1
    assert published[1] == []
    drawn = {inquirer("paper").inquire(utterances, seed=seed)[0] for seed in range(40)}
    assert drawn == set(published[0])


def test_the_published_strategy_stands_alone() -> None:
    with pytest.raises(UsageError, match="cannot be combined"):
        inquirer("paper", "opinion")


def test_the_name_gives_the_version_of_the_rules_where_there_are_any() -> None:
    backend = (SpacySpans(), RuleQuestions())
    assert Inquirer(*backend, ["entity", "yesno"]).name == "entity+yesno@3"
    assert Inquirer(*backend, ["paper"]).name == "paper"
