from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Answer, Entailment, EntailmentModel, Pair, Query
from staytrue.core.records import Example, Probe, Turn
from staytrue.metrics.contradiction import Contradiction, relevant_parts
from staytrue.plugins.registry import load_metric


class Model:
    """Contradiction 0.8 where the hypothesis has the word, 0.1 elsewhere; keeps what it read.

    As a reader it finds one answer in every text, or none.
    """

    def __init__(
        self, word: str = "denver", answer: str | None = None, confidence: float = 1.0
    ) -> None:
        self.word = word
        self.read: list[Pair] = []
        self.found = Answer(answer, confidence=confidence)

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        return [self.found for _ in queries]

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        self.read += pairs
        return [
            Entailment(0.1, 0.1, 0.8)
            if self.word in p.hypothesis.lower()
            else Entailment(0.8, 0.1, 0.1)
            for p in pairs
        ]


INQUIRY = Example(
    id="1",
    response="Good question. I live in Denver. How about you?",
    knowledge="Oh, cool. I live in Boston. Do you like it?",
    probe=Probe("Where do you live?", "Boston", "I live in Boston.", "wh"),
)


def test_the_question_stands_before_both_texts_and_both_directions_count() -> None:
    model = Model()
    verdict = Contradiction(model).judge([INQUIRY])[0]
    ours = "Where do you live? I live in Boston."
    theirs = "Where do you live? I live in Denver."
    assert model.read == [Pair(ours, theirs), Pair(theirs, ours)]
    assert verdict.score == pytest.approx(1 - 0.1)


def test_both_directions_must_see_the_contradiction() -> None:
    agreed = Contradiction(Model("live")).judge([INQUIRY])[0]
    assert (agreed.score, agreed.label) == (pytest.approx(1 - 0.8), "contradiction")


def test_irrelevant_parts_are_set_aside_and_shown_with_their_place() -> None:
    verdict = Contradiction(Model()).judge([INQUIRY])[0]
    dropped = [e for e in verdict.evidence if e.kind == "dropped"]
    assert [e.text for e in dropped] == ["Good question.", "How about you?"]
    for part in dropped:
        assert INQUIRY.response[part.start : part.end] == part.text


def test_the_paper_way_compares_the_plain_texts() -> None:
    model = Model()
    Contradiction(model, question="without", direction="forward", aside=False).judge([INQUIRY])
    assert model.read == [Pair("I live in Boston.", INQUIRY.response)]


@pytest.mark.parametrize(("tau", "label"), [(0.05, "contradiction"), (0.5, "consistent")])
def test_the_label_follows_the_threshold(tau: float, label: str) -> None:
    assert Contradiction(Model(), tau=tau).judge([INQUIRY])[0].label == label


def test_without_an_inquiry_the_two_texts_are_compared_as_they_are() -> None:
    model = Model()
    plain = Example("1", "nice. what is it ? mine is denver .", "i live in boston .")
    verdict = Contradiction(model).judge([plain])[0]
    assert model.read == [Pair("i live in boston .", plain.response)]
    assert verdict.score == pytest.approx(1 - 0.8)


def test_without_an_inquiry_only_clauses_that_differ_are_flagged() -> None:
    plain = [
        Example("1", "Denver is great.", "I live in Boston."),
        Example("2", "I live in Denver.", "I live in Boston."),
        Example("3", "Okay.", "I live in Boston."),
    ]
    metric = Contradiction(Model("i"))
    verdicts = metric.judge(plain)
    assert [v.label for v in verdicts] == ["unconfirmed", "contradiction", "consistent"]
    assert [v.score for v in verdicts] == pytest.approx([0.2, 0.2, 0.9])
    assert "No clauses of the two speak of the same thing" in verdicts[0].reason
    assert verdicts[1].evidence[-1].text == "I live in Boston — I live in Denver"
    assert {v.label for v in verdicts} == set(metric.labels)
    alone = Contradiction(Model("i"), flags="model").judge(plain)
    assert [v.label for v in alone] == ["contradiction", "contradiction", "consistent"]
    assert [v.score for v in alone] == [v.score for v in verdicts]


def test_a_question_right_after_the_utterance_is_an_inquiry() -> None:
    told, asked = Turn("bot", "I live in Boston."), Turn("user", "Where do you live?")
    other = Turn("bot", "I like tea.")
    histories = [(told, asked), (told, other, asked), (told,), (told, Turn("user", "Nice."))]
    rows = [Example(str(n), "Denver is great.", told.text, h) for n, h in enumerate(histories)]
    labels = [verdict.label for verdict in Contradiction(Model("i")).judge(rows)]
    assert labels == ["contradiction", "unconfirmed", "unconfirmed", "unconfirmed"]


def test_clauses_that_differ_but_do_not_contradict_confirm_nothing() -> None:
    verdicts = Contradiction(Model("lovely")).judge(
        [Example("1", "I live in Denver. It is lovely.", "I live in Boston.")]
    )[0]
    assert verdicts.label == "unconfirmed"
    assert "The clauses that differ do not contradict each other." in verdicts.reason


def test_an_answer_that_states_nothing_contradicts_nothing() -> None:
    verdict = Contradiction(Model()).judge([replace(INQUIRY, response="Sure. And you?")])[0]
    assert (verdict.score, verdict.label) == (1.0, "consistent")
    assert verdict.reason


@pytest.mark.parametrize("field", ["response", "knowledge"])
def test_an_empty_side_is_an_abstention_with_a_reason(field: str) -> None:
    empty = replace(INQUIRY, probe=None, **{field: " … "})
    verdict = Contradiction(Model()).judge([empty])[0]
    assert verdict.score is None
    assert field in verdict.reason


def test_results_keep_order_and_the_same_pair_is_read_once() -> None:
    model = Model()
    other = replace(INQUIRY, id="2", response="In Boston.")
    verdicts = Contradiction(model).judge([INQUIRY, other, replace(INQUIRY, id="3")])
    assert [v.example_id for v in verdicts] == ["1", "2", "3"]
    assert verdicts[0].score == verdicts[2].score
    assert len(model.read) == len(set(model.read))
    assert Contradiction(model).judge([]) == []


def test_later_sentences_count_only_when_they_are_about_the_question() -> None:
    about = "Where do you live? I live in Boston."
    kept, aside = relevant_parts("In Denver. I have two cats. I live by the sea.", about)
    assert kept == ["In Denver.", "I live by the sea."]
    assert aside == ["I have two cats."]


@pytest.mark.parametrize(
    ("truth", "answer", "label"),
    [
        ("no", "Yes, that's right.", "contradiction"),
        ("yes", "Nope.", "contradiction"),
        ("yes", "Yes, I do.", "consistent"),
        ("no", "No, I don't.", "consistent"),
    ],
)
def test_a_wrong_yes_or_no_to_a_yes_no_inquiry_contradicts(
    truth: str, answer: str, label: str
) -> None:
    probe = Probe("Do you have two dogs?", truth, "I have two dogs.", "yn")
    example = Example("1", answer, "I have two dogs.", probe=probe)
    verdict = Contradiction(Model()).judge([example])[0]
    assert verdict.label == label
    assert any(e.kind == "rule" for e in verdict.evidence) == (label == "contradiction")


def test_another_answer_is_compared_with_that_of_the_utterance() -> None:
    model = Model("denver.", answer="Denver")
    verdict = Contradiction(model).judge([replace(INQUIRY, response="I left Boston for Denver")])[0]
    ours, theirs = "Where do you live? Boston.", "Where do you live? Denver."
    assert model.read[2:] == [Pair(ours, theirs), Pair(theirs, ours)]
    assert any(e.kind == "rule" and "Denver" in e.text for e in verdict.evidence)
    assert verdict.score == pytest.approx(1 - 0.1)  # only one direction sees it
    both = Contradiction(Model("live?", answer="Denver")).judge([INQUIRY])[0]
    assert both.label == "contradiction"


@pytest.mark.parametrize(
    ("response", "confidence", "compared"),
    [
        ("I live in Denver.", 0.1, True),
        ("Denver.", 0.1, True),
        ("Denver has lovely beer.", 0.7, False),
        ("Denver has lovely beer.", 0.8, True),
    ],
)
def test_an_answer_in_a_text_about_something_else_is_compared_only_if_the_reader_is_sure(
    response: str, confidence: float, compared: bool
) -> None:
    model = Model(answer="Denver", confidence=confidence)
    Contradiction(model).judge([replace(INQUIRY, response=response)])
    assert len(model.read) == (4 if compared else 2)


@pytest.mark.parametrize("answer", ["Boston", "in boston", "Boston, near the harbor", None])
def test_the_same_answer_and_none_leave_it_to_the_comparison_of_the_texts(
    answer: str | None,
) -> None:
    model = Model(answer=answer)
    verdict = Contradiction(model).judge([INQUIRY])[0]
    assert len(model.read) == 2
    assert not [e for e in verdict.evidence if e.kind == "rule"]


def test_answers_are_not_compared_where_the_utterance_speaks_of_something_else() -> None:
    model = Model("working", answer="working")
    utterance, question = "It is a little warm here.", "What are you cooking now?"
    probe = Probe(question, "warm", utterance, "wh")
    verdict = Contradiction(model).judge([Example("1", "I am working.", utterance, probe=probe)])[0]
    assert model.read == [
        Pair(f"{question} {utterance}", f"{question} I am working."),
        Pair(f"{question} I am working.", f"{question} {utterance}"),
    ]
    assert verdict.label == "consistent"


@pytest.mark.parametrize(
    ("said", "truth", "compared"),
    [("I am a nurse.", "a nurse", True), ("Hello! Nice to meet you.", "meet", False)],
)
def test_a_question_without_content_is_about_an_utterance_that_says_only_the_answer(
    said: str, truth: str, compared: bool
) -> None:
    model = Model(answer="a clerk")
    probe = Probe("What are you?", truth, said, "wh")
    Contradiction(model).judge([Example("1", "I am a clerk.", said, probe=probe)])
    assert (len(model.read) == 4) == compared


@pytest.mark.parametrize(("answer", "compared"), [("My", False), ("any", True), ("Denver", True)])
def test_a_word_of_grammar_is_no_answer(answer: str, compared: bool) -> None:
    model = Model(answer=answer)
    Contradiction(model).judge([INQUIRY])
    assert (len(model.read) == 4) == compared


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        ("Do you smoke?", "no", "Yeah, I do not smoke."),
        ("Do you smoke?", "no", "I would too, if I could."),
        ("Is snow any fun?", "no", "I do too."),
        ("Do you smoke?", "no", "I do too, I love big dogs."),
        ("Do you smoke?", "no", "Ever been bitten by a dog? I have."),
        ("Do cats smoke?", "no", "I do. I have one named Leeroy."),
        ("Do you smoke?", "yes", "No thanks, I did that already today."),
        ("Do you smoke?", "yes", "Not that I care what others think."),
        ("Are you tall?", "yes", "Not as tall as mine."),
        ("Do you hate smoke?", "no", "Yes, I love to smoke."),
        ("Do you smoke?", "no", "Oh, right. You asked about smoke earlier."),
    ],
)
def test_words_that_answer_no_yes_no_question_are_neither_yes_nor_no(
    question: str, truth: str, answer: str
) -> None:
    probe = Probe(question, truth, "I do not smoke.", "yn")
    verdict = Contradiction(Model()).judge([Example("1", answer, "I do not smoke.", probe=probe)])
    assert verdict[0].label == "consistent"


def test_a_no_before_what_the_utterance_says_does_not_contradict_it() -> None:
    class Undecided(Model):
        def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
            return [
                Entailment(0.1, 0.8, 0.1)
                if "No" in pair.premise + pair.hypothesis
                else Entailment(0.8, 0.1, 0.1)
                for pair in pairs
            ]

    probe = Probe("Is Rome a city with a history?", "yes", "Rome is a city with a history.", "yn")
    rows = [
        Example(answer, answer, "Rome is a city with a history.", probe=probe)
        for answer in ("No, Rome is a city with a history.", "No.")
    ]
    labels = [verdict.label for verdict in Contradiction(Undecided()).judge(rows)]
    assert labels == ["consistent", "contradiction"]


@pytest.mark.parametrize(("answer", "pairs"), [("Yes, Rome is a city.", 2), ("No, a village.", 4)])
def test_only_the_rest_of_a_denial_is_compared_with_the_utterance(answer: str, pairs: int) -> None:
    model = Model()
    probe = Probe("Is Rome a city?", "yes", "Rome is a city.", "yn")
    Contradiction(model).judge([Example("1", answer, "Rome is a city.", probe=probe)])
    assert len(model.read) == pairs


HARD = [
    ("My favorite color is red.", "What is your favorite color?", "red",
     "I hate red, blue is my favorite."),
    ("My favorite color is red.", "What is your favorite color?", "red", "Blue, I find red ugly."),
    ("My brother is Henry.", "Who is your brother?", "Henry",
     "Henry is my boss, Paul is my brother."),
    ("I live in Boston.", "Where do you live?", "Boston", "I left Boston, I live in Denver now."),
    ("I have two dogs.", "How many dogs do you have?", "two", "Two cats, and one dog."),
    ("My dog is called Rex.", "What is your dog called?", "Rex",
     "Rex is the cat, the dog is called Bello."),
    ("I am from Texas.", "Where are you from?", "Texas",
     "Everybody thinks Texas but I am from Ohio."),
    ("I study law.", "What do you study?", "law", "Law is what my dad studied. I study art."),
]  # fmt: skip
EASY = [
    ("My brother is Henry.", "Who is your brother?", "Henry", "That would be Henry."),
    ("My favorite color is red.", "What is your favorite color?", "red", "Red, like roses."),
    ("I live in Boston.", "Where do you live?", "Boston", "In Boston, near the harbor."),
    ("I work as a nurse.", "What do you work as?", "a nurse", "I'm a nurse at the city hospital."),
    ("I have two dogs.", "How many dogs do you have?", "two", "Two, and I love them."),
    ("My dog is called Rex.", "What is your dog called?", "Rex", "His name is Rex."),
    ("I am from Texas.", "Where are you from?", "Texas", "Texas, born and raised."),
    ("My mother lives in Paris.", "Where does your mother live?", "Paris", "She is in Paris."),
]


@pytest.mark.parametrize(
    ("rows", "label"), [(HARD, "contradiction"), (EASY, "consistent")], ids=["hard", "easy"]
)
def test_naming_the_same_word_neither_hides_nor_makes_a_contradiction(
    rows: list[tuple[str, str, str, str]], label: str
) -> None:
    examples = [
        Example(str(n), response, utterance, probe=Probe(question, truth, utterance, "wh"))
        for n, (utterance, question, truth, response) in enumerate(rows)
    ]
    verdicts = load_metric("contradiction").judge(examples)
    assert [(e.response, v.label) for e, v in zip(examples, verdicts, strict=True)] == [
        (e.response, label) for e in examples
    ]


def as_published(model: EntailmentModel, utterance: str, answer: str) -> tuple[float, str]:
    """Li et al. (2021), section 3.3, written anew: y = P(contradiction | u, r); c = y > 0.15."""
    (probabilities,) = model.infer([Pair(utterance, answer)])
    y = probabilities.contradiction
    return y, "contradiction" if y > 0.15 else "consistent"


TALK = [
    ("Oh, cool. I live in Boston. Do you like it?", "Where do you live?", "Boston", "wh"),
    ("My favorite color is red.", "What is your favorite color?", "red", "wh"),
    ("I have two dogs and a cat.", "How many dogs do you have?", "two", "wh"),
    ("I never smoke.", "Do you smoke?", "no", "yn"),
    ("My name is Henry and I am a nurse.", "Who are you?", "Henry", "wh"),
]
ANSWERS = (
    "Boston.", "I hate red, blue is my favorite.", "Good question. Three. And you?", "Yes, I do.",
    "No.", "That would be Henry.", "I am a teacher.", "What do you mean?",
)  # fmt: skip


def test_compat_paper_is_the_paper_and_nothing_else() -> None:
    model = EmbeddedBackend()
    rows = [
        Example(
            f"{n}-{m}", answer, utterance,
            probe=Probe(question, truth, utterance.split(".")[0] + ".", kind),
        )
        for n, (utterance, question, truth, kind) in enumerate(TALK)
        for m, answer in enumerate(ANSWERS)
    ]  # fmt: skip
    literal = Contradiction(model, compat="paper").judge(rows)
    for row, verdict in zip(rows, literal, strict=True):
        y, label = as_published(model, row.knowledge, row.response)
        assert verdict.score == pytest.approx(1 - y, abs=1e-6)
        assert verdict.label == label
        assert {e.kind for e in verdict.evidence} == {"probabilities"}
    ours = Contradiction(model).judge(rows)
    assert any(a.label != b.label for a, b in zip(literal, ours, strict=True))


def test_compat_paper_signs_what_it_does_and_refuses_what_it_does_not() -> None:
    signed = load_metric("contradiction,compat=paper").signature
    for part in ("tau:0.15", "question:without", "direction:forward", "aside:False",
                 "premise:utterance", "rules:False", "flags:model"):  # fmt: skip
        assert f"|{part}|" in f"{signed}|"
    with pytest.raises(UsageError, match=r"compat=paper means tau=0\.15: leave tau out"):
        Contradiction(Model(), tau=0.3, compat="paper")
    with pytest.raises(UsageError, match="compat=paper means strict=False: leave strict out"):
        Contradiction(Model(), strict=True, compat="paper")


def test_every_switch_switches() -> None:
    wrong = Example(
        "1",
        "Yes.",
        "Hi. I never smoke.",
        probe=Probe("Do you smoke?", "no", "I never smoke.", "yn"),
    )
    assert Contradiction(Model()).judge([wrong])[0].label == "contradiction"
    assert Contradiction(Model(), rules=False).judge([wrong])[0].label == "consistent"
    model = Model()
    Contradiction(model, premise="utterance", question="without").judge([wrong])
    assert model.read == [Pair("Hi. I never smoke.", "Yes.")]


def test_strict_compares_only_clauses_that_speak_of_the_same_thing_in_both_directions() -> None:
    model = Model("live")
    metric = Contradiction(model, strict=True)
    verdicts = metric.judge([replace(INQUIRY, probe=None), Example("2", "I love it.", "I live.")])
    here, there = "I live in Boston", "I live in Denver"
    assert model.read == [Pair(here, there), Pair(there, here)]
    assert (verdicts[0].label, verdicts[1].label) == ("contradiction", "consistent")
    assert (verdicts[0].score, verdicts[1].score) == (pytest.approx(1 - 0.8), 1.0)
    assert Contradiction(Model(), strict=True).judge([INQUIRY])[0].label == "consistent"


def test_strict_abstains_where_a_text_is_empty() -> None:
    verdict = Contradiction(Model(), strict=True).judge([Example("1", "...", "I live in Rome.")])[0]
    assert (verdict.score, verdict.reason) == (None, "The response has no words to compare.")
