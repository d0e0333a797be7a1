"""A chat to take away: as data, or to read."""

from collections.abc import Sequence
from urllib.parse import quote

from msgspec import Struct

from perdure.api.http import Answer
from perdure.core.events import ChatCard
from perdure.core.message import Message, Role
from perdure.core.parts import AnyPart, File, FileReference, NoticePart, Reasoning, Source, Text, ToolCall, ToolResult

_SPEAKERS = {Role.USER: "You", Role.ASSISTANT: "Agent", Role.TOOL: "Tool"}


class Export(Struct, frozen=True):
    chat: ChatCard
    messages: tuple[Message, ...]


def as_json(card: ChatCard, messages: Sequence[Message]) -> Answer:
    return Answer.json(200, Export(card, tuple(messages)), _attached(card, "json"))


def as_markdown(card: ChatCard, messages: Sequence[Message]) -> Answer:
    sections = [f"# {card.title}", *(_section(message) for message in messages)]
    text = "\n\n".join(section for section in sections if section) + "\n"
    return Answer(200, text.encode(), (("content-type", "text/markdown; charset=utf-8"), _attached(card, "md")))


def _attached(card: ChatCard, ending: str) -> tuple[str, str]:
    name = quote(f"{card.title[:60]}.{ending}", safe="")
    return "content-disposition", f"attachment; filename*=UTF-8''{name}"


def _section(message: Message) -> str:
    parts = [text for part in message.parts if (text := _part(part))]
    if not parts:
        return ""
    speaker = _SPEAKERS.get(message.role, "System")
    return "\n\n".join((f"## {speaker}, {message.created_at:%Y-%m-%d %H:%M} UTC", *parts))


def _part(part: AnyPart) -> str:
    match part:
        case Text(text=text):
            return text.strip()
        case Reasoning(text=text):
            return "\n".join(f"> {line}" for line in text.strip().splitlines())
        case ToolCall():
            return f"**{part.tool}**\n\n{_fenced(part.args, 'json')}"
        case ToolResult():
            return f"**{part.tool}**{' failed' if part.is_error else ''}\n\n{_fenced(part.result)}"
        case Source():
            return f"[{part.title or part.url}]({part.url})"
        case File():
            return f"*File: {part.name}*"
        case FileReference():
            return f"*{part.file_name}, lines {part.start_line} to {part.end_line}*\n\n{_fenced(part.content)}"
        case NoticePart(text=text):
            return f"*{text}*"


def _fenced(text: str, language: str = "") -> str:
    """The text in a fence that is longer than any inside it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
