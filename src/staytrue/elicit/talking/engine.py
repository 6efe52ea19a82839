"""Holds conversations with chatbots side by side, and asks for each of their replies."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from staytrue.core.errors import ChatbotBusy, ChatbotError, UsageError, one_line
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Failure, Turn
from staytrue.core.retry import is_hopeless, once, policy_of
from staytrue.core.usage import usage_of
from staytrue.elicit.talking.budget import Budget, BudgetSpent, Limits, Need
from staytrue.elicit.talking.pace import Closed, Pace

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sitting has come; `done` counts what succeeded, of earlier sittings too."""

    total: int
    done: int = 0
    failed: int = 0
    replies: int = 0
    """Replies so far: one conversation with a slow bot may take long."""

    @property
    def left(self) -> int:
        """Conversations that are neither done nor failed."""
        return self.total - self.done - self.failed


class Listener:
    """Hears how far a sitting has come, and what would help; this one ignores it."""

    def progress(self, progress: Progress) -> None:
        """Called after every reply and every conversation."""

    def advise(self, advice: str) -> None:
        """Called with a sentence that says which option would help."""


class Talking:
    """Talks to bots by name: paces them, repeats failed replies, and keeps to a budget."""

    def __init__(
        self,
        bots: Mapping[str, Chatbot],
        limits: Limits | None = None,
        listener: Listener | None = None,
        *,
        what: str = "dialogue",
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        """`what` is what a conversation is called in messages."""
        limits = limits or Limits()
        self.bots = dict(bots)
        self.budget = Budget(self.bots, limits, what)
        self.concurrency = limits.concurrency
        self.stopped = ""
        """Why a limit ended the talking; empty while it has not."""
        self.progress = Progress(0)
        self._retry = {name: policy_of(bot, limits.retries) for name, bot in self.bots.items()}
        self._asked = {name: once(bot) for name, bot in self.bots.items()}
        self._paces = {
            name: Pace(
                at_once(bot, self.concurrency), getattr(bot, "timeout", None),
                per_minute=limits.per_minute,
            )
            for name, bot in self.bots.items()
        }  # fmt: skip
        self._listener = listener or Listener()
        self._advised: set[str] = set()
        self._closed = threading.Event()
        self._sleep = sleep or self._closed.wait
        self._lock = threading.Lock()
        self._keys = itertools.count()

    def expect(self, total: int, *, done: int = 0, failed: int = 0) -> None:
        """Say how many conversations there are, and how many earlier sittings have dealt with."""
        self.progress = Progress(total)
        self._count(done=done, failed=failed)

    def hold(
        self,
        items: Iterable[Item],
        talk: Callable[[Item, int], Result],
        lost: Callable[[Item, str], Failure],
        need: Callable[[Item], Need],
        *,
        in_order: bool = False,
    ) -> Iterator[Result | Failure]:
        """Hold a conversation about each item and give it as it ends, or in the items' order.

        `talk` holds one under the key that it is given, and gets its replies from `reply`; `lost`
        makes the failure of one whose bot did not reply; `need` says what one needs at most. An
        error that every conversation would meet ends all of them.
        """
        waiting = _Peekable(items)
        running: dict[Future[Result], tuple[int, Item]] = {}
        # Twice as many conversations as replies under way: while some wait for their bots,
        # questions are made for the others.
        pool = ThreadPoolExecutor(2 * self.concurrency)
        try:
            while True:
                while len(running) < 3 * self.concurrency and not self.stopped and waiting:
                    key = next(self._keys)
                    if not self.budget.begin(key, need(waiting.next)):
                        if not running:
                            self.stopped = self.budget.why_stopped(need(waiting.next))
                        break
                    item = waiting.take()
                    running[pool.submit(talk, item, key)] = (key, item)
                if not running:
                    break
                first = next(iter(running))
                ended = [first] if in_order else wait(running, return_when=FIRST_COMPLETED).done
                for future in ended:
                    key, item = running.pop(future)
                    try:
                        result: Result | Failure = self._result(future, item, lost)
                    except BudgetSpent:
                        self.stopped = self.stopped or self.budget.why_stopped(need(item))
                        continue
                    finally:
                        self.budget.end(key)
                    yield result
        except BaseException:
            self.close()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def reply(
        self,
        bot: str,
        history: Sequence[Turn],
        *,
        persona: Sequence[str] = (),
        seed: int = 0,
        conversation: int = 0,
    ) -> str:
        """One reply, with as many repeats as the bot's policy allows.

        The conversation that began first gets its replies first, so that it ends soon.
        """
        repeats = 0
        while True:
            self.budget.spend(conversation, bot, again=repeats > 0)
            try:
                with self._paces[bot].turn(conversation):
                    text: str = self._asked[bot].reply(history, persona=persona, seed=seed)
            except Closed:
                raise BudgetSpent from None
            except Exception as error:
                if hopeless := self._paces[bot].why_hopeless(bot):
                    self.close()
                    raise UsageError(hopeless) from None
                self._say_what_helps(bot)
                pause = self._retry[bot].pause(repeats, error)
                if is_hopeless(error):
                    self.close()
                if pause is None:
                    raise
                self._wait(bot, pause, error)
                repeats += 1
            else:
                self._say_what_helps(bot)
                self._count(replies=1)
                return text

    def close(self) -> None:
        """Ask no bot anything more, and wake those who wait for a turn."""
        self.budget.close()
        self._closed.set()
        for pace in self._paces.values():
            pace.close()

    def _result(
        self, future: Future[Result], item: Item, lost: Callable[[Item, str], Failure]
    ) -> Result | Failure:
        try:
            result = future.result()
        except BudgetSpent:
            raise
        except Exception as error:
            if is_hopeless(error):
                raise
            # Any code may stand behind a bot: whatever it raises costs this conversation only.
            self._count(failed=1)
            return lost(item, problem_of(error))
        self._count(done=1)
        return result

    def _wait(self, bot: str, pause: float, error: Exception) -> None:
        usage = usage_of(self.bots[bot])
        if usage is not None:
            usage.add(retries=1)
        if isinstance(error, ChatbotBusy):
            self._paces[bot].rest(pause)
        self._sleep(pause)

    def _say_what_helps(self, bot: str) -> None:
        advice = self._paces[bot].advice(bot)
        if advice is None:
            return
        with self._lock:
            new = advice not in self._advised
            self._advised.add(advice)
        if new:
            self._listener.advise(advice)

    def _count(self, *, done: int = 0, failed: int = 0, replies: int = 0) -> None:
        with self._lock:
            before = self.progress
            self.progress = Progress(
                before.total, before.done + done, before.failed + failed, before.replies + replies
            )
            self._listener.progress(self.progress)


class _Peekable(Generic[Item]):
    """An iterator whose next item can be looked at before it is taken."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = iter(items)
        self._held = list(itertools.islice(self._items, 1))

    def __bool__(self) -> bool:
        return bool(self._held)

    @property
    def next(self) -> Item:
        return self._held[0]

    def take(self) -> Item:
        item = self._held.pop()
        self._held.extend(itertools.islice(self._items, 1))
        return item


def at_once(bot: Chatbot, concurrency: int) -> int:
    """Replies that may be under way at once: as many as asked for, or as the bot can make."""
    return min(concurrency, getattr(bot, "concurrency", concurrency))


def problem_of(error: Exception) -> str:
    """What went wrong, as a failure tells it."""
    what = one_line(str(error), 300)
    if isinstance(error, ChatbotError):
        return what
    return f"{type(error).__name__}: {what}" if what else type(error).__name__
