"""Say in a few lines of plain text why a response fails: the wrong words, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from staytrue.core.errors import one_line, printable
from staytrue.core.records import Evidence, Example, Verdict
from staytrue.integrations.checking import wrong_words

_WIDTH = 88
_MOST = 5


def explained(example: Example, verdict: Verdict, threshold: float) -> str:
    """The verdict for a person who reads a test's failure."""
    if verdict.score is None:
        head = f"{verdict.metric} could not judge the response (allow_unjudged=True lets it pass)."
    else:
        head = (
            f"{verdict.metric} gives the response {verdict.score:.2f}, "
            f"below the threshold {threshold:g}."
        )
    sources = list(dict.fromkeys(_sources(verdict.evidence)))[:_MOST]
    lines = [head, verdict.reason, "", "response:", *_marked(example.response, verdict.evidence)]
    if sources:
        lines += ["evidence:", *(f"  {source}" for source in sources)]
    elif example.knowledge:
        lines += ["knowledge:", f"  {one_line(example.knowledge, 4 * _WIDTH)}"]
    return "\n".join(lines)


def _marked(response: str, evidence: Sequence[Evidence]) -> Iterator[str]:
    """The response in lines, with tildes under the words that nothing supports."""
    wrong = {index for start, end in wrong_words(evidence) for index in range(start, end)}
    start = 0
    while start < len(response):
        end = _line_end(response, start)
        # Positions must stay: what a terminal would not show becomes a space.
        text = "".join(c if printable(c) and c not in "\t\n" else " " for c in response[start:end])
        yield f"  {text}".rstrip()
        under = "".join("~" if index in wrong else " " for index in range(start, end)).rstrip()
        if under:
            yield f"  {under}"
        start = end


def _line_end(text: str, start: int) -> int:
    newline = text.find("\n", start, start + _WIDTH)
    if newline >= 0:
        return newline + 1
    if len(text) - start <= _WIDTH:
        return len(text)
    space = text.rfind(" ", start, start + _WIDTH)
    return space + 1 if space > start else start + _WIDTH


def _sources(evidence: Sequence[Evidence]) -> Iterator[str]:
    """What the other texts say: answers to questions that differ, then sentences and rules."""
    for part in evidence:
        if part.kind == "question" and (part.score or 0.0) <= 0.5:
            yield f"{one_line(part.text, 90)} {_answers(part)}"
    for part in evidence:
        if part.kind == "sentence" and part.field != "response":
            source = part.field or str(part.details.get("field", "source"))
            yield f"{source}: {one_line(part.text, 2 * _WIDTH)}"
        elif part.kind == "rule" and part.text:
            yield one_line(part.text, 2 * _WIDTH)


def _answers(question: Evidence) -> str:
    """What each side answers, such as: The response says “60 days”, the knowledge “30 days”."""
    start = "answer_from_"
    given = {
        name.removeprefix(start): f"“{one_line(str(value), 60)}”" if value else "nothing"
        for name, value in question.details.items()
        if name.startswith(start)
    }
    answer = given.pop("response", "nothing")
    others = "".join(f", the {source} {value}" for source, value in given.items())
    return f"The response says {answer}{others}."
