"""Other inputs for the same question."""

from __future__ import annotations

from staytrue.core.placement import PersonaDialogue, place
from staytrue.core.records import Example, Probe, Turn
from staytrue.elicit.consistest.variants import MASK, VARIANTS, vary

TALK = PersonaDialogue(
    "1", ("i sing .", "i ski .", "i cook ."), ("hi", "i live in ohio .", "ok", "bye")
)
IN_HISTORY = Probe("where do you live?", "ohio", "i live in ohio .", "wh", "history", 0)
IN_PERSONA = Probe("do you ski?", "yes", "i ski .", "yn", "persona")


def placed(probe: Probe) -> Example:
    return next(place(TALK, [probe], distances=[0]))


def test_the_fact_alone_leaves_only_the_question() -> None:
    varied = vary(placed(IN_HISTORY), "fact")
    assert varied.persona == ("i live in ohio .",)
    assert varied.history == (Turn("user", "where do you live?"),)


def test_a_history_fact_moves_into_the_persona_and_its_turn_is_masked() -> None:
    last, first = (vary(placed(IN_HISTORY), v) for v in ("fact-last", "fact-first"))
    assert last.persona == (*TALK.persona, "i live in ohio .")
    assert first.persona == ("i live in ohio .", *TALK.persona)
    assert last.history[1] == first.history[1] == Turn("bot", MASK)


def test_a_persona_fact_is_left_or_moved_to_the_front() -> None:
    assert vary(placed(IN_PERSONA), "fact-last").persona == TALK.persona
    assert vary(placed(IN_PERSONA), "fact-first").persona == ("i ski .", "i sing .", "i cook .")


def test_permuting_keeps_the_lines_and_repeats() -> None:
    varied = vary(placed(IN_PERSONA), "permuted", seed=3)
    assert sorted(varied.persona) == sorted(TALK.persona)
    assert varied == vary(placed(IN_PERSONA), "permuted", seed=3)


def test_variants_have_ids_of_their_own_and_change_nothing() -> None:
    original = placed(IN_HISTORY)
    assert len({vary(original, variant).id for variant in VARIANTS}) == len(VARIANTS)
    assert original == placed(IN_HISTORY)
