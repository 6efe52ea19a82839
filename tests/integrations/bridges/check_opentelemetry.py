"""Run in an environment with OpenTelemetry's SDK: see test_bridges.py.

Spans are made by the code that the instrumentations of OpenTelemetry and of OpenInference (Phoenix)
share, and written by OpenTelemetry's exporter of OTLP in JSON.
"""

from contextlib import contextmanager

import pytest
from openinference.instrumentation import (
    get_llm_attributes,
    get_retriever_attributes,
    get_span_kind_attributes,
)
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.util.genai.handler import TelemetryHandler
from opentelemetry.util.genai.types import InputMessage, OutputMessage, TextPart

from staytrue.datasets import tabular


@contextmanager
def exporting(path, processor):
    """A provider of tracers whose spans are in the file in the end."""
    provider = TracerProvider()
    provider.add_span_processor(processor(FileSpanExporter(path)))
    yield provider
    provider.shutdown()


def check(path):
    (example,) = tabular.read(str(path))
    assert (example.response, example.knowledge) == ("At nine.", "We open at 9.")
    assert [(turn.speaker, turn.text) for turn in example.history] == [("user", "When?")]
    assert example.tags == {"model": "gpt-x"}


# One line for all spans, or one for each.
@pytest.mark.parametrize("processor", [BatchSpanProcessor, SimpleSpanProcessor])
def test_a_trace_by_the_conventions_for_generative_ai_is_read(tmp_path, monkeypatch, processor):
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    path = tmp_path / "trace.jsonl"
    with exporting(path, processor) as provider:
        handler = TelemetryHandler(tracer_provider=provider)
        with provider.get_tracer("app").start_as_current_span("answer"):
            with handler.retrieval() as retrieval:
                retrieval.documents = [{"id": "a", "score": 0.9, "content": "We open at 9."}]
            with handler.inference("openai", request_model="gpt-x") as call:
                call.input_messages = [
                    InputMessage("system", [TextPart("Be brief.")]),
                    InputMessage("user", [TextPart("When?")]),
                ]
                call.output_messages = [OutputMessage("assistant", [TextPart("At nine.")])]
    check(path)


def test_a_trace_by_the_names_of_openinference_is_read(tmp_path):
    path = tmp_path / "trace.jsonl"
    with exporting(path, BatchSpanProcessor) as provider:
        tracer = provider.get_tracer("app")
        with tracer.start_as_current_span("answer"):
            with tracer.start_as_current_span("search") as span:
                span.set_attributes(get_span_kind_attributes("retriever"))
                documents = [{"id": "a", "content": "We open at 9."}]
                span.set_attributes(get_retriever_attributes(documents=documents))
            with tracer.start_as_current_span("chat") as span:
                span.set_attributes(get_span_kind_attributes("llm"))
                asked = [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "When?"},
                ]
                said = [{"role": "assistant", "content": "At nine."}]
                span.set_attributes(
                    get_llm_attributes(
                        model_name="gpt-x", input_messages=asked, output_messages=said
                    )
                )
    check(path)
