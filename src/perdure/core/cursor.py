"""What a client has seen of a chat, as a short text that resumes its stream on any replica."""

import re
from collections.abc import Mapping
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.chat import Chat
from perdure.core.errors import InvalidInput, Validation
from perdure.core.message import Message

_FORM = re.compile(r"(\d{1,18})(?:-(\d{1,9}))?\.(\d{1,18})\.(\d{1,18})\.(\d{1,9})\.(\d{1,9})(?:~(\d{1,9}))?", re.ASCII)

Position = tuple[int, int]
"""A revision and a message's number: messages are emitted in this order."""

_ALL = 2**31 - 1


class Line(Struct, frozen=True):
    """The line of the database's history that a chat was last changed on; each failover begins another."""

    now: int
    earlier: Mapping[int, int] = {}
    """The lines before, and the last snapshot that the chat had on each."""

    def lost(self, snapshot: int, on: int | None, *, newest: int) -> bool:
        """Whether a snapshot on one line is not in the past of a chat that is at its newest now."""
        return snapshot > (newest if on is None or on == self.now else self.earlier.get(on, -1))


class Cursor(Struct, frozen=True, gc=False):
    """Everything up to `snapshot`, the card at `metadata`, and parts up to `seq` of one episode.

    With a `number`, the messages of revision `snapshot` are seen only up to that one. Written
    `snapshot.metadata.history.attempt.seq~line`, or `snapshot-number.metadata.history.attempt.seq~line`; the line is
    left out where it is not known.
    """

    snapshot: int = 0
    metadata: int = 0
    history: int = 0
    attempt: int = 0
    seq: int = 0
    number: int | None = None
    line: int | None = None

    @classmethod
    def of(cls, chat: Chat, metadata: int, seq: int = 0, *, line: int | None = None) -> Self:
        """The cursor of a client that knows the chat as it is, and so many parts of the answer in flight."""
        return cls(chat.snapshot_version, metadata, chat.history_version, chat.generation_attempt, seq, line=line)

    @classmethod
    def parse(cls, text: str) -> Self:
        match = _FORM.fullmatch(text)
        if match is None:
            raise InvalidInput("This cursor is not valid.", Validation("cursor", "not a cursor"))
        snapshot, number, metadata, history, attempt, seq, line = match.groups()
        within, on = None if number is None else int(number), None if line is None else int(line)
        return cls(int(snapshot), int(metadata), int(history), int(attempt), int(seq), within, on)

    def __str__(self) -> str:
        within = "" if self.number is None else f"-{self.number}"
        on = "" if self.line is None else f"~{self.line}"
        return f"{self.snapshot}{within}.{self.metadata}.{self.history}.{self.attempt}.{self.seq}{on}"

    @property
    def position(self) -> Position:
        """The last message that was seen, in the order in which they are emitted."""
        return self.snapshot, _ALL if self.number is None else self.number

    @property
    def episode(self) -> tuple[int, int]:
        return self.history, self.attempt

    def after_message(self, message: Message) -> Self:
        return replace(self, snapshot=message.revision, number=message.number)

    def after_part(self, seq: int) -> Self:
        return replace(self, seq=seq)

    def lost(self, chat: Chat, line: Line) -> bool:
        """Whether it names a snapshot that is not in the chat's past: the database lost it, whatever came since."""
        return line.lost(self.snapshot, self.line, newest=chat.snapshot_version)
