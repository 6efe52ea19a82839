"""Grounded dialogues for the silver data, made from plain text and from people's talk."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from staytrue.core.records import Example, Turn
from staytrue.english import parses as language
from staytrue.silver.methods.additions import first_clause
from staytrue.silver.methods.clauses import drop_clause
from staytrue.silver.methods.pronouns import use_pronoun
from training.common import DATA, read_rows, sentences

if TYPE_CHECKING:
    from spacy.tokens import Doc

_ASKS = (
    "Do you know much about {0}?", "I love {0}.", "What can you tell me about {0}?",
    "I don't know anything about {0}.", "Have you ever heard of {0}?", "I really like {0}, do you?",
    "I have always been interested in {0}.", "Tell me something about {0}.", "What is {0}?",
    "I used to be into {0} when I was younger.", "My brother told me about {0}.",
    "Oh wow, I did not know that about {0}.", "Do you like {0}?", "{0} is great!",
    "I've never really been into {0}. How about you?", "That is cool. What else do you know?",
    "Really? That's interesting!", "I see. Do you know more about that?", "Yes, I agree.",
    "Is {0} popular?", "How did {0} start?", "When was that?", "Where is that?", "Who was that?",
)  # fmt: skip


@dataclass(frozen=True)
class TwoTurns:
    """Two turns of a talk between people."""

    topic: str
    message: str
    response: str
    document: tuple[str, ...] = ()


def exchanges() -> Iterator[TwoTurns]:
    """Consecutive turns of Topical-Chat, PersonaChat and CMU-DoG."""
    for name in ("topical_chat_valid_freq", "topical_chat_valid_rare"):
        for row in read_rows(DATA / "text" / f"{name}.jsonl.gz"):
            turns = [turn["message"].strip() for turn in row["content"]]
            for message, response in pairwise(turns):
                yield TwoTurns(row["article_url"], message, response)
    for row in read_rows(DATA / "text" / "personachat.jsonl.gz"):
        yield TwoTurns("persona", row["message"], row["response"])
    yield from _film_talk()


def _film_talk() -> Iterator[TwoTurns]:
    films = {
        row["wikiDocumentIdx"]: row for row in read_rows(DATA / "text" / "cmu_dog_wiki.jsonl.gz")
    }
    for row in read_rows(DATA / "text" / "cmu_dog_train.jsonl.gz"):
        film = films.get(row["wikiDocumentIdx"])
        if film is None:
            continue
        merged: list[tuple[str, int, str]] = []
        for turn in row["history"]:
            if merged and merged[-1][0] == turn["uid"]:
                merged[-1] = (turn["uid"], turn["docIdx"], f"{merged[-1][2]} {turn['text']}")
            else:
                merged.append((turn["uid"], turn["docIdx"], turn["text"]))
        for (_, _, message), (_, section, response) in pairwise(merged):
            yield TwoTurns(
                film["0"]["movieName"], message, response, tuple(_section(film, section))
            )


def _section(film: dict[str, object], number: int) -> list[str]:
    part = film[str(number)]
    if isinstance(part, str):
        return sentences(part)
    assert isinstance(part, dict)
    lines = sentences(part["introduction"]) + list(part["cast"])
    name = part["movieName"]
    lines += [f"{name} was directed by {part['director']}.", f"{name} came out in {part['year']}."]
    return lines + [line.strip() for line in part["critical_response"]]


def wiki_examples(wanted: int, seed: int, talk: list[str]) -> list[Example]:
    """Evidence of one to three sentences, a turn before it, and a reply that says part of it."""
    rng = random.Random(f"wiki examples {seed}")
    questions: dict[str, list[str]] = defaultdict(list)
    for row in read_rows(DATA / "train" / "squad1.jsonl.gz"):
        if len(row["question"].split()) < 20:
            questions[row["title"]].append(row["question"])
    paragraphs = list(read_rows(DATA / "text" / "wiki_paragraphs.jsonl.gz"))
    drafts: list[tuple[str, str, str, str]] = []
    while len(drafts) < wanted:
        row = rng.choice(paragraphs)
        lines = [s for s in sentences(row["text"]) if _usable(s)]
        if not lines or not row["title"][:1].isalnum():
            continue
        first = rng.randrange(len(lines))
        evidence = lines[first : first + rng.choice([1, 1, 1, 2, 2, 3])]
        title = row["title"]
        topic = re.sub(r"_\(.*", "", title).replace("_", " ")
        drafts.append(
            (
                topic,
                " ".join(evidence),
                rng.choice(evidence),
                _message(topic, title, questions, talk, rng),
            )
        )
    docs = language.parse(draft[2] for draft in drafts)
    examples = []
    for number, ((topic, evidence_text, _, message), doc) in enumerate(
        zip(drafts, docs, strict=True)
    ):
        response = _reply(doc, rng)
        tags = {"topic": topic, "source": "wiki"}
        examples.append(
            Example(f"wiki{number}", response, evidence_text, (Turn("user", message),), tags=tags)
        )
    return examples


def opening_lines() -> list[str]:
    """The first two sentences of every Wikipedia paragraph, where their length is usual."""
    return [
        line
        for row in read_rows(DATA / "text" / "wiki_paragraphs.jsonl.gz")
        for line in sentences(row["text"])[:2]
        if 6 <= len(line.split()) <= 38
    ]


def _usable(sentence: str) -> bool:
    words = sentence.split()
    return (
        6 <= len(words) <= 38
        and sentence[0].isupper()
        and sentence.endswith(".")
        and not re.search(r"[\[\]=|{}]|\b[A-Z]\.$", sentence)
        and sentence.count('"') % 2 == 0
    )


def _message(
    topic: str, title: str, questions: dict[str, list[str]], talk: list[str], rng: random.Random
) -> str:
    kind = rng.random()
    if kind < 0.3 and questions[title]:
        return rng.choice(questions[title])
    if kind < 0.55:
        return rng.choice(talk)
    return rng.choice(_ASKS).format(topic)


def _reply(doc: Doc, rng: random.Random) -> str:
    """What a dialogue model would copy: the sentence, less of it, or a pronoun for its subject."""
    text: str = doc.text
    draw = rng.random()
    if draw < 0.35:
        text = first_clause(text).rstrip(" ,;.") + "."
        if len(text.split()) < 4:
            text = doc.text
    edited = drop_clause(doc, rng) if 0.35 <= draw < 0.6 else None
    if edited is not None and len(edited.text.split()) >= 4:
        text = edited.text
    if rng.random() < 0.35:
        pronoun = use_pronoun(doc, rng)
        if pronoun is not None and text.startswith(pronoun.edits[0].old):
            text = pronoun.edits[0].new.capitalize() + text[pronoun.edits[0].end :]
    return text


@dataclass(frozen=True)
class FeverClaim:
    """A claim of FEVER with evidence, and the label that it has against that evidence."""

    topic: str
    evidence: str
    text: str
    label: str


_NAME = re.compile(r"(?:The )?[A-Z][\w.'’-]*(?: (?:of |the |and )?[A-Z0-9][\w.'’-]*)*")


def claims(seed: int, wanted: int) -> list[FeverClaim]:
    """Supported, refuted and open claims; an open one gets evidence about the same name."""
    rng = random.Random(f"claims {seed}")
    rows = list(read_rows(DATA / "text" / "fever_claims.jsonl.gz"))
    rng.shuffle(rows)
    about: dict[str, list[str]] = defaultdict(list)
    by_label: dict[str, list[FeverClaim]] = defaultdict(list)
    for row in rows:
        name = _name(row["claim"])
        if not row["evidence"] or not name:
            continue
        evidence = " ".join(row["evidence"][:2]) if len(row["evidence"]) < 3 else ""
        if not evidence or len(evidence.split()) > 70:
            continue
        if name.lower() in evidence.lower():
            about[name].append(evidence)
        label = "entailment" if row["label"] == "SUPPORTS" else "contradiction"
        if len(by_label[label]) < wanted:
            by_label[label].append(FeverClaim(name, evidence, row["claim"], label))
    for row in rows:
        name = _name(row["claim"])
        if row["label"] == "NOT ENOUGH INFO" and about.get(name) and len(by_label["open"]) < wanted:
            by_label["open"].append(
                FeverClaim(name, rng.choice(about[name]), row["claim"], "hallucination")
            )
    return [claim for group in by_label.values() for claim in group]


def _name(claim: str) -> str:
    match = _NAME.match(claim)
    return match.group() if match and len(match.group()) > 3 else ""


def ask(topic: str, rng: random.Random) -> str:
    """A turn that could come before a reply on the topic."""
    return rng.choice(_ASKS).format(topic)
