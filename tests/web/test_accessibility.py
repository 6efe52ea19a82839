"""Every page of the app and the report pass axe, and the app works without a mouse."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser import Browser, headless
from tests.web.test_in_browser import ENTER, make_queue, sign_up

from staytrue.report.page import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TAB = "\ue004"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as started:
        started.size(1280)
        yield started


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core: from npm, or the file that STAYTRUE_AXE names."""
    if named := os.environ.get("STAYTRUE_AXE"):
        return Path(named).read_text()
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run([npm, "install", "axe-core@4"], cwd=folder, capture_output=True)
    if done.returncode:
        pytest.skip("npm cannot install axe-core here")
    return (folder / "node_modules/axe-core/axe.min.js").read_text()


def violations(browser: Browser, axe: str) -> list[tuple[str, list[Any]]]:
    """What axe complains about: rule, and where."""
    browser.run(axe)
    result = browser.driver.execute_async_script(
        "const done = arguments[1];"
        "axe.run(document, {runOnly: arguments[0]}).then((found) => done(found.violations))",
        RULES,
    )
    return [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in result]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_app_passes_axe(browser, make_server, axe: str, scheme: str) -> None:
    server = make_server()
    sign_up(browser, server.url, "ann")
    make_queue(browser, "pets", kind="q2", annotators="2")
    browser.scheme(scheme)
    complaints = {}
    for path in ("/", "/runs/pets", "/runs/pets/examples/e1", "/try", "/compare", "/judge",
                 "/judge/1/results", "/judge/1", "/chat", "/chat/results", "/docs", "/login",
                 "/nothing"):  # fmt: skip
        browser.open(server.url + path)
        if path == "/judge/1":
            browser.until("document.querySelector('.item')")
        if faults := violations(browser, axe):
            complaints[path] = faults
    browser.scheme("light")
    assert complaints == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_passes_axe(browser, pets: Path, tmp_path: Path, axe: str, scheme: str) -> None:
    page = write_report(shutil.copytree(pets, tmp_path / "pets"))
    browser.scheme(scheme)
    browser.open(f"file://{page}")
    faults = violations(browser, axe)
    browser.scheme("light")
    assert faults == []


def test_signing_up_and_making_a_queue_need_no_mouse(browser, make_server) -> None:
    server = make_server()
    browser.driver.delete_all_cookies()
    browser.open(f"{server.url}/login?go=/judge")
    for _ in range(40):
        browser.press(TAB)
        if browser.run("return document.activeElement.autocomplete") == "new-password":
            break
    browser.press("a long password")
    browser.run("document.querySelectorAll('[name=name]')[1].focus()")
    browser.press("ann", ENTER)
    browser.until("location.pathname === '/judge'")
    reached = set()
    for _ in range(60):
        browser.press(TAB)
        reached.add(browser.run(
            "const e = document.activeElement; return e.name || e.textContent.trim()"
        ))  # fmt: skip
        ring = browser.run(
            "const s = getComputedStyle(document.activeElement);"
            "return document.activeElement === document.body || s.outlineStyle !== 'none'"
            " || s.boxShadow !== 'none'"
        )
        assert ring, "the focus cannot be seen"
    assert {"Runs", "Try", "Judge", "Chat", "log out", "name", "run", "kind"} <= reached
    assert "Create the queue" in reached
