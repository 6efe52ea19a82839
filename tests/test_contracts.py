"""What every registered metric and backend must keep: length, order, determinism, independence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from staytrue import testing
from staytrue.core.protocols import Claim, Entailment, Pair
from staytrue.core.records import Evidence, Example, Verdict
from staytrue.plugins.registry import NamedMetric, names

METRICS = tuple(names("metrics"))
# A small file of each published benchmark: its name, and what is in it.
FILES = {
    "q2": ("memnet_consistent.csv", "episode_idx,round,topic,response,gold,knowledge\n1,2,T,r,g,k"),
    "begin": ("begin.jsonl", '{"response": "r", "knowledge": "k", "gold label": "entailment"}'),
    "consistest": ("model_output.csv", "Question,Response,Reference\ndo you ski ?,yes,yes"),
    "usr": ("usr.jsonl", '{"context": "hi", "fact": "f", "response": "r"}'),
    "dnli": ("dnli.jsonl", '{"label": "positive", "sentence1": "a", "sentence2": "b"}'),
    "dstc9": ("bot.jsonl", r'{"context": "User: a\nSystem: b\nUser: c\nSystem: d\n"}'),
}
BACKENDS = ("embedded", "scripted")  # the others need a network, or weights from a hub


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_keeps_the_contract(name: str) -> None:
    # The embedded models write no reasons, which is what a judge is for.
    testing.check_metric(name, backend="scripted" if name == "judge" else None)


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_keeps_the_contract(name: str) -> None:
    testing.check_backend(name)


@pytest.mark.parametrize("name", names("datasets"))
def test_a_data_set_keeps_the_contract(name: str, tmp_path: Path) -> None:
    file, content = FILES[name]
    (tmp_path / file).write_text(content + "\n")
    (example,) = testing.check_dataset(name, str(tmp_path / file))
    assert example.response


class Uneven:
    """Breaks a promise: a verdict depends on the batch, or evidence points nowhere."""

    def __init__(self, promise: str) -> None:
        self.promise = promise

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        verdicts = [Verdict(e.id, "m", 0.5, "same", "because") for e in examples]
        if self.promise == "score" and len(examples) > 1:
            verdicts[0] = replace(verdicts[0], score=0.7)
        elif self.promise == "label" and len(examples) > 1:
            verdicts[0] = replace(verdicts[0], label="other")
        elif self.promise == "evidence" and verdicts:
            far = Evidence("span", field="response", start=0, end=10**6)
            verdicts[0] = replace(verdicts[0], evidence=(far,))
        return verdicts


@pytest.mark.parametrize("promise", ["score", "label", "evidence"])
def test_a_metric_that_breaks_a_promise_is_found_out(promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        testing.check_metric(NamedMetric("m", Uneven(promise), "m"))


class Unreliable:
    """Breaks a promise: loses a row, mixes up the order, heeds the batch, or changes its mind."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.calls = 0

    def models(self) -> dict[str, str]:
        return {"infer": "unreliable@1"}

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        self.calls += 1
        sure = [1 / (1 + len(pair.premise)) for pair in pairs]
        if self.fault == "loses a row":
            sure = sure[1:]
        elif self.fault == "mixes up the order":
            sure.reverse()
        elif self.fault == "heeds the batch":
            sure = [share / len(pairs) for share in sure]
        elif self.fault == "changes its mind" and self.calls > 5:
            sure = [share / 2 for share in sure]
        return [Entailment(share, 1 - share, 0.0) for share in sure]


@pytest.mark.parametrize(
    "fault", ["loses a row", "mixes up the order", "heeds the batch", "changes its mind"]
)
def test_a_backend_that_breaks_a_promise_is_found_out(fault: str) -> None:
    promise = "one result per item" if fault == "loses a row" else "is asked again, alone"
    with pytest.raises(AssertionError, match=f"infer .*{promise}"):
        testing.check_backend(Unreliable(fault))


def test_a_reliable_backend_passes() -> None:
    testing.check_backend(Unreliable("none"))


@pytest.mark.parametrize(
    ("places", "promise"),
    [([(0, 10**6)], "a claim is in its text"), ([(1, 1), (0, 0)], "claims keep the order")],
)
def test_claims_that_are_out_of_place_are_found_out(
    places: list[tuple[int, int]], promise: str
) -> None:
    class Splitter:
        def models(self) -> dict[str, str]:
            return {"claims": "splitter@1"}

        def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
            return [[Claim("x", *span) for span in places] if text else [] for text in texts]

    with pytest.raises(AssertionError, match=promise):
        testing.check_backend(Splitter())


def test_a_bot_with_a_memory_is_found_out() -> None:
    class Counting:
        replies = 0

        def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
            self.replies += 1
            return str(self.replies)

    with pytest.raises(AssertionError, match="keeps no state"):
        testing.check_chatbot(Counting())


def test_the_label_is_the_most_probable_class() -> None:
    assert Entailment(0.2, 0.5, 0.3).label == "neutral"
    assert Entailment(0.2, 0.3, 0.5).label == "contradiction"
