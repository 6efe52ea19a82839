"""WordNet's files in little: the lines have the format that its manual (wndb) describes."""

from __future__ import annotations

from pathlib import Path

import pytest
from training import wordnet_tables
from training.wordnet_tables import antonyms, senses, synonyms, synsets


def synset(offset: int, words: list[str], *opposites: tuple[int, int, int]) -> str:
    listed = " ".join(f"{word} 0" for word in words)
    pointers = "".join(f" ! {there:08d} a {a:02x}{b:02x}" for there, a, b in opposites)
    count = len(opposites) + 1
    return (
        f"{offset:08d} 00 a {len(words):02x} {listed} {count:03d} & 00000099 a 0000{pointers} | x"
    )


ADJECTIVES = [
    "  1 This line belongs to the licence.",
    synset(10, ["hot(p)", "warm"], (20, 1, 1)),
    synset(20, ["cold"], (10, 1, 1)),
    synset(30, ["rare"], (40, 1, 1)),
    synset(40, ["common"], (30, 1, 1)),
    synset(50, ["glad", "happy", "Happy_go"]),
    synset(60, ["happy"]),
]
SENSES = [
    "hot%3:00:00:: 00000010 1 9",
    "warm%3:00:00:: 00000010 1 5",
    "cold%3:00:00:: 00000020 1 7",
    "rare%3:00:00:: 00000030 1 1",
    "common%3:00:00:: 00000040 1 8",
    "glad%5:00:00:: 00000050 1 20",
    "happy%3:00:01:: 00000060 2 1",
    "happy%5:00:00:: 00000050 1 30",
    "happy_go%5:00:00:: 00000050 1 30",
    "hot%1:00:00:: 00000077 1 9",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.adj").write_text("\n".join(ADJECTIVES) + "\n", encoding="utf-8")
    for kind in ("noun", "verb", "adv"):
        (tmp_path / f"data.{kind}").write_text("", encoding="utf-8")
    lines = [line for line in SENSES if "%1" not in line]
    (tmp_path / "index.sense").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "LICENSE").write_text("the licence", encoding="utf-8")
    return tmp_path


def test_a_synset_has_its_words_and_the_antonyms_of_single_words(folder: Path) -> None:
    by_offset = synsets(folder, "adj")
    assert set(by_offset) == {10, 20, 30, 40, 50, 60}
    assert by_offset[10].words == ["hot", "warm"]
    assert by_offset[10].antonyms == [(20, 1, 1)]
    assert by_offset[50].antonyms == []


def test_senses_come_in_wordnets_order_and_only_of_the_parts_of_speech_asked_for(
    folder: Path,
) -> None:
    (folder / "index.sense").write_text("\n".join(SENSES) + "\n", encoding="utf-8")
    by_word = senses(folder, "35")
    assert by_word["happy"] == [(50, 30), (60, 1)]
    assert by_word["hot"] == [(10, 9)]


def test_antonyms_are_direct_and_of_words_that_are_common_enough(folder: Path) -> None:
    # "warm" shares its synset with "hot" but has no antonym itself; "rare" was counted once.
    assert list(antonyms(folder)) == ["cold hot", "common rare", "hot cold"]


def test_synonyms_share_the_main_sense_of_both(folder: Path) -> None:
    assert list(synonyms(folder)) == ["ADJ glad happy", "ADJ happy glad", "ADJ hot warm",
                                      "ADJ warm hot"]  # fmt: skip


def test_a_word_whose_uses_are_spread_over_senses_has_no_synonym(folder: Path) -> None:
    spread = [line.replace("00000060 2 1", "00000060 2 9") for line in SENSES if "%1" not in line]
    (folder / "index.sense").write_text("\n".join(spread) + "\n", encoding="utf-8")
    assert list(synonyms(folder)) == ["ADJ hot warm", "ADJ warm hot"]


def test_the_tables_carry_the_notice_and_the_licence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordnet_tables, "TABLES", folder)
    monkeypatch.setattr("sys.argv", ["tables", str(folder)])
    wordnet_tables.main()
    text = (folder / "antonyms.txt").read_text(encoding="utf-8")
    assert text.startswith("# From WordNet 3.0")
    assert text.splitlines()[-1] == "hot cold"
    assert (folder / "WORDNET_LICENSE.txt").read_text(encoding="utf-8") == "the licence"
