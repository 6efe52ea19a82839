"""Entailment pairs made from plain text, close to how the metrics ask.

Two families. *Grounded*: a knowledge passage and a chatty response that restates part
of it, changes it, or goes beyond it. *Answers*: the same question with two answers, as
Q² compares them.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from training.common import read_rows, sentences
from training.swaps import MentionPool, mentions, negated, swapped

_OPENERS = (
    "yes , ",
    "yes , ",
    "yeah , ",
    "yep , ",
    "i think ",
    "i believe ",
    "well , ",
    "oh , ",
    "did you know that ",
    "i know that ",
    "i heard that ",
    "i agree , ",
    "that is true , ",
    "i ' m not sure , but ",
    "i ' m not sure but i know ",
    "oh cool , ",
    "wow , ",
    "that ' s interesting ! ",
    "that ' s cool . ",
    "i love that ! ",
    "sure , ",
    "no , but ",
    "good question . ",
    "i do know that ",
    "from what i know , ",
    "exactly , ",
    "ah , ",
)
_TOPIC_OPENERS = (
    "i love {0} ! ",
    "i love {0} as well . ",
    "i like {0} . ",
    "{0} is great . ",
    "do you like {0} ? ",
    "i ' ve heard of {0} . ",
)
_TAILS = (
    " do you like it ?",
    " it ' s so cool .",
    " have you heard of that ?",
    " that ' s amazing !",
    " pretty interesting , right ?",
    " i find that interesting .",
)
_PERSONAL = (
    "i love {0} , i have been a fan for years .",
    "i have never been to {0} but i want to go .",
    "my sister told me about {0} last week .",
    "i grew up with {0} .",
    "do you like {0} ?",
    "{0} is my favorite .",
    "what do you know about {0} ?",
    "i ' m not sure , i don ' t know much about {0} .",
    "yes , i think so too .",
    "i don ' t know , but i would like to learn more about {0} .",
    "i think {0} is one of the most popular in the world .",
    "that sounds like a lot of fun !",
)
_BREAK = re.compile(
    r"(?:, (?:and|but|which|who|while|where|although|with)|;|,? (?:and|but|because|which|while)) "
)
_SUBJECT = re.compile(
    r"^((?:The |An? )?[\w'’.-]+(?: [\w'’.-]+){0,4}?) (is|was|are|were|has|had|have|can)\b"
)
_VERB = re.compile(r"\b(is|was|are|were|has|had|have|can|will|\w+ed|\w+s)\b")
_PLURAL = frozenset({"are", "were", "have"})


def _clause(sentence: str, rng: random.Random) -> str:
    """The sentence, or its beginning up to a place where a clause ends."""
    places = [match.start() for match in _BREAK.finditer(sentence)]
    beginnings = [
        sentence[:position]
        for position in places
        if len(sentence[:position].split()) >= 5 and _VERB.search(sentence[:position])
    ]
    if beginnings and rng.random() < 0.65:
        return rng.choice(beginnings)
    return sentence.rstrip(".!? ")


def _with_pronoun(clause: str, rng: random.Random) -> str:
    match = _SUBJECT.match(clause)
    if match is None or rng.random() < 0.5:
        return clause
    pronoun = "they" if match.group(2) in _PLURAL else "it"
    return pronoun + clause[match.end(1) :]


def chatty(clause: str, topic: str, rng: random.Random) -> str:
    """The clause as a chatbot would say it: an opener, a tail, lower case, spaced marks."""
    text = clause
    if rng.random() < 0.5:
        opener = (
            rng.choice(_TOPIC_OPENERS).format(topic)
            if rng.random() < 0.25
            else rng.choice(_OPENERS)
        )
        text = opener + text
    text = text + rng.choice([" .", ".", " !", ""])
    if rng.random() < 0.12:
        text += rng.choice(_TAILS)
    if rng.random() < 0.6:
        text = re.sub(r"\s*([,.!?])(?=\s|$)", r" \1", text.lower())
    return text


def _paragraphs(text: Path) -> list[tuple[str, list[str]]]:
    """Title and sentences of each Wikipedia paragraph."""
    return [
        (row["title"].replace("_", " "), sentences(row["text"]))
        for row in read_rows(text / "wiki_paragraphs.jsonl.gz")
    ]


def grounded_pairs(text: Path, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Knowledge passages with responses that follow from them, contradict them or do neither."""
    rng = random.Random(f"grounded {seed}")
    paragraphs = _paragraphs(text)
    pool = MentionPool()
    for topic, lines in paragraphs:
        for line in lines:
            pool.add(topic, line)
    made = 0
    while made < wanted:
        topic, lines = rng.choice(paragraphs)
        lines = [line for line in lines if 6 <= len(line.split()) <= 40]
        if len(lines) < 2:
            continue
        size = 1 if rng.random() < 0.7 else 2
        first = rng.randrange(len(lines))
        premise = " ".join(lines[first : first + size])
        inside = rng.choice(lines[first : first + size])
        outside = [line for line in lines if line not in lines[first : first + size]]
        clause = _clause(inside, rng)
        name = topic.lower()
        kind = rng.random()
        if kind < 0.34:
            hypothesis, label = chatty(_with_pronoun(clause, rng), name, rng), "entailment"
        elif kind < 0.60:
            changed = swapped(clause, topic, pool, premise, rng)
            if changed is None:
                continue
            hypothesis, label = chatty(_with_pronoun(changed, rng), name, rng), "contradiction"
        elif kind < 0.68:
            changed = negated(clause, rng)
            if changed is None:
                continue
            hypothesis, label = chatty(changed, name, rng), "contradiction"
        elif kind < 0.82 and outside:
            other = _clause(rng.choice(outside), rng)
            hypothesis, label = chatty(_with_pronoun(other, rng), name, rng), "neutral"
        elif kind < 0.92 and outside:
            other = _clause(rng.choice(outside), rng)
            both = [clause, other] if rng.random() < 0.7 else [other, clause]
            hypothesis, label = (
                chatty(rng.choice([" and ", " . ", " , and "]).join(both), name, rng),
                "neutral",
            )
        else:
            hypothesis, label = rng.choice(_PERSONAL).format(name), "neutral"
        made += 1
        yield {
            "premise": premise,
            "hypothesis": hypothesis,
            "label": label,
            "source": "made_grounded",
        }


def _listed(text: str, one: str, other: str) -> bool:
    """Whether the two stand in one list, where their order says nothing."""
    near = r"(?:\W|\b(?:and|or|the|of)\b)+"
    pair = f"{re.escape(one)}{near}{re.escape(other)}|{re.escape(other)}{near}{re.escape(one)}"
    return re.search(pair, text) is not None


def misplaced(clause: str, passage: str, rng: random.Random) -> str | None:
    """The clause with a name or year where another of the same passage belongs."""
    own = [(kind, start, end) for kind, start, end in mentions(clause) if kind != "number"]
    rng.shuffle(own)
    for kind, start, end in own:
        old = clause[start:end]
        others = {passage[a:b] for other, a, b in mentions(passage) if other == kind}
        free = sorted(
            new
            for new in others
            if new not in old and old not in new and not _listed(clause, old, new)
        )
        if free:
            new = rng.choice(free)
            both = re.split(f"({re.escape(old)}|{re.escape(new)})", clause)
            return "".join({old: new, new: old}.get(part, part) for part in both)
    return None


def role_pairs(text: Path, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Sentences whose names and years are all in the passage, half of them in the wrong place."""
    rng = random.Random(f"roles {seed}")
    paragraphs = _paragraphs(text)
    made = 0
    while made < wanted:
        topic, lines = rng.choice(paragraphs)
        if not lines:
            continue
        first = rng.randrange(len(lines))
        chosen = lines[first : first + rng.choice([1, 1, 2])]
        premise = " ".join(chosen)
        clause = _clause(rng.choice(chosen), rng)
        wrong = misplaced(clause, premise, rng)
        if wrong is None or not 6 <= len(premise.split()) <= 60:
            continue
        made += 1
        right = rng.random() < 0.5
        yield {
            "premise": premise,
            "hypothesis": chatty(clause if right else wrong, topic.lower(), rng),
            "label": "entailment" if right else "not_entailment",
            "source": "made_roles",
        }


_ARTICLE = re.compile(r"^(?:the|a|an|in|on|at|by|of) ", re.IGNORECASE)


def _answer_kind(question: str, answer: str) -> str:
    answer_mentions = mentions("x " + answer)
    if answer_mentions:
        return answer_mentions[0][0]
    return "long" if len(answer.split()) > 3 else "common"


def answer_pairs(train: Path, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Two answers to one question, written the way Q² writes them: "QUESTION ANSWER."."""
    rng = random.Random(f"answers {seed}")
    rows = []
    for name in ("squad1", "qamr_dev", "qamr_test"):
        for row in read_rows(train / f"{name}.jsonl.gz"):
            answer = row["answers"][0]["text"] if row["answers"] else ""
            if 1 <= len(answer.split()) <= 8 and len(row["question"].split()) <= 18:
                start = row["answers"][0]["answer_start"]
                after = row["context"][start + len(answer) :].split()[:2]
                before = row["context"][:start].split()[-2:]
                rows.append((row.get("title", row["id"]), row["question"], answer, before, after))
    by_kind: dict[str, list[str]] = defaultdict(list)
    by_topic: dict[tuple[str, str], list[str]] = defaultdict(list)
    for title, question, answer, _, _ in rows:
        kind = _answer_kind(question, answer)
        by_kind[kind].append(answer)
        by_topic[title, kind].append(answer)
    made = 0
    while made < wanted:
        title, question, answer, before, after = rng.choice(rows)
        words = answer.split()
        draw = rng.random()
        if draw < 0.36:
            # The same answer, said with fewer or other small words, follows from it.
            shorter = _ARTICLE.sub("", answer)
            if len(words) >= 3 and rng.random() < 0.6:
                shorter = " ".join(words[-rng.randint(1, len(words) - 1) :])
            elif (
                before
                and rng.random() < 0.5
                and before[-1].lower() in {"the", "a", "an", "in", "on", "by", "of", "at", "about"}
            ):
                shorter = f"{before[-1].lower()} {answer}"
            premise_answer, hypothesis_answer, label = answer, shorter, "entailment"
            if rng.random() < 0.3 and len(words) < 4:
                premise_answer = " ".join([*before, answer])
        elif draw < 0.52:
            # More than the knowledge said does not follow, and does not contradict either.
            if not before or len(words) > 5:
                continue
            longer = " ".join([*before, answer] if rng.random() < 0.5 else [answer, *after])
            premise_answer, hypothesis_answer, label = answer, longer.strip(" ,.;"), "neutral"
            if hypothesis_answer.lower() == answer.lower():
                continue
        else:
            kind = _answer_kind(question, answer)
            source = by_topic[title, kind] if rng.random() < 0.6 else by_kind[kind]
            other = rng.choice(source)
            if other.lower() in answer.lower() or answer.lower() in other.lower():
                continue
            if set(other.lower().split()) & set(answer.lower().split()):
                continue
            premise_answer, hypothesis_answer, label = answer, other, "contradiction"
        made += 1
        lower = rng.random() < 0.5
        premise = f"{question} {premise_answer}."
        hypothesis = f"{question} {hypothesis_answer}."
        yield {
            "premise": premise,
            "hypothesis": hypothesis.lower() if lower else hypothesis,
            "label": label,
            "source": "made_answers",
        }


def persona_pairs(text: Path, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Things one speaker said of themselves, which do not contradict each other."""
    rng = random.Random(f"persona {seed}")
    rows = [row for row in read_rows(text / "personachat.jsonl.gz") if len(row["persona"]) > 1]
    for _ in range(wanted):
        row = rng.choice(rows)
        first, second = rng.sample(row["persona"], 2)
        if rng.random() < 0.6:
            first, second = rng.choice([(first, row["response"]), (row["response"], first)])
        yield {
            "premise": first,
            "hypothesis": second,
            "label": "not_contradiction",
            "source": "made_persona",
        }


def _talks(text: Path) -> Iterator[list[tuple[str, str]]]:
    """Dialogues between people: who speaks and what they say, neighbouring turns of one merged."""
    rows = chain(
        (
            [(turn["agent"], turn["message"]) for turn in row["content"]]
            for name in ("topical_chat_valid_freq", "topical_chat_valid_rare")
            for row in read_rows(text / f"{name}.jsonl.gz")
        ),
        (
            [(turn["uid"], turn["text"]) for turn in row["history"]]
            for row in read_rows(text / "cmu_dog_train.jsonl.gz")
        ),
    )
    for turns in rows:
        yield [
            (who, " ".join(line.strip() for _, line in group))
            for who, group in groupby(turns, key=lambda turn: turn[0])
        ]


def talk_pairs(text: Path, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Two turns of one person in one dialogue: people seldom contradict themselves.

    Half of the time the question that the later turn answers stands before both, as AIH's judge
    asks: an answer beside the point contradicts nothing.
    """
    rng = random.Random(f"talk {seed}")
    talks = [talk for talk in _talks(text) if len(talk) > 3]
    made = 0
    while made < wanted:
        talk = rng.choice(talks)
        later = rng.randrange(2, len(talk))
        earlier = rng.choice([n for n in range(later) if talk[n][0] == talk[later][0]] or [later])
        premise, hypothesis = (
            " ".join(part for part in sentences(talk[n][1]) if not part.endswith("?"))
            for n in (earlier, later)
        )
        if earlier == later or not all(3 <= len(t.split()) <= 40 for t in (premise, hypothesis)):
            continue
        questions = [part for part in sentences(talk[later - 1][1]) if part.endswith("?")]
        if questions and rng.random() < 0.5:
            premise, hypothesis = (f"{questions[-1]} {t}" for t in (premise, hypothesis))
        made += 1
        yield {
            "premise": premise,
            "hypothesis": hypothesis,
            "label": "not_contradiction",
            "source": "made_talk",
        }
