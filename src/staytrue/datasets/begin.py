"""BEGIN (Dziri et al., 2021), both releases: `begin:PATH`.

The first has five labels, the later collection three over three sources; a tag `release` keeps
them apart. `consistent` is true for "entailment" and for "fully attributable".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure, Turn
from staytrue.datasets.files import convert
from staytrue.datasets.tabular import text, with_id

SOURCE = (
    "github.com/google/BEGIN-dataset: dev_05_24_21.tsv, wow/begin_dev_wow.tsv, "
    "cmu-dog/begin_dev_cmu.tsv, topicalchat/begin_dev_tc.tsv …; each folder has its own licence"
)
"""Where the files come from: publisher, names, licence."""

FIVE = ("entailment", "contradiction", "hallucination", "off-topic", "generic")
THREE = ("fully attributable", "not fully attributable", "generic")


def read(path: str) -> Iterator[Example | Failure]:
    """Responses with their label; the evidence is the knowledge, the previous turn the history."""
    return convert(path, lambda row: [with_id(_example(row.values))])


def _example(values: Mapping[str, Any]) -> Example:
    if "response" not in values:
        raise DataError("The row has no field 'response'.")
    later = "begin_label" in values
    # The published cells carry stray white space and carriage returns.
    label = _first(values, "begin_label" if later else "gold label", "label").strip().lower()
    if label and label not in (THREE if later else FIVE):
        raise DataError(f"'{label[:40]}' is not a label of this release of BEGIN.")
    message = _first(values, "previous turn", "previous_turn", "message").strip()
    tags = {
        "release": "2" if later else "1",
        "system": _first(values, "model_name", "model").strip(),
        "source": _first(values, "data_source").strip(),
        "full_labels": _first(values, "full label set").strip(),
    }
    return Example(
        id=_first(values, "id").strip(),
        response=text("response", values["response"]).strip(),
        knowledge=_first(values, "evidence", "knowledge").strip(),
        history=(Turn("user", message),) if message else (),
        consistent=label in ("entailment", "fully attributable") if label else None,
        label=label or None,
        tags={name: value for name, value in tags.items() if value},
    )


def _first(values: Mapping[str, Any], *names: str) -> str:
    return next((text(name, values[name]) for name in names if name in values), "")
