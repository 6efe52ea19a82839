from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from staytrue.chatbots.local import huggingface
from staytrue.core.errors import MissingExtra, ModelError, UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

HISTORY = [Turn("user", "hello"), Turn("bot", "hey"), Turn("user", "who are you ?")]
WORDS = ["<pad>", "</s>", "<unk>", "<user>", "<bot>", "<persona>", "hello", "hey", "who", "are",
         "you", "?", "i", "am", "bob", "."]  # fmt: skip
TEMPLATE = "{% for m in messages %}{{ m.content }} {% endfor %}"


def test_a_seq2seq_model_is_fed_persona_and_history_with_speaker_tokens() -> None:
    bot = load_chatbot("hf:anything,user_token=[U],bot_token=[B]")
    text = bot.dialogue_text(HISTORY, ["i am bob .", "i like tea ."])
    assert text == "<persona> i am bob . i like tea . [U] hello [B] hey [U] who are you ? [B]"


def test_without_the_extra_the_line_that_installs_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[hf\]'"):
        load_chatbot("hf:anything").reply(HISTORY)


def test_no_model_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="Write the model"):
        load_chatbot("hf:")


def save_tokenizer(folder: Path, template: str | None) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="<unk>")
    raw = Tokenizer(words)
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    fast.chat_template = template
    fast.save_pretrained(folder)


@pytest.fixture
def transformers() -> Any:
    """The package, whose next model has the same weights in every run."""
    pytest.importorskip("torch").manual_seed(0)
    return pytest.importorskip("transformers")


@pytest.fixture
def chat_model(tmp_path: Path, transformers: Any) -> Path:
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=128, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path)
    save_tokenizer(tmp_path, TEMPLATE)
    return tmp_path


@pytest.fixture
def seq2seq_model(tmp_path: Path, transformers: Any) -> Path:
    config = transformers.BartConfig(
        vocab_size=len(WORDS), d_model=16, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16,
        decoder_ffn_dim=16, max_position_embeddings=128, pad_token_id=0, bos_token_id=1,
        eos_token_id=1, decoder_start_token_id=1, forced_eos_token_id=1,
    )  # fmt: skip
    transformers.BartForConditionalGeneration(config).save_pretrained(tmp_path)
    save_tokenizer(tmp_path, None)
    return tmp_path


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["chat_model", "seq2seq_model"])
def test_a_tiny_model_replies_and_repeats_itself_by_seed(
    kind: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(kind)
    bot = load_chatbot(f"hf:{folder},max_tokens=12")
    replies = {seed: bot.reply(HISTORY, persona=["i am bob ."], seed=seed) for seed in range(6)}
    assert len(set(replies.values())) > 1
    assert replies[3] == bot.reply(HISTORY, persona=["i am bob ."], seed=3)


def seen_by(bot: huggingface.HuggingFaceChatbot, history: list[Turn]) -> list[str]:
    """The words that the model is given for this dialogue."""
    tokenizer, network = bot._load()
    ids = bot._dialogue_inputs(tokenizer, network, history, ["i am bob ."])["input_ids"][0]
    assert len(ids) <= 128
    return [WORDS[n] for n in ids]


@pytest.mark.torch
@pytest.mark.parametrize(
    "history",
    [
        [Turn("bot" if n % 2 else "user", "hello hello hey .") for n in range(100)],
        [Turn("user", "hello " * 5000)],
    ],
    ids=["many turns", "one long turn"],
)
def test_of_a_long_talk_the_persona_and_the_question_are_kept(
    history: list[Turn], seq2seq_model: Path
) -> None:
    bot = load_chatbot(f"hf:{seq2seq_model},max_tokens=5")
    last = Turn("user", history[-1].text + " who are you ?")
    seen = seen_by(bot, [*history[:-1], last])
    assert seen[:5] == ["<persona>", "i", "am", "bob", "."]
    assert seen[-5:] == ["who", "are", "you", "?", "<bot>"]
    assert len(seen) > 100
    bot.reply([*history[:-1], last], persona=["i am bob ."])


STRICT = (
    "{% for m in messages %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant') }}"
    "{% endif %}{{ m.content }} {% endfor %}"
)


@pytest.mark.torch
def test_a_template_that_wants_the_user_first_takes_talks_that_the_bot_opened(
    chat_model: Path,
) -> None:
    save_tokenizer(chat_model, STRICT)
    bot = load_chatbot(f"hf:{chat_model},max_tokens=3")
    bot.reply([Turn("bot", "hello"), Turn("user", "hey"), Turn("user", "who are you ?")])
    bot.reply([])
    # The template takes no system message either, so the persona goes into the first turn.
    bot.reply([Turn("user", "hello")], persona=["i am bob ."])


@pytest.mark.torch
def test_a_model_without_chat_template_is_refused(chat_model: Path) -> None:
    save_tokenizer(chat_model, None)
    for file in chat_model.glob("chat_template*"):
        file.unlink()
    with pytest.raises(ModelError, match="no chat template"):
        huggingface.load(str(chat_model)).reply(HISTORY)


@pytest.mark.torch
def test_a_model_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    with pytest.raises(ModelError, match="cannot be loaded"):
        huggingface.load(str(tmp_path / "nothing")).reply(HISTORY)
