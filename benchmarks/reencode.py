"""Write a GGUF file's weights as Q8_0, which llama.cpp multiplies faster than Q4_1 on a CPU.

    python -m benchmarks.reencode SmolLM2-135M-Instruct.Q4_1.gguf SmolLM2-135M-Instruct.Q8_0.gguf

Nothing is trained or pruned: each block of 32 weights gets one scale and 8 bits per weight, so a
weight moves by at most 0.4 % of the largest of its block. It needs `pip install gguf`.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

_Q8_0 = 7  # general.file_type of a file of mostly Q8_0


def reencode(source: Path, target: Path) -> None:
    """Copy a model, with every quantised tensor as Q8_0."""
    try:
        gguf = importlib.import_module("gguf")
    except ImportError:
        raise SystemExit("GGUF files need a reader: pip install gguf") from None
    kinds = gguf.GGMLQuantizationType
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for name, entry in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue  # the writer adds them itself
        kind, *_ = entry.types
        inner = entry.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, entry.contents(), kind, sub_type=inner)
    writer.add_file_type(_Q8_0)
    for tensor in reader.tensors:
        data, kind = tensor.data, tensor.tensor_type
        if kind not in (kinds.F32, kinds.F16, kinds.Q8_0):
            data = gguf.quants.quantize(gguf.quants.dequantize(data, kind), kinds.Q8_0)
            kind = kinds.Q8_0
        writer.add_tensor(tensor.name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="a GGUF file")
    parser.add_argument("target", type=Path, help="the file to write")
    options = parser.parse_args()
    if not options.source.is_file():
        parser.error(f"there is no file {options.source}")
    reencode(options.source, options.target)


if __name__ == "__main__":
    main()
