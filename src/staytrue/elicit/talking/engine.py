"""Holds conversations with chatbots side by side, and asks for each of their replies."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from staytrue.core.retry import is_hopeless, once, policy_of
from staytrue.core.usage import usage_of
from staytrue.core.errors import ChatbotBusy, ChatbotError
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Failure, Turn
from staytrue.core.text import one_line
from staytrue.elicit.talking.budget import Budget, BudgetSpent, Need
from staytrue.elicit.talking.pace import Closed, Pace

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")
CONCURRENCY = 8


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


def nobody(_: object) -> None:
    """Listens to progress and advice where nobody else does."""


class Talking:
    """Talks to bots by name: paces them, repeats failed replies, and keeps to a budget."""

    def __init__(
        self,
        bots: Mapping[str, Chatbot],
        budget: Budget | None = None,
        *,
        concurrency: int = CONCURRENCY,
        retries: int | None = None,
        progress: Callable[[Progress], None] = nobody,
        advise: Callable[[str], None] = nobody,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        """`retries` is for one reply; None leaves it to each bot's own option."""
        self.bots = dict(bots)
        self.budget = budget or Budget(self.bots, lambda key: Need(()))
        self.concurrency = concurrency
        self.stopped = ""
        """Why a limit ended the talking; empty while it has not."""
        self.progress = Progress(0)
        self._retry = {name: policy_of(bot, retries) for name, bot in self.bots.items()}
        self._asked = {name: once(bot) for name, bot in self.bots.items()}
        self._paces = {
            name: Pace(at_once(bot, concurrency), getattr(bot, "timeout", None))
            for name, bot in self.bots.items()
        }
        self._show = progress
        self._advise = advise
        self._advised: set[str] = set()
        self._closed = threading.Event()
        self._sleep = sleep or self._closed.wait
        self._lock = threading.Lock()
        # The conversation that began first gets its replies first, so that it ends soon.
        self._priority: dict[Hashable, int] = {}
        self._numbers = itertools.count()

    def expect(self, total: int, *, done: int = 0, failed: int = 0) -> None:
        """Say how many conversations there are, and how many earlier sittings have dealt with."""
        self.progress = Progress(total)
        self._count(done=done, failed=failed)

    def hold(
        self,
        todo: Iterable[Key],
        talk: Callable[[Key], Result],
        lost: Callable[[Key, str], Failure],
        *,
        in_order: bool = False,
    ) -> Iterator[Result | Failure]:
        """Hold conversations side by side and give each as it ends, or in the order of `todo`.

        `talk` holds one and gets its replies from `reply`; `lost` makes the failure of one whose
        bot did not reply. An error that every conversation would meet ends all of them.
        """
        waiting, upcoming = iter(todo), deque[Key]()
        running: dict[Future[Result], Key] = {}
        # Twice as many conversations as replies under way: while some wait for their bots,
        # questions are made for the others.
        pool = ThreadPoolExecutor(2 * self.concurrency)
        try:
            while True:
                while len(running) < 3 * self.concurrency and not self.stopped:
                    if not upcoming:
                        upcoming.extend(key for key, _ in zip(waiting, range(1), strict=False))
                    if not upcoming or not self._begin(upcoming[0], first=not running):
                        break
                    key = upcoming.popleft()
                    running[pool.submit(talk, key)] = key
                if not running:
                    break
                first = next(iter(running))
                ended = [first] if in_order else wait(running, return_when=FIRST_COMPLETED).done
                for future in ended:
                    result = self._result(future, running.pop(future), lost)
                    if result is not None:
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
        conversation: Hashable = None,
    ) -> str:
        """One reply, with as many repeats as the bot's policy allows."""
        repeats = 0
        while True:
            self.budget.spend(conversation, bot, again=repeats > 0)
            try:
                with self._paces[bot].turn(self._priority.get(conversation, 0)):
                    text: str = self._asked[bot].reply(history, persona=persona, seed=seed)
            except Closed:
                raise BudgetSpent from None
            except Exception as error:
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

    def _begin(self, key: Hashable, *, first: bool) -> bool:
        if self.budget.begin(key):
            self._priority[key] = next(self._numbers)
            return True
        if first:
            self.stopped = self.budget.why_stopped(key)
        return False

    def _result(
        self, future: Future[Result], key: Key, lost: Callable[[Key, str], Failure]
    ) -> Result | Failure | None:
        try:
            result = future.result()
        except BudgetSpent:
            self.stopped = self.stopped or self.budget.why_stopped(key)
            return None
        except Exception as error:
            if is_hopeless(error):
                raise
            # Any code may stand behind a bot: whatever it raises costs this conversation only.
            self._count(failed=1)
            return lost(key, _problem(error))
        finally:
            self.budget.end(key)
            self._priority.pop(key, None)
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
            self._advise(advice)

    def _count(self, *, done: int = 0, failed: int = 0, replies: int = 0) -> None:
        with self._lock:
            before = self.progress
            self.progress = Progress(
                before.total, before.done + done, before.failed + failed, before.replies + replies
            )
            self._show(self.progress)


def at_once(bot: Chatbot, concurrency: int) -> int:
    """Replies that may be under way at once: as many as asked for, or as the bot can make."""
    return min(concurrency, getattr(bot, "concurrency", concurrency))


def _problem(error: Exception) -> str:
    what = one_line(str(error), 300)
    if isinstance(error, ChatbotError):
        return what
    return f"{type(error).__name__}: {what}" if what else type(error).__name__
