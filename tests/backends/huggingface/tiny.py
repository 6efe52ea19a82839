"""Tiny models with random weights, of every architecture that the Hugging Face backend reads."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

INSTALLED = all(map(find_spec, ("torch", "transformers")))


class Library:
    """A library that is imported when it is first used: it takes seconds, and few tests need it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest looks for `__test__` and others in every name
            raise AttributeError(attribute)
        import_module("torch").set_num_threads(1)  # the models are tiny
        return getattr(import_module(self._name), attribute)


torch, transformers = Library("torch"), Library("transformers")

WORDS = (
    "answer : context question ? . , who what where is was the a in of coffee rome tea king "
    "from yemen comes it old new city generate <hl> 0 1 predict:"
).split()
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
needs_torch = pytest.mark.skipif(not INSTALLED, reason="PyTorch is not installed")

ENCODERS = {
    "albert": {"embedding_size": 16, "intermediate_size": 32, "max_position_embeddings": 64},
    "roberta": {"intermediate_size": 32, "max_position_embeddings": 66, "pad_token_id": 0},
    "bert": {"intermediate_size": 32, "max_position_embeddings": 64},
    "deberta-v2": {
        "intermediate_size": 32, "max_position_embeddings": 64, "relative_attention": True,
        "position_buckets": 8, "pos_att_type": ["p2c", "c2p"], "norm_rel_ebd": "layer_norm",
        "share_att_key": True, "position_biased_input": False, "type_vocab_size": 0,
    },
}  # fmt: skip


def save_tokenizer(folder: Path, *, encoder: bool, pair: bool = False) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.processors import TemplateProcessing

    vocabulary = {word: n for n, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = WhitespaceSplit()
    ends = [("<s>", 1), ("</s>", 2)]
    if encoder:
        tokenizer.post_processor = TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=ends
        )
    else:
        both = "$A </s> $B </s>" if pair else None
        tokenizer.post_processor = TemplateProcessing(
            single="$A </s>", pair=both, special_tokens=ends
        )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        cls_token="<s>", sep_token="</s>", unk_token="<unk>", model_max_length=64,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)  # fmt: skip


def save_encoder(folder: Path, family: str, kind: str, **labels: Any) -> str:
    torch.manual_seed(7)
    config = transformers.AutoConfig.for_model(
        family, vocab_size=len(WORDS) + 4, hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, **ENCODERS[family], **labels,
    )  # fmt: skip
    getattr(transformers, kind).from_config(config).save_pretrained(folder)
    save_tokenizer(folder, encoder=True)
    return str(folder)


def t5_config(**options: Any) -> Any:
    return transformers.T5Config(
        vocab_size=len(WORDS) + 4, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
        pad_token_id=0, eos_token_id=2, decoder_start_token_id=0, **options,
    )  # fmt: skip


def save_t5(folder: Path, kind: str, *, pair: bool = False, **options: Any) -> str:
    torch.manual_seed(7)
    getattr(transformers, kind)(t5_config(**options)).save_pretrained(folder)
    save_tokenizer(folder, encoder=False, pair=pair)
    return str(folder)
