"""The comparison with peers: rows in, one honest line per metric out."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections import Counter as Counted
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.peers import (
    PeerOutcome,
    drawn,
    failure_note,
    line,
    ours,
    peer,
    read_answers,
    renewed,
    section,
    summac_zs,
    with_intro,
    with_section,
)
from benchmarks.proxy import Counter, counting
from tests.chatbots.server import Reply, chat_reply, serving
from tests.conftest import REPOSITORY
from tests.integrations.bridges.test_bridges import environment

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.records import Example

ROWS = [
    Example("1", "coffee comes from ethiopia", "coffee comes from ethiopia"),
    Example("2", "tea grows in norway", "coffee comes from ethiopia"),
    Example("3", "", "coffee comes from ethiopia"),
]


def labelled(*labels: bool) -> list[Example]:
    return [replace(row, consistent=label) for row, label in zip(ROWS, labels, strict=False)]


def test_summac_takes_the_best_support_of_each_sentence_and_their_mean() -> None:
    known = "Coffee is hot. Tea is green."
    both = Example("1", "Coffee is hot. Tea is green.", known)
    one = Example("2", "Coffee is hot. Milk is red.", known)
    scores = summac_zs([both, one, ROWS[2]], ScriptedBackend())
    assert scores[0] is not None
    assert scores[1] is not None
    assert scores[0] > scores[1]
    assert scores[2] is None


def test_rows_are_drawn_at_random_and_fewer_rows_are_the_first_of_more() -> None:
    rows = [Example(str(number), "tea is green", "tea is green") for number in range(50)]
    assert drawn(rows, 10) == drawn(rows, 20)[:10]
    assert drawn(rows, 10) != rows[:10]
    assert sorted(row.id for row in drawn(rows, 99)) == sorted(row.id for row in rows)


def test_failures_and_nans_are_told_apart() -> None:
    printed = '{"id": "1", "score": 0.5}\nchatter\n{"id": "2", "score": NaN}\n'
    replies = read_answers("ragas", ROWS, printed, 3.0)
    assert (replies.scores, replies.failures, replies.nans) == (
        [0.5, None, None],
        {"no answer": 1},
        1,
    )
    assert replies.first_failure == "3: no answer"


def test_a_line_counts_only_what_was_scored() -> None:
    told = line(PeerOutcome("x", [0.9, 0.1, None], 6.0), labelled(True, False, True))
    assert "| 2 of 3 | 2.00 |" in told
    assert told.startswith("| x | 1.000 [")


def test_failures_are_told_by_their_kind_and_on_one_line() -> None:
    printed = "".join(
        json.dumps({"id": row.id, "error": error}) + "\n"
        for row, error in zip(ROWS, ("Cut: too\nlong", "Cut: again", "Odd: why"), strict=True)
    )
    outcome = read_answers("Ragas", ROWS, printed, 3.0)
    assert failure_note(outcome) == "Ragas failed: 2 × Cut, 1 × Odd. The first: `1: Cut: too long`"
    assert failure_note(PeerOutcome("x", [], 1.0)) == ""


def test_one_kind_of_label_gives_no_area() -> None:
    assert "| – |" in line(PeerOutcome("x", [0.9, 0.1], 1.0), labelled(True, True))


def test_requests_pass_through_and_are_counted() -> None:
    counter = Counter()
    with (
        serving(lambda number, body: chat_reply("hello")) as server,
        counting(server.url.removesuffix("/v1"), counter) as url,
    ):
        body = json.dumps({"model": "m", "messages": []}).encode()
        request = urllib.request.Request(
            f"{url}/v1/chat", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            assert "hello" in answer.read().decode()
    assert (counter.requests, counter.tokens) == (1, 15)


def post(url: str, message: str) -> str:
    body = json.dumps({"model": "m", "messages": [message]}).encode()
    request = urllib.request.Request(f"{url}/v1/chat", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return str(answer.read().decode())


def test_what_was_answered_is_not_asked_again_and_counts_as_if_it_were(tmp_path: Path) -> None:
    asked: list[Any] = []

    def answer(number: int, body: Any) -> Reply:
        asked.append(body)
        return chat_reply(f"answer {number}")

    with serving(answer) as server:
        for _ in range(2):
            counter = Counter()
            with counting(server.url.removesuffix("/v1"), counter, tmp_path / "kept") as url:
                answers = [post(url, "one"), post(url, "two"), post(url, "one")]
            assert answers[0] == answers[2] != answers[1]
            assert (counter.requests, counter.tokens) == (3, 45)
    assert len(asked) == 2
    assert counter.remembered_seconds > 0


def test_what_the_server_refused_is_asked_again(tmp_path: Path) -> None:
    replies = [Reply({"error": "busy"}, status=503), chat_reply("now")]
    with (
        serving(lambda number, body: replies[number]) as server,
        counting(server.url.removesuffix("/v1"), Counter(), tmp_path) as url,
    ):
        with pytest.raises(urllib.error.HTTPError):
            post(url, "one")
        assert "now" in post(url, "one")


def test_a_models_section_is_replaced_and_the_others_stay() -> None:
    page = with_section("# Title\n\nWords.\n", "a", "first")
    page = with_section(page, "b", "second")
    assert with_section(page, "a", "third") == (
        "# Title\n\nWords.\n\n## a\n\nthird\n\n## b\n\nsecond\n"
    )


def test_the_introduction_is_renewed_and_the_sections_stay() -> None:
    page = with_intro("# Old\n\nOld words.\n\n## a\n\nfirst\n\n## b\n\nsecond\n")
    assert page.startswith("# Other faithfulness metrics")
    assert "Old" not in page
    assert page.endswith("\n\n## a\n\nfirst\n\n## b\n\nsecond\n")
    assert with_intro("") + "\n## a\n" == with_intro("\n## a\n")


def test_the_page_has_the_introduction_that_the_command_writes() -> None:
    page = (REPOSITORY / "docs" / "peers.md").read_text("utf-8")
    assert with_intro(page) == page


def test_a_section_says_with_which_weights_and_options_our_rows_were_made() -> None:
    rows = labelled(True, False)
    outcome = ours("nli", rows)
    other = PeerOutcome(
        "Ragas", [1.0, None], 2.0, failures=Counted({"Cut": 1}), first_failure="2: Cut"
    )
    text = section("Two rows.", rows, [outcome, other])
    assert text.startswith("Two rows.\n\nWeights: `staytrue-")
    assert "\n\n| metric |" in text
    assert "\n\nRagas failed: 1 × Cut. The first: `2: Cut`\n\nSignatures:\n\n- `nli|" in text
    assert text.count("- `") == 1  # other tools have none


def test_our_rows_of_a_section_are_renewed_and_what_others_said_stays() -> None:
    rows = labelled(True, False)
    other = PeerOutcome("Ragas", [1.0, 0.0], 2.0, failures=Counted({"Cut": 1}))
    judge = PeerOutcome("`judge`, same model", [1.0, 0.0], 2.0, signature="judge|review:a")
    old = PeerOutcome("`nli`", [0.0, 1.0], 9.0, signature="nli|infer:old")
    text = section("2 rows.", rows, [old, other, judge])
    new = PeerOutcome("`nli`", [1.0, 0.0], 1.0, signature="nli|infer:new")
    assert renewed(text, rows, [new]) == section("2 rows.", rows, [new, other, judge])


# What each peer's prompts ask for, in their order.
SAID: dict[str, list[dict[str, Any]]] = {
    "ragas": [
        {"statements": ["coffee comes from ethiopia"]},
        {"statements": [{"statement": "coffee", "reason": "it says so", "verdict": 1}]},
    ],
    "deepeval": [{"verdicts": [{"verdict": "yes", "reason": "it says so"}]}],
}


@pytest.mark.bridge
@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_a_peer_scores_what_the_model_says_of_two_rows_at_once(name: str) -> None:
    folder = os.environ.get("STAYTRUE_BRIDGES")
    if not folder:
        pytest.skip("set STAYTRUE_BRIDGES to a folder for the environments")
    environment(name, Path(folder).resolve())

    def answer(number: int, body: Any) -> Reply:
        asks_for_verdicts = "verdict" in json.dumps(body["response_format"])
        reply = chat_reply(json.dumps(SAID[name][-1 if asks_for_verdicts else 0]))
        choice = {**reply.body["choices"][0], "index": 0, "finish_reason": "stop"}
        told = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        return Reply({**reply.body, **told, "choices": [choice]})

    with serving(answer) as server:
        url = server.url.removesuffix("/v1")
        outcome = peer(name, ROWS[:2], url, "m", Path(folder).resolve(), at_once=2)
    assert (outcome.scores, outcome.first_failure) == ([1.0, 1.0], "")
