"""The documentation site builds without a network, and its pages fit every screen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.browser import headless
from tests.conftest import REPOSITORY

# A web address that a browser would load with the page.
LOADED = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:)?//([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    folder = tmp_path_factory.mktemp("documentation") / "site"
    # Whatever asked for a network would ask this proxy, which does not answer.
    closed = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=REPOSITORY, env={**os.environ, **closed}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return folder


@pytest.mark.slow
def test_the_site_builds_and_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) >= 25
    assert (site / "search" / "search_index.json").is_file()
    loaded = [address for page in pages for address in LOADED.findall(page.read_text("utf-8"))]
    assert loaded == []
    api = (site / "api.html").read_text("utf-8")
    assert "Judge examples with each metric" in api


@pytest.mark.slow
@pytest.mark.browser
def test_pages_fit_a_phone_and_a_desktop(site: Path) -> None:
    with headless() as browser:
        for page in sorted(site.rglob("*.html")):
            name = str(page.relative_to(site))
            browser.open(page.as_uri())
            for width in (360, 1280):
                browser.size(width)
                assert browser.fits(), (name, width)
                assert browser.find("h1").is_displayed(), (name, width)
