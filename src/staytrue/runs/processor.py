"""The kind of processor that a run was made on, as far as the embedded models depend on it.

Byte-equal scores hold on one kind. Another adds up floats in another order, and where activations
are then rounded to 8 bits, the last digits decide: scores of both sizes together differ by up to
0.01 (docs/cluster.md).
"""

from __future__ import annotations

import platform
from pathlib import Path

_VECTORS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "asimddp", "i8mm")


def vector_extensions(info: Path = Path("/proc/cpuinfo")) -> tuple[str, ...]:
    """Those that kernels are chosen by; empty where the system does not say."""
    try:
        lines = info.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    # "flags" on x86, "Features" on ARM.
    flags = {
        flag
        for line in lines
        if line.lower().startswith(("flags", "features"))
        for flag in line.partition(":")[2].split()
    }
    return tuple(name for name in _VECTORS if name in flags)


def kind() -> str:
    """Such as "x86_64, avx2, avx512f, avx512_vnni"."""
    return ", ".join([platform.machine() or "unknown", *vector_extensions()])
