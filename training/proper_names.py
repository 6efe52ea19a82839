"""Which words are written with a capital even in mid-sentence; writes the list for `tidy`.

Run: `python -m training.proper_names`. It counts, over encyclopedia text, how often each word
that does not open a sentence is capitalised, and keeps the words that nearly always are.
"""

from __future__ import annotations

import re
from collections import Counter

from training.common import DATA, REPOSITORY, read_rows

_WORD = re.compile(r"[A-Za-z]+")
_OPENS_SENTENCE = re.compile(r"(?:^|[.!?:;]\s+[\"'(]?|[\"'(])$")
LEXICON = REPOSITORY / "src" / "staytrue" / "english" / "lexicon"
HEADER = (
    "# Words capitalised in 94% of uses in encyclopedias, counted by training/proper_names.py.\n"
)
LEAST_COUNT = 8
LEAST_SHARE = 0.94


def main() -> None:
    capital: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for name in ("wiki_paragraphs", "cmu_dog_wiki"):
        for row in read_rows(DATA / "text" / f"{name}.jsonl.gz"):
            _count(str(row.get("text", "")), capital, total)
    for row in read_rows(DATA / "text" / "fever_claims.jsonl.gz"):
        _count(row["claim"], capital, total)
    kept = sorted(
        word
        for word, count in capital.items()
        if len(word) > 2 and count >= LEAST_COUNT and count / total[word] >= LEAST_SHARE
    )
    target = LEXICON / "proper_names.txt"
    target.write_text(HEADER + "\n".join(kept) + "\n", encoding="utf-8")
    print(f"{len(kept)} words → {target}")


def _count(text: str, capital: Counter[str], total: Counter[str]) -> None:
    for match in _WORD.finditer(text):
        if _OPENS_SENTENCE.search(text[: match.start()][-4:]):
            continue
        word = match.group()
        total[word.lower()] += 1
        capital[word.lower()] += word[0].isupper()


if __name__ == "__main__":
    main()
