"""Run in an environment with Inspect AI: see test_bridges.py."""

import math

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

from staytrue.datasets import tabular
from staytrue.integrations.inspect import staytrue_scorer

ANSWERS = ["coffee comes from ethiopia", "tea grows in norway"]


def log(tmp_path):
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in ANSWERS]
    for output in outputs:  # or Inspect downloads a tokenizer to count them
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [
        Sample(
            input="where from?",
            target="",
            id=n,
            metadata={"context": ["coffee comes from ethiopia"]},
        )
        for n in range(len(ANSWERS))
    ]
    task = Task(
        dataset=samples,
        solver=generate(),
        scorer=staytrue_scorer(knowledge="context", metric="judge", backend="scripted"),
    )
    (log,) = eval(
        task, model=get_model("mockllm/model", custom_outputs=outputs), log_dir=str(tmp_path),
        display="none", max_samples=1,
    )  # fmt: skip
    return log


def test_a_task_is_scored(tmp_path):
    entry = log(tmp_path)
    assert entry.status == "success", entry.error
    scores = [sample.scores["staytrue"] for sample in entry.samples]
    assert [score.value for score in scores] == [1.0, 0.0]
    assert all(score.explanation for score in scores)
    assert math.isclose(entry.results.scores[0].metrics["mean"].value, 0.5)


def test_the_log_can_be_read_as_examples(tmp_path):
    entry = log(tmp_path)
    examples = list(tabular.read(entry.location.removeprefix("file://"), {"knowledge": "context"}))
    assert [example.response for example in examples] == ANSWERS
    assert examples[0].knowledge == "coffee comes from ethiopia"
