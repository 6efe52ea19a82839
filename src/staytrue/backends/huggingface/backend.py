"""Models of the Hugging Face hub: those of the Q² paper, stronger recent ones, or any by name.

Needs the extra `hf`. Weights are safetensors only, code from the hub never runs, and the commit
that a name stands for is part of every score's signature.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from staytrue.backends.huggingface.loading import (
    LoadedModel,
    ModelSpec,
    label_order,
    torch_or_explain,
)
from staytrue.backends.huggingface.reading import Window, best_answer
from staytrue.backends.rules.claims import RuleClaims
from staytrue.backends.rules.spans import SpacySpans
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Answer, Claim, Entailment, Pair, Query, Span, Target

if TYPE_CHECKING:
    import numpy as np

# Which model stands behind each method, and how the question generator wants to be asked.
PRESETS: dict[str, dict[str, str]] = {
    "paper": {
        "ask": "mrm8488/t5-base-finetuned-question-generation-ap",
        "answer": "ktrapeznikov/albert-xlarge-v2-squad-v2",
        "infer": "FacebookAI/roberta-large-mnli",
        "prompt": "answer",
    },
    "modern": {
        "ask": "lmqg/t5-base-squad-qg",
        "answer": "deepset/deberta-v3-base-squad2",
        "infer": "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli",
        "prompt": "highlight",
    },
}
# The paper's constants: beam 5, five returned; the released code's for sampling.
RETURNED = 5
_DECODING: dict[str, dict[str, Any]] = {
    "beam": {"num_beams": 5, "num_return_sequences": RETURNED, "early_stopping": True,
             "do_sample": False},
    "greedy": {"num_beams": 1, "num_return_sequences": 1, "do_sample": False},
    "sampling": {"num_beams": 1, "num_return_sequences": RETURNED, "do_sample": True,
                 "top_k": 50, "top_p": 0.95},
}  # fmt: skip
_LONGEST_QUESTION = 128
_STRIDE = 128
_PREFIX = re.compile(r"^\s*question\s*:\s*", re.IGNORECASE)


class HuggingFaceBackend:
    """Spans by spaCy; questions, answers and entailment by models of the hub or of a folder."""

    name = "huggingface"

    def __init__(
        self,
        *,
        preset: Literal["paper", "modern"] = "paper",
        ask: str = "",
        answer: str = "",
        infer: str = "",
        prompt: Literal["", "answer", "highlight"] = "",
        decoding: Literal["beam", "greedy", "sampling"] = "beam",
        labels: str = "",
        device: str = "auto",
        batch_size: int = 16,
    ) -> None:
        """Name single models as `name@revision` or a folder to replace those of the preset.

        `labels`, such as entailment/neutral/contradiction, is for an entailment model whose config
        does not name its outputs.
        """
        if batch_size < 1:
            raise UsageError("Option batch_size takes a number from 1 on.")
        chosen = {"ask": ask, "answer": answer, "infer": infer}
        self._models = {
            method: LoadedModel(method, ModelSpec.parse(name or PRESETS[preset][method]), device)
            for method, name in chosen.items()
        }
        self._prompt = prompt or PRESETS[preset]["prompt"]
        self._decoding = decoding
        self._labels = labels
        self._batch_size = batch_size
        self._spans = SpacySpans()
        self._claims = RuleClaims()

    def models(self) -> Mapping[str, str]:
        """`name@commit` behind each method; reads the configs, not the weights."""
        named = {method: model.name for method, model in self._models.items()}
        named["ask"] += f"+{self._decoding}+{self._prompt}"
        rules = {"claims": self._claims.name, "spans": self._spans.name}
        return {**rules, **named, "encode": named["infer"]}

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each response, by rules."""
        return self._claims.claims(texts)

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """Entities, then noun chunks."""
        return self._spans.spans(texts)

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """The generator's questions for each span, best first."""
        # Sampling draws by the text's own seed, one at a time: the batch must not matter.
        size = 1 if self._decoding == "sampling" else self._batch_size
        found: list[list[str]] = [[] for _ in targets]
        for batch in _batches([self._written(t) for t in targets], size):
            for place, questions in zip(batch, self._generate([t for _, t in batch]), strict=True):
                found[place[0]] = questions
        return found

    def _written(self, target: Target) -> str:
        span, text = target.span, target.text
        if self._prompt == "answer":
            return f"answer: {span.text}  context: {text}"
        marked = f"{text[: span.start]}<hl> {span.text} <hl>{text[span.end :]}"
        return f"generate question: {marked}"

    def _generate(self, prompts: Sequence[str]) -> list[list[str]]:
        torch = torch_or_explain()
        loaded = self._models["ask"]
        options = _DECODING[self._decoding]
        inputs = loaded.tokenizer(
            list(prompts), padding=True, truncation=True, max_length=512, return_tensors="pt"
        ).to(loaded.device)
        seed = int.from_bytes(hashlib.sha256(prompts[0].encode()).digest()[:7], "big")
        with torch.inference_mode(), torch.random.fork_rng():
            torch.manual_seed(seed)
            output = loaded.model.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                max_length=_LONGEST_QUESTION,
                no_repeat_ngram_size=3,
                **options,
            )
        texts = loaded.tokenizer.batch_decode(output, skip_special_tokens=True)
        each = options["num_return_sequences"]
        return [_questions(texts[n : n + each]) for n in range(0, len(texts), each)]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """The reader's answers; long passages are read in overlapping windows."""
        found: list[Answer] = [Answer(None) for _ in queries]
        asked = [f"{q.question} {q.passage}" for q in queries]
        for batch in _batches(asked, self._batch_size):
            places = [place for place, _ in batch]
            for place, answer in zip(places, self._read([queries[p] for p in places]), strict=True):
                found[place] = answer
        return found

    def _read(self, queries: Sequence[Query]) -> list[Answer]:
        torch = torch_or_explain()
        loaded = self._models["answer"]
        longest = loaded.longest
        encoded = loaded.tokenizer(
            [q.question.strip() for q in queries],
            [q.passage for q in queries],
            padding=True,
            truncation="only_second",
            max_length=longest,
            stride=min(_STRIDE, longest // 4),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        owners = encoded.pop("overflow_to_sample_mapping").tolist()
        offsets = encoded.pop("offset_mapping").tolist()
        starts, ends = [], []
        for first in range(0, len(owners), self._batch_size):
            part = {k: v[first : first + self._batch_size] for k, v in encoded.items()}
            with torch.inference_mode():
                output = loaded.model(**{k: v.to(loaded.device) for k, v in part.items()})
            starts.append(output.start_logits.float().cpu())
            ends.append(output.end_logits.float().cpu())
        start, end = torch.cat(starts).numpy(), torch.cat(ends).numpy()
        windows: list[list[Window]] = [[] for _ in queries]
        for n, owner in enumerate(owners):
            sides = encoded.sequence_ids(n)
            inside = [
                (int(o[0]), int(o[1])) if side == 1 else None
                for o, side in zip(offsets[n], sides, strict=True)
            ]
            windows[owner].append(Window(start[n], end[n], inside))
        return [_answer(q.passage, mine) for q, mine in zip(queries, windows, strict=True)]

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Three probabilities a pair, whatever the model's own order of labels is."""
        torch = torch_or_explain()
        loaded = self._models["infer"]
        order = label_order(loaded.config.id2label, loaded.spec.name, self._labels)
        found: list[Entailment] = [Entailment(0.0, 1.0, 0.0) for _ in pairs]
        written = [f"{p.premise} {p.hypothesis}" for p in pairs]
        for batch in _batches(written, self._batch_size):
            mine = [pairs[place] for place, _ in batch]
            inputs = loaded.tokenizer(
                [p.premise for p in mine], [p.hypothesis for p in mine], padding=True,
                truncation=True, max_length=loaded.longest, return_tensors="pt",
            ).to(loaded.device)  # fmt: skip
            with torch.inference_mode():
                logits = loaded.model(**inputs).logits.float().cpu()
            for (place, _), row in zip(batch, logits.softmax(-1)[:, order].tolist(), strict=True):
                found[place] = Entailment(*row)
        return found

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Unit vectors of each text's tokens, from the last layer of the entailment model."""
        import numpy as np

        torch = torch_or_explain()
        loaded = self._models["infer"]
        found: list[np.ndarray] = [np.empty((0, 0), np.float32) for _ in texts]
        for batch in _batches(list(texts), self._batch_size):
            inputs = loaded.tokenizer(
                [text for _, text in batch], padding=True, truncation=True,
                max_length=loaded.longest, return_special_tokens_mask=True, return_tensors="pt",
            )  # fmt: skip
            special = inputs.pop("special_tokens_mask").bool()
            with torch.inference_mode():
                hidden = loaded.model.base_model(**inputs.to(loaded.device))[0].float().cpu()
            unit = torch.nn.functional.normalize(hidden, dim=-1)
            for (place, _), rows, skip in zip(batch, unit, special, strict=True):
                found[place] = rows[~skip].numpy()
        return found


def _batches(texts: Sequence[str], size: int) -> list[list[tuple[int, str]]]:
    """Places and texts, those of like length together, so that little is padded."""
    order = sorted(range(len(texts)), key=lambda n: (len(texts[n]), n))
    return [
        [(n, texts[n]) for n in order[first : first + size]] for first in range(0, len(order), size)
    ]


def _questions(texts: Sequence[str]) -> list[str]:
    asked = (" ".join(_PREFIX.sub("", text).split()) for text in texts)
    return list(dict.fromkeys(question for question in asked if question))


def _answer(passage: str, windows: Sequence[Window]) -> Answer:
    found = best_answer(windows)
    if found.span is None:
        return Answer(None, confidence=found.confidence)
    start, end = found.span
    while start < end and passage[start].isspace():  # some tokenizers give a word its space
        start += 1
    return Answer(passage[start:end], start, end, found.confidence)
