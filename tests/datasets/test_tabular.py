"""Users' rows: all the shapes that the documentation promises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example, Probe, Turn, example_to_json
from staytrue.datasets.files import Row
from staytrue.datasets.tabular import example_from_row, parse_columns


def read(values: Mapping[str, Any], columns: str = "") -> Example:
    return example_from_row(Row("f:1", values), parse_columns(columns) if columns else {})


def test_a_missing_id_is_made_from_the_content() -> None:
    one, same, other = read({"response": "a"}), read({"response": "a"}), read({"response": "b"})
    assert one.id == same.id != other.id
    assert read({"id": 7, "response": "a"}).id == "7"


def test_history_takes_turns_strings_json_text_and_a_message() -> None:
    turns = (Turn("user", "hi"), Turn("bot", "hello"), Turn("user", "how?"))
    as_objects = [{"speaker": t.speaker, "text": t.text} for t in turns]
    assert read({"response": "r", "history": as_objects}).history == turns
    as_tools_write = [
        {"type": "human", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"speaker": "user", "text": "how?"},
    ]
    assert read({"response": "r", "history": as_tools_write}).history == turns
    assert read({"response": "r", "history": ["hi", "hello", "how?"]}).history == turns
    assert read({"response": "r", "history": '["hi", "hello", "how?"]'}).history == turns
    assert read({"response": "r", "history": "hi\nhello", "message": "how?"}).history == turns


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, True), (0, False), ("1", True), ("Inconsistent", False), ("consistent ", True),
     ("", None), (None, None), (1.0, True)],
)  # fmt: skip
def test_yes_no_judgements_have_many_spellings(value: Any, expected: bool | None) -> None:
    assert read({"response": "r", "consistent": value}).consistent is expected


def test_columns_map_other_names_and_invert() -> None:
    row = {"dodeca_response": "r", "dodeca_label": "1", "topic": "tea"}
    example = read(row, "response=dodeca_response,consistent=!dodeca_label,tags.topic=topic")
    assert (example.response, example.consistent) == ("r", False)
    assert example.tags == {"topic": "tea"}


def test_a_probe_is_read_whole() -> None:
    probe = {"question": "q", "truth": "t", "fact": "f", "kind": "YN", "turn": "2"}
    assert read({"response": "", "probe": probe}).probe == Probe("q", "t", "f", "yn", turn=2)


def test_empty_fields_are_never_an_error() -> None:
    example = read({"response": None, "knowledge": "", "history": [{"speaker": "user"}, None]})
    assert example.response == example.knowledge == ""
    assert [turn.text for turn in example.history] == ["", ""]


def test_a_speaker_is_a_name_or_nobody() -> None:
    turns = [{"speaker": None, "role": "ai", "text": "a"}, {"speaker": None, "text": "b"}]
    history = read({"response": "r", "history": turns}).history
    assert [turn.speaker for turn in history] == ["bot", ""]
    with pytest.raises(DataError, match="'speaker' must be text"):
        read({"response": "r", "history": [{"speaker": ["x"], "text": "a"}]})


def test_a_list_of_retrieved_passages_becomes_one_text() -> None:
    assert read({"response": "r", "knowledge": ["One.", None, "Two."]}).knowledge == "One.\n\nTwo."
    assert read({"response": "r", "knowledge": '["One.", "Two."]'}).knowledge == "One.\nTwo."
    scored = [{"text": "One.", "score": 0.4}, {"page_content": "Two."}]
    assert read({"response": "r", "knowledge": scored}).knowledge == "One.\nTwo."
    assert read({"response": "r", "knowledge": '["One" is a song]'}).knowledge.startswith("[")
    with pytest.raises(DataError, match="has no 'text'"):
        read({"response": "r", "knowledge": [{"page": 1}]})


def test_responses_to_one_context_get_one_id_that_no_judgement_changes() -> None:
    one = read({"response": "a", "knowledge": "k", "consistent": True})
    other = read({"response": "b", "knowledge": "k", "label": "bad"})
    assert one.id == other.id != read({"response": "a", "knowledge": "l"}).id


def test_text_that_utf8_cannot_hold_is_replaced() -> None:
    assert read({"response": "a\ud800b"}).response == "a?b"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"knowledge": "k"}, "no field 'response'"),
        ({"response": ["a"]}, "must be text"),
        ({"response": "r", "knowledge": {"text": "k"}}, "write a text, or a list of passages"),
        ({"response": "r", "consistent": "maybe"}, "write true or false"),
        ({"response": "r", "rating": "good"}, "not a number"),
        ({"response": "r", "rating": "inf"}, "finite"),
        ({"response": "r", "probe": {"question": "q"}}, "has no 'truth'"),
        ({"response": "r", "history": 3}, "A list was expected"),
        ({"response": "r", "history": "[1, 2"}, "not valid JSON"),
        ({"response": "r", "tags": [1]}, "must be an object"),
    ],
)
def test_wrong_values_are_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(values)


@pytest.mark.parametrize(
    "text", ["response", "nonsense=x", "response=!x", "response=", "response=a,response=b"]
)  # fmt: skip
def test_wrong_mappings_are_one_sentence(text: str) -> None:
    with pytest.raises(UsageError):
        parse_columns(text)


@pytest.mark.parametrize(
    "row",
    [
        {"Response": "r", "Knowledge": "k", "Message": "m"},
        {"User Input": "m", "Retrieved Contexts": "k", " RESPONSE ": "r"},
        {"Input": "m", "Actual-Output": "r", "Retrieval Context": "k"},
        {"Question": "m", "Answer": "r", "Context": "k"},
    ],
)
def test_names_of_columns_may_be_written_as_in_a_spreadsheet(row: dict[str, str]) -> None:
    example = read(row)
    assert (example.response, example.knowledge, example.message) == ("r", "k", "m")


@pytest.mark.parametrize(
    "cell",
    [
        """["it's one.", "two"]""",  # JSON
        """["it's one.", 'two']""",  # a Python list, as pandas writes it to CSV
        """["it's one."\n 'two']""",  # a numpy array
        """[{'page_content': "it's one."}, {'page_content': 'two'}]""",
    ],
)
def test_a_cell_may_hold_passages_as_table_libraries_print_them(cell: str) -> None:
    example = read({"response": "r", "knowledge": cell})
    assert example.knowledge == "it's one.\ntwo"
    assert len(example.passages) == 2


@pytest.mark.parametrize(
    "cell", ["['tis the season", "['a', b]", "[" * 9000, "['a'] is a list", '["x" + "y"]']
)
def test_a_cell_that_only_starts_like_a_list_is_text(cell: str) -> None:
    assert read({"response": "r", "knowledge": cell}).knowledge == cell


def test_ids_and_judgements_may_have_capitals_too() -> None:
    row = {"ID": "7", "Response": "r", "Consistent": "no", "Label": "generic", "Rating": "3"}
    example = read(row | {"Persona": "i am a nurse .", "History": "hi"})
    assert (example.id, example.consistent, example.label) == ("7", False, "generic")
    assert (example.rating, example.persona, example.message) == (3.0, ("i am a nurse .",), "hi")


def test_a_name_as_we_write_it_goes_before_one_with_capitals() -> None:
    example = read({"response": "r", "Response": "other", "Knowledge": "k", "Rating": "good"})
    assert (example.response, example.knowledge, example.rating) == ("r", "k", None)


def test_a_column_that_the_user_maps_is_not_read_twice() -> None:
    example = read({"response": "r", "Message": "k"}, "knowledge=Message")
    assert (example.knowledge, example.history) == ("k", ())


def test_a_mapped_column_must_be_there() -> None:
    with pytest.raises(DataError, match="no column 'answer'"):
        read({"response": "r"}, "response=answer")


def test_history_may_come_as_chat_services_write_it() -> None:
    chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert read({"response": "r", "history": chat}).history == (
        Turn("user", "hi"),
        Turn("bot", "hello"),
    )
    with pytest.raises(DataError, match="no 'text'"):
        read({"response": "r", "history": [{"who": "user", "says": "hi"}]})


def test_cells_that_table_libraries_leave_empty_are_nothing() -> None:
    nothing = float("nan")
    example = read(
        {"response": "r", "history": nothing, "persona": nothing, "tags": nothing, "probe": nothing}
    )
    assert (example.history, example.persona, example.probe) == ((), (), None)
    assert example.tags == {}


def test_a_column_of_plain_tags_is_kept() -> None:
    assert read({"response": "r", "tags": "news"}).tags == {"tags": "news"}


def test_passages_stay_apart_and_keep_their_ids_and_titles() -> None:
    knowledge = [{"id": "faq-1", "title": "Returns", "text": "Send it back."}, "Shipping is free."]
    example = example_from_row(Row("f:1", {"response": "x", "knowledge": knowledge}), {})
    assert example.knowledge == "Send it back.\nShipping is free."
    assert [example.knowledge[p.start : p.end] for p in example.passages] == [
        "Send it back.", "Shipping is free.",
    ]  # fmt: skip
    assert [(p.id, p.title) for p in example.passages] == [("faq-1", "Returns"), ("", "")]


def test_a_stored_example_keeps_its_passages_when_it_is_read_again() -> None:
    row = {"id": "1", "response": "x", "knowledge": ["One.", {"page_content": "Two.", "id": "2"}]}
    example = example_from_row(Row("f:1", row), {})
    assert example_from_row(Row("f:1", example_to_json(example)), {}) == example


def test_a_passage_without_text_says_so() -> None:
    row = Row("f:1", {"response": "x", "knowledge": [{"id": "1"}]})
    with pytest.raises(DataError, match="has no 'text'"):
        example_from_row(row, {})
