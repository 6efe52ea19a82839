"""Put placed probes to a chatbot: several at once, with retries, in the order given."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from staytrue.core.errors import ChatbotError, ChatbotRefusal, DataError, StaytrueError
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Example, Failure, Turn


@dataclass(frozen=True)
class Asker:
    """Asks a chatbot, which gets persona, history and question, and keeps no state."""

    bot: Chatbot
    concurrency: int = 4
    retries: int = 2
    backoff: float = 1.0
    seed: int = 0
    sleep: Callable[[float], None] = time.sleep

    def ask_all(self, samples: Iterable[Example]) -> Iterator[Example | Failure]:
        """Each sample with the bot's response, or a failure in its place."""
        with ThreadPoolExecutor(self.concurrency) as pool:
            waiting: deque[Future[Example | Failure]] = deque()
            for sample in samples:
                waiting.append(pool.submit(self.ask, sample))
                # Twice the workers keeps them busy and the memory flat.
                if len(waiting) >= 2 * self.concurrency:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def ask(self, sample: Example) -> Example | Failure:
        """One sample with its response; what fails every time is a failure.

        A bot that can never work, for want of a key, a model or an extra, is an error.
        """
        history = with_question(sample)
        problem = ""
        for attempt in range(self.retries + 1):
            if attempt:
                self.sleep(self.backoff * 2 ** (attempt - 1))
            try:
                response = self.bot.reply(
                    history, persona=sample.persona, seed=sample_seed(self.seed, sample.id)
                )
            except ChatbotError as error:
                problem = str(error)
                if isinstance(error, ChatbotRefusal):
                    break
            except StaytrueError:
                raise
            except Exception as error:  # a bot is foreign code: whatever it raises is its failure
                problem = f"{type(error).__name__}: {error}"
            else:
                # What people said of another response is not a judgement of this one.
                return replace(
                    sample, history=history, response=response, consistent=None, label=None,
                    rating=None,
                )  # fmt: skip
        return Failure(sample.id, f"The chatbot did not reply: {problem}")


def sample_seed(seed: int, sample_id: str) -> int:
    """The seed of one reply: samples differ, and repeat exactly."""
    digest = hashlib.blake2b(f"{seed}/{sample_id}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


def with_question(sample: Example) -> tuple[Turn, ...]:
    """The history that ends with the question; a probe that was never placed is an error."""
    if sample.probe is None:
        raise DataError(f"Example {sample.id} has no probe: make some with  staytrue probes build.")
    if sample.message == sample.probe.question:
        return sample.history
    if sample.history and sample.probe.distance is None:
        raise DataError("The probes are not placed yet: run  staytrue probes place FILE  first.")
    return (*sample.history, Turn("user", sample.probe.question))
