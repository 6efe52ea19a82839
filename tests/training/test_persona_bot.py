"""The PersonaChat bot is trained from a model and dialogues by one command, here on a tiny one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


TEMPLATE = (
    "{% for m in messages %}{{ m['role'] + ' ' + m['content'] + ' . ' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant ' }}{% endif %}"
)


def test_single_messages_that_follow_each_other_are_one_dialogue() -> None:
    bob, ann = ["i am bob ."], ["i am ann ."]
    rows: list[dict[str, Any]] = [
        {"persona": bob, "message": "hi", "response": "hello"},
        {"persona": bob, "message": "who ?", "response": "me"},
        {"persona": ann, "message": "hi", "response": "hey"},
        {"persona": ann, "utterances": ["hi", "ho"]},
    ]
    dialogues = [(row["persona"], row["utterances"]) for row in persona_bot.joined(rows)]
    assert (bob, ["hi", "hello", "who ?", "me"]) in dialogues
    assert (ann, ["hi", "hey"]) in dialogues
    assert (ann, ["hi", "ho"]) in dialogues


def test_a_chat_model_learns_only_its_own_replies() -> None:
    class Letters:
        """A tokenizer with a token for each letter."""

        def apply_chat_template(
            self, messages: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool
        ) -> str:
            assert not tokenize
            said = "".join(f"[{m['role'][0]}]{m['content']};" for m in messages)
            return said + "[a]" * add_generation_prompt

        def __call__(self, text: str, *, add_special_tokens: bool) -> dict[str, list[int]]:
            assert not add_special_tokens
            return {"input_ids": [ord(letter) for letter in text]}

    row = {"persona": ["i am bob ."], "utterances": ["hi", "hello", "who ?", "me"]}
    ((_, chat),) = persona_bot.read_chats([row], Letters())
    text = "".join(map(chr, chat.tokens))
    assert text.endswith("[u]hi;[a]hello;[u]who ?;[a]me;")
    assert "i am bob ." in text
    assert "".join(chr(n) for n in chat.labels if n >= 0) == "hello;me;"
    assert len(chat.labels) == len(chat.tokens)


def test_a_chat_model_is_trained_in_its_upper_layers_and_answers_by_the_persona(
    tmp_path: Path,
) -> None:
    import transformers

    base, to, data = tmp_path / "base", tmp_path / "trained", tmp_path / "train.jsonl"
    save_llama(base)
    rows = [
        {"persona": [f"{drink} is old ."], "message": "what ?", "response": f"the {drink}"}
        for _ in range(16)
        for drink in DRINKS
    ]
    data.write_text("\n".join(map(json.dumps, rows)))
    persona_bot.main(
        [str(base), str(data), "--to", str(to), "--epochs", "30", "--batch-size", "16",
         "--at-once", "8", "--rate", "0.01", "--layers", "1"]
    )  # fmt: skip
    before, after = (
        transformers.AutoModelForCausalLM.from_pretrained(folder).state_dict()
        for folder in (base, to)
    )
    changed = {name for name in before if not before[name].equal(after[name])}
    assert changed
    assert all(".layers.1." in name for name in changed)
    bot = load_chatbot(f"hf:{to},temperature=0,max_tokens=2")
    for drink in DRINKS:
        asked = [Turn("user", "what ?")]
        assert bot.reply(asked, persona=[f"{drink} is old ."]) == f"the {drink}"


def test_a_model_without_a_decoder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    save_encoder(tmp_path / "base", "bert", "AutoModelForSequenceClassification", num_labels=5)
    (tmp_path / "train.jsonl").write_text("")
    given = [str(tmp_path / "base"), str(tmp_path / "train.jsonl"), "--to", str(tmp_path / "to")]
    with pytest.raises(SystemExit, match="neither an encoder and a decoder"):
        persona_bot.main(given)


def test_the_papers_constants_are_the_default() -> None:
    recipe = persona_bot.BotRecipe()
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


def save_llama(folder: Path) -> None:
    import torch
    import transformers
    from tests.backends.huggingface.tiny import SPECIAL, WORDS

    torch.manual_seed(7)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS) + len(SPECIAL), hidden_size=32, intermediate_size=64,
        num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=64, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, tie_word_embeddings=True, initializer_range=0.3,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    save_tokenizer(folder, encoder=False)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
