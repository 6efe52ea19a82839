from __future__ import annotations

from pathlib import Path

import pytest
from training import proper_names


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows):
    """The list that these texts give."""

    def make(texts: list[str], claims: list[str] | None = None) -> list[str]:
        write_rows(tmp_path / "text" / "wiki_paragraphs.jsonl.gz", [{"text": t} for t in texts])
        write_rows(tmp_path / "text" / "cmu_dog_wiki.jsonl.gz", [{"0": {}}])
        rows = [{"claim": claim} for claim in claims or []]
        write_rows(tmp_path / "text" / "fever_claims.jsonl.gz", rows)
        monkeypatch.setattr(proper_names, "DATA", tmp_path)
        monkeypatch.setattr(proper_names, "LEXICON", tmp_path)
        proper_names.main()
        first, *names = (tmp_path / "proper_names.txt").read_text(encoding="utf-8").splitlines()
        assert first.startswith("# ")  # says where the words come from
        return [name for name in names if name]

    return make


def test_words_with_a_capital_in_mid_sentence_are_kept_in_order(kept) -> None:
    texts = ["They went to Rome by way of Milan with a dog."] * 8
    assert kept(texts) == ["milan", "rome"]


def test_the_capital_that_opens_a_sentence_says_nothing(kept) -> None:
    texts = ['They left. Paris fell! "London stood": Berlin (Madrid too) slept.'] * 20
    assert kept(texts) == []


def test_a_word_must_be_seen_often_and_nearly_always_with_a_capital(kept) -> None:
    least = proper_names.LEAST_COUNT
    assert kept(["They saw Rome."] * (least - 1)) == []
    assert kept(["They saw Rome."] * least) == ["rome"]
    assert kept(["They saw Turkey."] * 100 + ["They ate turkey."] * 6) == ["turkey"]
    assert kept(["They saw Turkey."] * 100 + ["They ate turkey."] * 7) == []


def test_claims_count_too_and_words_of_two_letters_do_not(kept) -> None:
    assert kept(["They met Al in it."] * 9, ["He is from Oslo."] * 9) == ["oslo"]
