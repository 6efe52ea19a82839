"""The kind of processor is what kernels are chosen by, where the system says it."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from staytrue.runs import processor


@pytest.mark.parametrize(
    ("line", "extensions"),
    [
        ("flags\t\t: fpu avx2 sse avx512f avx512_vnni", ("avx2", "avx512f", "avx512_vnni")),
        ("Features\t: fp asimd asimddp", ("asimddp",)),
        ("flags\t\t: fpu sse", ()),
    ],
)
def test_extensions_are_read_from_what_linux_says(
    tmp_path: Path, line: str, extensions: tuple[str, ...]
) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text(f"processor\t: 0\n{line}\nbugs\t\t: avx_vnni\n")
    assert processor.vector_extensions(info) == extensions


def test_without_that_file_there_is_the_architecture_alone(tmp_path: Path) -> None:
    assert processor.vector_extensions(tmp_path / "missing") == ()
    assert processor.kind().split(", ")[0] == platform.machine()
