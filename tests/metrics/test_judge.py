from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from staytrue.core.errors import UsageError
from staytrue.core.protocols import OPINIONS, Opinion
from staytrue.core.records import Example, Turn, Verdict
from staytrue.metrics.judge import Judge
from staytrue.plugins.registry import load_metric

ROW = Example(
    "1", "It comes from Norway.", "Coffee comes from Ethiopia.",
    (Turn("bot", "I only drink tea."),), ("I am a barista.",),
)  # fmt: skip


@dataclass
class Says:
    """A judge with one opinion."""

    opinion: Opinion
    asked: int = 0

    def models(self) -> dict[str, str]:
        return {"review": "oracle@1"}

    def review(self, examples: Sequence[Example]) -> list[Opinion]:
        self.asked += len(examples)
        return [self.opinion for _ in examples]


def verdict(*chances: float, row: Example = ROW, **parts: object) -> Verdict:
    opinion = Opinion(dict(zip(OPINIONS, chances, strict=True)), **parts)  # type: ignore[arg-type]
    (verdict,) = Judge(Says(opinion)).judge([row])
    return verdict


def test_the_score_is_consistent_against_inconsistent() -> None:
    judgement = verdict(0.2, 0.6, 0.2, reason="Ethiopia, not Norway.")
    assert judgement.score == pytest.approx(0.25)
    assert judgement.label == "inconsistent"
    assert judgement.reason == "Ethiopia, not Norway."


def test_a_response_that_states_nothing_is_not_scored() -> None:
    judgement = verdict(0.1, 0.1, 0.8, reason="It is a greeting.")
    assert judgement.score is None
    assert judgement.reason == "It is a greeting."


def test_quotes_are_located_in_their_texts() -> None:
    judgement = verdict(
        0.1, 0.9, 0.0, wrong=("norway",), sources=("comes  from Ethiopia", "barista", "only drink")
    )
    wrong, knowledge, persona, turn, _ = judgement.evidence
    assert ROW.response[wrong.start : wrong.end] == wrong.text == "Norway"
    assert (wrong.kind, wrong.label) == ("span", "unsupported")
    assert ROW.knowledge[knowledge.start : knowledge.end] == "comes from Ethiopia"
    assert (persona.field, persona.text) == ("persona", "I am a barista.")
    assert persona.text[persona.details["start"] : persona.details["end"]] == "barista"
    assert (turn.field, turn.details["turn"]) == ("history", 0)
    assert turn.text[turn.details["start"] : turn.details["end"]] == "only drink"


def test_a_quote_that_is_not_there_is_dropped_and_said() -> None:
    judgement = verdict(0.1, 0.9, 0.0, reason="Wrong.", wrong=("Rome",), sources=("from Kenya",))
    assert judgement.reason == "Wrong. (2 quotes are not in the text and left out.)"
    assert [e.kind for e in judgement.evidence] == ["dropped", "dropped", "probabilities"]
    assert all(e.start is None for e in judgement.evidence)


def test_nothing_to_judge_or_to_judge_by_is_not_asked() -> None:
    says = Says(Opinion(dict.fromkeys(OPINIONS, 1 / 3)))
    rows = [Example("1", " ", "Known."), Example("2", "Hello.")]
    first, second = Judge(says).judge(rows)
    assert says.asked == 0
    assert (first.score, first.reason) == (None, "The response is empty.")
    assert second.score is None
    assert "no knowledge" in second.reason


def test_a_backend_that_cannot_review_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a backend with review"):
        load_metric("judge", backend="embedded")
