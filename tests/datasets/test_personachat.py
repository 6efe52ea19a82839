"""PersonaChat's text files."""

from __future__ import annotations

import gzip
from pathlib import Path

from staytrue.core.placement import PersonaDialogue
from staytrue.core.records import Failure
from staytrue.datasets.personachat import is_personachat, read_personachat

TEXT = """1 your persona: i sing .
2 partner's persona: i ski .
3 hi there\thello , how are you\t\tcandidate one|candidate two
4 fine\tgood
1 your persona: i cook .
2 hey\tyo
"""


def test_dialogues_are_told_apart_by_the_line_number(tmp_path: Path) -> None:
    file = tmp_path / "valid.txt"
    file.write_text(TEXT)
    assert is_personachat(str(file))
    assert list(read_personachat(str(file))) == [
        PersonaDialogue("0", ("i sing .",), ("hi there", "hello , how are you", "fine", "good")),
        PersonaDialogue("1", ("i cook .",), ("hey", "yo")),
    ]


def test_a_gzipped_file_is_read_and_a_bad_line_is_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "valid.txt.gz"
    file.write_bytes(gzip.compress(b"1 your persona: i sing .\nno number\n"))
    failure, talk = read_personachat(str(file))
    assert isinstance(failure, Failure)
    assert failure.where.endswith(":2")
    assert isinstance(talk, PersonaDialogue)


def test_other_files_are_not_personachat(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"response": "hi"}\n')
    assert not is_personachat(str(file))
    assert not is_personachat("-")
