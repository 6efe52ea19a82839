"""An operator deletes a queue by repeating its name; for a while it can be restored."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select
from tests.web.test_queues import CONSISTENT, new_queue, take, work_through

from staytrue.web import queues
from staytrue.web.tables import Account, Item, Judgement


def rows(app) -> list[int]:
    with app.site.database.reading() as session:
        return [session.scalar(select(func.count(table.id))) for table in (Item, Judgement)]


def purge(app) -> None:
    with app.site.database.transaction() as session:
        queues.purge(session, -1)


def test_items_and_judgements_go_with_it_and_other_queues_stay(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    kept, gone = new_queue(ann, name="kept"), new_queue(ann, name="gone", annotators=2)
    take(ann, kept)
    work_through(ann, gone, CONSISTENT)
    item = take(bob, gone)
    bob.post(f"/v1/items/{item['id']}/judgement", {"skipped": "unclear"})
    answer = ann.delete(f"/v1/queues/{gone}", name=" gone ")
    assert answer == {"id": gone, "items": 6, "judgements": 7, "days": 7}
    assert [queue["name"] for queue in ann.get("/v1/queues")] == ["kept"]
    purge(both)
    assert rows(both) == [6, 1]


def test_only_an_operator_deletes(both) -> None:
    both.person("ann")
    bob = both.person("bob")
    queue = new_queue(bob)
    bob.delete(f"/v1/queues/{queue}", 403, name="queue q2")
    bob.post(f"/v1/queues/{queue}/restore", status=403)
    assert len(bob.get("/v1/queues")) == 1


def test_a_deleted_queue_is_restored_with_all_it_held(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann, annotators=2)
    work_through(ann, queue, CONSISTENT)
    before = ann.client.get(f"/v1/queues/{queue}/export?form=judgements").text
    ann.delete(f"/v1/queues/{queue}", name="queue q2")
    assert "Restore queue q2" in ann.client.get("/judge").text
    assert ann.post(f"/v1/queues/{queue}/restore") == {"id": queue, "name": "queue q2"}
    assert ann.client.get(f"/v1/queues/{queue}/export?form=judgements").text == before
    ann.post(f"/v1/queues/{queue}/restore", status=404)


def test_a_restored_queue_whose_name_was_taken_gets_another(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    ann.delete(f"/v1/queues/{queue}", name="queue q2")
    new_queue(ann)
    assert ann.post(f"/v1/queues/{queue}/restore")["name"] == f"queue q2 (restored {queue})"


def test_after_the_grace_period_it_is_gone_for_good(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    ann.delete(f"/v1/queues/{queue}", name="queue q2")
    with both.site.database.transaction() as session:
        assert queues.purge(session, 7) == 0
    purge(both)
    assert rows(both) == [0, 0]
    ann.post(f"/v1/queues/{queue}/restore", status=404)
    assert "was deleted by ann" in ann.get(f"/v1/queues/{queue}/export", 404)["error"]


@pytest.mark.parametrize("name", ["", "Queue q2", "queue"])
def test_another_name_deletes_nothing(both, name: str) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    message = ann.delete(f"/v1/queues/{queue}", 400, name=name)["error"]
    assert message == "Repeat the queue's name, 'queue q2', to delete its judgements."
    assert take(ann, queue)


def test_without_an_account_or_the_pages_token_nothing_is_deleted(app) -> None:
    ann = app.person("ann")
    path = f"/v1/queues/{new_queue(ann)}?name=queue%20q2"
    assert app.client.delete(path).status_code == 401
    assert ann.client.delete(path).status_code == 403
    foreign = {"X-CSRF-Token": ann.csrf, "Origin": "http://elsewhere.example"}
    assert ann.client.delete(path, headers=foreign).status_code == 403
    assert len(ann.get("/v1/queues")) == 1


def test_a_deleted_queue_answers_404_in_one_sentence(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    item = take(ann, queue)
    ann.delete(f"/v1/queues/{queue}", name="queue q2")
    sentence = {"error": "The queue 'queue q2' was deleted by ann."}
    assert ann.delete(f"/v1/queues/{queue}", 404, name="queue q2") == sentence
    for path in ("next", "undo"):
        assert ann.post(f"/v1/queues/{queue}/{path}", status=404) == sentence
    for path in ("agreement", "export"):
        assert ann.get(f"/v1/queues/{queue}/{path}", 404) == sentence
    for page in (f"/judge/{queue}", f"/judge/{queue}/results"):
        shown = ann.client.get(page)
        assert shown.status_code == 404
        assert "was deleted by ann." in shown.text
    judged = ann.post(f"/v1/items/{item['id']}/judgement", CONSISTENT, 404)
    assert judged == {"error": "There is no such item."}
    assert ann.delete("/v1/queues/77", 404) == {"error": "There is no such queue."}


def test_a_new_queue_of_the_name_has_new_ids(both) -> None:
    """Else a page that still shows the deleted queue would judge items of the new one."""
    ann = both.person("ann")
    queue = new_queue(ann)
    item = take(ann, queue)
    ann.delete(f"/v1/queues/{queue}", name="queue q2")
    again = new_queue(ann)
    assert again != queue
    assert take(ann, again)["id"] > item["id"] + 5
    ann.post(f"/v1/items/{item['id']}/judgement", CONSISTENT, 404)


def test_deleting_waits_for_a_judgement_that_is_being_stored(both) -> None:
    ann = both.person("ann")
    queue = new_queue(ann)
    item = take(ann, queue)["id"]
    with ThreadPoolExecutor(1) as pool:
        with both.site.database.transaction() as session:
            account = session.scalar(select(Account.id).where(Account.name == "ann"))
            queues.judge(session, item, account, answers=CONSISTENT["answers"])
            session.flush()
            deleting = pool.submit(ann.delete, f"/v1/queues/{queue}", name="queue q2")
            time.sleep(0.5)  # long enough for it to reach the database
            assert not deleting.done()
            # This touches the item, too: neither may wait for the other for ever.
            queues.judge(session, item, account, skipped="unclear")
        assert deleting.result() == {"id": queue, "items": 6, "judgements": 1, "days": 7}
    purge(both)
    assert rows(both) == [0, 0]


def test_only_operators_see_the_form(app) -> None:
    ann, bob = app.person("ann"), app.person("bob")
    page = f"/judge/{new_queue(bob)}/results"
    assert "Delete this queue" in ann.client.get(page).text
    assert "Delete this queue" not in bob.client.get(page).text
