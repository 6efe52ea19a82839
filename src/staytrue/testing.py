"""Contract tests for authors of plug-ins: what every metric, backend, chatbot and data set keeps.

    from staytrue import testing

    def test_my_metric() -> None:
        testing.check_metric("my-metric")

Each check raises an AssertionError that says which promise is broken. The built-in parts are
tested with the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from typing import Any

from staytrue.core.protocols import (
    OPINIONS,
    Backend,
    Chatbot,
    DatasetReader,
    Grounding,
    Pair,
    Query,
    Target,
)
from staytrue.core.records import Example, Failure, Probe, Turn, Verdict
from staytrue.plugins.registry import (
    NamedMetric,
    load_backend,
    load_chatbot,
    load_dataset,
    load_metric,
)

__all__ = ["check_backend", "check_chatbot", "check_dataset", "check_metric", "odd_examples"]

_ODD_TEXTS = ("", " ", "🙂🙂", "\x00\x1b[0m", "word " * 300, "?", "中文", "a")
_TEXT = "Marie Curie won two Nobel Prizes, in 1903 and in 1911, in Stockholm."
# Batches may round floating-point numbers in another order.
_CLOSE = 1e-4
_HISTORY = (
    Turn("user", "hello"), Turn("bot", "I live in Miami."), Turn("user", "Where do you live?"),
)  # fmt: skip


def odd_examples() -> list[Example]:
    """Ordinary and odd examples, with everything that some metric looks at."""
    probe = Probe("do you have two dogs ?", "yes", "i have two dogs .", "yn", "persona")
    turn = (Turn("user", "Do you like coffee?"),)
    knowledge = "Coffee is a drink made from roasted beans. It comes from Ethiopia."
    ordinary = [
        Example("a", "Coffee is made from roasted beans.", knowledge, turn),
        Example("b", "Coffee comes from Norway, and I hate it.", knowledge, turn),
        Example("c", "yes , i have two dogs .", "i have two dogs .", turn, probe=probe),
        Example("d", "That's nice!", knowledge),
    ]
    odd = [Example(f"odd{n}", text, knowledge) for n, text in enumerate(_ODD_TEXTS)]
    return [*ordinary, *odd, Example("empty", ""), Example("k", "Coffee is hot.", "")]


def check_metric(
    metric: str | NamedMetric,
    examples: Sequence[Example] | None = None,
    *,
    backend: Backend | str | None = None,
) -> None:
    """One checked verdict per example, the same in any batch, with evidence that points rightly."""
    loaded = load_metric(metric, backend=backend) if isinstance(metric, str) else metric
    rows = odd_examples() if examples is None else list(examples)
    assert loaded.judge([]) == [], "no examples give no verdicts"
    together = loaded.judge(rows)  # checks count, order, range and reasons
    alone = [loaded.judge([row])[0] for row in rows]
    for row, verdict, other in zip(rows, together, alone, strict=True):
        _check_evidence(row, verdict)
        assert verdict.label == other.label, f"the label of {row.id} depends on its batch"
        same = verdict.score is None or other.score is None
        close = verdict.score == other.score if same else _close(verdict.score, other.score)
        assert close, f"the score of {row.id} depends on its batch"


def _check_evidence(example: Example, verdict: Verdict) -> None:
    for part in verdict.evidence:
        if part.start is not None and part.end is not None:
            whole = getattr(example, part.field)
            inside = 0 <= part.start <= part.end <= len(whole)
            assert inside, f"evidence on {example.id} points outside of {part.field}"


def _close(left: float | None, right: float | None) -> bool:
    return left is not None and right is not None and abs(left - right) <= _CLOSE


def check_backend(backend: str | Backend) -> None:
    """Every method that it offers keeps length and order in any batch, and repeats itself."""
    loaded: Any = load_backend(backend)
    assert callable(getattr(loaded, "models", None)), "a backend has a method models()"
    spans = loaded.spans([_TEXT])[0] if "spans" in loaded.models() else []
    calls: dict[str, list[Any]] = {
        "infer": [Pair(a, b) for a in (*_ODD_TEXTS, _TEXT) for b in _ODD_TEXTS[:3]],
        "answer": [Query("Who won?", text) for text in (*_ODD_TEXTS, _TEXT)] + [Query("", "a")],
        "spans": [*_ODD_TEXTS, _TEXT],
        "claims": [*_ODD_TEXTS, _TEXT],
        "ask": [Target(_TEXT, span) for span in spans],
        "classify": [Grounding(text, "hi", text) for text in _ODD_TEXTS],
        "review": odd_examples(),
        "encode": list(_ODD_TEXTS),
    }
    for method in loaded.models():
        assert "@" in loaded.models()[method], f"models() names {method} without a revision"
        call = getattr(loaded, method)
        assert call([]) == [], f"{method} of nothing is nothing"
        items = calls.get(method, [])
        results = call(items)
        assert len(results) == len(items), f"{method} returns one result per item"
        for item, result in zip(items, results, strict=True):
            same = _alike([result], call([item]))
            assert same, f"{method} gives another result when an item is asked again, alone"
            _CHECKS.get(method, lambda item, result: None)(item, result)


def _alike(left: Any, right: Any) -> bool:
    """Whether two results are the same, but for what rounding does to their numbers."""
    if hasattr(left, "tolist"):  # of numpy, which need not be loaded for this
        left, right = left.tolist(), right.tolist()
    if is_dataclass(left):
        pairs = [(getattr(left, f.name), getattr(right, f.name, None)) for f in fields(left)]
        return all(_alike(one, other) for one, other in pairs)
    if isinstance(left, Mapping):
        return left.keys() == right.keys() and all(_alike(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(_alike, left, right))
    return _close(left, right) if isinstance(left, float) else bool(left == right)


def _check_probabilities(item: Any, result: Any) -> None:
    three = (result.entailment, result.neutral, result.contradiction)
    assert abs(sum(three) - 1) < _CLOSE, "the three probabilities of infer sum to 1"


def _check_classes(item: Any, result: Any) -> None:
    assert abs(sum(result.values()) - 1) < _CLOSE, "the probabilities of classify sum to 1"


def _check_answer(item: Query, result: Any) -> None:
    assert 0 <= result.confidence <= 1, "an answer's confidence is in [0, 1]"
    if result.text is not None and result.start is not None:
        assert item.passage[result.start : result.end] == result.text, "an answer is in its passage"


def _check_spans(item: str, result: Any) -> None:
    for span in result:
        assert item[span.start : span.end] == span.text, "a span is in its text"


def _check_claims(item: str, result: Any) -> None:
    for claim in result:
        assert 0 <= claim.start <= claim.end <= len(item), "a claim is in its text"
    starts = [claim.start for claim in result]
    assert starts == sorted(starts), "claims keep the order of their text"


def _check_opinion(item: Example, result: Any) -> None:
    assert set(result.chances) == set(OPINIONS), f"review weighs {', '.join(OPINIONS)}"
    assert abs(sum(result.chances.values()) - 1) < _CLOSE, "the chances of review sum to 1"


def _check_questions(item: Target, result: Any) -> None:
    assert len(result) == len(set(result)), "the questions about a span differ"


_CHECKS: dict[str, Callable[[Any, Any], None]] = {
    "infer": _check_probabilities, "classify": _check_classes, "answer": _check_answer,
    "spans": _check_spans, "ask": _check_questions, "claims": _check_claims,
    "review": _check_opinion,
}  # fmt: skip


def check_chatbot(bot: str | Chatbot, history: Sequence[Turn] = _HISTORY) -> None:
    """It replies with text, keeps no state, and leaves the history alone, in threads as well."""
    loaded = load_chatbot(bot) if isinstance(bot, str) else bot
    assert isinstance(loaded, Chatbot), "a chatbot has a method reply()"
    turns = list(history)
    first = loaded.reply(turns, persona=("i live in miami.",), seed=3)
    assert isinstance(first, str), "a reply is text"
    assert first.strip(), "a reply is not empty"
    assert turns == list(history), "reply() leaves the history alone"
    alone = [loaded.reply(history, seed=seed) for seed in range(6)]
    assert [loaded.reply(history, seed=s) for s in range(6)] == alone, "it keeps no state"
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda seed: loaded.reply(history, seed=seed), range(6)))
    assert together == alone, "threads do not change replies"


def check_dataset(reader: str | DatasetReader, path: str) -> list[Example]:
    """It reads examples with ids, the same ones each time; returns them for checks of your own."""
    read = load_dataset(reader) if isinstance(reader, str) else reader
    items = list(read(path))
    assert all(isinstance(item, (Example, Failure)) for item in items), "rows are Examples"
    examples = [item for item in items if isinstance(item, Example)]
    assert examples, "the file has at least one example"
    assert all(example.id for example in examples), "every example has an id"
    assert items == list(read(path)), "reading again gives the same rows"
    return examples
