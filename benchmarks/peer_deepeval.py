"""DeepEval's hallucination, run by `benchmarks.peers` in its environment: URL MODEL N < rows."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"

from deepeval.metrics import HallucinationMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase
from openai import OpenAI


class Local(DeepEvalBaseLLM):
    """The model behind the address, with answers held to the schema that DeepEval asks for."""

    def __init__(self, url: str, model: str) -> None:
        self._client = OpenAI(base_url=url, api_key="none", timeout=1800, max_retries=0)
        self._name = model
        super().__init__(model)

    def load_model(self, *_: Any, **__: Any) -> Any:
        return self

    def get_model_name(self, *_: Any, **__: Any) -> str:
        return self._name

    def generate(self, prompt: str, schema: Any = None, **_: Any) -> Any:
        form: dict[str, Any] = {}
        if schema is not None:
            described = {"name": schema.__name__, "schema": schema.model_json_schema()}
            form["response_format"] = {"type": "json_schema", "json_schema": described}
        completion = self._client.chat.completions.create(
            model=self._name, messages=[{"role": "user", "content": prompt}], temperature=0,
            max_tokens=1000, **form,
        )  # fmt: skip
        text = completion.choices[0].message.content or ""
        return text if schema is None else schema.model_validate_json(text)

    async def a_generate(self, prompt: str, schema: Any = None, **more: Any) -> Any:
        return self.generate(prompt, schema, **more)


def judged(model: Local, row: dict[str, str]) -> dict[str, Any]:
    """What the metric says of a row, or how it failed."""
    try:
        metric = HallucinationMetric(model=model, include_reason=False, async_mode=False)
        case = LLMTestCase(
            input=row["message"], actual_output=row["response"], context=[row["knowledge"]]
        )
        metric.measure(case, _show_indicator=False)
        # The share of contexts that the output agrees with. Its score is that from version 4 on,
        # and the opposite before.
        verdicts = [str(one.verdict).strip().lower() for one in metric.verdicts if one]
        return {"id": row["id"], "score": verdicts.count("yes") / len(verdicts)}
    except Exception as error:  # counted as a failure, whatever it is
        return {"id": row["id"], "error": f"{type(error).__name__}: {error}"[:300]}


def main() -> None:
    url, name, at_once = sys.argv[1:]
    model = Local(url, name)
    rows = [json.loads(line) for line in sys.stdin]
    with ThreadPoolExecutor(int(at_once)) as pool:
        for answer in pool.map(lambda row: judged(model, row), rows):
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
