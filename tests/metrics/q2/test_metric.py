"""Q² asks about the response, and scores by what the knowledge answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Answer, Entailment, Pair, Query, Span, Target
from staytrue.core.records import Example, Turn
from staytrue.metrics.q2 import Q2
from staytrue.metrics.q2.steps import answer_f1, is_personal, same_answer, sentence_around
from staytrue.plugins.registry import load_metric

RESPONSE = "it opened in 1990 in Rome ."
KNOWLEDGE = "The museum opened in 1985 in Rome."
YEAR, CITY = Span("1990", 13, 17, "entity", "DATE"), Span("Rome", 21, 25, "entity", "GPE")
WHEN, WHERE = "When did it open?", "Where did it open?"


class Script:
    """A small world: two spans, two questions, and a reader that knows both texts."""

    def __init__(
        self,
        from_knowledge: dict[str, str | None],
        label: str = "contradiction",
        spans: Sequence[Span] = (YEAR, CITY),
    ) -> None:
        self.from_knowledge = from_knowledge
        self.spans = list(spans)
        self.label = label
        self.asked: list[Query] = []
        self.pairs: list[Pair] = []

    def backend(self) -> ScriptedBackend:
        return ScriptedBackend(
            spans=lambda text: self.spans if text == RESPONSE else [],
            questions=self._questions,
            answers=self._answer,
            entailments=self._infer,
        )

    def _questions(self, target: Target) -> list[str]:
        best = WHEN if target.span == YEAR else WHERE
        return [f"Bad: {best}", best, f"Other: {best}"]

    def _answer(self, query: Query) -> Answer:
        self.asked.append(query)
        if query.question.startswith("Bad"):
            return Answer("nonsense")
        kind = WHEN if WHEN in query.question else WHERE
        if query.passage == RESPONSE:
            return Answer("1990" if kind == WHEN else "Rome")
        return Answer(self.from_knowledge.get(kind))

    def _infer(self, pair: Pair) -> Entailment:
        self.pairs.append(pair)
        one = {"entailment": (1, 0, 0), "neutral": (0, 1, 0), "contradiction": (0, 0, 1)}
        return Entailment(*(float(p) for p in one[self.label]))


def judge(script: Script, response: str = RESPONSE, **options: object):  # type: ignore[no-untyped-def]
    metric = Q2(script.backend(), **options)  # type: ignore[arg-type]
    return metric.judge([Example("1", response, KNOWLEDGE)])[0]


def test_the_score_is_the_mean_over_questions() -> None:
    verdict = judge(Script({WHEN: "1985", WHERE: "Rome"}))
    assert verdict.score == 0.5
    assert "1 of 2 answers" in verdict.reason
    assert "“1990”" in verdict.reason
    assert "“1985”" in verdict.reason


@pytest.mark.parametrize(
    ("spans", "answer", "reason"),
    [
        ([CITY], "Rome", "The one answer of the response agrees with the knowledge."),
        ([CITY], "Oslo", "The one answer of the response does not agree with the knowledge; to "),
        ([YEAR, CITY], "Rome", "1 of 2 answers of the response agrees with the knowledge; to "),
        ([YEAR, CITY], "Oslo", "0 of 2 answers of the response agree with the knowledge; to "),
    ],
)
def test_the_reason_counts_in_english(spans: list[Span], answer: str, reason: str) -> None:
    verdict = judge(Script({WHEN: "1985", WHERE: answer}, spans=spans))
    assert verdict.reason.startswith(reason)


def test_evidence_tells_every_step() -> None:
    verdict = judge(Script({WHEN: "1985", WHERE: None}))
    asked = [e for e in verdict.evidence if e.kind == "question"]
    assert [(e.text, e.label, e.score) for e in asked] == [
        (WHEN, "contradiction", 0.0),
        (WHERE, "no answer", 0.0),
    ]
    assert all(RESPONSE[e.start : e.end] == e.details["answer_from_response"] for e in asked)
    assert asked[0].details["answer_from_knowledge"] == "1985"
    dropped = [e for e in verdict.evidence if e.kind == "dropped"]
    assert {e.text for e in dropped} == {f"Bad: {WHEN}", f"Bad: {WHERE}"}
    assert all(e.details["why"] for e in dropped)


@pytest.mark.parametrize(
    ("label", "score"), [("entailment", 1.0), ("contradiction", 0.0), ("neutral", 0.0)]
)
def test_entailment_settles_answers_that_do_not_match(label: str, score: float) -> None:
    script = Script({WHEN: "1985", WHERE: "Rome"}, label)
    assert judge(script).score == (score + 1) / 2
    assert script.pairs == [
        Pair(f"{WHEN} 1985.", f"{WHEN} 1990."),
        Pair(KNOWLEDGE, "it opened in 1990 in Rome"),
    ]


def test_answers_and_sentence_count_half_each() -> None:
    script = Script({WHEN: "1985", WHERE: "Rome"})
    script._infer = lambda pair: (  # type: ignore[method-assign]
        Entailment(1.0, 0.0, 0.0) if pair.premise == KNOWLEDGE else Entailment(0.0, 0.0, 1.0)
    )
    assert judge(script).score == 0.75
    assert judge(script, compare="knowledge").score == 1.0
    assert judge(script, compare="answers").score == 0.5


def test_the_paper_compares_the_two_answers() -> None:
    script = Script({WHEN: "1985", WHERE: None}, "entailment")
    assert judge(script, compat="paper").score == 0.5
    assert script.pairs == [Pair(f"{WHEN} 1985.", f"{WHEN} 1990.")]


def test_an_unanswered_question_counts_at_most_half_unless_told_otherwise() -> None:
    world = {WHEN: "1990", WHERE: None}
    assert judge(Script(world, "entailment")).score == 0.75
    assert judge(Script(world, "entailment"), compare="knowledge").score == 1.0
    assert judge(Script(world, "neutral")).score == 0.5
    assert judge(Script(world, "entailment"), compare="answers").score == 0.5


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("no . it is 5 . 7 nm long . yes", "nm", "it is 5 . 7 nm long"),
        ("Really? It opened. Fine!", "It", "It opened"),
        ("it opened", "it", "it opened"),
    ],
)
def test_the_sentence_around_a_span(text: str, word: str, sentence: str) -> None:
    start = text.index(word)
    assert sentence_around(text, Span(word, start, start + len(word))) == sentence


def test_a_neutral_pair_gets_the_overlap_of_its_answers() -> None:
    script = Script({WHEN: "1990", WHERE: "Rome Italy"}, "neutral")
    assert judge(script).score == pytest.approx((1 + 2 / 3) / 2)


def test_probabilities_or_labels_settle_a_question() -> None:
    backend = ScriptedBackend(
        spans=lambda text: [YEAR],
        questions=lambda target: [WHEN],
        answers=lambda query: Answer("1990" if query.passage == RESPONSE else "1985"),
        entailments=lambda pair: Entailment(0.6, 0.0, 0.4),
    )
    examples = [Example("1", RESPONSE, KNOWLEDGE)]
    assert Q2(backend).judge(examples)[0].score == pytest.approx(0.6)
    assert Q2(backend, scores="hard").judge(examples)[0].score == 1.0


@pytest.mark.parametrize(
    ("known", "pronouns", "score"),
    [
        ("Bob Ross", "match", 1.0),
        ("Bob Ross", "compare", 0.0),
        ("a painter and singer", "match", 1.0),
        ("oil and water", "match", 0.0),
        ("1990", "match", 0.0),
    ],
)
def test_a_pronoun_agrees_with_whom_the_knowledge_names(
    known: str, pronouns: str, score: float
) -> None:
    backend = ScriptedBackend(
        spans=lambda text: [Span("he", 0, 2)],
        questions=lambda target: ["Who painted?"],
        answers=lambda query: Answer("he" if query.passage == "he painted" else known),
        entailments=lambda pair: Entailment(0.0, 0.0, 1.0),
    )
    metric = Q2(backend, pronouns=pronouns)  # type: ignore[arg-type]
    assert metric.judge([Example("1", "he painted", "k")])[0].score == score


def test_without_nli_only_overlap_counts() -> None:
    script = Script({WHEN: "1985", WHERE: "Rome Italy"}, "entailment")
    assert judge(script, nli="off").score == pytest.approx((0 + 2 / 3) / 2)
    assert script.pairs == []


def test_single_stops_at_the_first_question_that_survives() -> None:
    script = Script({WHEN: "1990", WHERE: "Rome"})
    verdict = judge(script)
    assert sum(e.kind == "question" for e in verdict.evidence) == 2
    assert not any(query.question.startswith("Other") for query in script.asked)


def test_all_keeps_every_question_that_survives() -> None:
    verdict = judge(Script({WHEN: "1990", WHERE: None}), questions="all")
    assert sum(e.kind == "question" for e in verdict.evidence) == 4
    assert verdict.score == 0.5


def test_top_limits_the_questions_a_span_may_try() -> None:
    verdict = judge(Script({}, "neutral"), top=1)
    assert verdict.score == 0.0
    assert "No question" in verdict.reason


def test_without_questions_only_support_counts_unless_the_paper_is_asked_for() -> None:
    assert judge(Script({}, "neutral"), "hello there").score == 0.0
    assert judge(Script({}, "entailment"), "hello there").score == 1.0
    assert judge(Script({}, "neutral"), "hello there", compat="paper").score == 0.5


def test_unanswered_questions_can_be_discarded_if_others_are_answered() -> None:
    assert judge(Script({WHEN: "1990", WHERE: None}), unanswerable="discard").score == 1.0
    assert judge(Script({WHEN: None, WHERE: None}), unanswerable="discard").score == 0.0


@pytest.mark.parametrize(
    ("options", "score"),
    [({}, 0.0), ({"fallback": "none"}, None), ({"fallback": "zero"}, 0.0)],
)
def test_a_response_without_valid_questions(options: dict[str, str], score: float | None) -> None:
    verdict = judge(Script({}, "contradiction"), "hello there", **options)
    assert verdict.score == score
    assert "No question" in verdict.reason


@pytest.mark.parametrize("premise", ["knowledge", "response"])
def test_the_premise_of_the_fallback_can_be_chosen(premise: str) -> None:
    script = Script({}, "entailment")
    assert judge(script, "hello there", premise=premise).score == 1.0
    first = KNOWLEDGE if premise == "knowledge" else "hello there"
    assert script.pairs[0].premise == first


def test_the_released_way_keeps_all_questions_and_scores_nothing_without_one() -> None:
    verdict = judge(Script({WHEN: "1990", WHERE: "Rome"}), compat="released")
    assert sum(e.kind == "question" for e in verdict.evidence) == 4
    assert judge(Script({}), "hello there", compat="released").score is None


def test_empty_fields_are_abstentions_with_a_reason() -> None:
    metric = Q2(ScriptedBackend())
    verdicts = metric.judge([Example("a", "", "k"), Example("b", "r", "  ")])
    assert [v.score for v in verdicts] == [None, None]
    assert "response" in verdicts[0].reason
    assert "knowledge" in verdicts[1].reason


def test_batches_and_equal_ids_do_not_change_a_verdict() -> None:
    metric = Q2(ScriptedBackend())
    examples = [
        Example("same", "coffee comes from Yemen .", "coffee comes from Brazil ."),
        Example("same", "tea comes from China .", "tea comes from China ."),
        Example("other", "", "x"),
    ]
    together = metric.judge(examples)
    assert together == [metric.judge([example])[0] for example in examples]
    assert [v.score for v in together][1] == 1.0


@pytest.mark.parametrize(
    ("question", "personal"),
    [
        ("What do I love?", True),
        ("Where did you go?", True),
        ("What is my favorite color?", True),
        ("What can help you?", False),
        ("What did it do in India?", False),
        ("When did World War I end?", False),
        ("Can I swim?", True),
    ],
)
def test_personal_questions(question: str, personal: bool) -> None:
    assert is_personal(question) is personal


def test_personal_questions_are_dropped_unless_kept() -> None:
    backend = ScriptedBackend(
        spans=lambda text: [Span("cats", 7, 11)],
        questions=lambda target: ["What do I love?"],
        answers=lambda query: Answer("cats"),
    )
    example = Example("1", "i love cats", "i love cats")
    assert Q2(backend).judge([example])[0].evidence[0].label == "personal"
    assert Q2(backend, personal="keep").judge([example])[0].score == 1.0


def test_pronouns_can_be_resolved_first() -> None:
    example = Example("1", "it is sweet .", "Honey is sweet.", tags={"topic": "Honey"})
    verdict = Q2(ScriptedBackend(), coref="on").judge([example])[0]
    asked = [e for e in verdict.evidence if e.kind == "question"]
    assert ("honey", 0, 2) in [(e.details["answer_from_response"], e.start, e.end) for e in asked]


def test_where_resolving_pronouns_leaves_nothing_to_ask_the_response_is_taken_as_it_stands() -> (
    None
):
    backend = ScriptedBackend(spans=lambda text: [Span("it", 0, 2)] if text[:2] == "it" else [])
    examples = [
        Example("a", "it is sweet .", "Honey is sweet.", tags={"topic": "Honey"}),
        Example("b", "it is hot .", "It is hot .", tags={"topic": "Summer"}),
    ]
    for verdict in Q2(backend, coref="on").judge(examples):
        asked = [(e.start, e.end) for e in verdict.evidence if e.kind in ("question", "dropped")]
        assert asked == [(0, 2)]


def test_same_answer_ignores_articles_case_and_possessives() -> None:
    assert same_answer("the Simon Cowell ' s", "simon cowell")
    assert not same_answer("1990", "1991")


def test_as_published_punctuation_leaves_no_gap_and_a_possessive_counts() -> None:
    for left, right in (("U.S.", "the US"), ("1,000", "1000"), ("Cowell's", "cowells")):
        assert same_answer(left, right, published=True)
        assert not same_answer(left, right)
    assert not same_answer("Cowell's", "Cowell", published=True)
    assert answer_f1("1,000", "2,000", published=True) == 0
    assert answer_f1("1,000", "2,000") == 0.5


def test_as_published_only_the_question_makes_it_personal() -> None:
    backend = ScriptedBackend(
        spans=lambda text: [Span("me", 9, 11)],
        questions=lambda target: ["Who does it help?"],
        answers=lambda query: Answer("me"),
    )
    example = Example("1", "it helps me", "It helps me.")
    kinds = {
        compat: [e.kind for e in Q2(backend, compat=compat).judge([example])[0].evidence]
        for compat in ("none", "paper")
    }
    assert kinds["paper"] == ["question"]
    assert "question" not in kinds["none"]


def test_the_signature_says_what_compat_does_and_contradictions_are_refused() -> None:
    signature = load_metric("q2,compat=released", backend=ScriptedBackend()).signature
    for part in ("compare:answers", "scores:hard", "questions:all", "fallback:none"):
        assert part in signature
    with pytest.raises(UsageError, match="leave compare out"):
        load_metric("q2,compat=paper,compare=knowledge", backend=ScriptedBackend())


@pytest.mark.parametrize("compat", ["paper", "released"])
def test_a_published_method_does_not_resolve_pronouns_in_our_way(compat: str) -> None:
    with pytest.raises(UsageError, match=f"compat={compat} .* write coref=dialogue"):
        load_metric(f"q2,compat={compat},coref=on", backend=ScriptedBackend())
    signed = load_metric(f"q2,compat={compat},coref=dialogue", backend=ScriptedBackend()).signature
    assert "coref:dialogue" in signed


def test_a_response_with_very_many_names_is_asked_about_a_hundred_of_them_and_says_so() -> None:
    names = [f"name{n}" for n in range(1_000)]
    response = ", ".join(names) + "."
    places = [
        response.index(f"{name}{mark}")
        for name, mark in zip(names, [","] * 999 + ["."], strict=True)
    ]
    spans = [Span(n, at, at + len(n), "entity", "") for n, at in zip(names, places, strict=True)]
    asked: list[Query] = []

    def answer(query: Query) -> Answer:
        asked.append(query)
        return Answer(query.question.removeprefix("Who is ").removesuffix("?"))

    backend = ScriptedBackend(
        spans=lambda text: spans,
        questions=lambda target: [f"Who is {target.span.text}?"],
        answers=answer,
        entailments=lambda pair: Entailment(1.0, 0.0, 0.0),
    )
    (verdict,) = Q2(backend).judge([Example("1", response, "A list of names.")])
    assert verdict.reason.endswith("Only 100 of its 1,000 names and phrases were asked about.")
    assert len(asked) == 200  # of the response and of the knowledge
    about = [query for query in asked if query.passage != "A list of names."]
    # Reading all of a long response for each question would take quadratic time.
    assert max(len(query.passage) for query in about) < 4_200
    assert all(query.question.removeprefix("Who is ")[:-1] in query.passage for query in about)
    assert {"name0", "name999"} <= {e.details["answer_from_response"] for e in verdict.evidence}


def test_all_of_the_dialogue_can_be_resolved_first() -> None:
    history = (Turn("user", "I like Bob Ross."), Turn("bot", "Me too."))
    example = Example("1", "He painted mountains.", "Bob Ross painted mountains.", history)
    verdict = Q2(ScriptedBackend(), coref="dialogue").judge([example])[0]
    asked = [e for e in verdict.evidence if e.kind in ("question", "dropped")]
    about_he = {e.details["answer_from_response"] for e in asked if (e.start, e.end) == (0, 2)}
    assert about_he == {"Ross"}


def test_markup_is_not_asked_about_except_as_published() -> None:
    read: list[str] = []

    def spans(text: str) -> list[Span]:
        read.append(text)
        return []

    backend = ScriptedBackend(spans=spans)
    example = Example("1", "1. It opened in **Rome** [1].", KNOWLEDGE)
    Q2(backend).judge([example])
    Q2(backend, compat="paper").judge([example])
    assert [text.split() for text in dict.fromkeys(read)] == [
        ["It", "opened", "in", "Rome", "."],
        example.response.split(),
    ]


def test_rows_that_are_judged_side_by_side_get_the_verdicts_that_they_get_alone() -> None:
    class Threaded(ScriptedBackend):
        threads = 2

        def spans(self, texts: Sequence[str]) -> list[list[Span]]:
            at_once.append(len(texts))
            return super().spans(texts)

    at_once: list[int] = []
    rows = [
        Example(str(n), RESPONSE if n % 3 else f"number {n}", f"{KNOWLEDGE} {n}") for n in range(50)
    ]
    script = Script({WHEN: "1985", WHERE: "Rome"})
    alone = [Q2(script.backend()).judge([row])[0] for row in rows]
    threaded = Threaded(
        spans=lambda text: script.spans if text == RESPONSE else [],
        questions=script._questions, answers=script._answer, entailments=script._infer,
    )  # fmt: skip
    assert Q2(threaded).judge(rows) == alone
    assert sum(at_once) == len(rows)
    assert len(at_once) > 2


def test_results_hold_every_question_with_both_answers() -> None:
    rows = [Example("1", RESPONSE, KNOWLEDGE), Example("2", "", KNOWLEDGE)]
    result, empty = Q2(Script({WHEN: "1985", WHERE: None}).backend()).results(rows)
    assert empty is None
    assert result is not None
    assert [(q.candidate.span.text, q.from_knowledge) for q in result.questions] == [
        ("1990", "1985"), ("Rome", None),
    ]  # fmt: skip
    assert result.answered == result.questions[:1]
    assert {d.why for d in result.dropped} == {"round trip"}
    assert result.whole is None


def test_results_of_a_response_without_a_valid_question_hold_the_whole_entailment() -> None:
    metric = Q2(Script({}, label="neutral").backend())
    (result,) = metric.results([Example("1", "hello there", KNOWLEDGE)])
    assert result is not None
    assert (result.questions, result.whole) == ((), Entailment(0.0, 1.0, 0.0))
