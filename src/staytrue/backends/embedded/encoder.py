"""Tokens in, logits out: the tokenizer, the shared word vectors and the ONNX sessions.

Every example runs alone, without padding. The int8 models scale each tensor by its largest
value, so in a common batch one example would change the rounding of another; alone, a result
is the same to the last bit whatever else is asked. Speed comes from running examples on
several threads, and costs nothing: there is no padding to compute.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from staytrue.backends.embedded.files import ModelFiles
from staytrue.core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np

Asked = TypeVar("Asked", bound=Hashable)
Given = TypeVar("Given")

_CLS, _SEP = 101, 102
# Half of a character pair that came alone cannot be encoded; one character replaces it.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of a text and the characters that each of them covers."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, start: int, end: int) -> Tokens:
        """The tokens from `start` up to `end`."""
        return Tokens(self.ids[start:end], self.offsets[start:end])

    def followed_by(self, other: Tokens) -> Tokens:
        """These tokens and then the other text's; offsets stay those of their own texts."""
        return Tokens((*self.ids, *other.ids), (*self.offsets, *other.offsets))


class Encoder:
    """The loaded models; each part loads when it is first needed, once, whichever thread asks."""

    def __init__(self, files: ModelFiles, threads: int) -> None:
        self.files = files
        self._threads = threads if threads > 0 else _usable_cores()
        self._lock = Lock()
        self._loaded: dict[str, Any] = {}

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokens without the special ones; nothing is cut."""
        tokenizer = self._once("tokenizer", self._load_tokenizer)
        clean = [_SURROGATE.sub("\ufffd", text) for text in texts]
        encoded = tokenizer.encode_batch(clean, add_special_tokens=False)
        return [Tokens(tuple(one.ids), tuple(one.offsets)) for one in encoded]

    def run(
        self, model: str, first: Tokens, second: Tokens | None = None, output: str = "logits"
    ) -> np.ndarray:
        """What the model says of one text, or of a pair of texts."""
        import numpy as np

        words, positions = self._once("vectors", self._load_vectors)
        session = self._once(model, lambda: self._load_session(model))
        ids = [_CLS, *first.ids, _SEP]
        segments = np.zeros(len(ids) + (len(second) + 1 if second else 0), dtype=np.int64)
        if second:
            segments[len(ids) :] = 1
            ids += [*second.ids, _SEP]
        vectors = words[0][ids] * words[1][ids] + positions[: len(ids)]
        result: np.ndarray = session.run(
            [output], {"vectors": vectors[None], "segments": segments[None]}
        )[0][0]
        return result

    def each(
        self, work: Callable[[Asked], Given], asked: Sequence[Asked], size: Callable[[Asked], int]
    ) -> list[Given]:
        """Do the work once for each different request, the largest first, on all threads."""
        different = sorted(dict.fromkeys(asked), key=size, reverse=True)
        if len(different) == 1 or self._threads == 1:
            done = {one: work(one) for one in different}
        else:
            pool = self._once("pool", lambda: ThreadPoolExecutor(self._threads, "staytrue"))
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

    def _load_session(self, model: str) -> Any:
        import onnxruntime

        path = self.files.path(self.files.settings(model)["file"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelError(
                f"onnxruntime cannot load the {model} model ({type(error).__name__}): "
                "update it with  pip install --upgrade onnxruntime"
            ) from error


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
