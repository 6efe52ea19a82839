"""The report page: complete, self-contained and safe."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from staytrue.core.errors import RunError
from staytrue.core.records import Evidence, Example, Failure, Probe, Turn, Verdict
from staytrue.report import write_report
from staytrue.report.page import embedded_json
from staytrue.report.run_view import MOST_CHARACTERS, read_run
from staytrue.report.sections import sections
from staytrue.studies.aih.records import BotDifference, RankedBot, Ranking, Stability, write_ranking

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"' onmouseover=alert(3)"


def data_of(page: str) -> dict:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert match
    return json.loads(match.group(1))


def simple(number: int, **more: object) -> Example:
    return Example(f"e{number}", f"response {number}", "knowledge", **more)  # type: ignore[arg-type]


def test_the_page_needs_nothing_from_elsewhere(make_run) -> None:
    page = write_report(make_run([simple(1)], [Verdict("e1", "overlap", 0.5)])).read_text("utf-8")
    assert not re.search(r'(?:src|href)\s*=\s*["\']?(?:https?:|//)', page)
    assert "default-src 'none'" in page


def test_headline_shows_mean_interval_and_signature(make_run) -> None:
    run = make_run(
        [simple(1), simple(2)], [Verdict("e1", "overlap", 0.25), Verdict("e2", "overlap", 0.75)]
    )
    page = write_report(run).read_text("utf-8")
    assert "0.500" in page
    assert "95 % interval" in page
    assert "overlap|staytrue:1|seed:0" in page


@pytest.mark.parametrize(
    ("documents", "told"),
    [(2, "although they come from only 2 dialogues or documents"),
     (6, "the responses come from 6 dialogues or documents"),
     (12, "responses count as independent.")],
)  # fmt: skip
def test_the_headline_says_whether_its_interval_is_clustered(
    make_run, documents: int, told: str
) -> None:
    examples = [Example(f"e{n}", "r", f"document {n % documents}") for n in range(12)]
    run = make_run(examples, [Verdict(one.id, "overlap", 0.5) for one in examples])
    assert told in write_report(run).read_text("utf-8")


def test_consistency_leads_the_page(make_run) -> None:
    run = make_run(
        [simple(1)], [Verdict("e1", "overlap", 0.25), Verdict("e1", "consistency", 0.75)]
    )
    page = write_report(run).read_text("utf-8")
    assert page.index("<strong>consistency</strong>") < page.index("overlap")


def test_hostile_text_never_becomes_markup(make_run) -> None:
    example = Example(
        HOSTILE, HOSTILE, HOSTILE, (Turn(HOSTILE, HOSTILE),), (HOSTILE,),
        Probe(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE), label=HOSTILE, tags={HOSTILE: HOSTILE},
    )  # fmt: skip
    verdict = Verdict(HOSTILE, HOSTILE, 0.5, HOSTILE, HOSTILE, (Evidence("question", HOSTILE),))
    run = make_run([example], [verdict], [Failure(HOSTILE, HOSTILE, HOSTILE)])
    page = write_report(run).read_text("utf-8")
    assert "<img" not in page
    assert "<script>alert" not in page
    assert page.count("<script") == 2
    assert data_of(page)["examples"][0]["response"] == HOSTILE


def test_embedded_json_survives_line_separators_and_tags() -> None:
    text = str(embedded_json({"a": "</script>\u2028&"}))
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == {"a": "</script>\u2028&"}


def test_abstentions_and_errors_are_counted_and_shown(make_run) -> None:
    run = make_run(
        [simple(1), simple(2)],
        [Verdict("e1", "overlap", None, reason="The knowledge has no words to compare.")],
        [Failure("e2", "The metric failed: boom", "overlap"), Failure("in.csv:3", "not a row")],
    )
    page = write_report(run).read_text("utf-8")
    assert "The knowledge has no words to compare." in page
    assert "The metric failed: boom" in page
    assert "in.csv:3" in page
    assert "no score" in page
    assert data_of(page)["failed"]["e2"] == ["overlap: The metric failed: boom"]


def test_labels_bring_curves_and_a_confusion_matrix(make_run) -> None:
    examples = [
        simple(1, consistent=True, label="entailment"),
        simple(2, consistent=False, label="generic"),
        simple(3, consistent=False, label="hallucination"),
    ]
    verdicts = [
        Verdict("e1", "begin", 0.9, "entailment"), Verdict("e2", "begin", 0.2, "generic"),
        Verdict("e3", "begin", 0.4, "generic"),
    ]  # fmt: skip
    page = write_report(make_run(examples, verdicts)).read_text("utf-8")
    assert "begin 1.000" in page
    assert "begin: 66.7% the same label" in page


def test_three_way_labels_are_right_for_any_kind_of_neutral(make_run) -> None:
    examples = [simple(1, label="entailment"), simple(2, label="generic")]
    verdicts = [Verdict("e1", "nli", 0.9, "entailment"), Verdict("e2", "nli", 0.5, "neutral")]
    page = write_report(make_run(examples, verdicts)).read_text("utf-8")
    assert "nli: 100.0% the same label" in page


def test_ratings_bring_correlations(make_run) -> None:
    examples = [simple(n, rating=float(n)) for n in range(5)]
    verdicts = [Verdict(f"e{n}", "overlap", n / 10) for n in range(5)]
    page = write_report(make_run(examples, verdicts)).read_text("utf-8")
    assert "Agreement with ratings" in page
    assert "<td>1.000</td>" in page  # five rows in perfect order have no spread to tell from
    assert "1.000 [1.000, 1.000]" not in page


def test_probes_bring_a_table_of_source_and_kind(make_run) -> None:
    asked = Probe("do you have a dog?", "yes", "i have a dog", "yn", "persona")
    other = Probe("what do you have?", "a dog", "i have a dog", "wh", "history")
    run = make_run(
        [simple(1, probe=asked), simple(2, probe=other)],
        [Verdict("e1", "hybrid", 1.0), Verdict("e2", "hybrid", 0.0)],
    )
    page = write_report(run).read_text("utf-8")
    assert "<td>persona</td><td>yn</td><td>1.000" in page
    assert "<td>history</td><td>wh</td><td>0.000" in page


def test_a_ranking_brings_order_matrix_and_stability(make_run) -> None:
    run = make_run([simple(1)], [Verdict("e1", "contradiction", 0.5)])
    ranking = Ranking(
        (
            RankedBot("a", 1, 0.1, 0.05, 0.2, 10, 1, 0.2, 2, 5.0, 0.5),
            RankedBot("b", 2, 0.4, 0.3, 0.5, 10, 4, 0.3, 2, 5.0, 2.0),
        ),
        {"a": {"a": 0.1, "b": 0.4}, "b": {"a": 0.1, "b": 0.4}},
        stability=(Stability(None, (1, 50), (0.6, 0.97), 50),),
    )
    write_ranking(run, ranking)
    page = write_report(run).read_text("utf-8")
    assert 'id="ranking"' in page
    assert 'id="stability"' in page
    # The figure is the share that is consistent, whatever the metric is called.
    assert "mean consistency by <strong>contradiction</strong>, 1 answer" in page
    assert "judged bot" in page


def test_a_bot_without_inquiries_is_not_drawn_as_the_best(make_run) -> None:
    run = make_run([simple(1)], [Verdict("e1", "contradiction", 0.5)])
    asked = RankedBot("talker", 1, 0.4, 0.3, 0.5, 10, 4, None, 2, 5.0, 2.0)
    never = RankedBot(
        "mute", None, None, None, None, 0, 0, None, 2, 0.0, 0.0, 0.0, "too few to rank"
    )
    write_ranking(run, Ranking((asked, never), {}))
    (section,) = (s for s in sections(read_run(run)) if s.id == "ranking")
    assert "talker" in section.figures[0].picture
    assert "mute" not in section.figures[0].picture
    assert "no inquiry could be made: mute" in section.figures[0].caption
    assert section.table is not None
    assert section.table.rows[0][:2] == ["1", "talker"]
    assert section.table.rows[1][:3] == ["–", "mute", "not defined"]
    assert "mute has too few to rank" in section.lead
    write_ranking(run, Ranking((never,), {}))
    (section,) = (s for s in sections(read_run(run)) if s.id == "ranking")
    assert section.figures == []


def test_a_long_text_is_cut_and_says_so(make_run) -> None:
    run = make_run([Example("e1", "x" * (MOST_CHARACTERS + 5))], [Verdict("e1", "overlap", 0.5)])
    shown = data_of(write_report(run).read_text("utf-8"))["examples"][0]["response"]
    assert shown.endswith("… (5 more characters)")


def test_what_does_not_fit_is_counted_not_hidden(make_run) -> None:
    run = make_run(
        [simple(n) for n in range(30)], [Verdict(f"e{n}", "overlap", 0.5) for n in range(30)]
    )
    view = read_run(run, most_examples=10)
    assert (len(view.shown), view.left_out, view.total) == (10, 20, 30)
    assert len([s for s in view.metrics[0].scores if s is not None]) == 30


def test_a_run_without_verdicts_still_has_a_page(make_run) -> None:
    page = write_report(make_run([simple(1)])).read_text("utf-8")
    assert "No metric has scored any response" in page


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="not a run folder"):
        write_report(tmp_path)


@pytest.mark.slow
def test_a_hundred_thousand_examples_stay_in_bounds(make_run) -> None:
    import resource

    count = 100_000
    examples = [Example(f"e{n}", f"response {n} " * 5, "knowledge " * 10) for n in range(count)]
    run = make_run(examples, [Verdict(f"e{n}", "overlap", n / count) for n in range(count)])
    del examples
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    page = write_report(run)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert page.stat().st_size < 40_000_000
    assert grown < 300
    assert "The other 90,000 are in the run folder." in page.read_text("utf-8")


def test_bots_are_compared_with_holms_correction_and_the_page_says_so(make_run) -> None:
    run = make_run([simple(n) for n in range(3)], [])
    differences = (
        BotDifference("a", "b", -0.1, -0.2, 0.0, 0.03, 0.06),
        BotDifference("a", "c", -0.1, -0.2, 0.0, 0.04, 0.06),
    )
    write_ranking(run, Ranking((), {}, differences=differences))
    page = write_report(run).read_text("utf-8")
    assert "corrected by Holm&#39;s method" in page
    assert "0.0600" in page
    assert "<td>yes</td>" not in page


def judged_rows() -> tuple[list[Example], list[Verdict]]:
    """Forty rows of each of two kinds: scores of one mean what they say, those of the other not."""
    examples, verdicts = [], []
    for kind in ("honest", "boastful"):
        for n in range(40):
            truth = n % 10 < (9 if kind == "honest" and n >= 20 else 2 if kind == "honest" else 3)
            name = f"{kind}{n}"
            examples.append(Example(name, "r", name, consistent=truth, tags={"kind": kind}))
            verdicts.append(Verdict(name, "overlap", 0.9 if n >= 20 else 0.2))
    return examples, verdicts


def test_reliability_is_shown_by_kind_of_data(make_run) -> None:
    page = write_report(make_run(*judged_rows())).read_text("utf-8")
    assert "kind honest: score and share are 0.000 apart" in page
    assert "kind boastful: score and share are 0.350 apart" in page
