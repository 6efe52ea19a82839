"""Collect, cut and tokenise questions with passages: `python -m training.reading_data`.

The metrics ask about one to three sentences, so most passages are cut to the sentences
around the answer. Questions without an answer are made in three ways: the question with
other sentences of the same text, the question with its answer sentence taken out, and the
question with a name or number swapped.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from zlib import crc32

from tokenizers import Encoding

from staytrue.english.parses import pipeline
from training import token_files
from training.common import CHECKPOINTS, DATA, read_rows, sentence_spans
from training.swaps import MentionPool, Words, mentions, swapped, turned

# Share of the drawn examples by source. Few whole paragraphs: they cost three times as much,
# and one to three sentences are what the metrics ask about.
SHARES = {
    "squad": 22.0,
    "squad_elsewhere": 2.0,
    "squad_removed": 3.0,
    "squad_near_removed": 5.0,
    "squad_swapped": 5.0,
    "squad_turned": 3.0,
    "squad_reworded": 7.0,
    "squad_full": 9.0,
    "squad_full_elsewhere": 0.5,
    "squad_full_removed": 2.5,
    "squad_full_swapped": 2.0,
    "squad_full_reworded": 3.0,
    "squad2": 1.5,
    "squad2_none": 2.0,
    "squad2_cut": 2.5,
    "squad2_cut_none": 0.5,
    "squad2_near_none": 3.0,
    "qamr": 9.0,
    "qamr_elsewhere": 2.0,
    "tydi": 2.0,
    "shifts_wiki": 5.0,
    "shifts_reddit": 3.0,
    "in_place": 7.0,
    "in_place_elsewhere": 2.0,
    "in_place_swapped": 2.0,
}

LONGEST = 288
# One in eight of SQuAD 2.0's questions is kept from training in every form: they say where
# "no answer" begins (`training.calibration`), which questions that were seen cannot.
KEPT_OF = 8


@dataclass(frozen=True, slots=True)
class ReadingRow:
    source: str
    question: str
    passage: str
    start: int
    """First character of the answer in the passage; -1 when there is none."""
    end: int


def cut(context: str, start: int, end: int, rng: random.Random) -> tuple[str, int, int]:
    """One to three sentences of the context that hold the answer, and its place in them."""
    spans = sentence_spans(context)
    first = max((i for i, span in enumerate(spans) if span[0] <= start), default=0)
    last = max(first, min((i for i, span in enumerate(spans) if end <= span[1]), default=first))
    extra = rng.choice([0, 0, 1, 1, 2])
    before = rng.randint(0, extra)
    first = max(0, first - before)
    last = min(len(spans) - 1, last + extra - before)
    begin = spans[first][0]
    return context[begin : max(end, spans[last][1])], start - begin, end - begin


def some_sentences(context: str, rng: random.Random, without: str = "") -> str | None:
    """One to three neighbouring sentences of the context, none of them holding `without`."""
    texts = [context[a:b] for a, b in sentence_spans(context)]
    first = rng.randrange(len(texts)) if texts else 0
    chosen = texts[first : first + rng.choice([1, 1, 2, 3])]
    passage = " ".join(chosen)
    if not passage or (without and without.lower() in passage.lower()):
        return None
    return passage


def nearest_sentences(context: str, question: str, rng: random.Random) -> str:
    """The sentence that shares most words with the question, and perhaps its neighbours."""
    spans = sentence_spans(context)
    wanted = set(re.findall(r"\w+", question.lower()))
    shared = [len(wanted & set(re.findall(r"\w+", context[a:b].lower()))) for a, b in spans]
    best = max(range(len(spans)), key=lambda number: shared[number])
    first = max(0, best - rng.choice([0, 0, 1]))
    last = min(len(spans) - 1, best + rng.choice([0, 0, 1]))
    return context[spans[first][0] : spans[last][1]]


def without_answer(context: str, start: int, end: int) -> str:
    """The context without the sentences that hold the answer."""
    spans = [span for span in sentence_spans(context) if span[1] <= start or end <= span[0]]
    return " ".join(context[a:b] for a, b in spans)


def tagged(questions: Iterable[str]) -> Iterator[list[tuple[str, str, int]]]:
    """The words of each question that may be replaced: word, part of speech, place."""
    nlp = pipeline()
    with nlp.select_pipes(enable=["tok2vec", "tagger"]):
        for doc in nlp.pipe(questions, batch_size=500):
            yield [
                (token.text, token.tag_, token.idx)
                for token in doc
                if token.tag_ in Words.TAGS and token.i and token.lower_ not in Words.FIXED
            ]


def wh_word(answer: str, question: str) -> str:
    """The wh-word an in-place question would use, from the answer and the real question."""
    match = re.match(r"(?:\w+ )?(who|when|where|how many|how much|which|what)\b", question.lower())
    if match and match.group(1) in ("who", "when", "where", "how many", "how much"):
        return match.group(1)
    answer_mentions = mentions("x " + answer)
    if answer_mentions and answer_mentions[0][0] == "year":
        return "when" if len(answer.split()) < 4 else "what"
    return "what"


def in_place(context: str, start: int, end: int, question: str, rng: random.Random) -> str | None:
    """The answer's sentence with the answer replaced by a wh-word: "coffee affects what?"."""
    spans = [span for span in sentence_spans(context) if span[0] <= start and end <= span[1]]
    if not spans:
        return None
    a, b = spans[0]
    answer = context[start:end]
    before = re.sub(r"\b(?:the|a|an)\s*$", "", context[a:start], flags=re.IGNORECASE)
    after = context[end:b].rstrip(" .!?")
    # Responses restate a part of a sentence: often only the clause around the answer is kept.
    if rng.random() < 0.6:
        after = re.split(r"[,;]| and | but | which | because ", after)[0]
    if rng.random() < 0.35:
        before = re.split(r"[;]| and | but | which |, ", before)[-1]
    text = f"{before.strip()} {wh_word(answer, question)} {after.strip()}".strip()
    text = re.sub(r"\s+([,.])", r"\1", text)
    if not 4 <= len(text.split()) <= 28:
        return None
    return text + "?"


def squad_readings(rng: random.Random) -> Iterator[ReadingRow]:
    rows = [row for row in read_rows(DATA / "train" / "squad1.jsonl.gz") if row["n_occ"] == 1]
    contexts: dict[str, list[str]] = defaultdict(list)
    pool = MentionPool()
    for row in rows:
        if row["context"] not in contexts[row["title"]]:
            contexts[row["title"]].append(row["context"])
            pool.add(row["title"], row["context"])
    words = Words()
    replaceable = list(tagged(row["question"] for row in rows))
    for row, tags in zip(rows, replaceable, strict=True):
        words.add(row["title"], tags)
    for row, tags in zip(rows, replaceable, strict=True):
        question, context, title = row["question"], row["context"], row["title"]
        answer = row["answers"][0]["text"]
        start = row["answers"][0]["answer_start"]
        end = start + len(answer)
        passage, first, last = cut(context, start, end, rng)
        yield ReadingRow("squad", question, passage, first, last)
        other = rng.choice(contexts[title])
        if other != context and answer.lower() not in other.lower():
            near = some_sentences(other, rng)
            if near:
                yield ReadingRow("squad_elsewhere", question, near, -1, -1)
            if rng.random() < 0.3:
                yield ReadingRow("squad_full_elsewhere", question, other, -1, -1)
        near = some_sentences(context, rng, without=answer)
        if near:
            yield ReadingRow("squad_removed", question, near, -1, -1)
        rest = without_answer(context, start, end)
        if rest and answer.lower() not in rest.lower():
            nearest = nearest_sentences(rest, question, rng)
            yield ReadingRow("squad_near_removed", question, nearest, -1, -1)
            if rng.random() < 0.5:
                yield ReadingRow("squad_full_removed", question, rest, -1, -1)
        opposite = turned(question, rng)
        if opposite:
            yield ReadingRow("squad_turned", opposite, passage, -1, -1)
        changed = words.reworded(question, tags, title, context, rng)
        if changed:
            yield ReadingRow("squad_reworded", changed, passage, -1, -1)
            if rng.random() < 0.5:
                yield ReadingRow("squad_full_reworded", changed, context, -1, -1)
        changed = swapped(question, title, pool, context, rng)
        if changed:
            yield ReadingRow("squad_swapped", changed, passage, -1, -1)
            if rng.random() < 0.5:
                yield ReadingRow("squad_full_swapped", changed, context, -1, -1)
        if rng.random() < 0.6:
            yield ReadingRow("squad_full", question, context, start, end)
        statement = in_place(context, start, end, question, rng)
        if statement and rng.random() < 0.6:
            yield ReadingRow("in_place", statement, passage, first, last)
            away = some_sentences(rng.choice([context, other]), rng, without=answer)
            if away:
                yield ReadingRow("in_place_elsewhere", statement, away, -1, -1)
            changed = swapped(statement, title, pool, context, rng)
            if changed:
                yield ReadingRow("in_place_swapped", changed, passage, -1, -1)


def squad2_readings(rng: random.Random) -> Iterator[ReadingRow]:
    for row in read_rows(DATA / "train" / "squad2_part.jsonl.gz"):
        kept = crc32(row["id"].encode()) % KEPT_OF == 0
        if row["answers"]:
            answer = row["answers"][0]
            start, end = answer["answer_start"], answer["answer_start"] + len(answer["text"])
            if kept:
                yield ReadingRow("squad2_kept", row["question"], row["context"], start, end)
                continue
            yield ReadingRow("squad2", row["question"], row["context"], start, end)
            yield ReadingRow("squad2_cut", row["question"], *cut(row["context"], start, end, rng))
        elif kept:
            yield ReadingRow("squad2_kept_none", row["question"], row["context"], -1, -1)
        else:
            yield ReadingRow("squad2_none", row["question"], row["context"], -1, -1)
            near = some_sentences(row["context"], rng)
            if near:
                yield ReadingRow("squad2_cut_none", row["question"], near, -1, -1)
            # These questions were written to be nearly answerable: the sentence they are nearly
            # answered by is the hardest passage there is.
            near = nearest_sentences(row["context"], row["question"], rng)
            yield ReadingRow("squad2_near_none", row["question"], near, -1, -1)


def other_readings(rng: random.Random) -> Iterator[ReadingRow]:
    names = {
        "tydiqa_en": "tydi",
        "squadshifts_new_wiki": "shifts_wiki",
        "squadshifts_reddit": "shifts_reddit",
    }
    for name, source in names.items():
        for row in read_rows(DATA / "train" / f"{name}.jsonl.gz"):
            if row["answers"]:
                answer = row["answers"][0]
                start = answer["answer_start"]
                piece = cut(row["context"], start, start + len(answer["text"]), rng)
                yield ReadingRow(source, row["question"], *piece)
    rows = [
        row
        for name in ("qamr_dev", "qamr_test")
        for row in read_rows(DATA / "train" / f"{name}.jsonl.gz")
        if row["answers"]
    ]
    for number, row in enumerate(rows):
        answer = row["answers"][0]
        start, end = answer["answer_start"], answer["answer_start"] + len(answer["text"])
        yield ReadingRow("qamr", row["question"], row["context"], start, end)
        # Sentences that follow one another in the file are often of one text: a near miss.
        near = rows[(number + rng.randint(15, 40)) % len(rows)]["context"]
        if near != row["context"] and rng.random() < 0.5:
            yield ReadingRow("qamr_elsewhere", row["question"], near, -1, -1)


def columns(row: ReadingRow, encoding: Encoding) -> token_files.Columns | None:
    """First and last token of the answer, both 0 for none; None where the tokens miss it."""
    first = last = 0
    if row.start >= 0:
        first = encoding.char_to_token(row.start, 1) or 0
        last = encoding.char_to_token(row.end - 1, 1) or 0
        if not 0 < first <= last:
            return None
    return {"firsts": first, "lasts": last, "sources": row.source}


def prepare(seed: int = 1) -> None:
    rng = random.Random(seed)
    token_files.write(
        CHECKPOINTS / "data" / "reading.npz",
        chain(squad_readings(rng), squad2_readings(rng), other_readings(rng)),
        lambda row: (row.question, row.passage),
        columns,
        longest=LONGEST,
    )


if __name__ == "__main__":
    prepare()
