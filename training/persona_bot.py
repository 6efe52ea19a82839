"""Fine-tune a seq2seq model of the hub on PersonaChat: the bot that ConsisTest is shown on.

    python -m training.persona_bot facebook/bart-base TRAIN.jsonl.gz --to FOLDER
    staytrue probe --bot hf:FOLDER,temperature=0 --probes consistest:DATA --out RUN
    python -m reproduce.consistest --also BART-base=RUN

TRAIN holds one JSON object per line: `persona` (a list) with `message` and `response`, or with
`utterances` (a whole dialogue, of which the persona's owner says every second one). Each turn
becomes the text that the chatbot `hf:` gives such a model. Appendix D of the paper: six earlier
utterances, an effective batch of 128, Adam at 2e-5, up to six epochs, ended early when the loss
on held-out dialogues rises. Needs the extra `hf`.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from staytrue.chatbots.local.huggingface import HuggingFaceChatbot
from staytrue.core.records import Turn
from staytrue.core.seeds import derived_seed
from training.common import add_recipe, read_rows, recipe_from

# One dialogue in so many is held out to end the training early.
_HELD_OUT = 20
_LONGEST_REPLY = 64


@dataclass(frozen=True)
class Recipe:
    """The paper's constants."""

    batch_size: int = 128
    """How many turns one step learns from."""
    at_once: int = 16
    """How many of them are in memory together."""
    epochs: int = 6
    rate: float = 2e-5
    memory: int = 6
    """Utterances before the reply."""
    seed: int = 0


@dataclass(frozen=True)
class Reply:
    """What the bot reads, and what it should say."""

    text: str
    response: str


def read_replies(rows: Iterable[dict[str, Any]], memory: int) -> Iterator[tuple[int, Reply]]:
    """Every reply of the persona's owner, with a number that all replies of one persona share."""
    form = HuggingFaceChatbot("")
    for row in rows:
        persona = [str(line) for line in row["persona"]]
        group = derived_seed(*persona)
        texts = row.get("utterances") or [row["message"], row["response"]]
        turns = [Turn("bot" if n % 2 else "user", text) for n, text in enumerate(texts)]
        for number in range(1, len(turns), 2):
            earlier = turns[max(0, number - memory) : number]
            yield group, Reply(form.dialogue_text(earlier, persona), turns[number].text)


def train(
    base: str, rows: Iterable[dict[str, Any]], folder: Path, recipe: Recipe | None = None
) -> list[float]:
    """Fine-tune the model, write its best epoch to the folder, return the held-out losses."""
    import torch
    from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

    recipe = recipe or Recipe()
    if not AutoConfig.from_pretrained(base).is_encoder_decoder:
        sys.exit(f"{base} has no encoder and decoder: take a model such as facebook/bart-base.")
    torch.manual_seed(recipe.seed)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = AutoModelForSeq2SeqLM.from_pretrained(base, use_safetensors=True)
    form = HuggingFaceChatbot("")
    speakers = [form.persona_token, form.user_token, form.bot_token]
    tokenizer.add_special_tokens({"additional_special_tokens": speakers})
    model.resize_token_embeddings(len(tokenizer))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    numbered = list(read_replies(rows, recipe.memory))
    learned = [reply for group, reply in numbered if group % _HELD_OUT]
    held_out = [reply for group, reply in numbered if not group % _HELD_OUT] or learned
    optimizer = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    losses: list[float] = []
    best: dict[str, Any] = {}
    for epoch in range(recipe.epochs):
        model.train()
        random.Random(derived_seed(recipe.seed, epoch)).shuffle(learned)
        for step in _parts(learned, recipe.batch_size):
            for batch in _parts(step, recipe.at_once):
                loss = _loss(model, tokenizer, batch, device)
                (loss * len(batch) / len(step)).backward()
            optimizer.step()
            optimizer.zero_grad()
        losses.append(_mean_loss(model, tokenizer, held_out, recipe.at_once, device))
        if losses[-1] > min(losses):
            break
        best = copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    return losses


def _parts(replies: Sequence[Reply], size: int) -> Iterator[Sequence[Reply]]:
    for start in range(0, len(replies), size):
        yield replies[start : start + size]


def _mean_loss(
    model: Any, tokenizer: Any, replies: Sequence[Reply], at_once: int, device: str
) -> float:
    import torch

    model.eval()
    with torch.inference_mode():
        total = sum(
            float(_loss(model, tokenizer, batch, device)) * len(batch)
            for batch in _parts(replies, at_once)
        )
    return total / len(replies)


def _loss(model: Any, tokenizer: Any, batch: Sequence[Reply], device: str) -> Any:
    # Of a text that is too long the oldest words are cut, as the chatbot does.
    tokenizer.truncation_side = "left"
    places = getattr(model.config, "max_position_embeddings", None) or 1024
    inputs = tokenizer(
        [reply.text for reply in batch], padding=True, truncation=True,
        max_length=min(tokenizer.model_max_length, places, 1024), return_tensors="pt",
    )  # fmt: skip
    tokenizer.truncation_side = "right"
    labels = tokenizer(
        text_target=[reply.response for reply in batch], padding=True, truncation=True,
        max_length=_LONGEST_REPLY, return_tensors="pt",
    )["input_ids"]  # fmt: skip
    labels[labels == tokenizer.pad_token_id] = -100
    known = {k: v.to(device) for k, v in inputs.items() if k in ("input_ids", "attention_mask")}
    return model(**known, labels=labels.to(device)).loss


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", help="a seq2seq model of the hub, or a folder")
    parser.add_argument("train", type=Path)
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    add_recipe(parser, Recipe())
    options = parser.parse_args(arguments)
    rows, recipe = read_rows(options.train), recipe_from(options, Recipe)
    for epoch, loss in enumerate(train(options.base, rows, options.to, recipe), 1):
        print(f"epoch {epoch}: held-out loss {loss:.4f}")


if __name__ == "__main__":
    main()
