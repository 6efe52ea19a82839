from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from training.made_facts import life_pairs, number_pairs

from staytrue.english.numbers import to_digits

MONTHS = (
    "january february march april may june july august september october november december"
).split()
DATE = re.compile(
    rf"(?:(?P<m1>{'|'.join(MONTHS)}) (?P<d1>\d\d?) |(?P<d2>\d\d?) (?P<m2>{'|'.join(MONTHS)}) |"
    rf"(?P<m3>{'|'.join(MONTHS)}) )?(?P<year>\d{{4}})"
)
EVENT = re.compile(rf"(?P<verb>was born|died|passed away) (?:on|in) (?={DATE.pattern})")
Date = tuple[int, str | None, int | None]


def read_date(text: str) -> Date:
    """Year, month and day; None for what the text leaves out."""
    match = DATE.match(text)
    assert match is not None, text
    parts = match.groupdict()
    month = parts["m1"] or parts["m2"] or parts["m3"]
    day = parts["d1"] or parts["d2"]
    return int(parts["year"]), month, int(day) if day else None


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[,.!?]", " ", text.lower()))


def brackets(premise: str) -> dict[str, Date]:
    """When someone was born and, unless alive, died."""
    inside = plain(premise[premise.index("(") + 1 : premise.index(")")])
    dates = [part.strip().removeprefix("born ") for part in inside.split("–")]
    return dict(zip(("born", "died"), map(read_date, dates), strict=False))


def events(hypothesis: str) -> list[tuple[str, Date]]:
    """What the hypothesis says happened, and when."""
    text = plain(hypothesis)
    return [
        ("born" if match["verb"] == "was born" else "died", read_date(text[match.end() :]))
        for match in EVENT.finditer(text)
    ]


def agrees(claimed: Date, known: Date | None) -> bool:
    return known is not None and all(
        part in (None, own) for part, own in zip(claimed, known, strict=True)
    )


@pytest.fixture(scope="module")
def lives() -> list[dict[str, Any]]:
    return list(life_pairs(1, 1200))


def test_what_a_life_entails_agrees_with_its_brackets(lives: list[dict[str, Any]]) -> None:
    entailed = [row for row in lives if row["label"] == "entailment"]
    kinds = Counter()
    for row in entailed:
        years = events(row["hypothesis"])
        assert years, row
        known = brackets(row["premise"])
        assert all(agrees(when, known.get(kind)) for kind, when in years), row
        kinds.update(kind for kind, _ in years)
    assert min(kinds["born"], kinds["died"]) > 200


def test_what_contradicts_a_life_names_one_event_at_another_time(
    lives: list[dict[str, Any]],
) -> None:
    swapped = 0
    for row in lives:
        if row["label"] == "contradiction":
            ((kind, when),) = events(row["hypothesis"])
            known = brackets(row["premise"])
            assert when[0] != known[kind][0], row
            swapped += any(agrees(when, date) for date in known.values())
    assert swapped > 50, "often it is the date of the other event"


def test_what_is_neutral_adds_a_place_and_gets_no_date_wrong(lives: list[dict[str, Any]]) -> None:
    moved = 0
    for row in lives:
        if row["label"] == "neutral":
            known = brackets(row["premise"])
            assert all(agrees(when, known.get(kind)) for kind, when in events(row["hypothesis"]))
            match = re.search(
                r"(?: in|moved to) ([a-z]+)(?: in (\d{4}))?", plain(row["hypothesis"])
            )
            assert match is not None, row
            assert match[1] not in plain(row["premise"]).split()
            if match[2]:
                moved += 1
                assert known["born"][0] < int(match[2])
                assert "died" not in known or int(match[2]) < known["died"][0]
    assert moved > 20


def test_nobody_dies_who_is_said_to_be_alive(lives: list[dict[str, Any]]) -> None:
    alive = [row for row in lives if "died" not in brackets(row["premise"])]
    assert len(alive) > 300
    for row in alive:
        assert re.search(r"\) is an? ", row["premise"])
        assert all(kind == "born" for kind, _ in events(row["hypothesis"])), row


def test_people_are_called_he_or_she_as_their_names_have_it(lives: list[dict[str, Any]]) -> None:
    women = {"mary", "anna", "linda", "elena", "sofia", "grace", "julia", "laura", "clara", "nina",
             "rosa", "helen", "alice", "emma", "martha"}  # fmt: skip
    called = {"he": 0, "she": 0}
    for row in lives:
        for word in {"he", "she"} & set(plain(row["hypothesis"]).split()):
            called[word] += 1
            assert (word == "she") == (row["premise"].split()[0].lower() in women), row
    assert min(called.values()) > 100


def test_half_of_the_lives_are_entailed_and_the_rest_is_shared_out(
    lives: list[dict[str, Any]],
) -> None:
    labels = Counter(row["label"] for row in lives)
    shares = {label: count / len(lives) for label, count in labels.items()}
    expected = {"entailment": 0.5, "contradiction": 0.25, "neutral": 0.25}
    assert shares == pytest.approx(expected, abs=0.05)
    assert {row["source"] for row in lives} == {"made_lives"}


def test_lives_follow_from_the_seed_alone(lives: list[dict[str, Any]]) -> None:
    assert list(islice(life_pairs(1, 10**9), 50)) == lives[:50]
    assert list(life_pairs(2, 50)) != lives[:50]
    assert len(list(life_pairs(1, 7))) == 7


PARAGRAPHS = [
    ("Old_Tower", "The old tower has 9,000 small windows. It is near the sea."),
    ("Big_Ship", "The big ship carried seven dogs across the sea."),
    ("Small_Town", "The small town was home to over 340 people then."),
    ("Long_Wall", "The long wall of the town was built with 52 gates."),
]
VALUES = {"windows": 9000, "dogs": 7, "people": 340, "gates": 52}
UNFIT = [
    ("Year", "The old bridge was built in 1850 and it still stands."),
    ("One", "The old bridge has only one arch and it still stands."),
    ("Short", "It has 30 arches now."),
]
HEDGES = re.compile(r"\b(?:about|around|roughly|approximately|some|over)\b")


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory, write_rows) -> Path:
    folder = tmp_path_factory.mktemp("text")
    rows = [{"title": title, "text": text} for title, text in PARAGRAPHS + UNFIT]
    write_rows(folder / "wiki_paragraphs.jsonl.gz", rows)
    return folder


@pytest.fixture(scope="module")
def numbers(wiki: Path) -> list[dict[str, Any]]:
    return list(number_pairs(wiki, 1, 600))


def counted(text: str) -> tuple[str, int, str]:
    """What is counted, how many there are, and the words before it."""
    text = to_digits(plain(re.sub(r"(?<=\d),(?=\d)", "", text)))
    match = re.search(rf"(\d+) (?:small )?({'|'.join(VALUES)})", text)
    assert match is not None, text
    return match[2], int(match[1]), text[: match.start()]


def test_a_number_pair_is_entailed_exactly_when_both_count_the_same(
    numbers: list[dict[str, Any]],
) -> None:
    labels = Counter()
    for row in numbers:
        what, claimed, _ = counted(row["hypothesis"])
        assert counted(row["premise"])[:2] == (what, VALUES[what])
        assert (claimed == VALUES[what]) == (row["label"] == "entailment"), row
        labels[row["label"]] += 1
    assert labels["entailment"] / len(numbers) == pytest.approx(0.55, abs=0.06)
    assert set(labels) == {"entailment", "contradiction"}


def test_a_number_is_written_in_every_other_form_it_has(numbers: list[dict[str, Any]]) -> None:
    claims = " / ".join(
        row["hypothesis"].lower() for row in numbers if row["label"] == "entailment"
    )
    for form in ("9000 small", "9 thousand small", "seven dogs", "340 people"):
        assert form in claims, form


def test_a_number_after_about_is_wrong_only_when_it_is_far_off(
    numbers: list[dict[str, Any]],
) -> None:
    hedged = 0
    for row in numbers:
        what, claimed, before = counted(row["hypothesis"])
        if row["label"] == "contradiction" and HEDGES.search(before[-20:]):
            hedged += 1
            assert claimed >= 2 * VALUES[what], row
    assert hedged > 50


def test_no_number_has_two_hedges_and_a_small_one_none(numbers: list[dict[str, Any]]) -> None:
    openers = Counter()
    for row in numbers:
        what, _, before = counted(row["hypothesis"])
        matches = HEDGES.findall(before.split("ship" if what == "dogs" else "the ")[-1])
        openers[what, len(matches)] += 1
    assert openers["people", 1] > 50
    assert openers["windows", 1] > 50
    assert set(openers) == {
        ("people", 1), ("windows", 0), ("windows", 1), ("dogs", 0), ("gates", 0)
    }  # fmt: skip


def test_years_ones_and_short_sentences_are_not_used(numbers: list[dict[str, Any]]) -> None:
    used = {counted(row["premise"])[0] for row in numbers}
    assert used == set(VALUES)
    assert not any(re.search(r"bridge|arch", row["premise"]) for row in numbers)


def test_number_pairs_follow_from_the_seed_alone(wiki: Path, numbers: list[dict[str, Any]]) -> None:
    assert list(number_pairs(wiki, 1, 40)) == numbers[:40]
    assert list(number_pairs(wiki, 2, 40)) != numbers[:40]
