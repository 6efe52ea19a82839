"""Blind chats: random and fair, never telling the bot, scored, and kept as run folders."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import pairwise

import pytest
from sqlalchemy import update

from staytrue.chatbots.scripted import ScriptedChatbot
from staytrue.core.errors import UsageError
from staytrue.runs.folder import Run
from staytrue.web import accounts, chats
from staytrue.web.tables import Chat, ChatTurn, now


def talk(person, messages: int = 2) -> int:
    chat = person.post("/v1/chats", status=201)["id"]
    for number in range(messages):
        person.post(f"/v1/chats/{chat}/say", {"text": f"question {number}"})
    return chat


def test_practice_comes_first_and_does_not_count(both) -> None:
    ann = both.person("ann")
    first = ann.post("/v1/chats", status=201)
    assert first["practice"]
    for _ in range(2):
        ann.post(f"/v1/chats/{first['id']}/say", {"text": "hello"})
    ann.post(f"/v1/chats/{first['id']}/score", {"score": 0.1})
    assert not ann.post("/v1/chats", status=201)["practice"]
    chat = ann.get("/v1/chats")[0]["id"]
    ann.delete(f"/v1/chats/{chat}")
    assert all(bot["chats"] == 0 for bot in ann.get("/v1/chats/results")["bots"])


def test_the_bot_is_never_told(make_app) -> None:
    app = make_app(practice=0)
    ann = app.person("ann")
    chat = talk(ann)
    texts = [ann.client.get(f"/chat/{chat}").text, ann.client.get("/chat").text]
    assert not any("scripted:" in text for text in texts)
    assert "bot" not in ann.post("/v1/chats", status=201)


def test_browsing_a_chat_does_not_tell_its_bot(app) -> None:
    ann, bob = app.person("ann"), app.person("bob")
    chat = talk(bob)
    bob.post(f"/v1/chats/{chat}/score", {"score": 0.5})
    run = f"/runs/chat-{chat}"
    paths = (
        run, f"{run}/examples/chat-{chat}-1", f"/v1{run}", f"/v1{run}/examples",
        f"/v1{run}/examples/chat-{chat}-1",
    )  # fmt: skip
    for path in (*paths, "/v1/runs", "/"):
        shown = ann.client.get(path)
        assert shown.status_code == 200, path
        assert "scripted:" not in shown.text, path
    # As a run it is the operators'; others would read what somebody said to a bot.
    for path in paths:
        assert bob.client.get(path).status_code == 404, path
        assert app.new_client().get(path).status_code == 404, path


def test_the_results_name_bots_so_open_chats_come_first(both) -> None:
    ann = both.person("ann")
    chat = talk(ann)
    assert "Finish or give up your chat" in ann.get("/v1/chats/results", 400)["error"]
    assert ann.client.get("/chat/results").status_code == 400
    ann.post(f"/v1/chats/{chat}/score", {"score": 0.5})
    assert ann.get("/v1/chats/results")["bots"]


def test_results_are_the_operators_and_nobody_elses(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    assert ann.get("/v1/chats/results")["bots"]
    assert ann.client.get("/chat/results").status_code == 200
    bob.get("/v1/chats/results", 403)
    assert bob.client.get("/chat/results").status_code == 403
    stranger = both.new_client()
    assert stranger.get("/v1/chats/results").status_code == 401
    assert stranger.get("/chat/results", follow_redirects=False).status_code == 303


def test_a_chat_that_was_given_up_counts_for_nothing(both) -> None:
    ann = both.person("ann")
    chat = talk(ann)
    ann.delete(f"/v1/chats/{chat}")
    assert "finished" in ann.post(f"/v1/chats/{chat}/say", {"text": "hi"}, 400)["error"]
    assert ann.post("/v1/chats", status=201)["practice"]
    assert "given up" in ann.client.get("/chat").text


def test_an_abandoned_chat_does_not_block_the_results(both) -> None:
    ann = both.person("ann")
    chat = talk(ann)
    with both.site.database.transaction() as session:
        old = now() - timedelta(hours=chats.STALE_HOURS + 1)
        session.execute(update(ChatTurn).values(created=old))
    assert ann.get("/v1/chats/results")["bots"]
    # Whoever has read the results cannot go on talking blind.
    assert "finished" in ann.post(f"/v1/chats/{chat}/say", {"text": "hi"}, 400)["error"]


def test_the_next_bot_cannot_be_told_from_the_last(app) -> None:
    drawn = []
    with app.site.database.transaction() as session:
        ann = accounts.create_account(session, "ann", "a long password")
        session.flush()
        for _ in range(100):
            drawn.append(chats.start(session, ann.id, ["one", "two"], 0).bot)
        session.rollback()
    changed = sum(a != b for a, b in pairwise(drawn))
    assert 20 < changed < 80  # always changing would be 99; six standard deviations
    assert 20 < drawn.count("one") < 80


def test_chats_are_listed_and_read_by_their_owner(both) -> None:
    ann, bob = both.person("ann"), both.person("bob")
    chat = talk(ann)
    ann.post(f"/v1/chats/{chat}/score", {"score": 0.25, "labels": {"1": False}})
    later = talk(ann, 1)
    assert ann.get("/v1/chats") == [
        {"id": later, "practice": False, "finished": False, "score": None},
        {"id": chat, "practice": True, "finished": True, "score": 0.25},
    ]
    read = ann.get(f"/v1/chats/{chat}")
    assert [turn["speaker"] for turn in read["turns"]] == ["user", "bot", "user", "bot"]
    assert [turn["consistent"] for turn in read["turns"]] == [None, False, None, None]
    assert read["least_messages"] == 2
    assert bob.get("/v1/chats") == []
    bob.get(f"/v1/chats/{chat}", 404)
    both.client.cookies.clear()
    assert both.client.get("/v1/chats").status_code == 401


def test_a_bot_may_have_a_long_spec(make_app, database_url: str) -> None:
    spec = "scripted:" + "a long line " * 100
    app = make_app(practice=0, turns=1, bots=(spec,), database=database_url)
    ann = app.person("ann")
    ann.post(f"/v1/chats/{talk(ann, 1)}/score", {"score": 0.5})
    assert [bot["chats"] for bot in ann.get("/v1/chats/results")["bots"]] == [1]


def test_a_chat_needs_enough_messages_before_it_is_scored(both) -> None:
    ann = both.person("ann")
    chat = talk(ann, 1)
    message = ann.post(f"/v1/chats/{chat}/score", {"score": 0.5}, 400)["error"]
    assert "1 of at least 2" in message
    ann.post(f"/v1/chats/{chat}/score", {"score": 7}, 422)


def test_results_by_bot_with_people_and_labels(
    make_app, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = ("scripted:yes", "scripted:no", "scripted:perhaps")
    app = make_app(practice=0, turns=1, bots=bots, database=database_url)
    scores = {"yes": 0.9, "no": 0.1, "perhaps": 0.5}
    people = {name: app.person(name) for name in ("ann", "bob")}
    for name, off in (("ann", 0.0), ("bob", 0.1)):
        person = people[name]
        for bot in bots:
            monkeypatch.setattr("secrets.choice", lambda _, bot=bot: bot)
            chat = person.post("/v1/chats", status=201)["id"]
            reply = person.post(f"/v1/chats/{chat}/say", {"text": "hi"})
            labels = {str(reply["position"]): reply["reply"] != "no"}
            body = {"score": scores[reply["reply"]] + off, "labels": labels}
            person.post(f"/v1/chats/{chat}/score", body)
    results = people["ann"].get("/v1/chats/results")
    order = [bot["bot"].removeprefix("scripted:") for bot in results["bots"]]
    assert order == ["yes", "perhaps", "no"]
    best = results["bots"][0]
    assert best["people"] == {"ann": 0.9, "bob": 1.0}
    assert best["mean"] == pytest.approx(0.95)
    assert best["spread"] == pytest.approx(0.1)
    assert [bot["consistent"] for bot in results["bots"]] == [1.0, 1.0, 0.0]
    assert results["agreement"] == pytest.approx(1.0)
    assert "scripted:yes" in people["ann"].client.get("/chat/results").text


def test_results_hold_the_time_to_chat_and_the_time_to_judge(make_app, database_url: str) -> None:
    app = make_app(practice=0, turns=1, bots=("scripted:yes",), database=database_url)
    ann = app.person("ann")
    for seconds in (100, 200, 900):
        chat = talk(ann, 1)
        with app.site.database.transaction() as session:
            started = now() - timedelta(seconds=seconds + 40)
            session.execute(update(Chat).where(Chat.id == chat).values(created=started))
            sent = started + timedelta(seconds=seconds)
            session.execute(update(ChatTurn).where(ChatTurn.chat_id == chat).values(created=sent))
        ann.post(f"/v1/chats/{chat}/score", {"score": 0.5})
    (bot,) = ann.get("/v1/chats/results")["bots"]
    assert bot["chat_seconds"] == pytest.approx(200, abs=1)
    assert bot["judging_seconds"] == pytest.approx(40, abs=5)
    assert "seconds to chat" in ann.client.get("/chat/results").text


def test_each_person_is_told_how_many_chats_are_missing(
    make_app, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = ("scripted:yes", "scripted:no")
    app = make_app(practice=0, turns=1, bots=bots, target=2)
    ann = app.person("ann")
    assert "At least 4 more chats" in ann.client.get("/chat").text
    for drawn, left in (("yes", "3 more chats"), ("yes", "2 more chats"), ("yes", "2 more chats"),
                        ("no", "1 more chat "), ("no", "2 chats with each bot")):  # fmt: skip
        monkeypatch.setattr("secrets.choice", lambda _, drawn=drawn: f"scripted:{drawn}")
        ann.post(f"/v1/chats/{talk(ann, 1)}/score", {"score": 0.5})
        assert left in ann.client.get("/chat").text
    counts = {bot["bot"]: bot["chats_of"] for bot in ann.get("/v1/chats/results")["bots"]}
    assert counts == {"scripted:yes": {"ann": 3}, "scripted:no": {"ann": 2}}
    assert "3 of 2" in ann.client.get("/chat/results").text


def test_a_finished_chat_is_a_run_folder(app) -> None:
    ann = app.person("ann")
    chat = talk(ann)
    ann.post(f"/v1/chats/{chat}/score", {"score": 0.25, "labels": {"1": False}})
    run = Run(app.settings.chats_folder / f"chat-{chat}")
    first, second = run.examples()
    assert (first.consistent, second.consistent, first.rating) == (False, None, 0.25)
    assert [turn.speaker for turn in second.history] == ["user", "bot", "user"]
    assert second.tags["bot"].startswith("scripted:")
    assert f"chat-{chat}" in [line["name"] for line in ann.get("/v1/runs")]


def test_a_chat_is_private_and_ends(app) -> None:
    ann, bob = app.person("ann"), app.person("bob")
    chat = talk(ann)
    bob.post(f"/v1/chats/{chat}/say", {"text": "hi"}, 404)
    assert bob.client.get(f"/chat/{chat}").status_code == 404
    ann.post(f"/v1/chats/{chat}/score", {"score": 1})
    assert "finished" in ann.post(f"/v1/chats/{chat}/say", {"text": "hi"}, 400)["error"]


def test_a_finished_chat_keeps_its_score_and_its_turns(both) -> None:
    ann = both.person("ann")
    chat = talk(ann)
    ann.post(f"/v1/chats/{chat}/score", {"score": 1})
    assert "finished" in ann.post(f"/v1/chats/{chat}/score", {"score": 0}, 400)["error"]
    # A reply that was on its way when the chat was scored comes too late.
    with pytest.raises(UsageError, match="finished"), both.site.database.transaction() as session:
        chats.add_turns(session, chat, 4, "one more", "late reply")
    read = ann.get(f"/v1/chats/{chat}")
    assert (read["score"], len(read["turns"])) == (1.0, 4)


def test_text_that_a_database_cannot_keep_is_refused(both) -> None:
    ann = both.person("ann")
    chat = ann.post("/v1/chats", status=201)["id"]
    message = ann.post(f"/v1/chats/{chat}/say", {"text": "a\0b"}, 422)["error"]
    assert message == "text: remove the NUL character."
    assert ann.get(f"/v1/chats/{2**40}", 422)["error"]


@pytest.mark.parametrize(("reply", "kept"), [("a\0b", "ab"), ("a\ud83db", "a?b")])
def test_what_no_database_keeps_of_a_reply_is_left_out(
    both, monkeypatch: pytest.MonkeyPatch, reply: str, kept: str
) -> None:
    monkeypatch.setattr(ScriptedChatbot, "reply", lambda self, history, **more: reply)
    ann = both.person("ann")
    chat = ann.post("/v1/chats", status=201)["id"]
    assert ann.post(f"/v1/chats/{chat}/say", {"text": "hi"})["reply"] == kept
    assert ann.get(f"/v1/chats/{chat}")["turns"][1]["text"] == kept


def test_a_bot_that_fails_costs_only_the_message_and_stays_unknown(make_app, caplog) -> None:
    app = make_app(bots=("transcript:/nowhere.jsonl",))
    ann = app.person("ann")
    chat = ann.post("/v1/chats", status=201)["id"]
    message = ann.post(f"/v1/chats/{chat}/say", {"text": "hi"}, 400)["error"]
    assert message == "The bot gave no answer: send your message again."
    assert "nowhere.jsonl" in caplog.text
    assert "hi" not in caplog.text.split()
    assert json.loads(_data(ann.client.get(f"/chat/{chat}").text))["turns"] == []


def test_without_bots_the_page_says_how_to_get_one(make_app) -> None:
    app = make_app(bots=())
    ann = app.person("ann")
    assert "--bot" in ann.client.get("/chat").text
    assert "--bot" in ann.post("/v1/chats", status=400)["error"]


def _data(page: str) -> str:
    return page.split('id="data">')[1].split("</script>")[0]
