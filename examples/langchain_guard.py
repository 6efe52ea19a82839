"""A LangChain chain that guards its answers: `python examples/langchain_guard.py`.

The model here is a script that says one true and one false thing; put your own in its place.
"""

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from staytrue import Guard
from staytrue.integrations.langchain import guard_step

DOCUMENTS = [Document("The shop opens at 9 am and closes at 6 pm.", metadata={"source": "hours"})]
MODEL = FakeListChatModel(responses=["We open at 9 am.", "We close at 11 pm."])


def refused(values, ruling):
    """What the user reads instead of a blocked answer."""
    return f"I am not sure. ({ruling.reason})"


def build(guard):
    """Retrieve, answer, judge."""
    prompt = ChatPromptTemplate.from_template("Answer from: {context}\n\n{question}")
    retrieve = {
        "context": RunnableLambda(lambda _: DOCUMENTS), "question": RunnablePassthrough(),
    }  # fmt: skip
    answer = RunnablePassthrough.assign(answer=prompt | MODEL | StrOutputParser())
    return retrieve | answer | guard_step(guard, refused)


if __name__ == "__main__":
    chain = build(Guard(threshold=0.5, deadline=30))
    for question in ("When do you open?", "When do you close?"):
        answer = chain.invoke(question)
        print(question, "→", answer["answer"], f"[{answer['ruling'].status}]")
