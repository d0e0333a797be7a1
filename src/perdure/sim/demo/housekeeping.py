"""Small requests beside the conversation: titles, labels, summaries, and anything that must fit a form."""

import re

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.demo import words
from perdure.sim.demo.forms import Words, fill
from perdure.sim.script import Call, Step, Text

INSTRUCTION = 1_000
"""How much of a text is looked at for an instruction."""

_SUMMARY = re.compile(r"\b(summari[sz]e|summary|compact(ed|ion)?|condense)\b", re.IGNORECASE)
_OF_CHAT = re.compile(r"\b(conversation|chat|transcript|history|so far|above|messages)\b", re.IGNORECASE)
_NAMING = re.compile(r"\b(title|label)s?\b", re.IGNORECASE)


def step(ask: Ask) -> Step | None:
    """The answer, when the request is one of these."""
    if ask.schema is not None:
        return Step((Text(msgspec.json.encode(fill(ask.schema, _words(ask))).decode()),))
    if ask.forced_tool is not None:
        schemas = {tool.name: tool.schema for tool in ask.tools}
        return Step((Call(ask.forced_tool, fill(schemas[ask.forced_tool], _words(ask))),))
    if _asks_for_summary(ask):
        return Step((Text(words.minutes(ask.history[:-1] or ask.history)),))
    if not ask.tools and _NAMING.search(ask.system[:INSTRUCTION]) and len(ask.history) <= 2:
        return Step((Text(words.title(words.told(ask))),))
    return None


def _words(ask: Ask) -> Words:
    conversation = words.told(ask)
    return {
        "title": lambda: words.title(conversation),
        "label": lambda: words.label(conversation),
        "summary": lambda: words.summary(conversation),
        "path": lambda: "notes.md",
        "text": lambda: words.title(conversation),
    }


def _asks_for_summary(ask: Ask) -> bool:
    """Whether the last thing said is to summarise, after any directives, or the system text is about nothing else."""
    newest = ask.history[-1].text if ask.history else ""
    ending = newest[newest.rfind("]]") + 1 :][-INSTRUCTION:]
    if len(ask.history) > 1 and _SUMMARY.search(ending) and _OF_CHAT.search(ending):
        return ask.history[-1].role == "user"
    return not ask.tools and bool(_SUMMARY.search(ask.system[:INSTRUCTION]))
