"""Ragas' faithfulness, run by `benchmarks.peers` in an environment of its own: URL MODEL < rows."""

from __future__ import annotations

import json
import os
import sys

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

from langchain_openai import ChatOpenAI
from ragas.dataset_schema import SingleTurnSample
from ragas.llms import LangchainLLMWrapper
from ragas.metrics import Faithfulness


def main() -> None:
    url, model = sys.argv[1:]
    chat = ChatOpenAI(
        base_url=url, model=model, api_key="none", temperature=0, timeout=1800, max_tokens=1000
    )
    metric = Faithfulness(llm=LangchainLLMWrapper(chat))
    for line in sys.stdin:
        row = json.loads(line)
        answer = {"id": row["id"]}
        try:
            sample = SingleTurnSample(
                user_input=row["message"], response=row["response"],
                retrieved_contexts=[row["knowledge"]],
            )  # fmt: skip
            answer["score"] = metric.single_turn_score(sample)
        except Exception as error:  # counted as a failure, whatever it is
            answer["error"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
