"""Run in an environment with LlamaIndex: see test_bridges.py."""

from llama_index.core.base.response.schema import Response
from llama_index.core.schema import NodeWithScore, TextNode

from staytrue.integrations.llamaindex import StaytrueEvaluator

NODE = NodeWithScore(node=TextNode(text="coffee comes from ethiopia"), score=1.0)


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
