from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from training import evaluate
from training.evaluate import MeasuredFigure

from staytrue.core.protocols import Answer, Entailment, Pair, Query
from staytrue.core.records import Example, Verdict


@pytest.mark.parametrize(
    ("value", "smaller", "met"),
    [(0.7, False, True), (0.69, False, False), (0.7, True, True), (0.71, True, False)],
)
def test_a_floor_is_met_when_it_is_reached(value: float, smaller: bool, met: bool) -> None:
    assert MeasuredFigure("x", value, 0.7, smaller_is_better=smaller).met is met


def test_without_a_floor_nothing_can_be_missed() -> None:
    assert MeasuredFigure("x", 0.0, aim=0.9).met is None


@pytest.mark.parametrize(
    ("figure", "line"),
    [
        (MeasuredFigure("size", 91.25, 90, 60, smaller_is_better=True),
         "| size | 91.2500 | 90.00 | 60.00 | NO |"),
        (MeasuredFigure("auc", 0.71234, 0.7), "| auc | 0.7123 | 0.70 |  | yes |"),
        (MeasuredFigure("speed", 3.0), "| speed | 3.0000 |  |  |  |"),
        (MeasuredFigure("cost", 0.0, 0.0, smaller_is_better=True),
         "| cost | 0.0000 | 0.00 |  | yes |"),
    ],
)  # fmt: skip
def test_a_figure_is_a_line_of_the_table(figure: MeasuredFigure, line: str) -> None:
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
    return Fake({question: answer for question, (_, answer) in QUESTIONS.items()})


def test_reading_takes_the_best_f1_of_all_answers_and_silence_only_where_it_is_right(
    reader: Any,
) -> None:
    f1 = evaluate.reading_f1(reader, "reading", None)
    assert f1["answerable"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert f1["unanswerable"] == 0.5
    assert f1["all"] == pytest.approx((1 + 0.5 + 0 + 1 + 0) / 5)


def test_a_limit_takes_rows_from_the_whole_file(reader: Any) -> None:
    # Every second of five rows: full, silent, wrongly.
    f1 = evaluate.reading_f1(reader, "reading", 2)
    assert f1 == {"all": pytest.approx(1 / 3), "answerable": 0.5, "unanswerable": 0.0}


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


class Settled:
    """A command line that measures nothing: each size has its figures."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
        self.figures: dict[str, list[MeasuredFigure]] = {"small": [], "large": []}
        self.begin: dict[str, tuple[float, ...]] = {}
        monkeypatch.setattr(evaluate, "EmbeddedBackend", lambda **_: object())
        monkeypatch.setattr(evaluate, "large_folder", lambda: Path("models") if large else None)
        monkeypatch.setattr(evaluate, "table", self.table)

    def table(self, _: object, size: str, __: object, small_begin: Sequence[float] = ()) -> Any:
        self.begin[size] = tuple(small_begin)
        return iter(self.figures[size])


BEGIN = [
    MeasuredFigure("BEGIN v1 accuracy, prior=balanced", 0.5),
    MeasuredFigure("BEGIN v1 macro-F1, prior=balanced", 0.4),
    MeasuredFigure("BEGIN v1 accuracy, classifier alone", 0.45),
    MeasuredFigure("BEGIN v1 macro-F1, classifier alone", 0.42),
]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr("sys.argv", ["evaluate", *arguments])
    with pytest.raises(SystemExit) as ended:
        evaluate.main()
    return ended.value.code


@pytest.mark.parametrize("size", ["small", "large"])
def test_the_command_fails_exactly_when_a_floor_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], size: str
) -> None:
    command = Settled(monkeypatch, large=True)
    for value, code in ((0.9, 0), (0.1, 1)):
        figures = [
            MeasuredFigure("kept", 1.0, 0.5),
            MeasuredFigure("asked", value, 0.5),
            MeasuredFigure("free", 0.0),
        ]
        command.figures = {"small": BEGIN, "large": BEGIN, size: [*figures, *BEGIN]}
        assert run(monkeypatch) == code
        out = capsys.readouterr().out
        assert all(figure.line() in out for figure in figures)
        assert out.index("## small") < out.index("## both")


def test_without_large_models_there_is_one_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = Settled(monkeypatch, large=False)
    command.figures["small"] = BEGIN
    assert run(monkeypatch) == 0
    assert "both" not in capsys.readouterr().out


def test_the_large_models_are_measured_against_the_small_ones_better_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = Settled(monkeypatch, large=True)
    command.figures["small"] = BEGIN
    run(monkeypatch)
    assert command.begin == {"small": (), "large": (0.5, 0.42)}


def test_a_checkpoint_needs_its_base(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--checkpoint", "latest.safetensors") == 2
    assert "--base" in capsys.readouterr().err


def test_the_ranking_counts_an_abstention_as_the_lowest_score() -> None:
    class Judge:
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            scores = {"high": 0.9, "low": 0.2, "none": None}
            return [Verdict(e.id, "nli", scores[e.response], reason="because") for e in examples]

    labelled = [("high", True), ("none", True), ("low", False)]
    examples = [Example(text, text, "known", consistent=right) for text, right in labelled]
    metric: Any = Judge()
    # "high" is above the inconsistent one, "none" below it.
    assert evaluate.verdict_auc(metric, examples) == pytest.approx(0.5)


def test_macro_f1_leaves_out_classes_with_too_few_rows() -> None:
    class Judge:
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            return [Verdict(e.id, "begin", 0.5, "entailment", "because") for e in examples]

    labels = ["entailment"] * 60 + ["generic"] * 39 + ["contradiction"]
    examples = [Example(str(n), "r", "k", label=label) for n, label in enumerate(labels)]
    metric: Any = Judge()
    accuracy, macro = evaluate.begin_figures(metric, examples)
    assert accuracy == pytest.approx(0.6)
    # F1 of entailment is 2 · 0.6 / 1.6, that of generic 0; contradiction does not count.
    assert macro == pytest.approx(0.75 / 2)


def test_begin_has_bounds_only_beside_the_small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "begin_figures", lambda *_: (0.6, 0.5))
    backend: Any = None
    assert all(figure.floor is None for figure in evaluate.begin_rows(backend, [], ()))
    bounded = list(evaluate.begin_rows(backend, [], (0.5, 0.48)))
    assert [figure.met for figure in bounded] == [True, False, True, False]


def test_kept_paws_pairs_are_ranked_by_entailment(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"premise": "p", "hypothesis": name, "label": label}
        for name, label in (("a", "entailment"), ("b", "not_entailment"), ("c", "not_entailment"))
    ]
    monkeypatch.setattr(evaluate.splits, "paws", lambda: ([{"hypothesis": "trained"}], rows))
    backend: Any = Fake({"a": OPEN, "b": YES, "c": NO})
    assert evaluate.paws_auc(backend, None) == 0.5


def test_the_audit_is_measured_on_the_part_for_reporting(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def audit(part: str) -> list[dict[str, Any]]:
        asked.append(part)
        return [
            {"knowledge": "k", "response": "r", "history": ["a", "b"], "label": "entailment"},
            {"knowledge": "k", "response": "s", "history": [], "label": "generic"},
        ]

    monkeypatch.setattr(evaluate.splits, "audit", audit)
    first, second = evaluate.audit_examples()
    assert asked == ["reporting"]
    assert (first.message, first.consistent) == ("b", True)
    assert (second.message, second.consistent) == ("", False)


def test_every_row_of_the_table_has_a_floor_for_both_sizes() -> None:
    for bounds in evaluate.BOUNDS.values():
        assert set(bounds) == {"small", "large"}
