"""Run in an environment with LlamaIndex: see test_bridges.py."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response, StreamingResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.schema import NodeWithScore, TextNode

from staytrue.integrations.llamaindex import ExampleCollector, StaytrueEvaluator

TEXT = "coffee comes from ethiopia"
NODE = NodeWithScore(
    node=TextNode(text=TEXT, id_="coffee", metadata={"title": "Coffee"}), score=1.0
)


class Engine(BaseQueryEngine):
    """Answers every question with what it is told to."""

    def __init__(self, answer, streams=False):
        super().__init__(callback_manager=None)
        self.answer, self.streams = answer, streams

    def _get_prompt_modules(self):
        return {}

    def _query(self, query_bundle):
        if query_bundle.query_str == "fail":
            raise ValueError(query_bundle.query_str)
        if self.streams:
            return StreamingResponse((word for word in [self.answer]), source_nodes=[NODE])
        return Response(self.answer, source_nodes=[NODE])

    async def _aquery(self, query_bundle):
        return self._query(query_bundle)


@pytest.fixture
def collector():
    """A collector that every query engine reports to."""
    handlers = get_dispatcher().event_handlers
    handlers.append(collector := ExampleCollector())
    yield collector
    handlers.remove(collector)


def test_an_event_handler_collects_question_sources_and_answer(collector):
    Engine("tea grows in norway").query("where from?")
    asyncio.run(Engine(TEXT).aquery("and coffee?"))
    first, second = collector.examples
    assert (first.response, second.response) == ("tea grows in norway", TEXT)
    assert (first.history[0].text, second.history[0].text) == ("where from?", "and coffee?")
    assert first.knowledge == TEXT
    assert (first.passages[0].id, first.passages[0].title) == ("coffee", "Coffee")
    assert first.id != second.id


def test_queries_at_the_same_time_are_all_collected(collector):
    questions = [f"question {n}" for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(Engine("coffee").query, questions))
    assert sorted(example.history[0].text for example in collector.examples) == questions


def test_a_failed_query_and_a_streamed_answer_are_not_collected(collector):
    with pytest.raises(ValueError, match="fail"):
        Engine("coffee").query("fail")
    streamed = Engine("coffee", streams=True).query("where from?")
    assert "".join(streamed.response_gen) == "coffee"
    assert collector.examples == []


def judged(text):
    judge = StaytrueEvaluator(metric="judge", backend="scripted")
    return judge.evaluate_response("where from?", Response(text, source_nodes=[NODE]))


def test_a_response_is_judged_by_its_source_nodes():
    true, false = judged("coffee comes from ethiopia"), judged("tea grows in norway")
    assert (true.score, true.passing) == (1.0, True)
    assert false.score < 0.5
    assert false.passing is False
    assert false.feedback


def test_a_response_that_claims_nothing_has_no_score():
    assert (judged("").score, judged("").passing) == (None, None)
