"""Judge two responses from Python and print why: `python examples/python_api.py`."""

import staytrue

KNOWLEDGE = "Coffee is a brewed drink made from roasted coffee beans, the seeds of a berry."

examples = [
    staytrue.Example(id="true", knowledge=KNOWLEDGE, response="Coffee is made from roasted beans."),
    staytrue.Example(id="false", knowledge=KNOWLEDGE, response="Coffee is made from dried leaves."),
]

result = staytrue.evaluate(examples, metrics=["overlap", "nli"])
for verdict in result.verdicts:
    print(verdict.example_id, verdict.metric, verdict.score, verdict.reason)
for signature in result.signatures.values():
    print(signature)
