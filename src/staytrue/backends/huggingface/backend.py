"""Models of the Hugging Face hub: those of the papers, stronger recent ones, or any by name.

Needs the extra `hf`. Weights are safetensors (but for AlignScore's), code from the hub never runs,
and the commit that a name stands for is part of every score's signature.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from staytrue.backends.cache import DiskCache
from staytrue.backends.huggingface.answer_spans import Window, best_answer
from staytrue.backends.huggingface.loading import (
    LoadedModel,
    ModelSpec,
    begin_order,
    label_order,
    torch_or_explain,
)
from staytrue.backends.huggingface.peers import LAYOUTS, PeerModel
from staytrue.backends.rules.claims import RuleClaims
from staytrue.backends.rules.questions import SpacySpans
from staytrue.core.errors import UsageError
from staytrue.core.protocols import (
    Answer,
    Claim,
    Entailment,
    Grounding,
    Pair,
    Query,
    Span,
    Target,
)

if TYPE_CHECKING:
    import numpy as np

# Which model stands behind each method, and how the question generator wants to be asked. Those
# with a layout are models of others that say how far a text supports a claim, for metric `nli`.
PRESETS: dict[str, dict[str, str]] = {
    # Q²: T5-base on SQuAD, ALBERT-xlarge on SQuAD 2.0, RoBERTa-large on SNLI.
    "paper": {
        "ask": "mrm8488/t5-base-finetuned-question-generation-ap",
        "answer": "ktrapeznikov/albert-xlarge-v2-squad-v2",
        "infer": "utahnlp/snli_roberta-large_seed-1",
        "prompt": "answer",
        "labels": "entailment/neutral/contradiction",
    },
    # AIH judges by RoBERTa-large on MultiNLI. (Its question generator, UniLM, is not on the hub.)
    "aih": {
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
    "hhem": {"infer": "vectara/hallucination_evaluation_model", "layout": "hhem"},
    "minicheck": {"infer": "lytang/MiniCheck-Flan-T5-Large", "layout": "minicheck"},
    "alignscore": {"infer": "yzha/AlignScore", "layout": "alignscore"},
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
        preset: Literal["paper", "aih", "modern", "hhem", "minicheck", "alignscore"] = "paper",
        ask: str = "",
        answer: str = "",
        infer: str = "",
        classify: str = "",
        prompt: Literal["", "answer", "highlight"] = "",
        decoding: Literal["beam", "greedy", "sampling"] = "beam",
        labels: str = "",
        device: str = "auto",
        batch_size: int = 16,
        cache: str = "",
        cache_megabytes: float = 500,
    ) -> None:
        """Name single models as `name@revision` or a folder to replace those of the preset.

        `labels`, such as entailment/neutral/contradiction, is for an entailment model whose config
        does not name its outputs. `classify` is a classifier of BEGIN's five classes, such as
        `python -m training.begin_classifier` makes. The presets hhem, minicheck and alignscore
        are for metric `nli`: what they do not support counts as neutral. `cache` is a folder for
        what the models answered, for later runs.
        """
        if batch_size < 1:
            raise UsageError("Option batch_size takes 1 or more.")
        settings = PRESETS[preset]
        chosen = {"ask": ask, "answer": answer, "infer": infer, "classify": classify}
        named = {method: name or settings.get(method, "") for method, name in chosen.items()}
        self._models = {
            method: LoadedModel(method, ModelSpec.parse(name), device)
            for method, name in named.items()
            if name
        }
        self._peer: PeerModel | None = None
        if "layout" in settings:
            self._peer = LAYOUTS[settings["layout"]](ModelSpec.parse(named["infer"]), device)
            self._models["infer"] = self._peer
        self._prompt = prompt or settings.get("prompt", "answer")
        self._default_labels = "" if infer else settings.get("labels", "")
        self._decoding = decoding
        self._labels = labels
        self._batch_size = batch_size
        self._spans = SpacySpans()
        self._claims = RuleClaims()
        self._cache = DiskCache(cache, cache_megabytes) if cache else None

    def models(self) -> Mapping[str, str]:
        """`name@commit` behind each method; reads the configs, not the weights."""
        named = {method: model.name for method, model in self._models.items()}
        if "ask" in named:
            named["ask"] += f"+{self._decoding}+{self._prompt}"
        rules = {"claims": self._claims.name, "spans": self._spans.name}
        encoder = {} if self._peer else {"encode": named["infer"]}
        return {**rules, **named, **encoder}

    def _known(
        self, method: str, asked: Sequence[Any], compute: Callable[[Sequence[Any]], list[Any]]
    ) -> list[Any]:
        if self._cache is None:
            return compute(asked)
        # A model's name says nothing about the options that decide what is made of its outputs.
        options = (self._decoding, self._prompt, self._labels or self._default_labels)
        model = "+".join([self._model(method).name, *options])
        return self._cache.answers(method, model, asked, compute)

    def _model(self, method: str) -> LoadedModel:
        if method not in self._models:
            raise UsageError(
                f"This Hugging Face backend has no model to {method}: name one, as  {method}=MODEL."
            )
        return self._models[method]

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each response, by rules."""
        return self._claims.claims(texts)

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """Entities, then noun chunks."""
        return self._spans.spans(texts)

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """The generator's questions for each span, best first."""
        return self._known("ask", targets, self._ask)

    def _ask(self, targets: Sequence[Target]) -> list[list[str]]:
        # Sampling draws by the text's own seed, one at a time: the batch must not matter.
        size = 1 if self._decoding == "sampling" else self._batch_size
        questions_of: list[list[str]] = [[] for _ in targets]
        for batch in _batches([self._written(t) for t in targets], size):
            for entry, questions in zip(batch, self._generate([t for _, t in batch]), strict=True):
                questions_of[entry[0]] = questions
        return questions_of

    def _written(self, target: Target) -> str:
        span, text = target.span, target.text
        if self._prompt == "answer":
            return f"answer: {span.text}  context: {text}"
        marked = f"{text[: span.start]}<hl> {span.text} <hl>{text[span.end :]}"
        return f"generate question: {marked}"

    def _generate(self, prompts: Sequence[str]) -> list[list[str]]:
        torch = torch_or_explain()
        loaded = self._model("ask")
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
        return self._known("answer", queries, self._answer)

    def _answer(self, queries: Sequence[Query]) -> list[Answer]:
        answers: list[Answer] = [Answer(None) for _ in queries]
        asked = [f"{q.question} {q.passage}" for q in queries]
        for batch in _batches(asked, self._batch_size):
            places = [index for index, _ in batch]
            for index, answer in zip(places, self._read([queries[p] for p in places]), strict=True):
                answers[index] = answer
        return answers

    def _read(self, queries: Sequence[Query]) -> list[Answer]:
        torch = torch_or_explain()
        loaded = self._model("answer")
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
        """Three probabilities per pair, whatever the model's own order of labels is.

        A model that only says how far a text is supported gives the rest to neutral.
        """
        return self._known("infer", pairs, self._infer)

    def _infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        if self._peer is not None:
            return [Entailment(p, 1 - p, 0.0) for p in self._supported(self._peer, pairs)]
        loaded = self._model("infer")
        order = label_order(
            loaded.config.id2label, loaded.spec.name, self._labels, self._default_labels
        )
        sides = [(pair.premise, pair.hypothesis) for pair in pairs]
        return [
            Entailment(*(row[label] for label in order))
            for row in self._probabilities(loaded, sides)
        ]

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes by name: evidence and previous turn first, the response second."""
        return self._known("classify", items, self._classify)

    def _classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        loaded = self._model("classify")
        labels = begin_order(loaded.config.id2label, loaded.spec.name)
        sides = [begin_sides(item) for item in items]
        return [dict(zip(labels, row, strict=True)) for row in self._probabilities(loaded, sides)]

    def _probabilities(
        self, loaded: LoadedModel, sides: Sequence[tuple[str, str]]
    ) -> list[list[float]]:
        torch = torch_or_explain()
        probabilities: list[list[float]] = [[] for _ in sides]
        for batch in _batches([f"{first} {second}" for first, second in sides], self._batch_size):
            mine = [sides[index] for index, _ in batch]
            inputs = loaded.tokenizer(
                [first for first, _ in mine], [second for _, second in mine], padding=True,
                truncation=True, max_length=loaded.longest, return_tensors="pt",
            ).to(loaded.device)  # fmt: skip
            with torch.inference_mode():
                logits = loaded.model(**inputs).logits.float().cpu()
            for (index, _), row in zip(batch, logits.softmax(-1).tolist(), strict=True):
                probabilities[index] = row
        return probabilities

    def _supported(self, peer: PeerModel, pairs: Sequence[Pair]) -> list[float]:
        torch = torch_or_explain()
        support = [0.0] * len(pairs)
        for batch in _batches([f"{p.premise} {p.hypothesis}" for p in pairs], self._batch_size):
            with torch.inference_mode():
                chances = peer.supported([pairs[index] for index, _ in batch])
            for (index, _), chance in zip(batch, chances, strict=True):
                support[index] = min(1.0, max(0.0, chance))
        return support

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Unit vectors of each text's tokens, from the last layer of the entailment model."""
        import numpy as np

        torch = torch_or_explain()
        loaded = self._model("infer")
        vectors: list[np.ndarray] = [np.empty((0, 0), np.float32) for _ in texts]
        for batch in _batches(list(texts), self._batch_size):
            inputs = loaded.tokenizer(
                [text for _, text in batch], padding=True, truncation=True,
                max_length=loaded.longest, return_special_tokens_mask=True, return_tensors="pt",
            )  # fmt: skip
            special = inputs.pop("special_tokens_mask").bool()
            with torch.inference_mode():
                hidden = loaded.model.base_model(**inputs.to(loaded.device))[0].float().cpu()
            unit = torch.nn.functional.normalize(hidden, dim=-1)
            for (index, _), rows, skip in zip(batch, unit, special, strict=True):
                vectors[index] = rows[~skip].numpy()
        return vectors


def begin_sides(item: Grounding) -> tuple[str, str]:
    """What a classifier of BEGIN's classes reads, in training and in use."""
    return " ".join(part for part in (item.evidence, item.message) if part), item.response


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
    best = best_answer(windows)
    if best.span is None:
        return Answer(None, confidence=best.confidence)
    start, end = best.span
    while start < end and passage[start].isspace():  # some tokenizers give a word its space
        start += 1
    return Answer(passage[start:end], start, end, best.confidence)
