"""The app in a real browser: judging by keyboard, two annotators, a blind chat, hostile text."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.browser import Browser, headless

from staytrue.core.records import Example
from staytrue.runs.folder import Run
from staytrue.runs.runner import evaluate

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=\"document.title='broken'\">"
ENTER, BACKSPACE = "\ue007", "\ue003"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as started:
        started.size(1280)
        yield started


def sign_up(browser: Browser, url: str, name: str) -> None:
    enter(browser, url, name, form_number=1)


def log_in(browser: Browser, url: str, name: str) -> None:
    enter(browser, url, name, form_number=0)


def enter(browser: Browser, url: str, name: str, *, form_number: int) -> None:
    browser.driver.delete_all_cookies()
    browser.open(f"{url}/login?go=/judge")
    form = browser.all("form")[form_number]
    form.find_element("name", "name").send_keys(name)
    form.find_element("name", "password").send_keys("a long password")
    form.find_element("css selector", "button").click()
    browser.until("location.pathname === '/judge'")


def make_queue(browser: Browser, name: str, **fields: str) -> None:
    for field, value in {"name": name, **fields}.items():
        browser.run(
            "document.querySelector(`form[data-post] [name=${arguments[0]}]`).value = arguments[1]",
            field, value,
        )  # fmt: skip
    browser.find("form[data-post] button").click()
    browser.until(f"[...document.querySelectorAll('h2')].some((h) => h.textContent === '{name}')")


def start_judging(browser: Browser, name: str) -> None:
    browser.driver.find_element("link text", name).click()
    browser.until("document.querySelector('.item, .done')")


def export(browser: Browser, url: str, form: str) -> str:
    """The first queue's export, as whoever is logged in."""
    cookies = {one["name"]: one["value"] for one in browser.driver.get_cookies()}
    return httpx.get(f"{url}/v1/queues/1/export?form={form}", cookies=cookies).text


def judged(browser: Browser) -> str:
    return str(browser.find("#count").text)


def test_every_page_fits_narrow_and_wide_in_both_schemes(browser, make_server, shots) -> None:
    server = make_server()
    sign_up(browser, server.url, "ann")
    make_queue(browser, "pets", kind="begin", annotators="2")
    pages = {"home": "/", "run": "/runs/pets", "example": "/runs/pets/examples/e1", "try": "/try",
             "judge": "/judge", "results": "/judge/1/results", "work": "/judge/1", "chat": "/chat",
             "compare": "/compare",
             "chat-results": "/chat/results", "docs": "/docs", "login": "/login",
             "error": "/nothing"}  # fmt: skip
    browser.complaints()
    for name, path in pages.items():
        for width, scheme in ((390, "light"), (1280, "light"), (1280, "dark")):
            browser.scheme(scheme)
            browser.size(width)
            browser.open(server.url + path)
            if name == "work":
                browser.until("document.querySelector('.item')")
            assert browser.fits(), (path, width)
            browser.shot(shots / f"app-{name}-{scheme}-{width}.png")
    unexpected = [complaint for complaint in browser.complaints() if "404" not in complaint]
    assert unexpected == []
    browser.scheme("light")
    browser.size(1280)


def test_without_a_keyboard_the_last_item_is_undone_by_a_button(browser, make_server) -> None:
    server = make_server()
    sign_up(browser, server.url, "ann")
    make_queue(browser, "pets", annotators="1", limit="1")
    start_judging(browser, "pets")
    assert "Undo" not in browser.find("#work").text
    browser.find(".choices button").click()
    browser.find(".actions button.main").click()
    browser.until("document.querySelector('.done')")
    assert not browser.find("#stop").is_displayed(), "nothing is open that could be given back"
    browser.find(".done button").click()
    browser.until("document.querySelector('.item')")
    assert browser.find(".choices button").get_attribute("aria-pressed") == "true"


def test_a_judge_works_through_a_queue_by_keyboard(browser, make_server) -> None:
    server = make_server()
    sign_up(browser, server.url, "ann")
    make_queue(browser, "quick", kind="q2", annotators="1", limit="3")
    start_judging(browser, "quick")
    browser.press("1", ENTER)
    browser.until("document.getElementById('count').textContent.startsWith('1 of 3')")
    browser.press("2", BACKSPACE, "1", ENTER)
    browser.until("document.getElementById('count').textContent.startsWith('2 of 3')")
    browser.press("u")
    browser.until("document.getElementById('count').textContent.startsWith('1 of 3')")
    pressed = browser.until("document.querySelector('[aria-pressed=true]')")
    assert "consistent" in pressed.text
    browser.press(ENTER)
    browser.until("document.getElementById('count').textContent.startsWith('2 of 3')")
    browser.press("s")
    browser.until("document.getElementById('skip').open")
    browser.find("#skip-reason").send_keys("  " + ENTER)
    assert browser.driver.execute_script("return document.getElementById('skip').open")
    browser.find("#skip-reason").clear()
    browser.find("#skip-reason").send_keys("not clear" + ENTER)
    browser.until("document.querySelector('.done')")
    lines = export(browser, server.url, "judgements")
    assert lines.count('"answers": {') == 2
    assert '"skipped": "not clear"' in lines
    assert '"seconds": null' not in lines


def test_begin_asks_only_what_follows_from_the_answers(browser, make_server, shots) -> None:
    server = make_server()
    sign_up(browser, server.url, "ann")
    make_queue(browser, "begin", kind="begin", annotators="1", limit="1")
    start_judging(browser, "begin")
    browser.press("5", "4", "1", "5", "1")
    assert len(browser.all(".part.current legend")) == 6
    browser.press("5", "2")
    assert "generic" in browser.find(".part.current").text
    browser.press("1", "3", "5")
    browser.shot(shots / "app-begin-answered.png")
    browser.press(ENTER)
    browser.until("document.querySelector('.done')")
    sheet = export(browser, server.url, "labels")
    assert ",5,,4,1,5,1,5" in sheet
    assert ",2,generic,3,5,,," in sheet


def test_two_annotators_and_the_agreement_figure(browser, make_server, shots) -> None:
    server = make_server()
    sign_up(browser, server.url, "ann")
    make_queue(browser, "two", kind="q2", annotators="2", limit="4")
    for name, keys in (("ann", "1122"), ("bob", "1121")):
        if name == "bob":
            sign_up(browser, server.url, "bob")
        start_judging(browser, "two")
        for number, key in enumerate(keys, 1):
            browser.press(key, ENTER)
            by_me = f"document.getElementById('count').textContent.includes('{number} by you')"
            browser.until(by_me)
    log_in(browser, server.url, "ann")
    browser.open(f"{server.url}/judge/1/results")
    # By hand: 8 values, 5 to 3; observed 2/8, expected 2·5·3/(8·7).
    assert browser.find("#alpha-consistent").text == f"{1 - (2 / 8) / (30 / 56):.3f}"
    browser.shot(shots / "app-agreement.png")


def test_a_queue_is_deleted_after_its_name_is_typed(browser, make_server, shots) -> None:
    server = make_server()
    sign_up(browser, server.url, "ann")
    make_queue(browser, "old & done", kind="q2", annotators="1", limit="2")
    browser.complaints()
    browser.open(f"{server.url}/judge/1/results")
    browser.find("details summary").click()
    name = browser.find("details input")
    name.send_keys("old" + ENTER)
    browser.until("document.querySelector('details .said').textContent.includes('Repeat')")
    browser.shot(shots / "app-delete.png")
    name.send_keys(" & done" + ENTER)
    browser.until("location.pathname === '/judge'")
    assert "no queue yet" in browser.find("main").text
    assert [complaint for complaint in browser.complaints() if "400" not in complaint] == []


def test_a_blind_chat_with_calibrated_bots(browser, make_server, shots, tmp_path: Path) -> None:
    bots = ("persona:seed=1,slip=0", "persona:seed=2,slip=0.5")
    server = make_server(bots=bots, practice=0, turns=2)
    sign_up(browser, server.url, "ann")
    browser.open(f"{server.url}/chat")
    browser.find("form[data-post] button").click()
    browser.until("location.pathname === '/chat/1'")
    for number, message in enumerate(("hello", "where do you live?"), 1):
        browser.find("#message").send_keys(message + ENTER)
        answers = "document.querySelectorAll('#turns li.bot:not(.waiting)').length"
        browser.until(f"{answers} === {number}")
    assert not any(bot in browser.driver.page_source for bot in bots)
    browser.find("#turns li.bot input").click()
    browser.find("#rest").click()
    browser.run("const s = document.getElementById('score'); s.value = 0.8;"
                "s.dispatchEvent(new Event('input'))")  # fmt: skip
    browser.shot(shots / "app-talk.png")
    browser.find("#finish button").click()
    browser.until("location.pathname === '/chat'")
    run = Run(tmp_path / "chats" / "chat-1")
    examples = list(run.examples())
    assert [example.consistent for example in examples] == [False, True]
    assert examples[0].rating == 0.8
    assert examples[0].tags["bot"] in bots


def test_hostile_text_shows_as_text(browser, make_server, tmp_path: Path) -> None:
    run = tmp_path / "hostile"
    evaluate([Example("e1", HOSTILE, HOSTILE)], ["overlap"], out=run)
    server = make_server(runs=(run,), bots=(f"scripted:{HOSTILE}",), practice=0, turns=1)
    sign_up(browser, server.url, "ann")
    make_queue(browser, "hostile", kind="q2", annotators="1")
    start_judging(browser, "hostile")
    assert browser.find(".item .response").text == HOSTILE
    browser.open(f"{server.url}/runs/hostile")
    assert browser.find(".example .response").text == HOSTILE
    browser.open(f"{server.url}/chat")
    browser.find("form[data-post] button").click()
    browser.until("location.pathname === '/chat/1'")
    browser.find("#message").send_keys(HOSTILE + ENTER)
    browser.until("document.querySelector('#turns li.bot:not(.waiting)')")
    assert HOSTILE in browser.find("#turns li.bot").text
    assert browser.all("main img") == []
    assert browser.run("return document.title") != "broken"


def test_a_response_is_tried_and_judged_at_once(browser, make_server) -> None:
    server = make_server()
    scorer = server.app.state.site.scorer
    scorer.start()
    while not scorer.is_ready:  # as `/ready` says on a real server
        time.sleep(0.1)
    browser.open(f"{server.url}/try")
    browser.find("#sample").click()
    browser.find("#try button").click()
    browser.until("document.querySelector('#result .chip')")
    assert "overlap" in browser.find("#result").text


def test_the_passage_is_seen_without_a_click_and_the_home_page_says_what_this_is(
    browser, make_server
) -> None:
    server = make_server()
    browser.size(390)
    browser.open(server.url)
    assert "scores what a chatbot says" in browser.find("main").text
    # On a phone every cell of the table lies within the window.
    edges = browser.run(
        "return [...document.querySelectorAll('main td, main tbody th')]"
        ".map((cell) => cell.getBoundingClientRect().right)"
    )
    assert edges
    assert max(edges) <= 390
    browser.open(f"{server.url}/runs/pets")
    assert "I have 0 dogs." in browser.find(".example .passage").text
    browser.size(1280)
