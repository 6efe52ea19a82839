"""Hybrid evaluator of ConsisTest (Lotfi et al., 2022): rules on words, then an entailment model.

Yes/no questions: the short answer must be right, and the long answer must not contradict the
fact. WH questions: the share of the truth's keywords in the response, unless it contradicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from staytrue.core.protocols import Entailment, EntailmentModel, Pair
from staytrue.core.records import Evidence, EvidenceKind, Example, Probe, Verdict
from staytrue.metrics.hybrid.published import judge_published
from staytrue.metrics.hybrid.released import judge_released
from staytrue.metrics.hybrid.rules import RuleOutcome, judge_wh, judge_yes_no
from staytrue.plugins.registry import settle, share


@dataclass(frozen=True)
class Hybrid:
    """Score the answer to a probe; it needs examples with a `probe`.

    By default, rules beyond the paper's read what people write: amounts, denials, answers that
    repeat the question. `compat="paper"` is Appendix B and nothing else, `compat="released"`
    what the authors' code does, slips included; both take the model's likeliest label.
    """

    uses: ClassVar[tuple[str, ...]] = ("infer",)
    revision: ClassVar[int] = 2
    """Counts the changes of its rules within a version of the package."""

    backend: EntailmentModel
    compat: Literal["none", "paper", "released"] = "none"
    nli: Literal["on", "off", "only"] = "on"
    """"off": the rules alone; "only": entailment of fact and response alone (a baseline)."""
    certainty: float = 0.6
    """How probable entailment or contradiction must be to count, besides being the likeliest."""

    def __post_init__(self) -> None:
        settle(self, self.compat, {} if self.compat == "none" else {"certainty": 0.0})
        share("certainty", self.certainty)

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains only where there is no probe."""
        rulings = [self._rule(example) for example in examples]
        asked = [
            index
            for index, ruling in enumerate(rulings)
            if ruling is not None and ruling.ask and self.nli != "off"
        ]
        pairs = [_pair(examples[index], rulings[index]) for index in asked]
        different = list(dict.fromkeys(pairs))  # the same pair is judged once
        judged = dict(
            zip(different, self.backend.infer(different) if different else [], strict=True)
        )
        opinions = {index: judged[pair] for index, pair in zip(asked, pairs, strict=True)}
        return [
            _verdict(example, ruling, opinions.get(index), self.certainty)
            for index, (example, ruling) in enumerate(zip(examples, rulings, strict=True))
        ]

    def _rule(self, example: Example) -> RuleOutcome | None:
        probe = example.probe
        if probe is None:
            return None
        if self.nli == "only":
            return _entailment_alone(example.response)
        if self.compat == "released":
            return judge_released(probe, example.response)
        if self.compat == "paper":
            return judge_published(probe, example.response)
        decide = judge_yes_no if probe.kind == "yn" else judge_wh
        return decide(probe.question, probe.truth, _fact(probe), example.response)


def _entailment_alone(response: str) -> RuleOutcome:
    if not response.strip():
        return RuleOutcome("empty", "The response is empty.", 0.0)
    reason = "The fact must entail the response."
    return RuleOutcome("nli-alone", reason, None, response, veto=False)


def _fact(probe: Probe) -> str:
    return probe.fact or f"{probe.question} {probe.truth.partition('|')[0]}"


def _pair(example: Example, ruling: RuleOutcome | None) -> Pair:
    assert example.probe is not None
    assert ruling is not None
    return Pair(_fact(example.probe), ruling.ask)


def _verdict(
    example: Example, ruling: RuleOutcome | None, opinion: Entailment | None, certainty: float
) -> Verdict:
    if ruling is None:
        reason = "There is no probe: the example needs question, truth, fact and kind."
        return Verdict(example.id, "hybrid", None, reason=reason)
    rule, reason, score = ruling.rule, ruling.reason, ruling.score
    evidence = [Evidence(EvidenceKind.RULE, text=rule, score=score)]
    if opinion is not None:
        score, rule, reason = _with_opinion(ruling, opinion, certainty)
        probabilities = {
            "entailment": round(opinion.entailment, 4),
            "neutral": round(opinion.neutral, 4),
            "contradiction": round(opinion.contradiction, 4),
        }
        evidence[0] = Evidence(EvidenceKind.RULE, text=rule, score=score)
        evidence.append(
            Evidence(
                EvidenceKind.PROBABILITIES,
                text=ruling.ask,
                label=opinion.label,
                details=probabilities,
            )
        )
    final = 0.0 if score is None else score
    return Verdict(example.id, "hybrid", final, label=rule, reason=reason, evidence=tuple(evidence))


def _with_opinion(
    ruling: RuleOutcome, opinion: Entailment, certainty: float
) -> tuple[float, str, str]:
    """The score, rule and reason after the entailment model has spoken."""
    needed = max(certainty, ruling.sure)
    label = opinion.label if getattr(opinion, opinion.label) >= needed else "neutral"
    if ruling.veto:
        if label == "contradiction":
            return 0.0, "contradiction", "The response contradicts the fact."
        return ruling.score or 0.0, ruling.rule, ruling.reason
    reason = {
        "entailment": "The fact entails the response.",
        "neutral": "The fact does not entail the response.",
        "contradiction": "The response contradicts the fact.",
    }[label]
    return float(label == "entailment"), f"{ruling.rule}:{label}", reason
