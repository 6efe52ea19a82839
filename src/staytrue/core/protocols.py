"""Every extension point on one page.

A metric, backend, chatbot or dataset is one file that fits one of these shapes and one line in
an entry-point group (`staytrue.metrics`, `.backends`, `.chatbots`, `.datasets`).
All of them are batch first, stateless and deterministic: results keep the order and length of
the input, and no result depends on the other rows of its batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from staytrue.core.records import Example, Failure, Turn, Verdict

if TYPE_CHECKING:
    import numpy as np

# What the models are asked, and what they answer.


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text worth asking about."""

    text: str
    start: int
    end: int
    kind: str = ""
    """"entity" or "chunk"."""
    label: str = ""
    """Entity type, such as PERSON; empty for noun chunks."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A stretch of a response that stands alone, and whether it claims anything."""

    text: str
    """What is claimed, without openers such as "Sure, "."""
    start: int
    """First character of the stretch in the response."""
    end: int
    """One past its last character."""
    kind: str = "statement"
    """"statement", or why it claims nothing: "greeting", "question", "refusal", "opinion",
    "reaction", "heading", "code", or "personal": what only a persona or earlier turns can tell."""


@dataclass(frozen=True, slots=True)
class Target:
    """Ask for a question about `span` of `text`, whose answer is the span."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Query:
    """Ask what `passage` answers to `question`."""

    question: str
    passage: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A span of the passage, or None when the passage does not answer."""

    text: str | None
    start: int | None = None
    end: int | None = None
    confidence: float = 0.0
    """Calibrated probability that this answer, or "no answer", is right."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Ask whether `premise` entails, contradicts or leaves open `hypothesis`."""

    premise: str
    hypothesis: str


@dataclass(frozen=True, slots=True)
class Entailment:
    """Three calibrated probabilities that sum to 1."""

    entailment: float
    neutral: float
    contradiction: float

    @property
    def label(self) -> str:
        """The most probable of the three."""
        three = (self.entailment, self.neutral, self.contradiction)
        return ("entailment", "neutral", "contradiction")[three.index(max(three))]


@dataclass(frozen=True, slots=True)
class Grounding:
    """Ask what kind of response this is, given the evidence and the previous turn."""

    evidence: str
    message: str
    response: str


OPINIONS = ("consistent", "inconsistent", "nothing to check")
"""What a judge may say of a response."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge says of a response to all that it should be true to."""

    chances: Mapping[str, float]
    """A probability for each of `OPINIONS`; they sum to 1."""
    reason: str = ""
    """One sentence of the judge's own."""
    wrong: tuple[str, ...] = ()
    """Words of the response that are not supported, as the judge quotes them."""
    sources: tuple[str, ...] = ()
    """What it quotes from the other texts."""

    @property
    def label(self) -> str:
        """The most probable of the three."""
        return max(OPINIONS, key=lambda one: self.chances[one])


# What the models are.


@runtime_checkable
class SpanExtractor(Protocol):
    """Finds the informative spans of each text: entities, then other noun chunks."""

    def spans(self, texts: Sequence[str]) -> list[list[Span]]: ...


@runtime_checkable
class ClaimSplitter(Protocol):
    """Splits each response into its claims, in the order of the text."""

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]: ...


@runtime_checkable
class QuestionGenerator(Protocol):
    """Gives each target its candidate questions, best first; perhaps none."""

    def ask(self, targets: Sequence[Target]) -> list[list[str]]: ...


@runtime_checkable
class QuestionAnswerer(Protocol):
    """Reads each passage for the answer to its question."""

    def answer(self, queries: Sequence[Query]) -> list[Answer]: ...


@runtime_checkable
class EntailmentModel(Protocol):
    """Judges each pair of premise and hypothesis."""

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]: ...


@runtime_checkable
class GroundednessModel(Protocol):
    """Gives the probabilities of BEGIN's five classes for each response."""

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]: ...


@runtime_checkable
class ResponseJudge(Protocol):
    """Judges each response in one go against knowledge, history and persona, with quotes."""

    def review(self, examples: Sequence[Example]) -> list[Opinion]: ...


@runtime_checkable
class TokenEncoder(Protocol):
    """Gives a matrix of unit vectors, one row per token, for each text."""

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]: ...


@runtime_checkable
class Backend(Protocol):
    """A bundle of the models above: it has the methods of those that it offers.

    One that works at several things at a time says at how many in an attribute `threads`. Above 1,
    metrics may call its methods from several threads at once. One behind a server says in an
    attribute `at_once` how many rows are judged side by side, each in a thread of its own.
    """

    def models(self) -> Mapping[str, str]:
        """For each method it offers, `name@revision` of what stands behind it.

        Example: {"infer": "staytrue-entailment@1f0c9a", "ask": "rules@1"}.
        """
        ...


# The parts that users name.


@runtime_checkable
class Metric(Protocol):
    """Judges examples; its constructor's arguments are its options.

    A metric that needs models takes an argument `backend` and says in a class attribute
    `uses`, such as ("answer", "infer"), which methods of the backend it calls. One that draws
    random numbers takes an argument `seed`. One whose verdicts have labels from a fixed list says
    them in a class attribute `labels`; those with "contradiction" can rank bots (AIH). One whose
    verdicts change while the version of its package stays raises a class attribute `revision`. One
    that reads with a model of its own names it in a method `models`, as a backend does.
    """

    def judge(self, examples: Sequence[Example]) -> list[Verdict]: ...


@runtime_checkable
class Chatbot(Protocol):
    """Replies to a dialogue; it gets the whole history each time and keeps no state.

    A bot that counts what it uses has an attribute `usage` (`core.usage.Usage`), which limits
    and manifests read. One that makes only so many replies at once says so in `concurrency`, and
    one that gives up after a time in `timeout` (seconds): it is then asked few questions at once
    until it has shown that it is quick. One that repeats failed requests by itself has `retry` and
    `once()` (`core.retry`).
    """

    def reply(
        self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0
    ) -> str: ...


class ChatbotLoader(Protocol):
    """Makes a chatbot from its spec, `NAME:MAIN,option=value,…`.

    Its first positional argument gets MAIN, such as a model's name; its keyword arguments are the
    options, typed as they are annotated. A loader without options gets all that follows the colon.
    """

    def __call__(self, main: str = "", **options: Any) -> Chatbot: ...


class DatasetReader(Protocol):
    """Reads a published file, or a folder of them; a row that cannot be read is a Failure."""

    def __call__(self, path: str) -> Iterator[Example | Failure]: ...
