"""What a response may be judged against: the lines of its knowledge, history and persona."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from staytrue.core.records import Example, Passage
from staytrue.core.text import words
from staytrue.english.values import find_values
from staytrue.english.words import plain_line, sentence_spans, tell_rows

_LONGEST_HEADING = 5

Source = Literal["knowledge", "history", "persona"]
SOURCES: tuple[Source, ...] = ("knowledge", "history", "persona")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that a claim may be judged against, and where it stands."""

    source: Source
    text: str
    start: int
    """First character in the knowledge, in the turn or in the persona's line."""
    end: int
    number: int = 0
    """The passage, turn or persona line that it belongs to, counted from 0."""
    told: str = ""
    """What it says to a model, where that is not its text: without markup, a table's row with the
    table's headings."""
    heading: str = ""
    """The heading above the line, if it stands below one without a sentence between."""

    @property
    def premise(self) -> str:
        """What a model reads of the line."""
        return self.told or self.text


def lines_of(example: Example, against: tuple[Source, ...]) -> list[Line]:
    """The sentences of each source, in order; what the user said is no source."""
    lines: list[Line] = []
    if "knowledge" in against:
        lines += _knowledge(example)
    if "history" in against:
        for number, turn in enumerate(example.history):
            if turn.speaker == "bot":
                lines += _sentences("history", turn.text, number)
    if "persona" in against:
        for number, text in enumerate(example.persona):
            lines += _sentences("persona", text, number)
    return lines


def _knowledge(example: Example) -> Iterator[Line]:
    for number, passage in enumerate(passages_of(example)):
        text = example.knowledge[passage.start : passage.end]
        for line in _sentences("knowledge", text, number):
            yield replace(line, start=passage.start + line.start, end=passage.start + line.end)


def passages_of(example: Example) -> tuple[Passage, ...]:
    """The passages of the knowledge; plain knowledge is one."""
    return example.passages or (Passage(0, len(example.knowledge)),)


def _sentences(source: Source, text: str, number: int) -> Iterator[Line]:
    spans = sentence_spans(text)
    premises = tell_rows(text[start:end] for start, end in spans)
    heading = ""
    for (start, end), premise in zip(spans, premises, strict=True):
        sentence = text[start:end]
        if not premise:  # the header of a table, which its rows are told with
            continue
        # A question that the bot asked says nothing that it could contradict.
        if source == "knowledge" or not sentence.rstrip(" \"'”").endswith("?"):
            told = plain_line(sentence) if premise == sentence else premise
            yield Line(source, sentence, start, end, number, told, heading)
        if is_heading(sentence):
            heading = sentence.strip(" #*:_")
        elif sentence.endswith((".", "!", "?")):
            heading = ""


def is_heading(text: str) -> bool:
    """Whether a line only says what others are about; alone it supports nothing."""
    text = text.strip()
    if text.endswith((".", "!", "?")) or len(words(text)) > _LONGEST_HEADING:
        return text.startswith("#")
    return not find_values(text)
