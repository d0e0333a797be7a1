"""Small requests beside the conversation: titles, labels, summaries, and anything that must have a form."""

import re

import msgspec

from perdure.sim.ask import Ask, Said
from perdure.sim.demo.forms import Words, fill
from perdure.sim.demo.programs import named
from perdure.sim.document import names
from perdure.sim.script import Call, Step, Text

TITLE_WORDS = 6
LABEL_WORDS = 4
QUOTED = 160
"""Characters of what somebody said that are worth repeating."""

_QUOTE = re.compile(r"<(conversation|transcript|chat|messages)>\n?(.*?)\n?</\1>", re.DOTALL)
_SPEAKER = re.compile(r"^(user|assistant|human|model): ", re.MULTILINE | re.IGNORECASE)
_NOISE = re.compile(r"\[\[.*?\]\]|<[^<>]{1,80}>|[`*_#>|\"']+", re.DOTALL)
_FILLERS = names("a an the please can could would you i me my we to of for and with in on it is this that")


def told(ask: Ask) -> tuple[Said, ...]:
    """The conversation that a request is about: the one it quotes, or its own history."""
    quoted = _QUOTE.search(ask.prompt)
    if quoted is None:
        return ask.history
    _, *pieces = _SPEAKER.split(quoted[2])
    return tuple(_said(role, text) for role, text in zip(pieces[::2], pieces[1::2], strict=True))


def title(conversation: tuple[Said, ...]) -> str:
    """What the chat is about, in a few words."""
    return _named(_first(conversation), TITLE_WORDS)


def label(conversation: tuple[Said, ...]) -> str:
    """What the last turn did, in fewer."""
    asked, answer = _last(conversation, "user"), _last(conversation, "assistant")
    program = named(asked)
    if program is not None and "Done" in answer:
        return f"Built and tested {program.name}"
    return _named(asked, LABEL_WORDS)


def summary(conversation: tuple[Said, ...]) -> str:
    """What was asked and what came of it, in two sentences."""
    asked, answer = _plain(_first(conversation)), _plain(_last(conversation, "assistant"))
    sentences = [f"The user asked: {_short(asked)}"]
    if answer:
        sentences.append(f"The last answer: {_short(answer)}")
    return " ".join(sentences)


def minutes(conversation: tuple[Said, ...]) -> str:
    """Everything worth keeping, as a list: what a compaction asks for."""
    asked = [_plain(said.text) for said in conversation if said.role == "user" and said.text.strip()]
    calls = [call.name for said in conversation for call in said.calls]
    answer = _plain(_last(conversation, "assistant"))
    lines = ["## Summary", *(f"- The user asked: {_short(text)}" for text in asked[-5:])]
    if calls:
        lines.append(f"- {len(calls)} tool calls were made: {', '.join(sorted(set(calls)))}.")
    if answer:
        lines.append(f"- The last answer: {_short(answer)}")
    return "\n".join(lines)


def _said(role: str, text: str) -> Said:
    return Said("user" if role.lower() in ("user", "human") else "assistant", text.strip())


def _first(conversation: tuple[Said, ...]) -> str:
    return next((said.text for said in conversation if said.role == "user" and _plain(said.text)), "")


def _last(conversation: tuple[Said, ...], role: str) -> str:
    return next((said.text for said in reversed(conversation) if said.role == role and _plain(said.text)), "")


def _named(text: str, words: int) -> str:
    program = named(text)
    if program is not None:
        return f"A {program.name.replace('_', ' ')} program"
    spoken = _plain(text).split()
    telling = [word for word in spoken if word.lower().strip(".,!?") not in _FILLERS] if len(spoken) > words else spoken
    found = " ".join(telling[:words]).strip(" .,:;!?")
    return found[:1].upper() + found[1:] if found else "A new chat"


def _plain(text: str) -> str:
    return " ".join(_NOISE.sub(" ", text).split())


def _short(text: str) -> str:
    if len(text) <= QUOTED:
        return text if text.endswith((".", "!", "?")) else f"{text}."
    return text[:QUOTED].rsplit(" ", 1)[0] + "…"


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
        return Step((Text(minutes(ask.history[:-1] or ask.history)),))
    if not ask.tools and _NAMING.search(ask.system[:INSTRUCTION]) and len(ask.history) <= 2:
        return Step((Text(title(told(ask))),))
    return None


def _words(ask: Ask) -> Words:
    conversation = told(ask)
    return {
        "title": lambda: title(conversation),
        "label": lambda: label(conversation),
        "summary": lambda: summary(conversation),
        "path": lambda: "notes.md",
        "text": lambda: title(conversation),
    }


def _asks_for_summary(ask: Ask) -> bool:
    """Whether the last thing said is to summarise, after any directives, or the system text is about nothing else."""
    newest = ask.history[-1].text if ask.history else ""
    ending = newest[newest.rfind("]]") + 1 :][-INSTRUCTION:]
    if len(ask.history) > 1 and _SUMMARY.search(ending) and _OF_CHAT.search(ending):
        return ask.history[-1].role == "user"
    return not ask.tools and bool(_SUMMARY.search(ask.system[:INSTRUCTION]))
