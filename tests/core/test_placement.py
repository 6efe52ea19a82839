"""Where probes are asked."""

from __future__ import annotations

from staytrue.core.placement import PersonaDialogue, fact_turn, place
from staytrue.core.records import Probe, Turn

TALK = PersonaDialogue(
    "7", ("i like tea .",), tuple(f"u{n}" if n % 2 == 0 else f"b{n}" for n in range(10))
)
ABOUT_TURN_1 = Probe("q?", "a", "b3", "wh", source="history", turn=1)
ABOUT_PERSONA = Probe("do you like tea?", "yes", "i like tea .", "yn", source="persona")


def texts(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.text for turn in turns]


def test_a_history_question_follows_its_fact_by_the_distance() -> None:
    near, far = place(TALK, [ABOUT_TURN_1])
    assert texts(near.history) == ["u0", "b1", "u2", "b3", "q?"]
    assert texts(far.history) == ["u2", "b3", "u4", "b5", "u6", "b7", "q?"]
    assert [near.probe.distance, far.probe.distance] == [0, 2]  # type: ignore[union-attr]


def test_the_memory_limits_what_the_bot_sees() -> None:
    (sample,) = place(TALK, [ABOUT_TURN_1], memory=1, distances=[0])
    assert texts(sample.history) == ["u2", "b3", "q?"]


def test_a_persona_question_comes_first_or_after_the_last_turns() -> None:
    start, later = place(TALK, [ABOUT_PERSONA])
    assert texts(start.history) == ["do you like tea?"]
    assert texts(later.history) == ["u6", "b7", "u8", "b9", "do you like tea?"]


def test_a_distance_beyond_the_dialogue_gives_no_sample() -> None:
    late = Probe("q?", "a", "b9", "wh", turn=4)
    assert [e.id for e in place(TALK, [late])] == ["7-0-d0"]


def test_a_persona_without_a_talk_is_asked_once() -> None:
    silent = PersonaDialogue("8", ("i like tea .",), ())
    assert [e.id for e in place(silent, [ABOUT_PERSONA])] == ["8-0-d0"]
    short = PersonaDialogue("9", ("i like tea .",), ("hi", "hello"))
    assert [e.id for e in place(short, [ABOUT_PERSONA], distances=[0, 1, 2])] == [
        "9-0-d0",
        "9-0-d1",
    ]


def test_placing_changes_nothing_and_repeats() -> None:
    first = list(place(TALK, [ABOUT_TURN_1, ABOUT_PERSONA]))
    assert list(place(TALK, [ABOUT_TURN_1, ABOUT_PERSONA])) == first
    assert TALK.utterances[0] == "u0"
    assert ABOUT_TURN_1.distance is None


def test_the_turn_of_the_fact_is_found_again() -> None:
    for sample in place(TALK, [ABOUT_TURN_1]):
        where = fact_turn(sample)
        assert where is not None
        assert sample.history[where] == Turn("bot", "b3")
    assert fact_turn(next(place(TALK, [ABOUT_PERSONA]))) is None
