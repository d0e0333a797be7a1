"""Small requests beside the conversation: titles, labels, summaries, and anything that must fit a form."""

import re

import msgspec

from perdure.sim.ask import Ask, Said
from perdure.sim.demo.forms import Words, fill
from perdure.sim.document import names
from perdure.sim.script import Call, Step, Text

_SUMMARY = re.compile(r"\b(summari[sz]e|summary|compact(ed|ion)?|condense)\b", re.IGNORECASE)
_OF_CHAT = re.compile(r"\b(conversation|chat|transcript|history|so far|above|messages)\b", re.IGNORECASE)
_NAMING = re.compile(r"\b(title|label|name)s?\b", re.IGNORECASE)
_NOISE = re.compile(r"\[\[.*?\]\]|<[^<>]{1,80}>|[`*_#>\"']+", re.DOTALL)
_FILLERS = names("a an the please can could would you i me my we to of for and with in on it is this that")

TITLE_WORDS = 6
LABEL_WORDS = 4
SUMMARY_CHARACTERS = 1_200
INSTRUCTION = 1_000
"""How much of a text is looked at for an instruction."""


def step(ask: Ask) -> Step | None:
    """The answer, when the request is one of these."""
    if ask.schema is not None:
        return Step((Text(msgspec.json.encode(fill(ask.schema, _words(ask))).decode()),))
    if ask.forced_tool is not None:
        schemas = {tool.name: tool.schema for tool in ask.tools}
        return Step((Call(ask.forced_tool, fill(schemas[ask.forced_tool], _words(ask))),))
    if _asks_for_summary(ask):
        return Step((Text(summary(ask)),))
    if not ask.tools and _NAMING.search(ask.system[:INSTRUCTION]) and len(ask.history) <= 2:
        return Step((Text(title(ask)),))
    return None


def title(ask: Ask, words: int = TITLE_WORDS) -> str:
    """The first words of what the user wanted that say something."""
    said = [word for word in _NOISE.sub(" ", _subject(ask)).split() if word.lower().strip(".,!?") not in _FILLERS]
    text = " ".join(said[:words]).strip(" .,:;!?")
    return text[:1].upper() + text[1:] if text else "A new chat"


def summary(ask: Ask) -> str:
    """What was asked and done, from the history."""
    requests = [_clean(said.text) for said in ask.history if said.role == "user" and said.text.strip()]
    calls = [call.name for said in ask.history for call in said.calls]
    last = next((said.text for said in reversed(ask.history) if said.role == "assistant" and said.text.strip()), "")
    lines = ["## Summary", *(f"- The user asked: {text[:160]}" for text in requests[:-1][-5:] or requests[-1:])]
    if calls:
        lines.append(f"- {len(calls)} tool calls were made: {', '.join(sorted(set(calls)))}.")
    if last:
        lines.append(f"- The last answer began: {_clean(last)[:200]}")
    return "\n".join(lines)[:SUMMARY_CHARACTERS]


def _words(ask: Ask) -> Words:
    return {
        "title": lambda: title(ask),
        "label": lambda: title(ask, LABEL_WORDS),
        "summary": lambda: summary(ask),
        "path": lambda: "notes.md",
        "text": lambda: title(ask, 12),
    }


def _asks_for_summary(ask: Ask) -> bool:
    """Whether the last thing said is to summarise, after any directives, or the system text is about nothing else."""
    newest = ask.history[-1].text if ask.history else ""
    ending = newest[newest.rfind("]]") + 1 :][-INSTRUCTION:]
    if len(ask.history) > 1 and _SUMMARY.search(ending) and _OF_CHAT.search(ending):
        return ask.history[-1].role == "user"
    return not ask.tools and bool(_SUMMARY.search(ask.system[:INSTRUCTION]))


def _subject(ask: Ask) -> str:
    """What the chat is about: the first thing the user said."""
    return next((said.text for said in ask.history if _tells(said)), ask.prompt)


def _tells(said: Said) -> bool:
    return said.role == "user" and bool(_NOISE.sub("", said.text).strip())


def _clean(text: str) -> str:
    return " ".join(_NOISE.sub(" ", text).split())
