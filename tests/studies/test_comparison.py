"""Two runs side by side, if and only if their scores can be compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import staytrue
from staytrue.core.errors import RunError
from staytrue.core.records import Example, Turn, Verdict
from staytrue.runs import processor
from staytrue.runs.folder import Run
from staytrue.runs.writer import RunWriter
from staytrue.studies.comparison import compare, processors_differ


def run(
    folder: Path, scores: dict[str, float], signature: str = "m|x:1", knowledge: str = "k {}"
) -> Run:
    with RunWriter(folder, {"m": signature}) as writer:
        verdicts = [Verdict(i, "m", score) for i, score in scores.items()]
        writer.add([Example(i, "r", knowledge.format(i)) for i in scores], verdicts)
    return Run(folder)


def test_runs_with_the_same_ids_are_compared_as_pairs(tmp_path: Path) -> None:
    low = {str(n): n / 100 for n in range(50)}
    higher = {i: s + 0.05 + (n % 11) / 100 for n, (i, s) in enumerate(low.items())}
    comparison = compare(run(tmp_path / "a", low), run(tmp_path / "b", higher))["m"]
    assert comparison.by_pairs
    gaps = np.array([higher[i] - low[i] for i in low])
    assert comparison.difference.value == pytest.approx(gaps.mean())
    half = 2.01 * gaps.std(ddof=1) / 50**0.5  # Student's t with 49 degrees of freedom
    assert comparison.difference.low == pytest.approx(gaps.mean() - half, abs=1e-3)
    assert comparison.difference.high == pytest.approx(gaps.mean() + half, abs=1e-3)
    assert comparison.p <= 0.001


def test_twelve_examples_that_do_not_differ_are_no_proof_that_nothing_differs(
    tmp_path: Path,
) -> None:
    same = {str(n): 0.0 for n in range(12)}
    comparison = compare(run(tmp_path / "a", same), run(tmp_path / "b", same))["m"]
    assert comparison.difference.value == 0
    assert comparison.difference.low < -0.1 < 0.1 < comparison.difference.high
    assert comparison.p == 1


def test_rows_whose_contexts_differ_are_not_paired_and_counted(tmp_path: Path) -> None:
    scores = {str(n): n / 100 for n in range(50)}
    other = {str(n): n / 100 + 0.3 for n in range(50)}
    a, b = run(tmp_path / "a", scores), run(tmp_path / "b", other, knowledge="else {}")
    comparison = compare(a, b)["m"]
    assert not comparison.by_pairs
    assert comparison.other_contexts == 50
    assert comparison.falls == ()


def test_the_id_alone_may_make_pairs(tmp_path: Path) -> None:
    scores = {str(n): n / 50 for n in range(50)}
    lower = {i: s * 0.9 for i, s in scores.items()}
    a, b = run(tmp_path / "a", scores), run(tmp_path / "b", lower, knowledge="else {}")
    assert not compare(a, b)["m"].is_worse
    paired = compare(a, b, by_id=True)["m"]
    assert paired.by_pairs
    assert paired.is_worse
    assert (paired.other_contexts, paired.other_knowledge) == (0, 50)


def test_a_question_tells_which_rows_are_pairs_whatever_was_retrieved_for_it(
    tmp_path: Path,
) -> None:
    for name, passage in (("a", "old index"), ("b", "new index")):
        with RunWriter(tmp_path / name, {"m": "m|x:1"}) as writer:
            for n in range(20):
                question = (Turn("user", f"question {n}"),)
                example = Example(str(n), "r", f"{passage} {n}", question)
                writer.add([example], [Verdict(str(n), "m", n / 20)])
    comparison = compare(tmp_path / "a", tmp_path / "b")["m"]
    assert comparison.by_pairs
    assert comparison.other_knowledge == 20


def test_runs_without_a_common_id_lack_the_scores_that_one_has_more(tmp_path: Path) -> None:
    a = run(tmp_path / "a", {f"a{n}": 0.5 for n in range(20)})
    b = run(tmp_path / "b", {f"b{n}": 0.5 for n in range(12)})
    assert compare(a, b)["m"].lacks_scores
    assert not compare(b, a)["m"].lacks_scores


def test_rows_of_one_document_are_one_observation(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    base = {str(n): 0.4 for n in range(80)}
    moved = {str(n): 0.4 + shift for n, shift in enumerate(np.repeat(rng.normal(0, 0.1, 8), 10))}
    runs = {}
    for name, scores in (("a", base), ("b", moved)):
        with RunWriter(tmp_path / name, {"m": "m|x:1"}) as writer:
            examples = [Example(i, "r", f"document {int(i) // 10}") for i in scores]
            writer.add(examples, [Verdict(i, "m", float(s)) for i, s in scores.items()])
        runs[name] = Run(tmp_path / name)
    comparison = compare(runs["a"], runs["b"])["m"]
    assert comparison.difference.clusters == 8
    assert comparison.p > 0.05


def test_several_metrics_are_corrected(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, shift in (("a", 0.0), ("b", 0.06)):
        with RunWriter(tmp_path / name, {m: f"{m}|x:1" for m in "mno"}) as writer:
            examples = [Example(str(n), "r") for n in range(40)]
            verdicts = [
                Verdict(e.id, m, float(np.clip(0.5 + shift + rng.normal(0, 0.1), 0, 1)))
                for e in examples for m in "mno"
            ]  # fmt: skip
            writer.add(examples, verdicts)
    comparison = compare(tmp_path / "a", tmp_path / "b")
    assert all(c.p <= c.p_corrected <= 3 * c.p for c in comparison.values())
    assert min(c.p_corrected for c in comparison.values()) == pytest.approx(
        3 * min(c.p for c in comparison.values())
    )


def test_the_smallest_detectable_difference_falls_with_the_number_of_examples(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)

    def pair(name: str, n: int) -> float:
        a, b = ({str(i): float(s) for i, s in enumerate(rng.random(n))} for _ in "ab")
        one, other = run(tmp_path / f"{name}a", a), run(tmp_path / f"{name}b", b)
        smallest = compare(one, other, draws=20)["m"].detectable
        assert smallest is not None
        return smallest

    assert pair("many", 400) / pair("few", 100) == pytest.approx(0.5, abs=0.1)


def test_runs_with_other_ids_are_two_samples(tmp_path: Path) -> None:
    a = run(tmp_path / "a", {f"a{n}": n / 100 for n in range(50)})
    b = run(tmp_path / "b", {f"b{n}": n / 100 for n in range(50)})
    comparison = compare(a, b)["m"]
    assert not comparison.by_pairs
    assert comparison.p > 0.5


def test_other_signatures_are_refused_with_what_differs(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", {"1": 0.5}), run(tmp_path / "b", {"1": 0.5}, "m|x:2")
    with pytest.raises(RunError, match="x is 1 in one and 2 in the other"):
        compare(a, b)


def test_one_abstention_does_not_cost_the_pairing(tmp_path: Path) -> None:
    a = {str(n): 0.5 + (n % 40) / 100 for n in range(100)}
    b = {i: score - 0.03 for i, score in a.items() if i != "7"}
    comparison = compare(run(tmp_path / "a", a), run(tmp_path / "b", b))["m"]
    assert comparison.by_pairs
    assert (comparison.n_a, comparison.n_b, comparison.left_out) == (99, 99, 1)
    assert comparison.difference.value == pytest.approx(-0.03)
    assert comparison.p < 0.01


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_few_examples_prove_nothing(tmp_path: Path, n: int) -> None:
    a = run(tmp_path / "a", {str(i): 1.0 for i in range(n)})
    b = run(tmp_path / "b", {str(i): 0.5 for i in range(n)})
    assert compare(a, b)["m"].p > 0.05


def test_equal_scores_differ_by_nothing_but_rounding(tmp_path: Path) -> None:
    a = run(tmp_path / "a", {f"a{i}": 0.1 for i in range(3)})
    b = run(tmp_path / "b", {f"b{i}": 0.1 for i in range(2)})
    assert compare(a, b)["m"].p == 1.0


@pytest.mark.slow
def test_alike_runs_are_seldom_called_different(tmp_path: Path) -> None:
    p_values = []
    for trial in range(40):
        draw = np.random.default_rng(trial)
        a, b = ({str(i): float(s) for i, s in enumerate(draw.random(6))} for _ in "ab")
        one, other = run(tmp_path / f"a{trial}", a), run(tmp_path / f"b{trial}", b)
        p_values.append(compare(one, other, draws=200)["m"].p < 0.05)
    assert sum(p_values) <= 6


def test_run_folders_may_be_named_by_their_paths(tmp_path: Path) -> None:
    run(tmp_path / "a", {"1": 0.5, "2": 0.7})
    run(tmp_path / "b", {"1": 0.5, "2": 0.2})
    comparison = staytrue.compare(tmp_path / "a", str(tmp_path / "b"))["m"]
    assert comparison.falls == (("2", 0.7, 0.2),)


def test_scores_of_the_embedded_models_from_unlike_processors_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(name: str, kind: str, signature: str) -> Run:
        monkeypatch.setattr(processor, "kind", lambda: kind)
        return run(tmp_path / name, {"1": 0.5}, signature)

    embedded, other = "m|x:1|backend:embedded", "m|x:1"
    a = made("a", "x86_64, avx2", embedded)
    told = processors_differ(a, made("b", "aarch64", embedded))
    assert told is not None
    assert told.startswith("A was made on x86_64, avx2, B on aarch64:")
    assert processors_differ(a, made("c", "x86_64, avx2", embedded)) is None
    assert processors_differ(made("d", "x86_64", other), made("e", "aarch64", other)) is None
