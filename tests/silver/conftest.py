"""Parsing for the perturbation tests."""

from __future__ import annotations

import pytest

from staytrue.english import parses as language


@pytest.fixture(scope="session")
def parse():
    return lambda text: next(language.parse([text]))
