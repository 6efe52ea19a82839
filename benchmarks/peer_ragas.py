"""Ragas' faithfulness, run by `benchmarks.peers` in its environment: URL MODEL N < rows."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import instructor
from openai import AsyncOpenAI
from ragas.llms.base import InstructorLLM
from ragas.metrics.collections import Faithfulness


async def judge(url: str, model: str, at_once: int, rows: list[dict[str, str]]) -> None:
    """Print what the metric says of each row, or how it failed."""
    client = AsyncOpenAI(base_url=url, api_key="none", timeout=1800, max_retries=0)
    # What its `llm_factory` makes, but with answers held to the schema, as DeepEval's are: in plain
    # JSON mode a small model repeats the schema instead of answering.
    held = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
    metric = Faithfulness(llm=InstructorLLM(held, model, "openai", temperature=0))
    places = asyncio.Semaphore(at_once)

    async def judge_one(row: dict[str, str]) -> None:
        answer: dict[str, Any] = {"id": row["id"]}
        async with places:
            try:
                result = await metric.ascore(
                    user_input=row["message"] or " ",  # it refuses rows without a question
                    response=row["response"],
                    retrieved_contexts=[row["knowledge"]],
                )
                answer["score"] = result.value
            except Exception as error:  # counted as a failure, whatever it is
                answer["error"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(answer), flush=True)

    await asyncio.gather(*(judge_one(row) for row in rows))


def main() -> None:
    url, model, at_once = sys.argv[1:]
    rows = [json.loads(line) for line in sys.stdin]
    asyncio.run(judge(url, model, int(at_once), rows))


if __name__ == "__main__":
    main()
