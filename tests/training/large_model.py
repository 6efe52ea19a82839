"""A tiny MPNet with random weights and the large model's heads, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

WORDS = ("<s> <pad> </s> <unk> coffee is a brewed drink made from roasted beans it was first grown "
         "in yemen brazil tea . ? | who where the city of light paris not and").split()  # fmt: skip
WIDTH, LAYERS, HEADS = 64, 3, 4


def tiny_base(folder: Path) -> Path:
    """The folder of a base model: weights, configuration and tokenizer, as Hugging Face has it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    torch.manual_seed(5)
    config = transformers.MPNetConfig(
        vocab_size=len(WORDS), hidden_size=WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, intermediate_size=2 * WIDTH, max_position_embeddings=202,
        initializer_range=0.3, layer_norm_eps=1e-5, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    model = transformers.MPNetModel(config, add_pooling_layer=False)
    torch.nn.init.normal_(model.encoder.relative_attention_bias.weight, std=1.0)
    model.save_pretrained(folder)
    numbers = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def tiny_weights(base: Path, *, reading: bool = False) -> dict[str, np.ndarray]:
    """The weights of the base, named as in a checkpoint, and heads that differ from zero."""
    model = transformers.MPNetModel.from_pretrained(base, add_pooling_layer=False)
    weights = {f"encoder.{name}": value.numpy() for name, value in model.state_dict().items()}
    rng = np.random.default_rng(3)

    def some(*shape: int) -> np.ndarray:
        return rng.normal(scale=0.3, size=shape).astype(np.float32)

    for name, labels in (("head", 3), ("grounded", 5)):
        weights |= {
            f"{name}.0.weight": some(WIDTH, WIDTH), f"{name}.0.bias": some(WIDTH),
            f"{name}.3.weight": some(labels, WIDTH), f"{name}.3.bias": some(labels),
        }  # fmt: skip
    if reading:
        weights |= {"reading.weight": some(2, WIDTH), "reading.bias": some(2)}
    return weights


def expected(base: Path, weights: dict[str, np.ndarray], ids: list[int]) -> dict[str, np.ndarray]:
    """What PyTorch gives for each head, with the encoder of transformers."""
    model = transformers.MPNetModel.from_pretrained(base, add_pooling_layer=False).eval()
    own = {
        name.removeprefix("encoder."): torch.from_numpy(np.array(value))
        for name, value in weights.items()
        if name.startswith("encoder.")
    }
    model.load_state_dict(own)
    with torch.inference_mode():
        state = model(torch.tensor([ids])).last_hidden_state[0].numpy()

    def linear(value: Any, name: str) -> np.ndarray:
        result: np.ndarray = value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        return result

    outputs = {
        output: linear(np.tanh(linear(state[0], f"{name}.0")), f"{name}.3")
        for output, name in (("entailment", "head"), ("groundedness", "grounded"))
    }
    if "reading.weight" in weights:
        outputs["reading"] = linear(state, "reading")
    return outputs
