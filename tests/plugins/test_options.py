"""Options are read the same way for metrics, backends and chatbots."""

from __future__ import annotations

import pytest

from staytrue.core.errors import UsageError
from staytrue.plugins.registry import (
    load_backend,
    load_chatbot,
    load_metric,
    number,
    one_of,
    parse_spec,
    share,
    split_main,
    switch,
)


@pytest.mark.parametrize("value", ["on", "TRUE", "Yes", "1"])
def test_a_switch_is_on(value: str) -> None:
    assert switch("x", value) is True


@pytest.mark.parametrize("value", ["off", "False", "no", "0"])
def test_a_switch_is_off(value: str) -> None:
    assert switch("x", value) is False


def test_anything_else_is_no_switch() -> None:
    with pytest.raises(UsageError, match="Option x takes on or off"):
        switch("x", "maybe")


def test_numbers_keep_their_kind() -> None:
    assert (number("x", "3", int), number("x", "0.5", float)) == (3, 0.5)
    with pytest.raises(UsageError, match=r"takes a whole number, not '0\.5'"):
        number("x", "0.5", int)
    with pytest.raises(UsageError, match="takes a number, not 'few'"):
        number("x", "few", float)


def test_a_share_is_between_0_and_1_and_may_be_text() -> None:
    assert [share("x", value) for value in (0, 1, "0.5")] == [0, 1, 0.5]
    for wrong in (5, "a", None, "nan"):
        with pytest.raises(UsageError, match=f"between 0 and 1, not '{wrong}'"):
            share("x", wrong)


def test_a_choice_is_given_as_it_is_and_not_as_text() -> None:
    assert one_of("x", "3", (1, 3)) == 3
    with pytest.raises(UsageError, match="takes one of: 1, 3"):
        one_of("x", "2", (1, 3))


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_no_part_takes_a_number_that_is_none(value: str) -> None:
    refused = f"takes a finite number, not '{value}'"
    with pytest.raises(UsageError, match=refused):
        load_metric(f"hybrid,certainty={value}", backend="scripted")
    with pytest.raises(UsageError, match=refused):
        load_chatbot(f"openai:m@http://localhost/v1,temperature={value}")


@pytest.mark.parametrize(
    ("spec", "main", "options"),
    [
        ("q2", "q2", {}),
        ("q2,nli=off, top = 3", "q2", {"nli": "off", "top": "3"}),
        ("embedded,folder=/m/a,b,size=both", "embedded", {"folder": "/m/a,b", "size": "both"}),
        ("llm:m@http://h/a,b,timeout=3", "llm:m@http://h/a,b", {"timeout": "3"}),
        ("rank,k1=1.2", "rank", {"k1": "1.2"}),
    ],
)  # fmt: skip
def test_values_may_hold_commas_in_every_spec(
    spec: str, main: str, options: dict[str, str]
) -> None:
    assert parse_spec(spec) == split_main(spec) == (main, options)


@pytest.mark.parametrize(
    ("spec", "wrong"), [("overlap,keep", "keep"), ("overlap,,a=1", ""), ("top=3", "top=3")]
)
def test_what_is_no_option_is_named(spec: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=f"^'{wrong}' in '{spec}' is not an option: write NAME,"):
        parse_spec(spec)


def test_commas_reach_the_parts() -> None:
    backend = load_backend("llm:big,fast@http://localhost/v1,timeout=3")
    assert backend.models()["infer"].startswith("big,fast@")
    with pytest.raises(UsageError, match="stopwords of metric overlap takes one of: drop, keep"):
        load_metric("overlap,stopwords=keep,drop")
