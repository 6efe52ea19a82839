"""The English language pipeline: tokens, tags, dependencies, entities and lemmas (spaCy)."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Lock, active_count
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from staytrue.core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spacy.language import Language
    from spacy.tokens import Doc

# An installed official package goes first: whoever installs another version wants it used.
OFFICIAL = "en_core_web_sm"
# What ships with us: version 3.8.0 of it without its unused sentence splitter, in one file.
BUNDLE = Path(__file__).resolve().parent.parent / "models" / "en_core_web_sm-3.8.0.zip"
BUNDLE_SHA256 = "f1270bad43d45964ff49ce96189b5bf844917ee1e457333d1155fa9ddbe0f12a"
# The hash of the official files that the bundle was made from: both say the same of every text.
BUNDLE_CONTENT = "c4c88da5bc68b7dd856821ea547734f38bfb61a188de3b96e506f046f83e8a3c"
_CONFIG, _STATE = "config.cfg", "pipeline.msgpack"
_UNUSED = ("senter",)

# Names, licences and figures of the package, which do not change what it says.
_DOCUMENTS = frozenset({"LICENSE", "LICENSES_SOURCES", "README.md", "accuracy.json", "meta.json"})

# Set by the command line: spaCy then starts without PyTorch (see `_spared`).
SPARE_TORCH = "STAYTRUE_SPARE_TORCH"
# Pipelines of these packages run on PyTorch through spaCy.
_NEED_TORCH = ("spacy_transformers", "spacy_curated_transformers")

_lock = Lock()


@lru_cache(maxsize=1)
def pipeline() -> Language:
    """The loaded pipeline; loading takes about a second and happens once."""
    with _spared():
        import spacy

    folder = _official_folder()
    return spacy.load(folder, exclude=_UNUSED) if folder else unpacked(_bundle())


@contextmanager
def _spared() -> Iterator[None]:
    """Hide PyTorch meanwhile: spaCy would import it where it is installed, which takes seconds.

    Our pipeline does not use it. spaCy decides this once per process, so it is hidden only in
    processes of our own, and while no other thread may want to import it.
    """
    hidden = (
        bool(os.environ.get(SPARE_TORCH))
        and not {"torch", "spacy"} & sys.modules.keys()
        and active_count() == 1
        and not any(find_spec(name) for name in _NEED_TORCH)
    )
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if hidden:
            del sys.modules["torch"]


def packed(folder: Path) -> bytes:
    """The files of a pipeline that decide what it says, and its licences, as one bundle."""
    import spacy

    loaded = spacy.load(folder, exclude=_UNUSED)
    parts = {_CONFIG: loaded.config.to_str().encode(), _STATE: loaded.to_bytes()}
    for name in ("LICENSE", "LICENSES_SOURCES"):
        if (folder / name).is_file():
            parts[name] = (folder / name).read_bytes()
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED, compresslevel=9) as bundle:
        for name, part in parts.items():
            bundle.writestr(ZipInfo(name), part, ZIP_DEFLATED)  # without the date: same bytes
    return content.getvalue()


def unpacked(bundle: bytes) -> Language:
    """The pipeline that a bundle holds."""
    from spacy.util import load_config_from_str, load_model_from_config

    with ZipFile(BytesIO(bundle)) as parts:
        loaded = load_model_from_config(load_config_from_str(parts.read(_CONFIG).decode()))
        return loaded.from_bytes(parts.read(_STATE))


def _bundle() -> bytes:
    repair = "install staytrue again:  pip install --force-reinstall staytrue"
    try:
        content = BUNDLE.read_bytes()
    except OSError:
        raise ModelError(f"The English pipeline's file is missing; {repair}") from None
    if hashlib.sha256(content).hexdigest() != BUNDLE_SHA256:
        raise ModelError(f"The English pipeline's file is damaged; {repair}")
    return content


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
    folder = _official_folder()
    if folder is None:
        return BUNDLE_CONTENT
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.relative_to(folder).as_posix() not in _DOCUMENTS:
            digest.update(file.relative_to(folder).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _official_folder() -> Path | None:
    spec = find_spec(OFFICIAL)
    if spec is None or spec.origin is None:
        return None
    # The package holds one folder `<name>-<version>` with the pipeline's config.
    configs = sorted(Path(spec.origin).parent.rglob("config.cfg"))
    return configs[0].parent if configs else None
