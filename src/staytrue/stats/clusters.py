"""Which dialogue or document an example comes from: rows that share one are not independent."""

from __future__ import annotations

from staytrue.core.records import Example

_DIALOGUES = ("dialogue", "episode", "conversation")
# Bots count their dialogues each for itself.
_TALKERS = ("first", "second", "bot")


def dialogue_of(example: Example) -> str:
    """The dialogue that an example comes from: a tag, or the part of its context before "-"."""
    for tag in _DIALOGUES:
        if example.tags.get(tag):
            return example.tags[tag]
    context = example.tags.get("context", "")
    return context.rpartition("-")[0] or example.tags.get("topic", "")


def cluster_of(example: Example) -> str:
    """Its dialogue; else its document, which is a tag or the knowledge itself; else its own id."""
    tags = example.tags
    dialogue = dialogue_of(example)
    if dialogue:
        # Two bots of one talk answer the same partner: the talk is the cluster, not the bot.
        talkers = _TALKERS[:2] if "first" in tags else _TALKERS[2:]
        return "\t".join((*(tags.get(name, "") for name in talkers), dialogue))
    return tags.get("document") or tags.get("context") or example.knowledge or example.id
