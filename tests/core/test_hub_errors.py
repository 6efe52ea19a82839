"""A model that cannot be loaded is told in one sentence that says what to do."""

from __future__ import annotations

import pytest

from staytrue.core.hub_errors import not_loaded


class LocalEntryNotFoundError(Exception):
    """Named as the hub library's error, which is not installed everywhere."""


def raised(outer: Exception, cause: Exception | None = None) -> Exception:
    try:
        raise outer from cause
    except Exception as error:
        return error


def test_without_the_hub_it_says_to_download_the_model_or_name_a_folder() -> None:
    error = raised(OSError("We couldn't connect to the hub."), LocalEntryNotFoundError("no file"))
    assert str(not_loaded("a/b@1", error, "name@revision")) == (
        "The model a/b@1 is not on this machine and the hub cannot be reached: download it once "
        "with network access, or name a folder that holds it."
    )


@pytest.mark.parametrize(("error", "reason"), [
    ("no file named model.safetensors.", "no file named model.safetensors"),
    ("Bad name. Use another.\nSee the page.", "Bad name"),
    ("", "OSError"),
    ("\n", "OSError"),
])  # fmt: skip
def test_any_other_reason_stands_in_the_sentence(error: str, reason: str) -> None:
    assert str(not_loaded("a/b", raised(OSError(error)), "name@revision")) == (
        f"The model a/b cannot be loaded ({reason}): name another, a folder, or a revision that "
        "has safetensors weights, as  name@revision."
    )
