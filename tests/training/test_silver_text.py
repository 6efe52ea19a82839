from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from training import silver_text
from training.silver_text import (
    FeverClaim,
    TwoTurns,
    _usable,
    ask,
    claims,
    exchanges,
    wiki_examples,
)

FILM: dict[str, Any] = {
    "wikiDocumentIdx": 4,
    "0": {
        "movieName": "Deep Sea", "introduction": "It is a film. It is long.", "year": "1999",
        "director": "Ann Lee", "cast": ["Bo Fox as Cap"], "critical_response": [" A joy. "],
    },
    "1": "They sail away. A storm comes.",
}  # fmt: skip


def turn(speaker: str, section: int, text: str) -> dict[str, Any]:
    return {"uid": speaker, "docIdx": section, "text": text}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows) -> Path:
    text = tmp_path / "text"
    talk = {"article_url": "u", "content": [{"message": m} for m in (" one ", "two", "three")]}
    write_rows(text / "topical_chat_valid_freq.jsonl.gz", [talk])
    write_rows(text / "topical_chat_valid_rare.jsonl.gz", [])
    write_rows(text / "personachat.jsonl.gz", [{"message": "hi", "response": "hello"}])
    write_rows(text / "cmu_dog_wiki.jsonl.gz", [FILM])
    history = [turn("a", 0, "hey"), turn("a", 0, "you"), turn("b", 0, "yes"), turn("a", 1, "ok")]
    films = [
        {"wikiDocumentIdx": 4, "history": history},
        {"wikiDocumentIdx": 5, "history": history},
    ]
    write_rows(text / "cmu_dog_train.jsonl.gz", films)
    monkeypatch.setattr(silver_text, "DATA", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("data")
def test_an_exchange_is_two_turns_that_follow_one_another() -> None:
    pairs = list(exchanges())
    assert pairs[:3] == [
        TwoTurns("u", "one", "two"),
        TwoTurns("u", "two", "three"),
        TwoTurns("persona", "hi", "hello"),
    ]


@pytest.mark.usefixtures("data")
def test_film_talk_joins_the_turns_of_one_speaker_and_carries_the_section_they_read() -> None:
    films = list(exchanges())[3:]
    about = (
        "It is a film.", "It is long.", "Bo Fox as Cap", "Deep Sea was directed by Ann Lee.",
        "Deep Sea came out in 1999.", "A joy.",
    )  # fmt: skip
    assert films == [
        TwoTurns("Deep Sea", "hey you", "yes", about),
        TwoTurns("Deep Sea", "yes", "ok", ("They sail away.", "A storm comes.")),
    ]


@pytest.mark.parametrize(
    ("sentence", "fits"),
    [
        ("The mill was built near the river.", True),
        ("Too short here.", False),
        ("the mill was built near the river.", False),
        ("The mill was built near the river", False),
        ("The mill was built by Anna K.", False),
        ("The mill [1] was built near the river.", False),
        ('The mill was built "near the river.', False),
        ("The mill " + "very " * 40 + "old.", False),
    ],
)
def test_only_whole_clean_sentences_are_evidence(sentence: str, fits: bool) -> None:
    assert _usable(sentence) == fits


def claim(text: str, label: str, *evidence: str) -> dict[str, Any]:
    return {"claim": text, "label": label, "evidence": list(evidence)}


CLAIMS = [
    claim("Marie Curie was a chemist.", "SUPPORTS", "Marie Curie was a chemist in Paris."),
    claim("Marie Curie was a dancer.", "REFUTES", "Marie Curie was a physicist."),
    claim("Marie Curie liked cats.", "NOT ENOUGH INFO"),
    claim("Ada Byron liked cats.", "NOT ENOUGH INFO"),
    claim("Ada Byron was a countess.", "SUPPORTS", "one", "two", "three"),
    claim("Ada Byron was rich.", "SUPPORTS", "long " * 71),
    claim("something is said.", "SUPPORTS", "Something is."),
    claim("Marie Curie won.", "SUPPORTS"),
]


def test_an_open_claim_gets_evidence_about_the_same_name(data: Path, write_rows) -> None:
    write_rows(data / "text" / "fever_claims.jsonl.gz", CLAIMS)
    drawn = claims(1, 10)
    assert FeverClaim(
        "Marie Curie", "Marie Curie was a chemist in Paris.", "Marie Curie was a chemist.",
        "entailment",
    ) in drawn  # fmt: skip
    assert FeverClaim(
        "Marie Curie", "Marie Curie was a physicist.", "Marie Curie was a dancer.",
        "contradiction",
    ) in drawn  # fmt: skip
    (unsure,) = [one for one in drawn if one.label == "hallucination"]
    assert unsure.text == "Marie Curie liked cats."
    assert "Marie Curie" in unsure.evidence
    assert len(drawn) == 3, "the others have no name, no evidence, or too much of it"


def test_each_label_has_at_most_the_wanted_claims_and_the_seed_gives_them(
    data: Path, write_rows
) -> None:
    rows = [
        claim(f"Marie Curie did {n}.", label, f"Marie Curie did {n} or not.")
        for label in ("SUPPORTS", "REFUTES")
        for n in range(9)
    ]
    rows += [claim(f"Marie Curie saw {n}.", "NOT ENOUGH INFO") for n in range(9)]
    write_rows(data / "text" / "fever_claims.jsonl.gz", rows)
    drawn = claims(1, 4)
    labels = Counter(one.label for one in drawn)
    assert labels == {"entailment": 4, "contradiction": 4, "hallucination": 4}
    assert drawn == claims(1, 4)
    assert drawn != claims(2, 4)


def test_what_is_asked_is_about_the_topic() -> None:
    asked = {ask("tea", random.Random(seed)) for seed in range(100)}
    assert "I love tea." in asked
    assert len(asked) > 15
    assert not any("{" in one for one in asked)


@pytest.mark.slow
def test_a_wiki_example_says_part_of_its_evidence_after_a_turn(data: Path, write_rows) -> None:
    lines = [
        "The mill was built by Anna Keller in 1790, and it still works.",
        "The wheel is driven by the river and the rain.",
        "The bread was sold in town, but it was dear.",
    ]
    rows = [{"title": "Old_mill_(town)", "text": " ".join(lines)}, {"title": "?", "text": lines[0]}]
    rows.append({"title": "", "text": lines[0]})  # as some paragraphs of the real file
    write_rows(data / "text" / "wiki_paragraphs.jsonl.gz", rows)
    question = {"title": "Old_mill_(town)", "question": "Who built the mill?"}
    write_rows(data / "train" / "squad1.jsonl.gz", [question])
    made = wiki_examples(40, 1, ["nice weather"])
    assert len({example.id for example in made}) == 40
    for example in made:
        evidence = set(example.knowledge.lower().replace(".", " ").replace(",", " ").split())
        response = set(example.response.lower().replace(".", " ").replace(",", " ").split())
        assert response - {"it"} <= evidence, example
        assert example.knowledge in " ".join(lines)
        assert example.tags == {"topic": "Old mill", "source": "wiki"}
    messages = {example.message for example in made}
    assert {"Who built the mill?", "nice weather"} < messages
    assert any("Old mill" in turn for turn in messages)
    sizes = {example.knowledge.count(".") for example in made}
    assert sizes == {1, 2, 3}
    assert any(len(e.response) < 30 for e in made), "some say less than a sentence"
