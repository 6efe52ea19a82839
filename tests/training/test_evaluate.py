from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from training import evaluate
from training.evaluate import Figure

from staytrue.core.protocols import Answer, Entailment, Pair, Query
from staytrue.core.records import Example, Verdict


@pytest.mark.parametrize(
    ("value", "smaller", "met"),
    [(0.7, False, True), (0.69, False, False), (0.7, True, True), (0.71, True, False)],
)
def test_a_floor_is_met_when_it_is_reached(value: float, smaller: bool, met: bool) -> None:
    assert Figure("x", value, 0.7, smaller_is_better=smaller).met is met


def test_without_a_floor_nothing_can_be_missed() -> None:
    assert Figure("x", 0.0, aim=0.9).met is None


@pytest.mark.parametrize(
    ("figure", "line"),
    [
        (Figure("size", 91.25, 90, 60, smaller_is_better=True),
         "| size | 91.2500 | 90.00 | 60.00 | NO |"),
        (Figure("auc", 0.71234, 0.7), "| auc | 0.7123 | 0.70 |  | yes |"),
        (Figure("speed", 3.0), "| speed | 3.0000 |  |  |  |"),
        (Figure("cost", 0.0, 0.0, smaller_is_better=True), "| cost | 0.0000 | 0.00 |  | yes |"),
    ],
)  # fmt: skip
def test_a_figure_is_a_line_of_the_table(figure: Figure, line: str) -> None:
    assert figure.line() == line


class Fake:
    """Answers by looking up the hypothesis or the question."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        return [self.known[pair.hypothesis] for pair in pairs]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        return [Answer(self.known[query.question]) for query in queries]


YES, OPEN, NO = Entailment(0.8, 0.1, 0.1), Entailment(0.3, 0.5, 0.2), Entailment(0.1, 0.1, 0.8)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(evaluate, "DATA", tmp_path)
    return tmp_path / "dev"


@pytest.fixture
def pairs(data: Path, write_rows) -> Fake:
    rows = [("a", "entailment"), ("b", "neutral"), ("c", "contradiction"), ("d", "contradiction")]
    write_rows(
        data / "set.jsonl.gz",
        [{"premise": "p", "hypothesis": name, "label": label} for name, label in rows],
    )
    return Fake({"a": YES, "b": OPEN, "c": NO, "d": OPEN})


def test_accuracy_is_the_share_of_labels_that_are_right(pairs: Any) -> None:
    assert evaluate.accuracy(pairs, "set", None) == 0.75
    assert evaluate.accuracy(pairs, "set", 2) == 1.0


def test_two_way_accuracy_asks_only_which_of_the_two_ends_is_likelier(pairs: Any) -> None:
    # "b" and "d" lean to entailment, which is wrong for both.
    assert evaluate.two_way_accuracy(pairs, "set", None) == 0.5


def test_the_calibration_error_without_temperature_is_that_of_the_raw_scores(
    pairs: Any, tmp_path: Path
) -> None:
    manifest = {"models": {"entailment": {"temperature": 2.0}}}
    (tmp_path / "models.json").write_text(json.dumps(manifest))
    after, before = evaluate.calibration(pairs, tmp_path, "set", None)
    # Shipped: confidence 0.8 twice (both right) and 0.5 twice (one right).
    assert after == pytest.approx(0.5 * 0.2)
    # Before the temperature, probabilities are as their squares.
    high = 0.64 / 0.66
    low = 0.25 / 0.38
    assert before == pytest.approx(0.5 * (1 - high) + 0.5 * (low - 0.5))


QUESTIONS = {
    "full": (["the old mill", "a mill"], "old mill"),
    "half": (["red wine"], "red beer"),
    "silent": (["tea"], None),
    "rightly": ([], None),
    "wrongly": ([], "tea"),
}


@pytest.fixture
def reader(data: Path, write_rows) -> Fake:
    rows = [
        {"question": question, "context": "c", "answers": [{"text": text} for text in golds]}
        for question, (golds, _) in QUESTIONS.items()
    ]
    write_rows(data / "reading.jsonl.gz", rows)
    return Fake({question: said for question, (_, said) in QUESTIONS.items()})


def test_reading_takes_the_best_f1_of_all_answers_and_silence_only_where_it_is_right(
    reader: Any,
) -> None:
    found = evaluate.reading_f1(reader, "reading", None)
    assert found["answerable"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert found["unanswerable"] == 0.5
    assert found["all"] == pytest.approx((1 + 0.5 + 0 + 1 + 0) / 5)


def test_a_limit_takes_rows_from_the_whole_file(reader: Any) -> None:
    # Every second of five rows: full, silent, wrongly.
    found = evaluate.reading_f1(reader, "reading", 2)
    assert found == {"all": pytest.approx(1 / 3), "answerable": 0.5, "unanswerable": 0.0}


def test_int8_costs_what_fp32_gets_right_more(pairs: Fake, reader: Fake, data: Path) -> None:
    whole: Any = Fake({**pairs.known, "d": NO, **reader.known, "half": "red wine"})
    small: Any = Fake({**pairs.known, **reader.known})
    for name in ("snli_dev", "mnli_dev", "dnli_dev"):
        (data / f"{name}.jsonl.gz").write_bytes((data / "set.jsonl.gz").read_bytes())
    (data / "squad2_part.jsonl.gz").write_bytes((data / "reading.jsonl.gz").read_bytes())
    costs = list(evaluate.int8_cost(small, whole, None))
    assert [figure.value for figure in costs] == pytest.approx([0.25, 0.25, 0.25, 0.1])
    assert not any(figure.met for figure in costs)
    assert all(figure.met for figure in evaluate.int8_cost(small, small, None))


def test_examples_are_consistent_where_the_annotators_said_so(data: Path, write_rows) -> None:
    write_rows(
        data / "q2_cross_annotation.jsonl.gz",
        [{"knowledge": "k", "dodeca_response": "d", "dodeca_label": "0",
          "memnet_response": "m", "memnet_label": "1"}],
    )  # fmt: skip
    assert [(e.response, e.consistent) for e in evaluate.q2_examples()] == [
        ("d", True), ("m", False)
    ]  # fmt: skip
    write_rows(
        data / "begin_v1_dev.jsonl.gz",
        [
            {"response": label, "evidence": "e", "label": label}
            for label in ("entailment", "generic")
        ],
    )
    assert [e.consistent for e in evaluate.begin_examples()] == [True, False]
    labels = ("Fully attributable ", "Generic", "Not fully attributable")
    write_rows(
        data / "begin_v2_dev_wow.jsonl.gz",
        [{"response": "r", "knowledge": "k", "label": label} for label in labels],
    )
    assert [e.consistent for e in evaluate.begin_later_examples("wow")] == [True, False, False]


def test_the_command_fails_exactly_when_a_floor_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(evaluate, "EmbeddedBackend", lambda folder: object())
    for value, code in ((0.9, 0), (0.1, 1)):
        figures = [Figure("kept", 1.0, 0.5), Figure("asked", value, 0.5), Figure("free", 0.0)]
        monkeypatch.setattr(evaluate, "table", lambda *_, figures=figures: iter(figures))
        monkeypatch.setattr("sys.argv", ["evaluate"])
        with pytest.raises(SystemExit) as ended:
            evaluate.main()
        assert ended.value.code == code
        assert capsys.readouterr().out.splitlines()[2:] == [figure.line() for figure in figures]


def test_the_ranking_counts_an_abstention_as_the_lowest_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Judge:
        def __init__(self, backend: object, prior: str) -> None:
            pass

        def judge(self, examples: list[Example]) -> list[Verdict]:
            scores = {"high": 0.9, "low": 0.2, "none": None}
            return [Verdict(e.id, "nli", scores[e.response], reason="because") for e in examples]

    monkeypatch.setattr(evaluate, "EndToEndNli", Judge)
    said = [("high", True), ("none", True), ("low", False)]
    examples = [Example(text, text, "known", consistent=right) for text, right in said]
    backend: Any = None
    # "high" is above the inconsistent one, "none" below it.
    assert evaluate.nli_auc(backend, examples) == pytest.approx(0.5)
