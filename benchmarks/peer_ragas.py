"""Ragas' faithfulness, run by `benchmarks.peers` in an environment of its own: URL MODEL < rows."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import instructor
from openai import AsyncOpenAI
from ragas.llms.base import InstructorLLM
from ragas.metrics.collections import Faithfulness


def main() -> None:
    url, model = sys.argv[1:]
    client = AsyncOpenAI(base_url=url, api_key="none", timeout=1800, max_retries=0)
    # What its `llm_factory` makes, but with answers held to the schema, as DeepEval's are: in plain
    # JSON mode a small model repeats the schema instead of answering.
    held = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
    metric = Faithfulness(llm=InstructorLLM(held, model, "openai", temperature=0))
    for line in sys.stdin:
        row = json.loads(line)
        answer: dict[str, Any] = {"id": row["id"]}
        try:
            answer["score"] = metric.score(
                user_input=row["message"] or " ",  # it refuses rows without a question
                response=row["response"],
                retrieved_contexts=[row["knowledge"]],
            ).value
        except Exception as error:  # counted as a failure, whatever it is
            answer["error"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
