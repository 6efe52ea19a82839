"""Put placed probes to a chatbot: several at once, in the order given."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from staytrue.core.errors import DataError
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Example, Failure, FailureKind, Turn
from staytrue.elicit.talking import Limits, Listener, Need, Talking


class Asker:
    """Asks a chatbot, which gets persona, history and question, and keeps no state."""

    def __init__(
        self,
        bot: Chatbot,
        name: str = "the bot",
        limits: Limits | None = None,
        listener: Listener | None = None,
        *,
        seed: int = 0,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self.bot = bot
        self.name = name
        self.seed = seed
        self.talking = Talking({name: bot}, limits, listener, what="probe", sleep=sleep)

    def ask_all(self, samples: Iterable[Example]) -> Iterator[Example | Failure]:
        """Each sample with the bot's response, or a failure in its place."""
        return self.talking.hold(samples, self._answered, _lost, self._need, in_order=True)

    def ask(self, sample: Example) -> Example | Failure:
        """One sample with its response; what fails every time is a failure.

        A bot that can never work, for want of a key, a model or an extra, is an error.
        """
        # To the end: an iterator that is left in the middle stops the talking for good.
        results = list(self.ask_all([sample]))
        return results[0] if results else _lost(sample, self.talking.stopped)

    def _answered(self, sample: Example, conversation: int) -> Example:
        history = with_question(sample)
        response = self.talking.reply(
            self.name, history, persona=sample.persona, seed=sample_seed(self.seed, sample.id),
            conversation=conversation,
        )  # fmt: skip
        # What people said of another response is not a judgement of this one.
        return replace(
            sample, history=history, response=response, consistent=None, label=None, rating=None
        )

    def _need(self, sample: Example) -> Need:
        return Need(((self.name, 1),), len(sample.persona) + len(sample.history))


def _lost(sample: Example, problem: str) -> Failure:
    return Failure(sample.id, f"The chatbot did not reply: {problem}", kind=FailureKind.BOT)


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
