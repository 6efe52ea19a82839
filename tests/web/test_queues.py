"""Annotation queues: fair shares, undo, skip, agreement, export; on SQLite and PostgreSQL."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from staytrue.annotation.begin_results import results
from staytrue.annotation.begin_sheet import read_sheet
from staytrue.annotation.blind_names import NO_KEY, blind, stored_key
from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS
from staytrue.annotation.inquiry_sheets import read_sheet as read_inquiries
from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Turn
from staytrue.web import queues, tasks

CONSISTENT = {"answers": {"parts": [{"consistent": "consistent"}]}, "seconds": 2.5}
INCONSISTENT = {"answers": {"parts": [{"consistent": "inconsistent"}]}, "seconds": 4.0}


def new_queue(person, kind: str = "q2", **more: object) -> int:
    body = {"name": f"queue {kind}", "kind": kind, "run": "pets", "order": "file", **more}
    return person.post("/v1/queues", body, 201)["id"]


def take(person, queue: int):
    return person.post(f"/v1/queues/{queue}/next")["item"]


def work_through(person, queue: int, judgement) -> list[int]:
    """Judge until nothing is left; `judgement` may depend on the item."""
    done = []
    item = take(person, queue)
    while item is not None:
        body = judgement(item) if callable(judgement) else judgement
        done.append(item["position"])
        item = person.post(f"/v1/items/{item['id']}/judgement", body)["item"]
    return done


def test_every_item_comes_once_and_human_labels_stay_hidden(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    item = take(ann, queue)
    assert "consistent" not in item["example"]
    assert work_through(ann, queue, CONSISTENT) == [0, 1, 2, 3, 4, 5]


def test_a_random_draw_is_fair_and_repeats() -> None:
    source = [Example(str(n), "") for n in range(20)]
    first = queues.drawn(source, 5, seed=1)
    assert first == queues.drawn(iter(source), 5, seed=1)
    assert first != queues.drawn(source, 5, seed=2)
    seen = Counter(e.id for seed in range(2000) for e in queues.drawn(source, 5, seed))
    assert len(seen) == 20
    assert all(400 < count < 600 for count in seen.values())
    assert sorted(e.id for e in queues.drawn(source, 99, 0)) == sorted(e.id for e in source)


def test_an_open_item_stays_open_for_the_same_person_only(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    queue = new_queue(ann)
    first = take(ann, queue)
    assert take(ann, queue)["id"] == first["id"]
    assert take(bob, queue)["id"] != first["id"]


def test_a_share_of_the_items_gets_several_people(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    queue = new_queue(ann, annotators=2, share=0.5)
    by_ann = work_through(ann, queue, CONSISTENT)
    by_bob = work_through(bob, queue, CONSISTENT)
    assert len(by_ann) == 6
    assert len(by_bob) == 3
    third = both.person("eve")
    assert work_through(third, queue, CONSISTENT) == []


def test_undo_opens_the_last_item_with_its_answers(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    first = take(ann, queue)
    ann.post(f"/v1/items/{first['id']}/judgement", CONSISTENT)
    again = ann.post(f"/v1/queues/{queue}/undo")
    assert again["item"]["id"] == first["id"]
    assert again["answers"] == CONSISTENT["answers"]
    assert again["progress"]["judged"] == 0
    ann.post(f"/v1/items/{first['id']}/judgement", INCONSISTENT)
    ann.post(f"/v1/queues/{queue}/release")
    votes = ann.get(f"/v1/queues/{queue}/agreement")["questions"][0]["votes"]
    assert votes == {"consistent": 0, "inconsistent": 1}


def test_nothing_to_undo_is_said(app) -> None:
    ann = app.person("ann")
    assert "nothing" in ann.post(f"/v1/queues/{new_queue(ann)}/undo", status=403)["error"]


def test_a_skipped_item_goes_to_someone_else_and_keeps_its_reason(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    queue = new_queue(ann, limit=1)
    item = take(ann, queue)
    after = ann.post(f"/v1/items/{item['id']}/judgement", {"skipped": "unclear", "seconds": 1})
    assert after["item"] is None
    assert after["progress"]["skipped"] == 1
    assert ann.post(f"/v1/queues/{queue}/undo")["item"]["id"] == item["id"]
    assert take(bob, queue) is None
    ann.post(f"/v1/queues/{queue}/release")
    lines = ann.client.get(f"/v1/queues/{queue}/export?form=judgements").text
    assert "unclear" not in lines


def test_a_skip_is_no_judgement_of_mine(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann, annotators=1)
    skipped = ann.post(f"/v1/items/{take(ann, queue)['id']}/judgement", {"skipped": "unclear"})
    counts = skipped["progress"]
    assert (counts["judged"], counts["mine"], counts["my_skips"]) == (0, 0, 1)
    after = ann.post(f"/v1/items/{skipped['item']['id']}/judgement", CONSISTENT)["progress"]
    assert (after["judged"], after["mine"], after["my_skips"]) == (1, 1, 1)


@pytest.mark.parametrize("way", ["undo", "judge again"])
def test_a_skipped_item_that_another_has_judged_gets_no_second_judgement(both, way: str) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    queue = new_queue(ann, limit=1)
    item = take(ann, queue)["id"]
    ann.post(f"/v1/items/{item}/judgement", {"skipped": "unclear"})
    work_through(bob, queue, CONSISTENT)
    if way == "undo":
        message = ann.post(f"/v1/queues/{queue}/undo", status=403)["error"]
    else:
        message = ann.post(f"/v1/items/{item}/judgement", CONSISTENT, 400)["error"]
    assert "someone else has taken it" in message
    assert ann.post(f"/v1/queues/{queue}/next")["progress"]["judged"] == 1


def test_answers_are_for_whoever_made_the_queue_and_the_operator(both) -> None:
    ann, bob, eve = (both.person(name) for name in ("ann", "bob", "eve"))
    queue = new_queue(bob)
    work_through(eve, queue, CONSISTENT)
    for path in ("agreement", "export", "export?form=judgements"):
        assert bob.client.get(f"/v1/queues/{queue}/{path}").status_code == 200
        assert ann.client.get(f"/v1/queues/{queue}/{path}").status_code == 200
        eve.get(f"/v1/queues/{queue}/{path}", 403)
        assert both.new_client().get(f"/v1/queues/{queue}/{path}").status_code == 401
    assert eve.client.get(f"/judge/{queue}/results").status_code == 403


def test_answers_stay_hidden_from_who_has_an_item_open(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    take(ann, queue)
    assert "give it back" in ann.get(f"/v1/queues/{queue}/export", 403)["error"]
    assert f'<a href="/judge/{queue}">Back</a>' in ann.client.get(f"/judge/{queue}/results").text
    ann.post(f"/v1/queues/{queue}/release")
    assert ann.client.get(f"/v1/queues/{queue}/export").status_code == 200
    assert take(both.person("bob"), queue)["position"] == 0


def test_what_a_database_cannot_keep_is_refused(both) -> None:
    ann = both.person("ann")
    body = {"name": "q", "kind": "q2", "run": "pets"}
    assert "seed" in ann.post("/v1/queues", {**body, "seed": 2**40}, 422)["error"]
    assert "NUL" in ann.post("/v1/queues", {**body, "name": "a\0b"}, 422)["error"]
    queue = ann.post("/v1/queues", {**body, "seed": 2**31 - 1}, 201)["id"]
    item = ann.post(f"/v1/queues/{queue}/next")["item"]
    path = f"/v1/items/{item['id']}/judgement"
    assert "NUL" in ann.post(path, {"skipped": "un\0clear"}, 422)["error"]
    assert ann.post(f"/v1/queues/{2**40}/next", status=422)["error"]


def test_people_are_told_the_rules_of_q2s_appendix(app) -> None:
    ann = app.person("ann")
    shown = ann.client.get(f"/judge/{new_queue(ann)}").text
    assert "Skip a response that is unclear" in shown
    assert "not by what you know yourself" in shown


def test_a_skip_needs_a_reason(app) -> None:
    ann = app.person("ann")
    item = take(ann, new_queue(ann))
    ann.post(f"/v1/items/{item['id']}/judgement", {"skipped": " "}, 400)


def test_an_item_of_nobody_cannot_be_judged(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    item = take(ann, new_queue(ann))
    answer = bob.post(f"/v1/items/{item['id']}/judgement", CONSISTENT, 400)
    assert "not open for you" in answer["error"]
    bob.post("/v1/items/999/judgement", CONSISTENT, 404)


@pytest.mark.parametrize("answers", [
    {}, {"parts": []}, {"parts": [{}]}, {"parts": [{"consistent": "maybe"}]},
    {"parts": [{"consistent": True}]}, {"parts": ["consistent"]}, {"parts": [{}, {}]},
])  # fmt: skip
def test_an_incomplete_answer_is_refused(app, answers) -> None:
    ann = app.person("ann")
    item = take(ann, new_queue(ann))
    ann.post(f"/v1/items/{item['id']}/judgement", {"answers": answers}, 400)
    assert ann.post(f"/v1/queues/{1}/next")["progress"]["judged"] == 0


def test_a_stale_claim_is_given_to_others(make_app) -> None:
    app = make_app(claim_minutes=-1)
    ann, bob = app.person("ann"), app.person("bob")
    queue = new_queue(ann, limit=1)
    first = take(ann, queue)
    assert take(bob, queue)["id"] == first["id"]


def test_two_people_agree_and_disagree_as_the_figures_say(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    queue = new_queue(ann, annotators=2)
    work_through(ann, queue, lambda i: CONSISTENT if i["position"] < 3 else INCONSISTENT)
    work_through(bob, queue, lambda i: CONSISTENT if i["position"] < 4 else INCONSISTENT)
    agreement = ann.get(f"/v1/queues/{queue}/agreement")
    one = agreement["questions"][0]
    assert one["shared"] == 6
    assert one["same"] == pytest.approx(5 / 6)
    assert one["kappa"] == pytest.approx(2 / 3)
    # By hand: 12 values, 7 to 5; observed 2/12, expected 2·7·5/(12·11).
    assert one["alpha"] == pytest.approx(1 - (2 / 12) / (70 / 132))
    assert one["majorities"] == {"consistent": 3, "inconsistent": 2, "no majority": 1}
    assert [p["judged"] for p in agreement["people"]] == [6, 6]
    assert [p["median_seconds"] for p in agreement["people"]] == [4.0, 2.5]
    page = ann.client.get(f"/judge/{queue}/results").text
    assert f"{one['alpha']:.3f}" in page


def test_the_q2_export_is_read_by_the_command_line(app, staytrue, tmp_path) -> None:
    ann = app.person("ann")
    queue = new_queue(ann)
    work_through(ann, queue, lambda i: CONSISTENT if i["position"] < 3 else INCONSISTENT)
    file = tmp_path / "labels.jsonl"
    file.write_text(ann.client.get(f"/v1/queues/{queue}/export").text)
    assert staytrue("score", file, "--metric", "overlap", "--out", "run", "--quiet").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "run" / "examples.jsonl").open()]
    assert [row["consistent"] for row in rows] == [True] * 3 + [False] * 3


def test_begin_asks_each_sentence_and_exports_a_sheet(app, tmp_path) -> None:
    ann = app.person("ann")
    queue = new_queue(ann, "begin", limit=2)
    fully = {"topic": 5, "cooperative": 5, "personal": 1, "informs": 5, "contradicts": 1,
             "supported": 5}  # fmt: skip
    item = take(ann, queue)
    assert item["parts"] == ["i have 0 dogs .", "they are nice ."]
    missing = {"answers": {"parts": [fully, {"topic": 2, "cooperative": 3, "personal": 5}]}}
    assert "1a" in ann.post(f"/v1/items/{item['id']}/judgement", missing, 400)["error"]
    work_through(ann, queue, {"answers": {"parts": [
        fully, {"topic": 2, "kind": "generic", "cooperative": 3, "personal": 5, "informs": 4},
    ]}})  # fmt: skip
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(ann.client.get(f"/v1/queues/{queue}/export").text, newline="")
    rated = list(read_sheet(sheet))
    assert [r.answers.informs for r in rated] == [5, None, 5, None]
    outcome = results(iter(rated))
    assert list(outcome.responses[0].sentences.values()) == ["entailment", "generic"]


def test_only_what_the_bot_said_itself_is_shown_as_its_own_words() -> None:
    said = (Turn("bot", "i have a dog ."), Turn("user", "what pets do you have ?"))
    queue = [Example("1", "a cat .", "i have a dog .", said), Example("2", "a cat .", "", said)]
    assert len(tasks.payloads("aih", queue)) == 2
    support = Example("3", "In 30 days.", "Returns take 30 days.", (Turn("user", "When?"),))
    with pytest.raises(UsageError, match="choose a run of  staytrue interrogate"):
        tasks.payloads("aih", [*queue, support])


def test_a_run_that_does_not_fit_is_refused_in_one_sentence() -> None:
    with pytest.raises(UsageError, match="choose a run of  staytrue probe"):
        tasks.payloads("consistest", [Example("1", "yes")])
    with pytest.raises(UsageError, match="The run 'empty' has no examples to judge"):
        queues.create(None, "q", "q2", "empty", [])  # type: ignore[arg-type]


def test_aih_asks_three_questions_and_exports_a_sheet(app, pets, tmp_path) -> None:
    ann = app.person("ann")
    queue = new_queue(ann, "aih", limit=1)
    part = {"appropriate": "yes", "relevant": "yes", "contradictory": "no"}
    assert "id" not in take(ann, queue)["example"]
    work_through(ann, queue, {"answers": {"parts": [part]}, "seconds": 3})
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(ann.client.get(f"/v1/queues/{queue}/export").text, newline="")
    (row,) = read_inquiries(sheet, INQUIRY_FIELDS)
    assert row.item == blind("e0", stored_key(pets / "sheets.key"))
    assert row.answers == {"appropriate": True, "relevant": True, "contradictory": False}
    assert (row.annotator, row.seconds) == ("ann", 3)


@pytest.mark.parametrize(("kind", "answers"), [
    ("begin", {"topic": 5, "cooperative": 5, "personal": 5}),
    ("aih", {"appropriate": "yes", "relevant": "yes", "contradictory": "no"}),
])  # fmt: skip
def test_names_on_an_exported_sheet_cannot_be_found_by_hashing_guesses(
    app, tmp_path, kind: str, answers
) -> None:
    ann = app.person("ann")
    queue = new_queue(ann, kind, limit=1)
    parts = len(take(ann, queue)["parts"])
    work_through(ann, queue, {"answers": {"parts": [answers] * parts}})
    with io.StringIO(ann.client.get(f"/v1/queues/{queue}/export").text, newline="") as sheet:
        names = {row["item"] for row in csv.DictReader(sheet)}
    assert len(names) == 1
    assert not names & {"e0", blind("e0", NO_KEY)}


def test_a_run_that_takes_no_key_gives_no_sheet_but_every_judgement(app, pets, monkeypatch) -> None:
    def refuse(file: object) -> bytes:
        raise PermissionError(file)

    monkeypatch.setattr("staytrue.web.runs.sheet_key", refuse)
    ann = app.person("ann")
    queue = new_queue(ann, "aih", limit=1)
    part = {"appropriate": "yes", "relevant": "yes", "contradictory": "no"}
    work_through(ann, queue, {"answers": {"parts": [part]}})
    refused = ann.client.get(f"/v1/queues/{queue}/export")
    assert refused.status_code == 400
    assert "sheets.key" in refused.json()["error"]
    row = json.loads(ann.client.get(f"/v1/queues/{queue}/export?form=judgements").text)
    assert row["answers"] == {"parts": [part]}


def test_consistest_gives_a_rating(app) -> None:
    ann, bob = app.person("ann"), app.person("bob")
    queue = new_queue(ann, "consistest", limit=1, annotators=2)
    work_through(ann, queue, {"answers": {"parts": [{"score": 0.5}]}})
    work_through(bob, queue, {"answers": {"parts": [{"score": 1}]}})
    row = json.loads(ann.client.get(f"/v1/queues/{queue}/export").text)
    assert row["rating"] == 0.75


def test_many_people_at_once_never_exceed_the_wanted_number(both) -> None:
    people = [both.person(f"person {n}") for n in range(8)]
    queue = new_queue(people[0], annotators=3)
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda p: work_through(p, queue, CONSISTENT), people))
    assert sorted(position for mine in done for position in mine) == sorted([*range(6)] * 3)
    assert all(len(set(mine)) == len(mine) for mine in done)
    progress = people[0].post(f"/v1/queues/{queue}/next")["progress"]
    assert progress["judged"] == progress["wanted"] == 18


def test_a_queue_is_named_once_and_only_of_a_run_there_is(both) -> None:
    ann = both.person("ann")
    new_queue(ann)
    body = {"name": "queue q2", "kind": "q2", "run": "pets"}
    assert "already" in ann.post("/v1/queues", body, 400)["error"]
    ann.post("/v1/queues", body | {"name": "x", "run": "../../etc"}, 404)
    ann.post("/v1/queues", body | {"kind": "nonsense"}, 422)
