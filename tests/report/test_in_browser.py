"""The report in a real browser, opened from disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.browser import Browser, headless

from staytrue.core.records import Evidence, Example, Turn, Verdict
from staytrue.report import write_report

pytestmark = pytest.mark.browser

BREAK = "document.title='broken'"
HOSTILE = f'<img src=x onerror="{BREAK}"></script><script>{BREAK}</script>'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as started:
        yield started


@pytest.fixture(scope="module")
def shots() -> Path:
    folder = Path(os.environ.get("STAYTRUE_SHOTS", tempfile.gettempdir() + "/staytrue-shots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def page(make_run) -> str:
    """A report of sixty examples, one of them hostile, opened by its file address."""
    examples, verdicts = [], []
    for n in range(60):
        text = f"😀 coffee number {n} comes from Brazil ."
        examples.append(
            Example(f"e{n}", text if n else HOSTILE, "Coffee comes from Yemen.",
                    (Turn("user", "where from?"),), consistent=n % 3 == 0)
        )  # fmt: skip
        start = text.index("Brazil")
        answers = {"answer_from_response": "Brazil", "answer_from_knowledge": "Yemen"}
        question = Evidence("question", "Where does coffee come from?", "response", start,
                            start + 6, 0.0, "contradiction", answers)  # fmt: skip
        dropped = Evidence("dropped", "What is number?", "response", 0, 1, label="round trip")
        evidence = (question, dropped) if n else ()
        verdicts.append(Verdict(f"e{n}", "q2", n / 60, None, "One answer differs.", evidence))
        verdicts.append(
            Verdict(f"e{n}", "overlap", None, reason="It abstained.") if n == 5
            else Verdict(f"e{n}", "overlap", 1 - n / 60)
        )  # fmt: skip
    return write_report(make_run(examples, verdicts)).as_uri()


def position(browser: Browser) -> str:
    return str(browser.find("#place").text)


def test_it_opens_from_disk_in_both_schemes_and_three_widths(browser, page, shots) -> None:
    for scheme in ("light", "dark"):
        for width in (390, 820, 1280):
            browser.scheme(scheme)
            browser.size(width)
            browser.open(page)
            assert browser.fits(), (scheme, width)
            browser.run("document.querySelectorAll('#list details')[1].open = true")
            browser.shot(shots / f"report-{scheme}-{width}.png")
    assert browser.complaints() == []


def test_hostile_text_shows_as_text(browser, page) -> None:
    browser.open(page)
    assert browser.find(".response").text == HOSTILE
    assert browser.run("return document.title") != "broken"
    assert browser.all("#list img") == []


def test_paging_searching_filtering_and_sorting(browser, page) -> None:
    browser.open(page)
    assert position(browser) == "1–25 of 60"
    browser.find("#next").click()
    assert position(browser) == "26–50 of 60"
    browser.find("#search").send_keys("number 17 ")
    browser.until("document.getElementById('place').textContent === '1–1 of 1'")
    browser.find("button[type=reset]").click()
    browser.until("document.getElementById('place').textContent === '1–25 of 60'")
    browser.run("const s = document.getElementById('human'); s.value = 'consistent';"
                "s.dispatchEvent(new Event('input', {bubbles: true}))")  # fmt: skip
    browser.until("document.getElementById('place').textContent === '1–20 of 20'")
    browser.find("button[type=reset]").click()
    browser.run("const s = document.getElementById('sort'); s.value = 'high';"
                "s.dispatchEvent(new Event('input', {bubbles: true}))")  # fmt: skip
    browser.until("document.querySelector('.example .id').textContent === 'e59'")


def test_abstentions_are_found_by_the_filter(browser, page) -> None:
    browser.open(page)
    browser.run("const m = document.getElementById('metric'); m.value = 'overlap';"
                "const s = document.getElementById('status'); s.value = 'abstained';"
                "s.dispatchEvent(new Event('input', {bubbles: true}))")  # fmt: skip
    browser.until("document.getElementById('place').textContent === '1–1 of 1'")
    assert browser.find(".example .id").text == "e5"


def test_the_offending_span_is_marked_in_place(browser, page) -> None:
    browser.open(page)
    marks = browser.run(
        "return [...document.querySelectorAll('.example')[1].querySelectorAll('.response mark')]"
        ".map((m) => [m.textContent, m.className])"
    )
    assert marks == [["Brazil", "bad"]]


def test_the_colour_of_a_score_follows_its_label(browser, make_run) -> None:
    sides = {
        "contradiction": "bad", "unconfirmed": "half", "consistent": "good", "generic": "bad",
        "entailment": "good", "neutral": "half",
        None: "bad",
    }  # fmt: skip
    examples = [Example(f"e{n}", "r", "k") for n in range(len(sides))]
    parts = [Evidence("probabilities", "r", score=0.4, label=label) for label in sides]
    verdicts = [Verdict(f"e{n}", "m", 0.4, p.label, evidence=(p,)) for n, p in enumerate(parts)]
    browser.open(write_report(make_run(examples, verdicts)).as_uri())
    browser.run("for (const one of document.querySelectorAll('.example details')) one.open = true")
    browser.until(f"document.querySelectorAll('.evidence .chip').length === {len(sides)}")
    for chips in (".example > header .chip", ".evidence .chip"):
        assert [chip.get_attribute("class") for chip in browser.all(chips)] == [
            f"chip {side}" for side in sides.values()
        ]


def test_why_shows_questions_answers_and_dropped_ones(browser, page) -> None:
    browser.open(page)
    browser.run("document.querySelectorAll('.example details')[1].open = true")
    browser.until("document.querySelectorAll('.example')[1].querySelector('.evidence')")
    text = browser.run("return document.querySelectorAll('.example')[1].textContent")
    for shown in ("Where does coffee come from?", "answer from knowledge", "1 dropped question"):
        assert shown in text
    marked = browser.run(
        "return document.querySelectorAll('.example')[1].querySelector('.why mark').textContent"
    )
    assert marked == "Yemen"


def test_printing_opens_every_reason(browser, page) -> None:
    browser.open(page)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert len(browser.all(".example .metric-why")) == 2 * len(browser.all(".example"))


@pytest.mark.slow
def test_ten_thousand_examples_stay_responsive(browser, make_run) -> None:
    count = 10_000
    examples = [Example(f"e{n}", f"response {n} " * 8, "knowledge " * 30) for n in range(count)]
    verdicts = [Verdict(f"e{n}", "overlap", n / count) for n in range(count)]
    browser.open(write_report(make_run(examples, verdicts)).as_uri())
    browser.until("document.getElementById('place').textContent.endsWith('of 10,000')")
    took = browser.run("""
        const begin = performance.now();
        document.getElementById('sort').value = 'high';
        document.getElementById('sort').dispatchEvent(new Event('input', {bubbles: true}));
        return new Promise((done) => setTimeout(() => done(performance.now() - begin), 0));
    """)
    assert took < 1000
    browser.find("#search").send_keys("response 7777")
    browser.until("document.getElementById('place').textContent === '1–1 of 1'", seconds=3)
