"""Who says what, as models are told: only once a second person speaks, so that a chat of one reads as it always did.

What was told before stays as it was, byte for byte, and a provider's cache of it stays good.
"""

from msgspec import Struct, structs

from perdure.core.ids import UserId
from perdure.core.message import Kind, Message, Role, Text

SEVERAL = "Several people write in this chat. From here on, the server names the author before each message of theirs."
BEFORE = "The messages before this one are from {}."


class Speakers(Struct, frozen=True):
    """Who has spoken so far."""

    first: UserId | None = None
    name: str | None = None
    several: bool = False

    def heard(self, message: Message) -> tuple["Speakers", Message]:
        """Those who have spoken with this message, and the message as a model is told it."""
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


def _by(message: Message, told: str) -> Message:
    return structs.replace(message, parts=(Text(told, model_only=True), *message.parts))


def _line(name: str | None) -> str:
    return f"[Author: {_shown(name)}]"


def _shown(name: str | None) -> str:
    """A name on one line that ends where it ends."""
    plain = " ".join("".join(" " if letter in "[]" else letter for letter in name or "").split())
    return plain[:200] or "unknown"
