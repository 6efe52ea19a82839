"""Dialogues in, probes out: about the persona, about what was said, and pairs found in the talk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from staytrue.core.placement import BOT, USER, PersonaDialogue
from staytrue.core.records import Example, Probe, Turn
from staytrue.core.text import words
from staytrue.elicit.consistest.clauses import Refusal
from staytrue.elicit.consistest.drops import Candidates, Drop
from staytrue.elicit.consistest.extract import extracted_probes
from staytrue.elicit.consistest.wh import WhModels, wh_probes
from staytrue.elicit.consistest.wh_templates import with_templates
from staytrue.elicit.consistest.yesno import YesNo, questions_and_refusals
from staytrue.english.wording import is_question
from staytrue.english.words import sentences
from staytrue.metrics.q2.steps import normalise_answer

_OWN = frozenset("i my me we our us mine myself".split())
_SMALL_TALK = re.compile(
    r"^i am (?:(?:so|very|really|just|doing|pretty|also) )*(?:sorry|glad|sure|good|fine|ok|okay|"
    r"great|well|kidding|happy for|excited for|not sure|here|back)\b|"
    r"^i (?:am sure|would say|can imagine|can see|will have to|should|feel that|do too|am too)\b|"
    r"\bto hear that\b|\bnice to meet\b|\bgood luck\b"
)


@dataclass(frozen=True)
class Builder:
    """Makes the probes of dialogues; without models, the yes/no ones only."""

    models: WhModels | None = None
    altered: bool = True
    """Whether to ask about altered facts, too ("do you have four dogs?")."""
    history: bool = True
    """Whether to ask about what the agent said."""

    def build(
        self, dialogues: Iterable[PersonaDialogue]
    ) -> Iterator[tuple[PersonaDialogue, Candidates]]:
        """Each dialogue with its probes; a statement that several share is read once."""
        known: dict[str, Candidates] = {}
        for dialogue in dialogues:
            new = [line for line in dict.fromkeys(dialogue.persona) if line not in known]
            known.update(zip(new, self._about(new, "persona", [None] * len(new)), strict=True))
            parts = [known[line] for line in dialogue.persona]
            if self.history:
                parts += self._from_history(dialogue)
            yield dialogue, _joined(parts, dialogue.id)

    def _from_history(self, dialogue: PersonaDialogue) -> Iterator[Candidates]:
        drops: list[Drop] = []
        facts: list[str] = []
        turns: list[int | None] = []
        for index in range(1, len(dialogue.utterances), 2):
            for sentence in sentences(dialogue.utterances[index]):
                if is_question(sentence):
                    drops.append(Drop(sentence, "It is a question.", "history"))
                else:
                    facts.append(sentence)
                    turns.append(index // 2)
        yield from self._about(facts, "history", turns)
        if self.models is not None:
            yield extracted_probes(dialogue, self.models)
        yield Candidates(drops=tuple(drops))

    def _about(
        self, facts: Sequence[str], source: str, turns: Sequence[int | None]
    ) -> list[Candidates]:
        if not facts:
            return []
        read = questions_and_refusals(facts)
        yes_no = [
            self._yes_no(fact, items, source, turn)
            for fact, turn, items in zip(facts, turns, read, strict=True)
        ]
        if self.models is None:
            return yes_no
        # The generator asks better about one clean clause than about a whole utterance.
        clauses = [
            (index, clause)
            for index, items in enumerate(read)
            for clause in dict.fromkeys(
                item.fact for item in items if isinstance(item, YesNo) and item.form == "positive"
            )
        ]
        made = wh_probes(
            [clause for _, clause in clauses], self.models, source=source,
            turns=[turns[index] for index, _ in clauses],
        )  # fmt: skip
        merged = list(yes_no)
        for (index, clause), asked in zip(clauses, made, strict=True):
            new = with_templates(clause, asked, source, turns[index])
            before = merged[index]
            if source == "persona":
                probes = [replace(probe, fact=facts[index]) for probe in new.probes]
                drops: list[Drop] = []
            else:
                probes, drops = _about_the_agent(new.probes)
            merged[index] = Candidates(
                (*before.probes, *probes), (*before.drops, *new.drops, *drops)
            )
        return merged

    def _yes_no(
        self, fact: str, items: Sequence[YesNo | Refusal], source: str, turn: int | None
    ) -> Candidates:
        probes, drops = [], []
        for item in items:
            if isinstance(item, Refusal):
                drops.append(Drop(item.text, item.reason, source))
                continue
            if item.form.startswith("altered") and not self.altered:
                continue
            whole = fact if source == "persona" else item.fact
            reason = _not_about_the_agent(whole) if source != "persona" else ""
            if reason:
                drops.append(Drop(item.question, reason, source))
                continue
            probes.append(Probe(item.question, item.truth, whole, "yn", source, turn))
        return Candidates(tuple(probes), tuple(drops))


def _about_the_agent(probes: Sequence[Probe]) -> tuple[list[Probe], list[Drop]]:
    """The probes whose fact is about the agent, and the others with the reason."""
    reasons = [_not_about_the_agent(probe.fact) for probe in probes]
    kept = [probe for probe, reason in zip(probes, reasons, strict=True) if not reason]
    dropped = [
        Drop(probe.question, reason, probe.source)
        for probe, reason in zip(probes, reasons, strict=True)
        if reason
    ]
    return kept, dropped


def _not_about_the_agent(fact: str) -> str:
    """Say why a sentence of the talk is no fact about the agent."""
    if _SMALL_TALK.search(fact.lower()):
        return "It is small talk."
    if not _OWN & set(words(fact)):
        return "It does not speak of the agent."
    if words(fact)[-1:] in (["that"], ["it"], ["this"], ["them"]):
        return "It needs the words before it."
    return ""


def _joined(parts: Sequence[Candidates], dialogue: str) -> Candidates:
    """All parts as one; a question that was asked before is dropped."""
    seen: dict[str, str] = {}
    probes: list[Probe] = []
    drops = [replace(drop, dialogue=dialogue) for part in parts for drop in part.drops]
    for part in parts:
        for probe in part.probes:
            key = normalise_answer(probe.question)
            if key in seen:
                same = seen[key] == probe.truth
                reason = "It was asked before." if same else "Its answer changes in the dialogue."
                drops.append(Drop(probe.question, reason, probe.source, dialogue))
                continue
            seen[key] = probe.truth
            probes.append(probe)
    return Candidates(tuple(probes), tuple(drops))


def as_example(dialogue: PersonaDialogue, probe: Probe, number: int) -> Example:
    """An unplaced probe as a row: the whole dialogue, the probe, and no response yet."""
    return Example(
        id=f"{dialogue.id}-{number}",
        response="",
        history=dialogue.turns(0, len(dialogue.utterances)),
        persona=dialogue.persona,
        probe=probe,
        tags={"dialogue": dialogue.id},
    )


def as_dialogue(example: Example) -> PersonaDialogue:
    """The dialogue of an unplaced probe, or of any row with persona and history.

    Turns are made to alternate, the partner first: turns of one side in a row are joined, and a
    dialogue that the agent opens gets an empty first utterance. A last message that the agent has
    not answered is left out, as a turn takes both sides.
    """
    utterances: list[str] = []
    for turn in example.history:
        side = BOT if turn.speaker == BOT else USER
        expected = USER if len(utterances) % 2 == 0 else BOT
        if side == expected:
            utterances.append(turn.text)
        elif utterances:
            utterances[-1] = f"{utterances[-1]} {turn.text}".strip()
        else:
            utterances += ["", turn.text]
    if len(utterances) % 2:
        utterances.pop()
    name = example.tags.get("dialogue", example.id)
    return PersonaDialogue(name, example.persona, tuple(utterances))


def with_reply(example: Example) -> Example:
    """The row with its response as the agent's last turn, as in files of message and response."""
    if not example.response:
        return example
    return replace(example, history=(*example.history, Turn(BOT, example.response)), response="")
