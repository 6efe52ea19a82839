"""Models of the paper's sizes with random weights: they answer nonsense at the true cost.

Random weights never end a question early, so generation is cut at the length of a usual question.
"""

from __future__ import annotations

from typing import Any

QUESTION_TOKENS = 20


def random_backend() -> Any:
    """The Hugging Face backend over T5-base, ALBERT-xlarge and RoBERTa-large, untrained."""
    import transformers as hf

    from staytrue.backends.embedded import SHIPPED
    from staytrue.backends.huggingface import backend as huggingface

    tokenizer = hf.PreTrainedTokenizerFast(
        tokenizer_file=str(SHIPPED / "tokenizer.json"), pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", eos_token="[SEP]", model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip
    words = len(tokenizer)
    t5 = hf.T5Config(
        vocab_size=words, d_model=768, d_ff=3072, num_layers=12, num_heads=12, pad_token_id=0,
        eos_token_id=words - 1, decoder_start_token_id=0,
    )  # fmt: skip
    albert = hf.AlbertConfig(
        vocab_size=words, embedding_size=128, hidden_size=2048, num_hidden_layers=24,
        num_attention_heads=16, intermediate_size=8192,
    )  # fmt: skip
    roberta = hf.RobertaConfig(
        vocab_size=words, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
        intermediate_size=4096, max_position_embeddings=514, num_labels=3, pad_token_id=0,
        id2label={0: "contradiction", 1: "neutral", 2: "entailment"},
    )  # fmt: skip
    huggingface._LONGEST_QUESTION = QUESTION_TOKENS
    backend = huggingface.HuggingFaceBackend(device="cpu")
    made = {
        "ask": hf.T5ForConditionalGeneration(t5),
        "answer": hf.AlbertForQuestionAnswering(albert),
        "infer": hf.RobertaForSequenceClassification(roberta),
    }
    for method, model in made.items():
        # Put in place of what would be loaded from the hub.
        loaded = backend._models[method]
        loaded.__dict__.update(model=model.eval(), tokenizer=tokenizer, config=model.config)
    return backend
