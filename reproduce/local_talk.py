"""Let a local model talk, for others to ask about: `python -m reproduce.local_talk --bot SPEC`.

Prints one JSON line per reply. The other side is what a person said in a PersonaChat dialogue, and
the bot gets the persona of the dialogue, so that it has something to say of itself. With `--open`
the other side asks what the bot knows of something, because SmolLM2-135M states little that can be
asked about when it talks of itself. Without it, the data folder is needed (STAYTRUE_DATA, or
../shared/data). `python -m reproduce.inquiries_read --talk FILE` draws inquiries about the replies.

With `--ask` the bot is asked about each reply, as AIH does: inquiry and answer do not enter the
talk. `python -m reproduce.flags_drawn --talk BOT=FILE` draws flagged answers from that file.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduce.pages import DATA
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Turn
from staytrue.core.seeds import derived_seed
from staytrue.elicit.aih.inquirer import STRATEGIES, Inquirer
from staytrue.plugins.registry import load_backend, load_chatbot

# What the other side asks with `--open`: nothing that has one short answer.
TOPICS = (
    "the beatles", "albert einstein", "paris", "the titanic", "william shakespeare", "harry potter",
    "the moon landing", "mozart", "australia", "the great wall of china", "basketball", "pizza",
    "abraham lincoln", "japan", "the olympic games", "leonardo da vinci", "star wars", "coffee",
    "new york city", "michael jackson", "the roman empire", "bill gates", "tennis", "chocolate",
    "the amazon rainforest", "marie curie", "world war two", "mount everest", "walt disney", "jazz",
    "queen elizabeth", "the sun", "soccer", "egypt", "charles darwin", "game of thrones", "london",
    "martin luther king", "the internet", "van gogh", "california", "the black death", "google",
    "isaac newton", "elvis presley", "the berlin wall", "antarctica", "nelson mandela", "football",
    "thanksgiving", "the statue of liberty", "frida kahlo", "chess", "the lord of the rings",
    "galileo", "taylor swift", "the nobel prize", "mexico", "steve jobs", "the french revolution",
)  # fmt: skip
_OPEN = "hi ! i just read about {} . what do you know about it ?"


@dataclass(frozen=True)
class Partner:
    """What one person says in a dialogue, and whom the bot plays in it."""

    name: str
    says: tuple[str, ...]
    persona: tuple[str, ...]


def partners(data: Path, seed: int) -> list[Partner]:
    """The people of PersonaChat in random order."""
    rows: dict[str, Any] = json.loads((data / "consistest" / "valid.json").read_text("utf-8"))
    people = [
        Partner(f"PersonaChat #{number}", tuple(row["utterances"][::2]), tuple(row["persona"]))
        for number, row in rows.items()
    ]
    random.Random(seed).shuffle(people)
    return people


def openly(seed: int) -> list[Partner]:
    """Somebody who asks an open question, about each topic, in random order."""
    topics = random.Random(seed).sample(TOPICS, len(TOPICS))
    return [Partner(topic, (_OPEN.format(topic),), ()) for topic in topics]


def replies(bot: Chatbot, partner: Partner, turns: int, seed: int) -> Iterator[str]:
    """What the bot says to each of the partner's first turns, its own words in its history."""
    for history in talk(bot, partner, turns, seed):
        yield history[-1].text


def talk(bot: Chatbot, partner: Partner, turns: int, seed: int) -> Iterator[tuple[Turn, ...]]:
    """The talk up to each reply of the bot, which comes last."""
    history: list[Turn] = []
    for number, text in enumerate(partner.says[:turns]):
        history.append(Turn("user", text))
        reply = bot.reply(
            history, persona=partner.persona, seed=derived_seed(seed, partner.name, number)
        )
        history.append(Turn("bot", reply))
        yield tuple(history)


def interrogated(
    bot: Chatbot, partner: Partner, turns: int, seed: int, inquirer: Inquirer, each: int = 1
) -> Iterator[dict[str, Any]]:
    """Every reply of a talk, with up to so many inquiries about it and the answers."""
    for number, history in enumerate(talk(bot, partner, turns, seed)):
        reply = history[-1].text
        chance = derived_seed(seed, partner.name, number, "inquiry")
        options = inquirer.candidates([reply])[0]
        chosen = random.Random(derived_seed(chance, 0)).sample(options, min(each, len(options)))
        inquiries = [
            {
                "statement": one.statement, "span": one.span, "strategy": one.strategy,
                "inquiry": one.question,
                "answer": bot.reply(
                    (*history, Turn("user", one.question)), persona=partner.persona,
                    seed=chance + count,
                ),
            }
            for count, one in enumerate(chosen)
        ]  # fmt: skip
        yield {
            "dialogue": partner.name, "turn": number, "reply": reply, "inquiries": inquiries
        }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bot", required=True, metavar="SPEC", help="such as gguf:FILE")
    parser.add_argument("--dialogues", type=int, default=100)
    parser.add_argument("--turns", type=int, default=3, help="replies of the bot per dialogue")
    parser.add_argument("--open", action="store_true", help="the other side asks open questions")
    parser.add_argument(
        "--ask", metavar="STRATEGIES", help=f"ask about the replies: {', '.join(STRATEGIES)}"
    )
    parser.add_argument("--each", type=int, default=1, help="inquiries per reply, at most")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    bot = load_chatbot(chosen.bot)
    people = openly(chosen.seed) if chosen.open else partners(DATA, chosen.seed)
    if chosen.ask:
        backend: Any = load_backend("embedded")
        inquirer = Inquirer(backend, backend, chosen.ask.split(","))
    for partner in people[: chosen.dialogues]:
        rows = (
            interrogated(bot, partner, chosen.turns, chosen.seed, inquirer, chosen.each)
            if chosen.ask
            else _said(bot, partner, chosen.turns, chosen.seed)
        )
        for row in rows:
            print(json.dumps(row, ensure_ascii=False), flush=True)


def _said(bot: Chatbot, partner: Partner, turns: int, seed: int) -> Iterator[dict[str, Any]]:
    for reply in replies(bot, partner, turns, seed):
        yield {"dialogue": partner.name, "reply": reply}


if __name__ == "__main__":
    main()
