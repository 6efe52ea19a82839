from __future__ import annotations

import pytest

from staytrue.backends.embedded import EmbeddedBackend, reading
from staytrue.protocols import Query

SHORT = "The mill was built in 1790."
LONG = SHORT + " It stands by the river and grinds wheat." * 20


@pytest.mark.parametrize(
    ("passage", "extra", "answered"),
    [(SHORT, 0.1, True), (SHORT, -0.1, False), (LONG, 0.1, False), (LONG, 0.6, True)],
)
def test_a_span_of_a_long_passage_must_lead_by_more(
    monkeypatch: pytest.MonkeyPatch, passage: str, extra: float, answered: bool
) -> None:
    backend = EmbeddedBackend()
    (first,) = backend.answer([Query("When was the mill built?", SHORT)])
    assert first.text == "1790"
    threshold = reading_threshold()
    monkeypatch.setattr(reading.Reader, "_best", lambda *_: reading._Found(0, 3, threshold + extra))
    (answer,) = EmbeddedBackend().answer([Query("When was it built?", passage)])
    assert (answer.text == "The") is answered


def reading_threshold() -> float:
    import json
    from importlib.resources import files

    shipped = json.loads((files("staytrue") / "models" / "models.json").read_text())
    return float(shipped["models"]["reading"]["threshold"])
