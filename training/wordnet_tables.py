"""Write the word tables of `staytrue.silver`: `python -m training.wordnet_tables DICT_FOLDER`.

DICT_FOLDER holds the files of WordNet 3.0 (`data.adj`, `index.sense` …), such as
/usr/share/wordnet of Debian's package wordnet-base. Only the small part that the perturbations
use is kept: direct antonyms of adjectives, and synonyms whose first sense they share.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from training.common import REPOSITORY

TABLES = REPOSITORY / "src" / "staytrue" / "silver" / "methods"
NOTICE = (
    "# From WordNet 3.0, Copyright 2006 by Princeton University. All rights reserved.\n"
    "# Used under the WordNet licence, whose text stands in WORDNET_LICENSE.txt.\n"
)
# A word is replaced by a synonym only when this share of its uses has the shared sense.
DOMINANT = 0.85
# How often a word must have been counted in WordNet's tagged texts to be common enough.
SEEN_AT_LEAST = 2
SYNONYM_SEEN_AT_LEAST = 4
COARSE = frozenset({"bastard", "prick", "fanny", "knockers", "screw", "fuck", "bugger"})


@dataclass(frozen=True)
class Synset:
    words: list[str]
    antonyms: list[tuple[int, int, int]]
    """Offset of the other synset, number of the word here, number of the word there."""


def synsets(folder: Path, kind: str) -> dict[int, Synset]:
    by_offset = {}
    for line in (folder / f"data.{kind}").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            continue
        fields = line.split("|")[0].split()
        count = int(fields[3], 16)
        words = [fields[4 + 2 * i].split("(")[0] for i in range(count)]
        pointers = fields[4 + 2 * count :]
        antonyms = []
        for i in range(int(pointers[0])):
            symbol, offset, _, numbers = pointers[1 + 4 * i : 5 + 4 * i]
            if symbol == "!" and numbers != "0000":
                antonyms.append((int(offset), int(numbers[:2], 16), int(numbers[2:], 16)))
        by_offset[int(fields[0])] = Synset(words, antonyms)
    return by_offset


def senses(folder: Path, kinds: str) -> dict[str, list[tuple[int, int]]]:
    """Word → (synset, uses counted) of each of its senses, for the given part-of-speech digits."""
    by_word: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, offset, number, uses = line.split()
        word, code = key.split("%")
        if code[0] in kinds:
            by_word[word].append((int(number), int(offset), int(uses)))
    return {word: [(o, u) for _, o, u in sorted(rows)] for word, rows in by_word.items()}


def plain(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower() and len(word) > 2


def antonyms(folder: Path) -> Iterator[str]:
    """`word antonym`, of the commonest sense that has one."""
    groups, order = synsets(folder, "adj"), senses(folder, "35")
    for word in sorted(order):
        if not plain(word) or sum(uses for _, uses in order[word]) < SEEN_AT_LEAST:
            continue
        for offset, _ in order[word][:2]:
            group = groups[offset]
            others = [
                groups[other].words[there - 1]
                for other, here, there in group.antonyms
                if group.words[here - 1].lower() == word
            ]
            chosen = [o for o in others if plain(o) and sum(u for _, u in order.get(o, [])) > 0]
            if chosen:
                yield f"{word} {chosen[0]}"
                break


def synonyms(folder: Path) -> Iterator[str]:
    """`part-of-speech word synonym …`, where the shared sense is the main one of both."""
    for tag, file, codes in (
        ("NOUN", "noun", "1"),
        ("VERB", "verb", "2"),
        ("ADJ", "adj", "35"),
        ("ADV", "adv", "4"),
    ):
        groups, order = synsets(folder, file), senses(folder, codes)
        main = {}
        for word, rows in order.items():
            total = sum(uses for _, uses in rows)
            common = total >= SYNONYM_SEEN_AT_LEAST and rows[0][1] >= DOMINANT * total
            if plain(word) and word not in COARSE and common:
                main[word] = rows[0][0]
        for word in sorted(main):
            same = [
                w
                for w in groups[main[word]].words
                if w != word
                and main.get(w) == main[word]
                and w.endswith(("s", "ly")) == word.endswith(("s", "ly"))
            ]
            if same:
                yield " ".join([tag, word, *same])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with WordNet's data files")
    folder = parser.parse_args().folder
    for name, lines in (("antonyms", antonyms(folder)), ("synonyms", synonyms(folder))):
        (TABLES / f"{name}.txt").write_text(NOTICE + "\n".join(lines) + "\n", encoding="utf-8")
    licence = (folder / "LICENSE").read_text(encoding="utf-8")
    (TABLES / "WORDNET_LICENSE.txt").write_text(licence, encoding="utf-8")


if __name__ == "__main__":
    main()
