"""A large language model behind any OpenAI-compatible server: llm:MODEL@URL.

    llm:gpt-4o-mini@https://api.openai.com/v1,price_in=0.15,price_out=0.6,max_cost=2
    llm:qwen2.5@http://localhost:8080/v1,cache=answers

The key is read from the environment and is never written anywhere.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from urllib.parse import urlsplit

from staytrue.backends.llm import tasks
from staytrue.backends.llm.budget import RequestBudget, RequestPace
from staytrue.backends.llm.chances import mean
from staytrue.backends.llm.client import Ask, Client, Reply
from staytrue.backends.llm.rehearsal import Rehearsal
from staytrue.backends.rules.claims import RuleClaims
from staytrue.backends.store import AnswerStore
from staytrue.core.chat_completions import chat_transport
from staytrue.core.errors import ModelAnswerError, ModelRefusal, UsageError
from staytrue.core.protocols import (
    Answer,
    Claim,
    Entailment,
    Grounding,
    Opinion,
    Pair,
    Query,
    Span,
    Target,
)
from staytrue.core.quotes import locate
from staytrue.core.records import Example, JsonDict
from staytrue.core.text import words

KEY, OPENAI_KEY, OPENAI_HOST = "STAYTRUE_LLM_KEY", "OPENAI_API_KEY", "api.openai.com"
_METHODS = ("claims", "spans", "ask", "answer", "infer", "classify", "review")


class LlmBackend:
    """Claims, spans, questions, answers, entailment, groundedness and whole verdicts."""

    name = "llm"

    def __init__(
        self,
        target: str = "",
        *,
        orders: Literal["both", "one"] = "both",
        structured: Literal["auto", "text"] = "auto",
        logprobs: Literal["auto", "off"] = "auto",
        sampling_seed: int = 0,
        max_tokens: int = 400,
        cache: str = "",
        cache_megabytes: float = 500,
        concurrency: int = 4,
        per_minute: float = 0,
        timeout: float = 120,
        retries: int = 5,
        backoff: float = 1,
        price_in: float = 0,
        price_out: float = 0,
        max_requests: int = 0,
        max_cost: float = 0,
        key_env: str = "",
    ) -> None:
        """Prices are per million tokens; 0 is no limit; `cache` is a folder."""
        model, at, url = target.rpartition("@")
        if not model or not at or not url.startswith(("http://", "https://")):
            raise UsageError(
                "Write the model and the address of its server: "
                "llm:MODEL@URL, such as llm:gpt-4o-mini@https://api.openai.com/v1."
            )
        if max_cost and not (price_in or price_out):
            raise UsageError(
                "max_cost needs prices: add price_in and price_out, per million tokens."
            )
        self._both = orders == "both"
        self._settings = (orders, structured, logprobs, sampling_seed, max_tokens)
        self._model = model
        transport = chat_transport(
            url, _key(key_env, url), price_in=price_in, price_out=price_out,
            timeout=timeout, retries=retries, backoff=backoff, concurrency=concurrency,
            failure=ModelAnswerError, refusal=ModelRefusal,
        )  # fmt: skip
        self._client = Client(
            model, transport, seed=sampling_seed, max_tokens=max_tokens,
            structured=structured, logprobs=logprobs, pace=RequestPace(per_minute),
            budget=RequestBudget(transport.usage, max_requests, max_cost),
            store=AnswerStore(cache, cache_megabytes) if cache else None,
        )  # fmt: skip
        self.at_once = concurrency
        """Rows that keep the server busy: one begins as soon as another is judged."""
        self._ask: Ask = self._client.ask
        self._used: Callable[[], JsonDict] = self._client.counted

    def models(self) -> Mapping[str, str]:
        """The model's name with a revision of our prompts and of the options that change answers.

        The address is not in it: the same model elsewhere is the same judge.
        """
        text = json.dumps([tasks.PROMPTS, self._settings])
        revision = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
        return dict.fromkeys(_METHODS, f"{self._model}@{revision}")

    def used(self) -> JsonDict:
        """Requests, tokens, cost, cached and repaired answers so far, for a run's manifest."""
        return self._used()

    def rehearsal(self) -> LlmBackend:
        """A copy that sends nothing, answers plausibly and counts what would have been sent."""
        rehearsal = Rehearsal(self._client)
        silent = copy.copy(self)
        silent._ask, silent._used = rehearsal.ask, rehearsal.to_json
        return silent

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each response, in its order.

        A sentence that the model forgets is split by our rules: no claim goes unjudged.
        """
        replies = self._of_texts(tasks.claims, texts)
        return [
            _claims(text, reply) if reply else []
            for text, reply in zip(texts, replies, strict=True)
        ]

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """The informative spans of each text, in its order; those that are not in it are lost."""
        replies = self._of_texts(tasks.spans, texts)
        return [
            [
                Span(text[start:end], start, end, "chunk")
                for start, end in _places(reply.values["spans"], text)
            ]
            if reply
            else []
            for text, reply in zip(texts, replies, strict=True)
        ]

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """Questions about each target, best first."""
        replies = self._ask([tasks.questions(target) for target in targets])
        return [list(dict.fromkeys(reply.values["questions"])) for reply in replies]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """The span of each passage that answers its question.

        Words that are not in the passage are the model's own knowledge, and count as no answer.
        """
        replies = self._ask([tasks.answer(query) for query in queries])
        return [_answer(query, reply) for query, reply in zip(queries, replies, strict=True)]

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Whether each premise entails its hypothesis."""
        graded = self._graded([tasks.infer(pair, both=self._both) for pair in pairs])
        return [Entailment(**chances) for chances in graded]

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes for each response."""
        return self._graded([tasks.classify(item, both=self._both) for item in items])

    def review(self, examples: Sequence[Example]) -> list[Opinion]:
        """Verdict, reason and quotes: one request per example, whatever `orders` says."""
        asked = [tasks.review(example) for example in examples]
        return [_opinion(reply) for reply in self._ask(asked)]

    def _of_texts(
        self, task: Callable[[str], tasks.Task], texts: Sequence[str]
    ) -> list[Reply | None]:
        """A reply per text; None for texts without words, which are not sent."""
        asked = [task(text) for text in texts if words(text)]
        replies = iter(self._ask(asked))
        return [next(replies) if words(text) else None for text in texts]

    def _graded(self, asked: Sequence[Sequence[tasks.Task]]) -> list[dict[str, float]]:
        """The mean of the probabilities that the orders of one item give."""
        replies = iter(self._ask([task for several in asked for task in several]))
        return [mean([next(replies).chances for _ in several]) for several in asked]


def _key(key_env: str, url: str) -> str:
    """The key: from the variable named, ours, or OpenAI's, which goes to nobody else."""
    if key_env:
        if not os.environ.get(key_env):
            raise UsageError(f"The variable {key_env}, which key_env names, is not set.")
        return os.environ[key_env]
    if urlsplit(url).hostname == OPENAI_HOST:
        return os.environ.get(KEY) or os.environ.get(OPENAI_KEY, "")
    return os.environ.get(KEY, "")


def _places(quotes: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Where the quotes stand, in the order of the text; those that are not in it are lost."""
    bounds = set()
    end = 0
    for quote in quotes:
        quoted = locate(quote, text, end) or locate(quote, text)
        if quoted:
            bounds.add(quoted)
            end = quoted[1]
    return sorted(bounds)


def _claims(text: str, reply: Reply) -> list[Claim]:
    stated: list[tuple[int, int]] = []
    for start, end in _places(reply.values["claims"], text):
        if not _overlap((start, end), stated):
            stated.append((start, end))
    empty = _places(reply.values["no_claims"], text)
    claims = [Claim(text[start:end], start, end) for start, end in stated]
    (by_rules,) = RuleClaims().claims([text])
    for claim in by_rules:
        bounds = (claim.start, claim.end)
        if _overlap(bounds, stated):
            continue
        silent = claim.kind == "statement" and _overlap(bounds, empty)
        claims.append(replace(claim, kind="reaction") if silent else claim)
    return sorted(claims, key=lambda claim: claim.start)


def _overlap(bounds: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(bounds[0] < end and start < bounds[1] for start, end in others)


def _answer(query: Query, reply: Reply) -> Answer:
    answer = reply.values["answer"]
    bounds = locate(answer, query.passage) if answer else None
    if bounds is None:
        return Answer(None, confidence=reply.confidence)
    return Answer(query.passage[slice(*bounds)], *bounds, confidence=reply.confidence)


def _opinion(reply: Reply) -> Opinion:
    values = reply.values
    return Opinion(
        reply.chances, values["reason"], tuple(values["wrong"]), tuple(values["evidence"])
    )
