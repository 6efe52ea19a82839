"""The PersonaChat bot is trained from a model and dialogues by one command, here on a tiny one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.backends.huggingface.tiny import needs_torch, save_encoder, save_tokenizer
from training import persona_bot

from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

pytestmark = [needs_torch, pytest.mark.torch]
# What each persona drinks, and so should answer.
DRINKS = ("coffee", "tea")


def test_each_reply_of_the_owner_is_learned_with_the_turns_before_it() -> None:
    utterances = ["hi", "hello", "who ?", "me", "where ?", "here", "when ?", "now"]
    rows = [{"persona": ["i am bob ."], "utterances": utterances}]
    replies = [reply for _, reply in persona_bot.read_replies(rows, memory=3)]
    assert [reply.response for reply in replies] == ["hello", "me", "here", "now"]
    assert replies[0].text == "<persona> i am bob . <user> hi <bot>"
    assert replies[3].text == "<persona> i am bob . <user> where ? <bot> here <user> when ? <bot>"
    one = {"persona": ["i am bob ."], "message": "hi", "response": "hello"}
    assert [reply for _, reply in persona_bot.read_replies([one], memory=6)] == replies[:1]


def test_training_learns_to_answer_by_the_persona_and_the_bot_reads_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, to, data = tmp_path / "base", tmp_path / "trained", tmp_path / "train.jsonl"
    save_bart(base)
    rows = [
        {"persona": [f"{drink} is old ."], "message": "what ?", "response": f"the {drink}"}
        for drink in DRINKS
        for _ in range(16)
    ]
    data.write_text("\n".join(map(json.dumps, rows)))
    persona_bot.main(
        [str(base), str(data), "--to", str(to), "--epochs", "40", "--batch-size", "16",
         "--at-once", "8", "--rate", "0.01"]
    )  # fmt: skip
    bot = load_chatbot(f"hf:{to},temperature=0,max_tokens=6")
    for drink in DRINKS:
        asked = [Turn("user", "what ?")]
        assert bot.reply(asked, persona=[f"{drink} is old ."]) == f"the {drink}"
    losses = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()]
    assert losses[-1] < losses[0]


def test_a_model_without_a_decoder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    save_encoder(tmp_path / "base", "bert", "AutoModelForSequenceClassification", num_labels=5)
    (tmp_path / "train.jsonl").write_text("")
    given = [str(tmp_path / "base"), str(tmp_path / "train.jsonl"), "--to", str(tmp_path / "to")]
    with pytest.raises(SystemExit, match="no encoder and decoder"):
        persona_bot.main(given)


def test_the_papers_constants_are_the_default() -> None:
    recipe = persona_bot.Recipe()
    assert (recipe.batch_size, recipe.epochs, recipe.rate, recipe.memory) == (128, 6, 2e-5, 6)


def save_bart(folder: Path) -> None:
    import torch
    import transformers
    from tests.backends.huggingface.tiny import SPECIAL, WORDS

    torch.manual_seed(7)
    config = transformers.BartConfig(
        vocab_size=len(WORDS) + len(SPECIAL), d_model=16, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, max_position_embeddings=64, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2, dropout=0.0, init_std=0.3,
    )  # fmt: skip
    transformers.BartForConditionalGeneration(config).save_pretrained(folder)
    save_tokenizer(folder, encoder=True)
