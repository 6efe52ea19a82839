from __future__ import annotations

import pytest

from staytrue.chatbots import persona
from staytrue.chatbots.persona import small_talk
from staytrue.chatbots.persona.understand import BY_KIND, FACTS, question_in, remember, understood
from staytrue.core.errors import UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot


def talk(first: persona.PersonaChatbot, second: persona.PersonaChatbot, seed: int) -> list[Turn]:
    """Fifteen exchanges, seen from the second bot's side."""
    turns = [Turn("user", "hello")]
    swap = {"user": "bot", "bot": "user"}
    for number in range(15):
        if number:
            seen = [Turn(swap[t.speaker], t.text) for t in turns]
            turns.append(Turn("user", first.reply(seen, seed=seed * 100 + number)))
        turns.append(Turn("bot", second.reply(turns, seed=seed * 100 + 50 + number)))
    return turns


def test_there_are_many_kinds_of_facts_each_said_in_many_ways() -> None:
    assert len({fact.kind for fact in FACTS}) >= 25
    for fact in FACTS:
        assert len(set(fact.states)) >= 6, fact.kind
        assert len(set(fact.values)) >= 3, fact.kind
        assert all("{v}" in shape for shape in (*fact.states, *fact.answers)), fact.kind


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.kind)
def test_every_statement_of_a_fact_is_read_back(fact: persona.fact.Fact) -> None:
    for value in fact.values:
        for shape in fact.states:
            text = "Oh, I see. " + shape.replace("{v}", value) + " What is your name?"
            assert dict(remember([Turn("bot", text)]).facts).get(fact.kind) == value, text
        if value in fact.indirect:
            assert fact.read(fact.indirect[value]) == value


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.kind)
def test_every_question_about_a_fact_is_understood(fact: persona.fact.Fact) -> None:
    for question in fact.asks:
        assert understood(question, (), ()) == fact.kind


@pytest.mark.parametrize(
    ("utterance", "question", "kind"),
    [
        ("I rent a small house in Denver.", "where do you rent a small house?", "home city"),
        ("My two kids keep me busy.", "how many kids keep you busy?", "children"),
        ("Nobody is closer to me than my friend Grace.", "who is your friend?", "best friend"),
        ("My rent is $900 a month.", "how much is your rent a month?", "rent"),
    ],
)  # fmt: skip
def test_questions_in_other_words_are_understood_from_what_was_just_said(
    utterance: str, question: str, kind: str
) -> None:
    memory = remember([Turn("bot", utterance)])
    assert understood(question, tuple(memory.facts), memory.recent) == kind


def test_the_same_arguments_give_the_same_reply_and_other_seeds_another_talk() -> None:
    one, two = load_chatbot("persona:seed=1,slip=0.3"), load_chatbot("persona:seed=2,slip=0.3")
    assert talk(one, two, 1) == talk(one, two, 1)
    assert len({tuple(talk(one, two, seed)) for seed in range(5)}) == 5


def test_small_talk_states_no_fact() -> None:
    for name in ("GREETINGS", "REACTIONS", "FILLERS", "BACK", "EVASIONS"):
        for line in getattr(small_talk, name):
            assert not remember([Turn("bot", line)]).facts, line


def ask_about_itself(bot: persona.PersonaChatbot, dialogues: int) -> list[persona.CalibratedReply]:
    """Ask each fact back right after it was stated."""
    answers = []
    for seed in range(dialogues):
        for fact in FACTS:
            value = fact.values[seed % len(fact.values)]
            shape = fact.states[seed % len(fact.states)]
            history = [
                Turn("bot", shape.replace("{v}", value)),
                Turn("user", fact.asks[seed % len(fact.asks)]),
            ]
            utterance = bot.say(history, seed=seed)
            assert utterance.kind == fact.kind
            assert utterance.believed == value
            answers.append(utterance)
    return answers


@pytest.mark.parametrize("slip", [0.0, 0.2, 0.5, 1.0])
def test_it_contradicts_itself_as_often_as_it_is_told_to(slip: float) -> None:
    answers = ask_about_itself(load_chatbot(f"persona:seed=3,slip={slip}"), 25)
    rate = sum(answer.slipped for answer in answers) / len(answers)
    # 1,000 answers: four standard errors of the largest binomial deviation.
    assert rate == pytest.approx(slip, abs=0.064 if 0 < slip < 1 else 0)


def test_an_honest_answer_repeats_the_value_and_a_slip_does_not() -> None:
    for slip in (0.0, 1.0):
        for answer in ask_about_itself(load_chatbot(f"persona:seed=3,slip={slip}"), 8):
            fact = BY_KIND[answer.kind or ""]
            # Indirect answers name no value, and "no" with a reason may.
            value = fact.read(answer.text) or fact.mentioned(answer.text)
            if answer.slipped:
                assert value != answer.believed, answer
            else:
                assert value == answer.believed, answer


def test_what_it_said_last_counts_more_than_persona_and_persona_more_than_its_own_table() -> None:
    bot = load_chatbot("persona:seed=1,slip=0")
    ask = Turn("user", "Where do you live?")
    assert bot.facts()["home city"] in bot.reply([ask])
    assert "Boston" in bot.reply([ask], persona=["i live in boston."])
    history = [Turn("bot", "I live in Miami."), ask]
    assert "Miami" in bot.reply(history, persona=["i live in boston."])


@pytest.mark.parametrize(
    ("question", "slip", "word"),
    [
        ("Do you have two kids?", 0, "Yes"),
        ("Do you have five kids?", 0, "No"),
        ("Do you have two kids?", 1, "No"),
        ("Do you have five kids?", 1, "Yes"),
        ("Do you have kids?", 0, "Yes"),
        ("Do you have kids?", 1, "No"),
    ],
)
def test_yes_no_questions_are_answered_by_what_was_said(
    question: str, slip: int, word: str
) -> None:
    history = [Turn("bot", "I have two kids."), Turn("user", question)]
    for seed in range(20):
        text = load_chatbot(f"persona:slip={slip}").reply(history, seed=seed)
        assert f"{word.lower()}," in text.lower()


def test_a_question_it_does_not_understand_is_evaded() -> None:
    reply = load_chatbot("persona:").reply([Turn("user", "Why is the sky so high?")])
    assert reply in small_talk.EVASIONS


def test_talk_has_small_talk_questions_back_and_answers_to_them() -> None:
    turns = [
        t.text
        for seed in range(10)
        for t in talk(load_chatbot("persona:seed=1"), load_chatbot("persona:seed=2"), seed)
    ]
    asked = [text for text in turns if question_in(text)]
    assert 0.2 < len(asked) / len(turns) < 0.7
    assert len(set(turns)) / len(turns) > 0.7


def test_a_bot_without_capitals_still_understands_itself() -> None:
    bot = load_chatbot("persona:seed=1,style=lower")
    history = [Turn("bot", "i live in miami."), Turn("user", "where do you live?")]
    utterance = bot.say(history)
    assert utterance.text == utterance.text.lower()
    assert utterance.believed == "Miami"
    assert "miami" in utterance.text


@pytest.mark.parametrize("rest", ["slip=2", "slip=often", "style=loud", "nonsense", "sip=0.1"])
def test_wrong_options_are_refused(rest: str) -> None:
    with pytest.raises(UsageError):
        load_chatbot(f"persona:{rest}")
