"""What a terminal shows of a chat: text as it is said, tools in one line each, what went wrong, what is asked."""

from collections.abc import Sequence
from typing import Any, TextIO

from msgspec import json

from perdure.core.action import ActionKind, BudgetOwner
from perdure.core.deltas import TextDelta, ToolCallDelta
from perdure.core.events import (
    ActionRequired,
    AnyEvent,
    ErrorEvent,
    MessageEvent,
    MessagePart,
    PendingAction,
    PendingQuestion,
    PreviewReset,
    QueueUpdate,
    RetryEvent,
)
from perdure.core.message import Message, NoticePart, Role, Text, ToolCall, ToolResult

_WIDTH = 100
_RECALLED = 400
PROMPT = "> "
# Whatever a model or a tool says is shown as text: it does not move the cursor, rename the window or ring the bell.
_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


class Screen:
    """Prints events. Text goes to `out`; everything else goes to `aside`, dimmed where that is a terminal."""

    def __init__(self, out: TextIO, aside: TextIO, *, since: int = 0) -> None:
        self.prompts = False
        """Whether somebody is to see when it is their turn to type."""
        self._out = out
        self._aside = aside
        self._prompted = False
        self._since = since
        """Messages up to this number were shown before."""
        self._said: dict[int, str] = {}
        self._queued = 0
        self._fresh_line = True

    def show(self, event: AnyEvent) -> None:
        match event:
            case MessagePart(part=TextDelta(index=index, text=text)):
                self._said[index] = self._said.get(index, "") + text
                self._print(text)
            case MessagePart(part=ToolCallDelta(tool=tool)) if tool:
                self._note(f"→ {tool} …")
            case MessageEvent(message=message):
                self._committed(message)
            case PreviewReset() if self._said:
                self._said = {}
                self._note("(starting over)")
            case RetryEvent(retry=retry) if retry is not None:
                self._note(f"({retry.error.rstrip('.')}; trying again in {retry.delay_ms / 1000:.0f} s)")
            case ErrorEvent(error=error) if error is not None:
                self._note(f"! {error.message}")
            case ActionRequired(action=action) if action is not None:
                self._asked(action)
            case QueueUpdate(queue=queue):
                self._queue(len(queue))
            case _:
                pass

    def prompt(self) -> None:
        """It is somebody's turn to type."""
        if self.prompts and not self._prompted:
            self.finish()
            self._aside.write(PROMPT)
            self._aside.flush()
            self._prompted = True

    def entered(self) -> None:
        """A line was typed, and the terminal shows it."""
        self._prompted = False

    def note(self, text: str) -> None:
        """Say something beside the conversation."""
        self._note(text)

    def recall(self, title: str, messages: Sequence[Message]) -> None:
        """What a conversation was about that somebody comes back to: its title, and the last words of each side."""
        self._note(title)
        for role, mark in ((Role.USER, "you"), (Role.ASSISTANT, "agent")):
            said = next((text for message in messages if message.role is role and (text := _text(message))), "")
            if said:
                self._note(f"{mark}: {_short(said, _RECALLED)}")

    def finish(self) -> None:
        """End a line that is not over."""
        if self._prompted:
            self._aside.write("\r\x1b[K")
            self._aside.flush()
            self._prompted = False
        if not self._fresh_line:
            self._out.write("\n")
            self._out.flush()
            self._fresh_line = True

    def _committed(self, message: Message) -> None:
        said, self._said = "".join(self._said[index] for index in sorted(self._said)), {}
        if message.number <= self._since:
            return
        self._since = message.number
        for part in message.parts:
            match part:
                case ToolCall():
                    self._note(f"→ {part.tool}({_short(part.args)})")
                case ToolResult():
                    self._note(f"{'✗' if part.is_error else '←'} {_short(part.result)}")
                case NoticePart():
                    self._note(f"({part.text})")
                case _:
                    pass
        if message.role is Role.ASSISTANT:
            self._rest_of(_text(message), said)

    def _rest_of(self, text: str, said: str) -> None:
        """What of the answer was not shown while it was given."""
        if text.startswith(said):
            self._print(text[len(said) :])
        elif text:
            self.finish()
            self._print(text)
        self.finish()

    def _asked(self, action: PendingAction) -> None:
        self.finish()
        for call in action.calls:
            self._note(f"? {action.kind.value}: {call.tool}({_short(call.args)})")
            for asked in call.questions:
                self._note(f"  {asked.message} {asked.url or _fields(asked)}")
        if action.kind is ActionKind.BUDGET:
            self._note(_over_budget(action))
        if hint := _ANSWERS.get(action.kind):
            self._note(f"  {hint}")

    def _queue(self, length: int) -> None:
        if length != self._queued:
            self._queued = length
            if length:
                self._note(f"({length} queued)")

    def _print(self, text: str) -> None:
        if text:
            if self._prompted:
                self.finish()
            self._out.write(text.translate(_CONTROLS) if self._out.isatty() else text)
            self._out.flush()
            self._fresh_line = text.endswith("\n")

    def _note(self, text: str) -> None:
        self.finish()
        dim, plain = ("\x1b[2m", "\x1b[0m") if self._aside.isatty() else ("", "")
        self._aside.write(f"{dim}{text.translate(_CONTROLS)}{plain}\n")
        self._aside.flush()


_ANSWERS = {
    ActionKind.APPROVAL: "answer with /approve or /deny",
    ActionKind.OUTCOME_UNKNOWN: "nobody knows whether this ran: /happened RESULT, /repeat or /skip",
    ActionKind.ELICITATION: "answer with /answer JSON, or /refuse",
    ActionKind.BUDGET: "answer with /raise DOLLARS or /decline",
}


def _fields(asked: PendingQuestion) -> str:
    """The fields of a form, each with what it takes."""
    fields: dict[str, Any] = (asked.schema or {}).get("properties") or {}
    return ", ".join(f"{name}: {_short(json.encode(field).decode())}" for name, field in fields.items())


def _over_budget(action: PendingAction) -> str:
    whose = {BudgetOwner.CHAT: "The chat's", BudgetOwner.USER: "Your", BudgetOwner.ORGANISATION: "The organisation's"}
    spent, limit = (action.spent or 0) / 1_000_000, (action.limit or 0) / 1_000_000
    return f"? {whose[action.budget]} budget has no room for the next step: ${spent:.4f} of ${limit:.4f} is spent."


def _short(text: str, width: int = _WIDTH) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[:width]}…"


def _text(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, Text))
