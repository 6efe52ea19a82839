"""Run in an environment with LangChain: see test_bridges.py."""

import runpy
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough

from staytrue.integrations.guard import Guard
from staytrue.integrations.langchain import ExampleCollector, evaluator, guard_step

DOCUMENT = Document("coffee comes from ethiopia", metadata={"source": "coffee.md"})


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [DOCUMENT]


def rag(answer):
    prompt = ChatPromptTemplate.from_template("{context} {question}")
    model = FakeListChatModel(responses=[answer])
    asked = {"context": Retriever(), "question": RunnablePassthrough()}
    return asked | RunnablePassthrough.assign(answer=prompt | model | StrOutputParser())


def guard():
    return Guard(metric="judge", backend="scripted")


def test_a_callback_collects_question_sources_and_answer():
    collector = ExampleCollector()
    for answer in ("tea grows in norway", "coffee comes from ethiopia"):
        rag(answer).invoke("where from?", config={"callbacks": [collector]})
    first, second = collector.examples
    assert (first.response, second.response) == (
        "tea grows in norway", "coffee comes from ethiopia",
    )  # fmt: skip
    assert first.knowledge == DOCUMENT.page_content
    assert first.passages[0].id == "coffee.md"
    assert first.history[0].text == "where from?"
    assert first.id != second.id


def test_calls_at_the_same_time_are_kept_apart():
    collector = ExampleCollector()
    questions = [f"question {n}" for n in range(8)]
    rag("coffee").batch(questions, config={"callbacks": [collector], "max_concurrency": 4})
    assert sorted(example.history[0].text for example in collector.examples) == questions
    assert all(example.knowledge == DOCUMENT.page_content for example in collector.examples)


def test_a_plain_chain_that_gives_text_is_collected_too():
    collector = ExampleCollector()
    chain = FakeListChatModel(responses=["hello"]) | StrOutputParser()
    chain.invoke("hi", config={"callbacks": [collector]})
    assert [example.response for example in collector.examples] == ["hello"]


def test_a_guarded_chain_replaces_a_blocked_answer():
    chain = rag("tea grows in norway") | guard_step(
        guard(), lambda values, ruling: "I am not sure."
    )
    answer = chain.invoke("where from?")
    assert (answer["answer"], answer["ruling"].status) == ("I am not sure.", "blocked")
    answer = (rag("coffee comes from ethiopia") | guard_step(guard())).invoke("where from?")
    assert (answer["answer"], answer["ruling"].status) == ("coffee comes from ethiopia", "passed")


def test_an_evaluator_gives_what_langsmith_takes():
    judge = evaluator(metric="judge", backend="scripted")
    outputs = {"answer": "tea grows in norway", "context": [DOCUMENT]}
    verdicts = judge(inputs={"question": "where from?"}, outputs=outputs)
    assert verdicts["key"] == "staytrue"
    assert verdicts["score"] < 0.5
    assert verdicts["comment"]


def test_the_example_guards_its_answers():
    folder = Path(__file__).parents[3] / "examples"
    chain = runpy.run_path(str(folder / "langchain_guard.py"))["build"](Guard(deadline=300))
    opening, closing = (chain.invoke(q) for q in ("When do you open?", "When do you close?"))
    assert (opening["answer"], opening["ruling"].status) == ("We open at 9 am.", "passed")
    assert closing["ruling"].status == "blocked"
    assert closing["answer"].startswith("I am not sure.")
