"""Rows of the large model come out as the small tokenizer would have made them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from training import small_rows
from training.common import SHIPPED
from training.mixed_data import ENTAILMENT, GROUNDEDNESS

PAIRS = [
    ("Coffee is made from roasted beans.", "It isn't made from leaves!"),
    ("Zürich, 1,200 unfathomable glühwein-stands", "so many?"),
]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A tokenizer like the large model's: the same pieces, other numbers, two separators."""
    pieces = Tokenizer.from_file(str(SHIPPED / "tokenizer.json")).get_vocab()
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    vocabulary |= {piece: number + 4 for piece, number in pieces.items()}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )  # fmt: skip
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_rewritten_rows_are_those_of_the_small_tokenizer(base: Path) -> None:
    large = Tokenizer.from_file(str(base / "tokenizer.json"))
    encoded = [np.array(large.encode(*pair).ids, dtype=np.uint16) for pair in PAIRS]
    np.savez(
        base / "mixed.npz",
        ids=np.concatenate(encoded),
        lengths=np.array([len(one) for one in encoded]),
        labels=np.array([2, 1]),
        bundles=np.array([4, 0]),
        tasks=np.array([ENTAILMENT, GROUNDEDNESS]),
        sources=np.array([0, 1]),
        source_names=np.array(["mnli", "audit"]),
    )

    small_rows.rewrite(base, base / "mixed.npz", base)

    small = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    small.no_padding()
    small.no_truncation()
    for (task, name), pair in zip(small_rows.FILES.items(), PAIRS, strict=True):
        wanted = small.encode(*pair)
        columns = np.load(base / name)
        assert columns["ids"].tolist() == wanted.ids, task
        assert columns["premise_lengths"].tolist() == [wanted.type_ids.index(1)]
        assert columns["sources"].tolist() == [task]


def test_a_row_without_a_second_text_is_left_out() -> None:
    table = np.arange(10, dtype=np.uint16)
    assert small_rows.rewritten(np.array([0, 5, 6, 2], dtype=np.uint16), table) is None
