"""What the advisor is told: the end of the very prompt that its asker had, as text, and the question."""

from collections.abc import Sequence

from perdure.core.message import AnyPart, File, FileReference, Message, NewMessage, Role, Text, ToolCall, ToolResult
from perdure.tools.advisor import GUIDANCE
from perdure.tools.call import ModelContext, within

SYSTEM_BYTES = 12_000
MESSAGES_BYTES = 12_000
MESSAGES = 20
NOTE_BYTES = 1_500
ADVISING = (
    "You advise another agent that works for a user. You see what it was told, the end of its conversation, and its "
    "question. Answer the agent, never the user. You have no tools: you cannot look anything up, and you have done "
    "nothing, so never say that you did. Say what to do and why, what could go wrong, and what you are unsure of."
)


def advice_system(told: ModelContext) -> tuple[str, ...]:
    """The asker's system text without the guidance about the advisor, then the advisor's own."""
    text = "\n\n".join(block for block in told.system if block != GUIDANCE)
    quoted = f"<agent-instructions>\n{within(text, SYSTEM_BYTES)}\n</agent-instructions>" if text else ""
    return tuple(block for block in (quoted, ADVISING) if block)


def advice_messages(told: ModelContext, question: str) -> tuple[NewMessage, ...]:
    """The newest messages, tool exchanges as notes, the step that asks last; then the question."""
    asked = NewMessage(role=Role.USER, parts=(Text(f"<question>\n{question}\n</question>"),))
    return (*_recent(told.messages), asked)


def _recent(messages: Sequence[Message]) -> list[NewMessage]:
    kept: list[NewMessage] = []
    room = MESSAGES_BYTES
    for message in reversed(messages[-MESSAGES:]):
        text = "\n\n".join(note for part in message.parts if (note := _note(part)))
        if not text:
            continue
        shown = _ending(text, room)
        room -= len(shown.encode(errors="replace"))
        kept.append(NewMessage(role=_speaker(message.role), parts=(Text(shown),)))
        if room <= 0:
            break
    return kept[::-1]


def _ending(text: str, room: int) -> str:
    """The text, or as much of its end as there is room for: what came last matters most."""
    data = text.encode(errors="replace")
    if len(data) <= room:
        return text
    return "[…] " + data[len(data) - room + 8 :].decode(errors="ignore") if room > 8 else "[…]"


def _speaker(role: Role) -> Role:
    return Role.ASSISTANT if role is Role.ASSISTANT else Role.USER


def _note(part: AnyPart) -> str:
    match part:
        case Text(text=text):
            return text.strip()
        case ToolCall(tool="advisor"):
            return ""
        case ToolCall(tool=tool, args=args):
            return f"[The agent called {tool} with {within(args, NOTE_BYTES)}]"
        case ToolResult(tool=tool, result=result, is_error=failed):
            return f"[{tool} {'failed' if failed else 'answered'}: {within(result, NOTE_BYTES)}]"
        case File(name=name):
            return f"[The file {name}]"
        case FileReference(file_name=name, start_line=start, end_line=end, content=content):
            return f"[Lines {start} to {end} of {name}: {within(content, NOTE_BYTES)}]"
        case _:
            return ""
