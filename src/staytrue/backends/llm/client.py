"""Put tasks to an OpenAI-compatible server: cache, limits, structured output, one repair.

A server that does not know a part of the request (JSON schema, log-probabilities, a seed) says so
in its refusal; that part is then left out of this and every later request.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import Any

from staytrue.backends.llm.answers import Field, Unfit, json_schema, read
from staytrue.backends.llm.budget import RequestBudget, RequestPace, about_tokens
from staytrue.backends.llm.chances import label_chances, stated, value_chance
from staytrue.backends.llm.tasks import Task
from staytrue.backends.store import AnswerStore, key_of
from staytrue.core.chat_completions import count_tokens, first_choice
from staytrue.core.errors import ModelAnswerError, ModelRefusal, one_line
from staytrue.core.records import JsonDict
from staytrue.core.transport import Transport
from staytrue.core.usage import Usage

# Parts of a request that servers may not know → how a refusal names them.
_OPTIONAL: Mapping[str, re.Pattern[str]] = {
    "response_format": re.compile(r"response_format|json_?schema|grammar|structured", re.I),
    "logprobs": re.compile(r"log_?prob", re.I),
    "seed": re.compile(r"\bseed\b", re.I),
    "max_tokens": re.compile(r"\bmax_tokens\b", re.I),
    "temperature": re.compile(r"\btemperature\b", re.I),
}
_TOP = 20  # the most likely tokens that OpenAI's interface gives
# How probable a label or answer is taken to be where the server does not tell.
SURE = 0.9
_REMEMBERED = 50_000
# A failure is remembered while a batch is judged again row by row, not for a server's whole life.
_FAILURE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer, read and checked."""

    values: Mapping[str, Any]
    chances: Mapping[str, float]
    """Probabilities of the labels of the task's graded field, if it is a label."""
    confidence: float = SURE
    """The probability of the graded field's value, if it is a text."""


@dataclass(frozen=True, slots=True)
class Raw:
    """What a server answered, as the cache keeps it."""

    text: str
    tokens: Any = None


class Client:
    """Asks one model at one address; one object serves many threads."""

    def __init__(
        self,
        model: str,
        transport: Transport,
        *,
        seed: int = 0,
        max_tokens: int = 400,
        structured: str = "auto",
        logprobs: str = "auto",
        pace: RequestPace | None = None,
        budget: RequestBudget | None = None,
        store: AnswerStore | None = None,
    ) -> None:
        self.model = model
        self.transport = transport
        self.cached = self.repaired = 0
        self._seed = seed
        self._max_tokens = max_tokens
        self._pace = pace or RequestPace(0)
        self._budget = budget or RequestBudget(transport.usage)
        self._store = store
        off = {"response_format": structured == "text", "logprobs": logprobs == "off"}
        self._left_out = {part for part, is_off in off.items() if is_off}
        self._known: OrderedDict[Task, tuple[float, Reply | ModelAnswerError]] = OrderedDict()
        self._asking: dict[Task, Lock] = {}
        """Tasks that some thread is asking, so that another waits for the same answer."""
        self._slots = BoundedSemaphore(transport.concurrency)
        self._lock = Lock()

    @property
    def usage(self) -> Usage:
        """Requests, tokens and cost so far."""
        return self.transport.usage

    def counted(self) -> JsonDict:
        """What has been used so far, for a manifest."""
        return {**self.usage.to_json(), "cached": self.cached, "repaired": self.repaired}

    def ask(self, tasks: Sequence[Task]) -> list[Reply]:
        """A reply per task; each different task is asked once, several at a time.

        All are asked before the first failure is raised: when a batch is judged again row by row,
        what succeeded costs nothing.
        """
        # Held here until the end: what is remembered may be forgotten while others are asked.
        known = {task: self._recall(task) for task in dict.fromkeys(tasks)}
        fresh = [task for task, reply in known.items() if reply is None]
        if fresh:
            with ThreadPoolExecutor(min(self.transport.concurrency, len(fresh))) as pool:
                waiting = {task: pool.submit(self._settle, task) for task in fresh}
                try:
                    known.update({task: one.result() for task, one in waiting.items()})
                except BaseException:
                    pool.shutdown(cancel_futures=True)  # a limit, or a wrong key: ask no more
                    raise
        replies = []
        for task in tasks:
            reply = known[task]
            if not isinstance(reply, Reply):
                raise reply or AssertionError("every task has been settled")
            replies.append(reply)
        return replies

    def _recall(self, task: Task) -> Reply | ModelAnswerError | None:
        with self._lock:
            moment, reply = self._known.get(task, (0.0, None))
        if isinstance(reply, ModelAnswerError) and time.monotonic() - moment > _FAILURE_SECONDS:
            return None
        return reply

    def _settle(self, task: Task) -> Reply | ModelAnswerError:
        with self._lock:
            turn = self._asking.setdefault(task, Lock())
        with turn:
            try:
                # Another row may have asked the same meanwhile.
                return self._recall(task) or self._remembered(task)
            finally:
                with self._lock:
                    self._asking.pop(task, None)

    def _remembered(self, task: Task) -> Reply | ModelAnswerError:
        reply: Reply | ModelAnswerError
        try:
            reply = self._reply(task)
        except ModelAnswerError as error:
            reply = error
        with self._lock:
            self._known[task] = (time.monotonic(), reply)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return reply

    def _reply(self, task: Task) -> Reply:
        fence = task.fence()
        problem = ""
        raw = Raw("")
        for attempt in range(2):
            raw = self._send(task, task.messages(fence, problem))
            try:
                return _graded(task, read(raw.text, task.fields, fence.canary), raw.tokens)
            except Unfit as unfit:
                problem = str(unfit)
            if not attempt:
                with self._lock:
                    self.repaired += 1
        raise ModelAnswerError(
            f"{self.model} gave no usable answer, twice: {problem}; "
            f"it said: {one_line(raw.text, 120)}"
        )

    def _send(self, task: Task, messages: list[dict[str, str]]) -> Raw:
        while True:
            left_out = frozenset(self._left_out)
            body = self._body(task, messages, left_out)
            try:
                return self._fetch(body)
            except ModelRefusal as refusal:
                named = {part for part, name in _OPTIONAL.items() if name.search(str(refusal))}
                if not named - left_out:
                    raise
                with self._lock:
                    self._left_out |= named

    def _body(
        self, task: Task, messages: list[dict[str, str]], left_out: frozenset[str]
    ) -> JsonDict:
        parts: JsonDict = {
            "temperature": 0,
            "seed": self._seed,
            "max_tokens": self._max_tokens,
            "response_format": _format(task.fields),
        }
        if task.graded:
            parts["logprobs"] = True
        body = {part: value for part, value in parts.items() if part not in left_out}
        if "logprobs" in body:
            body["top_logprobs"] = _TOP
        if "max_tokens" in left_out:  # what newer models call it
            body["max_completion_tokens"] = self._max_tokens
        return {"model": self.model, "messages": messages, **body}

    def _fetch(self, body: JsonDict) -> Raw:
        key = key_of(self.transport.url, body)
        if self._store and (known := self._store.get(key)) is not None:
            with self._lock:
                self.cached += 1
            return Raw(**known)
        tokens_in = sum(about_tokens(message["content"]) for message in body["messages"])
        # A request that waits for a slot holds no money, which others could spend.
        with self._slots, self._budget.spend(tokens_in, self._max_tokens):
            self._pace.wait()
            answer = self.transport.post(body)
            raw = _raw(answer)
            count_tokens(self.usage, answer)
        if self._store:
            self._store.put(key, {"text": raw.text, "tokens": raw.tokens})
        return raw


Ask = Callable[[Sequence[Task]], list[Reply]]


def _format(fields: Sequence[Field]) -> JsonDict:
    schema = {"name": "answer", "strict": True, "schema": json_schema(fields)}
    return {"type": "json_schema", "json_schema": schema}


def _raw(answer: Any) -> Raw:
    choice, text = first_choice(answer, ModelAnswerError)
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    return Raw(text if isinstance(text, str) else "", tokens)


def _graded(task: Task, values: Mapping[str, Any], tokens: Any) -> Reply:
    if not task.graded:
        return Reply(values, {})
    field = next(one for one in task.fields if one.name == task.graded)
    if field.kind != "label":
        chance = value_chance(tokens, task.graded)
        return Reply(values, {}, SURE if chance is None else chance)
    chosen = values[task.graded]
    chances = label_chances(tokens, task.graded, field.choices)
    return Reply(values, chances or stated(chosen, field.choices, SURE))
