"""Tokens in, logits out: the tokenizer, windows of tokens, the word vectors and ONNX sessions.

Every example runs alone, without padding. The small int8 models scale each tensor by its largest
value, so in a common batch one example would change the rounding of another; alone, a result
is the same to the last bit whatever else is asked. Batches with a scale for each example would
gain nothing: a layer takes 1.0 to 1.3 times as long, padding aside, as nearly all of its time is
multiplication (docs/performance.md, `python -m benchmarks.batches`). The large model has a scale
for each token; there a batch of equal lengths would be quicker, but its attention has no mask for
padding, and of the pairs that are asked at once about two have the same length. Speed comes from
running examples on several threads, one pass on each. Texts that are too long for a model are cut
into windows; nothing is left out.

The large model is one file with a head for each task; its reader adds a small adapter to the same
weights. Heads that read the same pair run together, and what one of them was asked the other knows.
Small results and tokens are remembered for a while: rows of one run share passages and claims. Its
matrices are stored in the int8 that is multiplied, which is quickest on processors of every age,
with one scale for each output.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from staytrue.core.errors import ModelError
from staytrue.english.words import sentence_spans

if TYPE_CHECKING:
    import numpy as np

    from staytrue.backends.embedded import ModelFiles

Asked = TypeVar("Asked", bound=Hashable)
Given = TypeVar("Given")

# Tokens before, between and after two texts; the manifest may name others than BERT's.
_SPECIAL = {"start": [101], "between": [102], "end": [102]}
# Pairs whose results are remembered, and the most numbers that such a result has: 50 MB in all at
# worst. A vector for each token of a text is more than that, and is not asked for twice.
_REMEMBERED = 20_000
_MOST_NUMBERS = 1_024
# Tokens that are remembered, at about 150 bytes each.
_REMEMBERED_TOKENS = 200_000
# With 63 the products of two neighbours fit into 16 bits, which processors without VNNI
# instructions need: they would silently saturate otherwise.
LIMIT = 63
# Half of a character pair that came alone cannot be encoded; one character replaces it.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class WordPieces:
    """Token ids of a text and the characters that each of them covers."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, start: int, end: int) -> WordPieces:
        """The tokens from `start` up to `end`."""
        return WordPieces(self.ids[start:end], self.offsets[start:end])

    def followed_by(self, other: WordPieces) -> WordPieces:
        """These tokens and then the other text's; offsets stay those of their own texts."""
        return WordPieces((*self.ids, *other.ids), (*self.offsets, *other.offsets))


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """A pass that a model has made, for those who count or time them."""

    model: Path
    """The model's file."""
    tokens: int
    seconds: float


Listener = Callable[[ForwardPass], None]


class Encoder:
    """The loaded models; each part loads when it is first needed, once, whichever thread asks."""

    def __init__(self, files: ModelFiles, threads: int) -> None:
        self.files = files
        self.listeners: list[Listener] = []
        """Called after each forward pass, in the thread that made it."""
        self.threads = threads if threads > 0 else _usable_cores()
        self._lock = Lock()
        self._loaded: dict[str, Any] = {}
        self._results: OrderedDict[bytes, dict[str, np.ndarray]] = OrderedDict()
        self._tokens: OrderedDict[str, WordPieces] = OrderedDict()
        self._token_count = 0

    def tokens(self, texts: Sequence[str]) -> list[WordPieces]:
        """Tokens without the special ones; nothing is cut."""
        with self._lock:
            known = {text: self._tokens[text] for text in set(texts) if text in self._tokens}
        fresh = [text for text in dict.fromkeys(texts) if text not in known]
        if fresh:
            tokenizer = self._once("tokenizer", self._load_tokenizer)
            clean = [_SURROGATE.sub("\ufffd", text) for text in fresh]
            encoded = tokenizer.encode_batch(clean, add_special_tokens=False)
            made = (WordPieces(tuple(one.ids), tuple(one.offsets)) for one in encoded)
            known.update(zip(fresh, made, strict=True))
            self._remember_tokens({text: known[text] for text in fresh})
        return [known[text] for text in texts]

    def _remember_tokens(self, fresh: dict[str, WordPieces]) -> None:
        with self._lock:
            for text, tokens in fresh.items():
                if text not in self._tokens:
                    self._tokens[text] = tokens
                    self._token_count += len(tokens)
            while self._token_count > _REMEMBERED_TOKENS:
                self._token_count -= len(self._tokens.popitem(last=False)[1])

    def run(
        self, model: str, first: WordPieces, second: WordPieces | None = None, output: str = ""
    ) -> np.ndarray:
        """What the model says of one text, or of a pair of texts."""
        settings = self.files.settings(model)
        output = output or settings.get("output", "logits")
        ids = self._joined(first, second)
        together: Sequence[str] = settings.get("together", ())
        outputs = together if output in together else [output]
        before = self.before_second(first)
        content = f"{settings['file']} {outputs} {before}".encode() + array("q", ids).tobytes()
        key = blake2b(content, digest_size=16).digest()
        with self._lock:
            known = self._results.get(key)
        if known is None:
            start = perf_counter()
            known = self._forward(settings, outputs, ids, first)
            seconds = perf_counter() - start
            self._remember_result(key, known)
            for listener in self.listeners:
                listener(ForwardPass(self.files.folder / settings["file"], len(ids), seconds))
        return known[output]

    def _remember_result(self, key: bytes, result: dict[str, np.ndarray]) -> None:
        if sum(one.size for one in result.values()) > _MOST_NUMBERS:
            return
        with self._lock:
            self._results[key] = result
            if len(self._results) > _REMEMBERED:
                self._results.popitem(last=False)

    def before_second(self, first: WordPieces) -> int:
        """How many tokens stand before the second text."""
        special = self._special()
        return len(special["start"]) + len(first) + len(special["between"])

    def special_tokens(self) -> int:
        """How many tokens a pair has beside those of its texts."""
        return sum(map(len, self._special().values()))

    def _special(self) -> dict[str, list[int]]:
        special: dict[str, list[int]] = self.files.manifest.get("special", _SPECIAL)
        return special

    def _joined(self, first: WordPieces, second: WordPieces | None) -> tuple[int, ...]:
        special = self._special()
        ids = (*special["start"], *first.ids)
        if second:
            ids = (*ids, *special["between"], *second.ids)
        return (*ids, *special["end"])

    def _forward(
        self,
        settings: dict[str, Any],
        outputs: Sequence[str],
        ids: tuple[int, ...],
        first: WordPieces,
    ) -> dict[str, np.ndarray]:
        """One forward pass; `run` remembers its results."""
        import numpy as np

        words, positions = self._once("vectors", self._load_vectors)
        session, wanted = self._once(settings["file"], lambda: self._load_session(settings))
        numbers = np.arange(len(ids), dtype=np.int64)
        chosen = np.array(ids)
        vectors = words[0].take(chosen, axis=0) * words[1].take(chosen, axis=0)
        feed = {
            "vectors": (vectors + positions[: len(ids)])[None],
            "segments": (numbers >= self.before_second(first)).astype(np.int64)[None],
            "places": numbers if settings.get("places") == "all" else numbers[:1],
        }
        results = session.run(outputs, {name: feed[name] for name in wanted})
        return {name: result[0] for name, result in zip(outputs, results, strict=True)}

    def each(
        self, work: Callable[[Asked], Given], asked: Sequence[Asked], size: Callable[[Asked], int]
    ) -> list[Given]:
        """Do the work once for each different request, the largest first, on all threads."""
        different = sorted(dict.fromkeys(asked), key=size, reverse=True)
        if len(different) == 1 or self.threads == 1:
            done = {one: work(one) for one in different}
        else:
            pool = self._once("pool", lambda: ThreadPoolExecutor(self.threads, "staytrue"))
            done = dict(zip(different, pool.map(work, different), strict=True))
        return [done[one] for one in asked]

    def _once(self, name: str, load: Callable[[], Any]) -> Any:
        if name not in self._loaded:
            with self._lock:
                if name not in self._loaded:
                    self._loaded[name] = load()
        return self._loaded[name]

    def _load_tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.files.path("tokenizer.json")))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _load_vectors(self) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
        import numpy as np

        with np.load(self.files.path("vectors.npz"), allow_pickle=False) as arrays:
            words = arrays["words"], arrays["scales"][:, None]
            return words, arrays["positions"].astype(np.float32)

    def _load_session(self, settings: dict[str, Any]) -> tuple[Any, list[str]]:
        """A session, and the names of what it wants to be fed."""
        import onnxruntime

        file = settings["file"]
        path = self.files.path(file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Beyond the basic level sums and norms are fused into one operation, which is slower.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        if "weights" in settings:
            self._give_weights(options, settings["weights"], settings.get("adapter"))
        try:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelError(
                f"onnxruntime cannot load the model file {file} ({type(error).__name__}): "
                "update it with  pip install --upgrade onnxruntime"
            ) from error
        return session, [one.name for one in session.get_inputs()]

    def _give_weights(self, options: Any, file: str, adapter: str | None) -> None:
        """Hand the graph its weights from the file beside it."""
        import numpy as np
        import onnxruntime

        small = {}
        if adapter:
            with np.load(self.files.path(adapter), allow_pickle=False) as stored:
                small = dict(stored)
        try:
            with np.load(self.files.path(file), allow_pickle=False) as stored:
                arrays = dict(expanded(stored, small))
        except TypeError:
            raise ModelError(
                f"The model file {file} is of an older version; {self.files.repair}"
            ) from None
        # onnxruntime reads these where they are: they stay as long as the session does.
        self._loaded[adapter or file] = arrays
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
        options.add_external_initializers(list(arrays), values)


def _usable_cores() -> int:
    """The cores of this process, or fewer where OMP_NUM_THREADS says so, as Ray does."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores or 1, int(limit)) if limit.isdigit() and int(limit) else cores or 1


def sliding(tokens: WordPieces, size: int, overlap: int) -> list[WordPieces]:
    """Windows of at most `size` tokens, neighbours sharing `overlap`; one when all fit."""
    if len(tokens) <= size:
        return [tokens]
    step = max(1, size - overlap)
    starts = range(0, len(tokens) - overlap, step)
    return [tokens.part(start, start + size) for start in starts]


def around(tokens: WordPieces, ends: Sequence[int], start: int, end: int) -> WordPieces:
    """The tokens of the sentences that hold the characters from `start` to `end`."""
    first = last = 0
    for stop in ends:
        if tokens.offsets[stop - 1][1] <= start:
            first = stop
        last = stop
        if tokens.offsets[stop - 1][1] >= end:
            break
    return tokens.part(first, last)


def by_sentence(text: str, tokens: WordPieces, size: int) -> list[WordPieces]:
    """Windows of whole sentences with at most `size` tokens; a longer sentence slides."""
    if len(tokens) <= size:
        return [tokens]
    windows: list[WordPieces] = []
    start = end = 0
    for stop in sentence_ends(text, tokens):
        if stop - start > size and end > start:
            windows.append(tokens.part(start, end))
            start = end
        if stop - start > size:
            windows += sliding(tokens.part(start, stop), size, size // 4)
            start = stop
        end = stop
    if end > start:
        windows.append(tokens.part(start, end))
    return windows


def sentence_ends(text: str, tokens: WordPieces) -> Iterator[int]:
    """For each sentence, the number of tokens up to its end."""
    index = 0
    for _, stop in sentence_spans(text):
        before = index
        while index < len(tokens) and tokens.offsets[index][0] < stop:
            index += 1
        if index > before:
            yield index
    if index < len(tokens):
        yield len(tokens)


def most_alike(windows: Sequence[WordPieces], other: WordPieces, keep: int) -> list[WordPieces]:
    """The `keep` windows that share most rare tokens with the other text, in text order."""
    if len(windows) <= keep:
        return list(windows)
    wanted = set(other.ids)
    homes = {token: sum(token in window.ids for window in windows) for token in wanted}
    weights = [
        sum(1 / homes[token] for token in wanted.intersection(window.ids)) for window in windows
    ]
    best = sorted(range(len(windows)), key=lambda index: (-weights[index], index))[:keep]
    return [windows[index] for index in sorted(best)]


def by_column(weights: np.ndarray, limit: int = LIMIT) -> tuple[np.ndarray, np.ndarray]:
    """int8 weights [inputs, outputs] with one scale for each output column."""
    import numpy as np

    largest = np.abs(weights).max(axis=0)
    scales = np.where(largest > 0, largest / limit, 1.0).astype(np.float32)
    return np.clip(np.rint(weights / scales), -limit, limit).astype(np.int8), scales


def expanded(
    stored: Mapping[str, np.ndarray], adapter: Mapping[str, np.ndarray] | None = None
) -> Iterator[tuple[str, np.ndarray]]:
    """The graph's weights by name, from the arrays of the weights file and of a task's adapter.

    `layer.codes` are the int8 matrix `layer.weight`, and `layer.scales` its
    `layer.column_scales`; `layer.whole` and `layer.scales` become a float matrix. The adapter's
    `layer.up` and `layer.down`, int8 with a scale for each row, are what it adds to the matrix.
    Codes of 4 bits, two in a byte, as there were before 0.2.0, are a TypeError.
    """
    import numpy as np

    for name in stored:
        layer, _, kind = name.rpartition(".")
        if kind == "codes":
            whole, scales = stored[name].T, stored[f"{layer}.scales"]
            if whole.dtype != np.int8:
                raise TypeError(name)
            if adapter and f"{layer}.up" in adapter:
                up = adapter[f"{layer}.up"] * adapter[f"{layer}.rank_scales"]
                added = adapter[f"{layer}.down"].astype(np.float32).T @ up
                whole, scales = by_column(whole * scales + added)
            yield f"{layer}.weight", np.ascontiguousarray(whole)
            yield f"{layer}.column_scales", scales
        elif kind == "whole" and not adapter:  # heads, of which a task with an adapter has its own
            matrix = stored[name] * stored[f"{layer}.scales"]
            yield f"{layer}.weight", np.ascontiguousarray(matrix)
