"""Fine-tune a model on PersonaChat: the bot that ConsisTest is shown on.

    python -m training.persona_bot facebook/bart-base TRAIN.jsonl.gz --to FOLDER
    staytrue probe --bot hf:FOLDER,temperature=0 --probes consistest:DATA --out RUN
    python -m reproduce.consistest --also BART-base=RUN

TRAIN holds one JSON object per line: `persona` (a list) with `message` and `response`, or with
`utterances` (a whole dialogue, of which the persona's owner says every second one). A seq2seq
model learns each turn from the text that the chatbot `hf:` gives such a model. Appendix D of the
paper: six earlier utterances, an effective batch of 128, Adam at 2e-5, up to six epochs, ended
early when the loss on held-out dialogues rises. Needs the extra `hf`.

A chat model without an encoder learns all replies of a dialogue at once, after its own template;
rows of single messages that follow each other are joined into dialogues. It may be a GGUF file
(needs the packages `gguf` and `accelerate`), and `--layers` trains only the upper ones:

    python -m training.persona_bot SmolLM2-135M-Instruct.gguf TRAIN.jsonl.gz --to FOLDER \\
        --layers 10 --batch-size 8 --at-once 4 --rate 2e-4 --epochs 1
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from staytrue.chatbots.local.huggingface import HuggingFaceChatbot
from staytrue.chatbots.messages import chat_messages
from staytrue.core.records import Turn
from staytrue.core.seeds import derived_seed
from training.common import add_recipe, read_rows, recipe_from

# One dialogue in so many is held out to end the training early.
_HELD_OUT = 20
_LONGEST_REPLY = 64
# Tokens of a dialogue that a chat model learns from; the end of a longer one is cut.
_LONGEST_CHAT = 512
# What the loss passes over.
_NOT_LEARNED = -100


@dataclass(frozen=True)
class BotRecipe:
    """The paper's constants, and how much of a model and of the data learns."""

    batch_size: int = 128
    """How many turns one step learns from; of a chat model, how many dialogues."""
    at_once: int = 16
    """How many of them are in memory together."""
    epochs: int = 6
    rate: float = 2e-5
    memory: int = 6
    """Utterances before the reply; a chat model sees the whole dialogue."""
    seed: int = 0
    layers: int = 0
    """Train the upper layers of a chat model only; 0 trains everything."""
    most: int = 0
    """Learn from so many turns or dialogues, drawn by the seed; 0 takes all."""


@dataclass(frozen=True)
class ReplySample:
    """What the bot reads, and what it should say."""

    text: str
    response: str


@dataclass(frozen=True)
class ChatSample:
    """A dialogue in tokens, and which of them a chat model learns: its own replies."""

    tokens: tuple[int, ...]
    labels: tuple[int, ...]


Sample = ReplySample | ChatSample


def read_replies(rows: Iterable[dict[str, Any]], memory: int) -> Iterator[tuple[int, ReplySample]]:
    """Every reply of the persona's owner, with a number that all replies of one persona share."""
    form = HuggingFaceChatbot("")
    for row in rows:
        persona, turns = _dialogue(row)
        for number in range(1, len(turns), 2):
            earlier = turns[max(0, number - memory) : number]
            reply = ReplySample(form.dialogue_text(earlier, persona), turns[number].text)
            yield derived_seed(*persona), reply


def read_chats(rows: Iterable[dict[str, Any]], tokenizer: Any) -> Iterator[tuple[int, ChatSample]]:
    """Every dialogue in the words of a chat template, numbered as replies are."""

    def written(turns: Sequence[Turn], persona: Sequence[str], *, asks: bool) -> str:
        text: str = tokenizer.apply_chat_template(
            chat_messages(turns, persona=persona), tokenize=False, add_generation_prompt=asks
        )
        return text

    for row in joined(rows):
        persona, turns = _dialogue(row)
        tokens: list[int] = []
        labels: list[int] = []
        done = ""
        for number in range(1, len(turns), 2):
            heard = written(turns[:number], persona, asks=True)
            said = written(turns[: number + 1], persona, asks=False)
            for text, learned in ((heard[len(done) :], False), (said[len(heard) :], True)):
                some = tokenizer(text, add_special_tokens=False)["input_ids"]
                tokens += some
                labels += some if learned else [_NOT_LEARNED] * len(some)
            done = said
        yield (
            derived_seed(*persona),
            ChatSample(tuple(tokens[:_LONGEST_CHAT]), tuple(labels[:_LONGEST_CHAT])),
        )


def joined(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Dialogues: single messages of one persona that follow each other are one."""
    for _, some in groupby(rows, key=lambda row: row["persona"]):
        single: list[str] = []
        persona: list[str] = []
        for row in some:
            persona = row["persona"]
            if row.get("utterances"):
                yield row
            else:
                single += [row["message"], row["response"]]
        if single:
            yield {"persona": persona, "utterances": single}


def _dialogue(row: dict[str, Any]) -> tuple[list[str], list[Turn]]:
    persona = [str(line) for line in row["persona"]]
    texts = row.get("utterances") or [row["message"], row["response"]]
    return persona, [Turn("bot" if n % 2 else "user", text) for n, text in enumerate(texts)]


def train(
    base: str, rows: Iterable[dict[str, Any]], folder: Path, recipe: BotRecipe | None = None
) -> list[float]:
    """Fine-tune the model, write its best epoch to the folder, return the held-out losses."""
    import torch

    recipe = recipe or BotRecipe()
    torch.manual_seed(recipe.seed)
    model, tokenizer = _load(base)
    numbered: list[tuple[int, Sample]]
    if model.config.is_encoder_decoder:
        _add_speakers(model, tokenizer)
        numbered = list(read_replies(rows, recipe.memory))
        loss_of: _Loss = _reply_loss
    else:
        _train_upper(model, recipe.layers)
        numbered = list(read_chats(rows, tokenizer))
        loss_of = _chat_loss
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    learned = [sample for group, sample in numbered if group % _HELD_OUT]
    held_out = [sample for group, sample in numbered if not group % _HELD_OUT] or learned
    if 0 < recipe.most < len(learned):
        learned = random.Random(recipe.seed).sample(learned, recipe.most)
    parameters = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=recipe.rate)
    losses: list[float] = []
    best: dict[str, Any] = {}
    for epoch in range(recipe.epochs):
        model.train()
        random.Random(derived_seed(recipe.seed, epoch)).shuffle(learned)
        for step in _parts(learned, recipe.batch_size):
            for batch in _parts(step, recipe.at_once):
                loss = loss_of(model, tokenizer, batch, device)
                (loss * len(batch) / len(step)).backward()
            optimizer.step()
            optimizer.zero_grad()
        losses.append(_mean_loss(loss_of, model, tokenizer, held_out, recipe.at_once, device))
        if losses[-1] > min(losses):
            break
        best = copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    return losses


def _load(base: str) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    file = Path(base)
    source: tuple[str, dict[str, str]] = (
        (str(file.parent), {"gguf_file": file.name}) if file.suffix == ".gguf" else (base, {})
    )
    config = AutoConfig.from_pretrained(source[0], **source[1])
    tokenizer = AutoTokenizer.from_pretrained(source[0], **source[1])
    if config.is_encoder_decoder:
        return AutoModelForSeq2SeqLM.from_pretrained(base, use_safetensors=True), tokenizer
    if tokenizer.chat_template is None:
        sys.exit(
            f"{base} has neither an encoder and a decoder nor a chat template: take a model such "
            "as facebook/bart-base or HuggingFaceTB/SmolLM2-135M-Instruct."
        )
    if not source[1]:
        return AutoModelForCausalLM.from_pretrained(base, use_safetensors=True), tokenizer
    quantised = AutoModelForCausalLM.from_pretrained(source[0], **source[1])
    # A model that was read from a GGUF file cannot be written; one with the same weights can.
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(quantised.state_dict())
    return model, tokenizer


def _add_speakers(model: Any, tokenizer: Any) -> None:
    form = HuggingFaceChatbot("")
    speakers = [form.persona_token, form.user_token, form.bot_token]
    tokenizer.add_special_tokens({"additional_special_tokens": speakers})
    model.resize_token_embeddings(len(tokenizer))


def _train_upper(model: Any, layers: int) -> None:
    if not layers:
        return
    model.requires_grad_(False)
    for layer in model.model.layers[-layers:]:
        layer.requires_grad_(True)


_Loss = Callable[[Any, Any, Sequence[Any], str], Any]


def _parts(samples: Sequence[Sample], size: int) -> Iterator[Sequence[Sample]]:
    for start in range(0, len(samples), size):
        yield samples[start : start + size]


def _mean_loss(
    loss_of: _Loss, model: Any, tokenizer: Any, samples: Sequence[Sample], at_once: int, device: str
) -> float:
    import torch

    model.eval()
    with torch.inference_mode():
        total = sum(
            float(loss_of(model, tokenizer, batch, device)) * len(batch)
            for batch in _parts(samples, at_once)
        )
    return total / len(samples)


def _chat_loss(model: Any, tokenizer: Any, batch: Sequence[ChatSample], device: str) -> Any:
    import torch

    longest = max(len(chat.tokens) for chat in batch)
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    missing = [longest - len(chat.tokens) for chat in batch]
    pairs = list(zip(batch, missing, strict=True))
    tokens = torch.tensor([[*chat.tokens, *[pad] * n] for chat, n in pairs])
    labels = torch.tensor([[*chat.labels, *[_NOT_LEARNED] * n] for chat, n in pairs])
    seen = torch.tensor([[*[1] * len(chat.tokens), *[0] * n] for chat, n in pairs])
    return model(
        input_ids=tokens.to(device), attention_mask=seen.to(device), labels=labels.to(device)
    ).loss


def _reply_loss(model: Any, tokenizer: Any, batch: Sequence[ReplySample], device: str) -> Any:
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
    labels[labels == tokenizer.pad_token_id] = _NOT_LEARNED
    known = {k: v.to(device) for k, v in inputs.items() if k in ("input_ids", "attention_mask")}
    return model(**known, labels=labels.to(device)).loss


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", help="a model of the hub, a folder, or a GGUF file")
    parser.add_argument("train", type=Path)
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    add_recipe(parser, BotRecipe())
    options = parser.parse_args(arguments)
    rows, recipe = read_rows(options.train), recipe_from(options, BotRecipe)
    for epoch, loss in enumerate(train(options.base, rows, options.to, recipe), 1):
        print(f"epoch {epoch}: held-out loss {loss:.4f}")


if __name__ == "__main__":
    main()
