"""The English pipeline (spaCy), and parsed texts: messy chat made readable, each character traced.

Chat data is often lower case with spaced punctuation ("i ' m not sure , but it ' s fun ."). A
parser trained on edited text stumbles over it. `tidy` closes the gaps, gives sentences and names
their capitals, and keeps a map back, so that spans found in the tidy text point into the original.

A parse keeps the sentences that the parser makes (`doc.sents`), and rules about a clause use those;
all that is shown, counted or judged sentence by sentence is split by `words.sentence_spans`. A
sentence of a parse is what hangs on one root. Chat runs on without marks ("Im not sure but I do
know that …"), and there the parser starts a new tree where no splitter sees an end: in 12 of 419
texts of BEGIN and 2 of 562 of Q² the two differ. Forced to our starts, it would have to join such
clauses into one tree.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Lock, active_count
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from staytrue.core.errors import ModelError
from staytrue.english.words import word_list

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

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

_loading = Lock()

# Gaps to close: what the groups of each pattern match goes. Runs of space are matched from their
# start only, so that a long one does not take quadratic time.
_GAPS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<=\w)(\s*)['’`](\s*)(?:s|m|re|ve|d|ll|t)\b",  # i ' m, it 's, don ' t
        r"(?<=\d)(\s*['’`]\s*)(?=s\b)",  # the 1980 ' s: the parser knows 1980s
        r"\b[oO](\s*)['’](\s*)(?=clock\b)",
        r"(?<=\w)(\s+)n['’]t\b",  # do n't
        r"(?<!\s)(\s+)[,.!?;:%)\]](?!\w)",
        r"(?<=[(\[$#])(\s+)",
        r"(?<=\d)(\s+),(\s+)(?=\d{3}\b)|(?<=\d)(\s+)[.:](\s+)(?=\d)",  # 5 . 7, 1 , 000
        r"(?<=\w)(\s+)[-–](\s+)(?=\w)",  # catch - up, 2 - 3
    )
)
_QUOTED = re.compile(r"(?<!\S)\"(\s+)(?=\S)[^\"]*?(?<=\S)(\s+)\"(?!\S)")
_DOUBLE_SPACE = re.compile(r"\s(\s+)")
_ALONE_I = re.compile(r"\bi\b(?!\.\w)")
# No splitter: text without any capital is given some, by which sentences are told apart afterwards.
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)[\"'(]*([a-z])")
_LOWER_WORD = re.compile(r"\b[a-z]{3,}\b(?!'t)")
_BEFORE_NAME = re.compile(r"\b(?:new|north|south|east|west|saint|st|san|los|las)(?=\.? [A-Z])")
_CONTRACTED = {
    "'re": "are", "'m": "am", "'ve": "have", "'ll": "will", "n't": "not", "ca": "can",
    "wo": "will", "sha": "shall",
}  # fmt: skip
# "it" that stands for nothing: it is hard to say, it rains, it seems that.
_EMPTY_IT = frozenset("seem appear rain snow happen sound look matter".split())
# How the head of a noun phrase depends on other words.
_PHRASE_DEPENDENCIES = frozenset(
    "oprd nsubj dobj nsubjpass pcomp pobj dative appos attr ROOT".split()
)
# Texts whose parses are remembered, as several parts look at the same ones.
KEPT = 1024


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
    try:
        content = BUNDLE.read_bytes()
    except OSError:
        raise _unusable("missing") from None
    if hashlib.sha256(content).hexdigest() != BUNDLE_SHA256:
        raise _unusable("damaged")
    return content


def _unusable(how: str) -> ModelError:
    from staytrue.core.installing import install_line

    line = install_line(again=True)
    return ModelError(f"The English pipeline's file is {how}; install staytrue again:  {line}")


def parse(texts: Iterable[str], batch_size: int = 64) -> Iterator[Doc]:
    """Parse texts in order; results do not depend on how they are batched."""
    with _loading:  # one pipeline object is shared by all threads
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


@dataclass(frozen=True, slots=True)
class Tidy:
    """A tidied text and, for each of its characters, the place in the original."""

    text: str
    original: str
    origins: tuple[int, ...]

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the original of the stretch [start, end) of the tidy text."""
        if start >= end:
            raise ValueError("An empty stretch has no place in the original.")
        return self.origins[start], self.origins[end - 1] + 1

    def from_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the tidy text of the stretch [start, end) of the original."""
        return bisect_left(self.origins, start), bisect_left(self.origins, end)


def tidy(text: str) -> Tidy:
    """Close the gaps of spaced punctuation and restore capitals, with a map back."""
    dropped = _gap_positions(text)
    origins = tuple(i for i in range(len(text)) if i not in dropped)
    closed = "".join(" " if text[i].isspace() else text[i] for i in origins)
    return Tidy(_with_capitals(closed), text, origins)


def _gap_positions(text: str) -> set[int]:
    dropped: set[int] = set()
    for pattern in (*_GAPS, _QUOTED, _DOUBLE_SPACE):
        for match in pattern.finditer(text):
            for group in range(1, (pattern.groups or 0) + 1):
                dropped.update(range(*match.span(group)))  # (-1, -1) when it took no part
    return dropped


def _with_capitals(text: str) -> str:
    """Capitals for sentence starts, "I" and names, only where the writer used none."""
    if any(c.isupper() for c in text.replace("I", "")):
        return _ALONE_I.sub("I", text)
    names = proper_names()
    text = _LOWER_WORD.sub(
        lambda m: m.group().capitalize() if m.group() in names else m.group(), text
    )
    text = _BEFORE_NAME.sub(lambda m: m.group().capitalize(), text)
    text = _ALONE_I.sub("I", text)
    return _SENTENCE_START.sub(lambda m: m.group()[:-1] + m.group()[-1].upper(), text)


def proper_names() -> frozenset[str]:
    """Words that are nearly always written with a capital, in lower case."""
    return word_list("proper_names")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tidied text and its parse."""

    tidy: Tidy
    doc: Doc


_kept: OrderedDict[str, Parsed] = OrderedDict()
_lock = Lock()


def parsed(texts: Sequence[str]) -> list[Parsed]:
    """Parse each text once; recently parsed ones are remembered."""
    with _lock:
        known = {text: _kept[text] for text in set(texts) if text in _kept}
    fresh = [text for text in dict.fromkeys(texts) if text not in known]
    tidied = [tidy(text) for text in fresh]
    docs = parse(t.text for t in tidied)
    known |= {t.original: Parsed(t, doc) for t, doc in zip(tidied, docs, strict=True)}
    with _lock:
        for text in fresh:
            _kept[text] = known[text]
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return [known[text] for text in texts]


def forget() -> None:
    """Forget the parsed texts, for measuring."""
    with _lock:
        _kept.clear()


def spelled(token: Token) -> str:
    """The token as a whole word: contractions are written out."""
    low = token.lower_.replace("’", "'")
    if low in ("'s", "s") and token.pos_ in ("AUX", "VERB"):
        return "has" if _is_perfect(token) else "is"
    if low in ("'d", "d") and token.pos_ in ("AUX", "VERB"):
        return "had" if token.head.tag_ in ("VBN", "VBD") else "would"
    return _CONTRACTED.get(low, token.text)


def _is_perfect(token: Token) -> bool:
    """`'s` before a participle is "has" with "been" or "got", otherwise "is" (it's based on)."""
    following = {child.lower_ for child in token.head.children if child.i > token.i}
    following.add(token.head.lower_)
    return bool(following & {"been", "got", "become", "had"}) and token.dep_ != "ROOT"


def is_empty_it(token: Token) -> bool:
    """Whether the token is an "it" that stands for nothing: it is hard to say."""
    if token.lower_ != "it":
        return False
    verb = token.head
    if verb.lemma_ in _EMPTY_IT:
        return True
    clause = any(c.dep_ in ("ccomp", "xcomp", "advcl") and c.i > verb.i for c in verb.children)
    complement = next((c for c in verb.children if c.dep_ == "acomp"), None)
    inner = complement is not None and any(
        c.dep_ in ("xcomp", "ccomp", "prep") and c.i > complement.i and c.lower_ != "for"
        for c in complement.children
        if c.dep_ != "prep"
    )
    return verb.lemma_ == "be" and complement is not None and (clause or inner)


def is_plural(token: Token) -> bool:
    """Whether the head of a noun phrase takes a plural verb."""
    if any(child.dep_ == "conj" for child in token.children):
        return True
    return token.tag_ in ("NNS", "NNPS") or token.lower_ in ("they", "we", "these", "those", "you")


def is_behind(token: Token, marks: str) -> bool:
    """Whether one of the marks stands right before the token and what depends on it."""
    first = token.left_edge.i
    return first > 0 and token.doc[first - 1].text in tuple(marks)


def noun_chunks(doc: Doc) -> Iterator[Span]:
    """The base noun phrases, as spaCy finds them, but in linear time on long lists.

    A member of a list is a noun phrase if the first member is; spaCy goes back to it for each.
    """
    firsts: dict[int, Token] = {}
    end = 0
    for token in doc:
        if token.pos_ not in ("NOUN", "PROPN", "PRON") or token.left_edge.i < end:
            continue
        first = _first_member(token.head, firsts) if token.dep_ == "conj" else token
        if first.dep_ in _PHRASE_DEPENDENCIES:
            end = token.i + 1
            yield doc[token.left_edge.i : end]


def _first_member(member: Token, firsts: dict[int, Token]) -> Token:
    """The first member of a list, which every other one of it is joined to in a chain."""
    path = []
    while member.i not in firsts and member.dep_ == "conj" and member.head.i < member.i:
        path.append(member.i)
        member = member.head
    first = firsts.get(member.i, member)
    firsts.update(dict.fromkeys(path, first))
    return first
