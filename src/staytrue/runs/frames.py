"""Data frames of pandas and polars in and out; neither library is needed, or imported before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure, Verdict


def is_frame(data: object) -> bool:
    """Whether this is a data frame of pandas or polars."""
    return type(data).__name__ == "DataFrame" and hasattr(data, "columns")


def read_frame(frame: Any) -> Iterator[Example | Failure]:
    """One example per row; a row that cannot be read is a failure, as in a file."""
    records = frame.to_dicts() if _is_polars(frame) else frame.to_dict("records")
    for number, values in enumerate(records, start=1):
        try:
            yield example_of({str(name): value for name, value in values.items()}, f"row {number}")
        except DataError as error:
            yield Failure(f"row {number}", str(error))


def example_of(values: Mapping[str, Any], where: str) -> Example:
    """The example that a mapping describes, with the same names and checks as a row of a file."""
    from staytrue.datasets.files import Row
    from staytrue.datasets.tabular import example_from_row

    try:
        return example_from_row(Row(where, {k: _plain(v) for k, v in values.items()}), {})
    except DataError as error:  # there is no command line here
        rename = "or rename the one that holds it"
        told = str(error).replace("or map another with --columns response=NAME", rename)
        raise DataError(told) from None


def _plain(value: Any) -> Any:
    """A value as files have it: table libraries have lists, numbers and gaps of their own."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return None if value is None or _is_gap(value) else value


def _is_gap(value: Any) -> bool:
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA answers neither yes nor no
        return True


def with_verdicts(
    frame: Any,
    rows: Sequence[Example | Failure],
    metrics: Sequence[str],
    verdicts: Sequence[Verdict],
) -> Any:
    """The frame with columns for each metric's score, label and reason; empty where it has none."""
    keyed = {(verdict.example_id, verdict.metric): verdict for verdict in verdicts}
    columns: dict[str, list[Any]] = {}
    for metric in metrics:
        judged = [keyed.get((row.id, metric)) if isinstance(row, Example) else None for row in rows]
        columns[metric] = [verdict.score if verdict else None for verdict in judged]
        columns[f"{metric} label"] = [verdict.label if verdict else None for verdict in judged]
        columns[f"{metric} reason"] = [verdict.reason if verdict else None for verdict in judged]
    if _is_polars(frame):
        return frame.with_columns(
            **{name: _series(v, name in metrics) for name, v in columns.items()}
        )
    return frame.assign(**columns)


def _series(values: list[Any], numbers: bool) -> Any:
    """Of one type also where every value is missing, so that frames can be concatenated."""
    import polars

    return polars.Series(values, dtype=polars.Float64 if numbers else polars.String)


def _is_polars(frame: Any) -> bool:
    return hasattr(frame, "to_dicts")
