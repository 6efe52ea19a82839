"""A rehearsal: what a run would send, counted without sending it.

Metrics with several steps ask about what the model answered before, so each task gets a plausible
answer: our own rules find the spans and write the questions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from staytrue.backends.llm.answers import json_schema
from staytrue.backends.llm.budget import about_tokens
from staytrue.backends.llm.chances import stated
from staytrue.backends.llm.client import SURE, Client, Reply
from staytrue.backends.llm.tasks import MOST_QUESTIONS, MOST_SPANS, Task
from staytrue.backends.rules.claims import RuleClaims
from staytrue.backends.rules.questions import RuleQuestions, SpacySpans
from staytrue.core.records import JsonDict

# Tokens of the JSON around the values, and those that a reason and quotes take.
_AROUND, _REASON = 20, 60


@dataclass
class Rehearsal:
    """Answers tasks without a server, and counts them."""

    client: Client
    _seen: dict[Task, Reply] = field(default_factory=dict)
    _answers: dict[str, str] = field(default_factory=dict)
    """Question → the span that it was made for."""
    _spans: SpacySpans = field(default_factory=SpacySpans)
    _questions: RuleQuestions = field(default_factory=RuleQuestions)

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def ask(self, tasks: Sequence[Task]) -> list[Reply]:
        """A plausible reply per task."""
        for task in tasks:
            if task not in self._seen:
                reply = self._seen[task] = self._reply(task)
                self._count(task, reply)
        return [self._seen[task] for task in tasks]

    def to_json(self) -> JsonDict:
        """About what the run needs; the cost is 0 where no prices are given."""
        usage = self.client.usage
        cost = (self.tokens_in * usage.price_in + self.tokens_out * usage.price_out) / 1e6
        return {
            "requests": self.requests,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost": cost,
        }

    def _count(self, task: Task, reply: Reply) -> None:
        messages = task.messages(task.fence())
        schema = json.dumps(json_schema(task.fields))
        self.requests += 1
        self.tokens_in += sum(about_tokens(one["content"]) for one in messages)
        self.tokens_in += about_tokens(schema)
        self.tokens_out += _AROUND + about_tokens(json.dumps(dict(reply.values)))
        self.tokens_out += _REASON if task.method == "review" else 0

    def _reply(self, task: Task) -> Reply:
        if task.method == "claims":
            (claims,) = RuleClaims().claims([task.item])
            return Reply({"claims": [claim.text for claim in claims], "no_claims": []}, {})
        if task.method == "spans":
            (spans,) = self._spans.spans([task.item])
            return Reply({"spans": [span.text for span in spans[:MOST_SPANS]]}, {})
        if task.method == "ask":
            (questions,) = self._questions.ask([task.item])
            for question in questions:
                self._answers.setdefault(question, task.item.span.text)
            return Reply({"questions": questions[:MOST_QUESTIONS]}, {})
        if task.method == "answer":
            span = self._answers.get(task.item.question)
            return Reply({"answer": span if span and span in task.item.passage else None}, {})
        label = task.fields[-1]
        values = {one.name: "" if one.kind == "text" else [] for one in task.fields[:-1]}
        first = min(label.choices)  # whatever the order of the choices
        return Reply({**values, label.name: first}, stated(first, label.choices, SURE))
