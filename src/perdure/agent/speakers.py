"""Who says what, as models are told: only once a second person speaks, so that a chat of one reads as it always did.
So it is with who decides about a call and who stops a turn: somebody else than the one who writes is named.

What was told before stays as it was, byte for byte, and a provider's cache of it stays good.
"""

from msgspec import Struct, structs

from perdure.core.ids import UserId
from perdure.core.message import STOPPED_TURN, AnyPart, Kind, Message, NoticePart, Role, Text, ToolResult

SEVERAL = "Several people write in this chat. From here on, the server names the author before each message of theirs."
BEFORE = "The messages before this one are from {}."
STOPPED = "[Before this message, {} stopped the turn.]"


class Speakers(Struct, frozen=True):
    """Who has spoken so far."""

    first: UserId | None = None
    name: str | None = None
    several: bool = False
    stopped: str | None = None
    """Who stopped the turn before the next message, where it was not the one who asked for it."""

    def heard(self, message: Message) -> tuple["Speakers", Message]:
        """Those who have spoken with this message, and the message as a model is told it."""
        if message.role is Role.TOOL:
            told = tuple(map(self._decided, message.parts))
            return self, message if told == message.parts else structs.replace(message, parts=told)
        speakers, said = self._said(message)
        if self.stopped is None or message.role is not Role.USER:
            return speakers, said
        return structs.replace(speakers, stopped=None), _by(said, STOPPED.format(_shown(self.stopped)))

    def seen(self, message: Message) -> "Speakers":
        """After a message that models are not told, which may say that somebody stopped a turn."""
        if message.created_by is None or not any(map(_is_stop, message.parts)):
            return self
        return structs.replace(self, stopped=message.author or "")

    def _decided(self, part: AnyPart) -> AnyPart:
        """A result with who decided about its call, unless they are the only one here."""
        if not isinstance(part, ToolResult) or not part.decided_by:
            return part
        alone = self.first is None or all(each.id == self.first for each in part.decided_by)
        if alone and not self.several:
            return part
        names = ", ".join(_shown(each.name) for each in part.decided_by)
        return structs.replace(part, result=f"[Decided by: {names}]\n{part.result}")

    def _said(self, message: Message) -> tuple["Speakers", Message]:
        if message.role is not Role.USER or message.kind is not Kind.ORDINARY or message.created_by is None:
            return self, message
        if self.several:
            return self, _by(message, _line(message.author))
        if self.first is None:
            return Speakers(message.created_by, message.author), message
        if self.first == message.created_by:
            return self, message
        introduction = f"{SEVERAL} {BEFORE.format(_shown(self.name))}"
        return structs.replace(self, several=True), _by(message, f"{introduction}\n{_line(message.author)}")


def _is_stop(part: AnyPart) -> bool:
    return isinstance(part, NoticePart) and part.kind == STOPPED_TURN


def _by(message: Message, told: str) -> Message:
    return structs.replace(message, parts=(Text(told, model_only=True), *message.parts))


def _line(name: str | None) -> str:
    return f"[Author: {_shown(name)}]"


def _shown(name: str | None) -> str:
    """A name on one line that ends where it ends."""
    plain = " ".join("".join(" " if letter in "[]" else letter for letter in name or "").split())
    return plain[:200] or "unknown"
