"""Server-sent events, split on bytes: the network's pieces in, the data of each event out."""

import re

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""No vendor sends an event near this size; a longer one is an attack or a bug."""

_DATA = b"data:"
_EVENTS = re.compile(rb"(?:event: [^\n]*+\n)?data: ([^\n]*+)\n\n|[^\n]*+\n")
"""An event of one line of data, which is nearly every one; or else a single line, with nothing in the group."""


class EventTooLong(Exception):
    """An event grew past what we are ready to hold."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"An event of the stream is longer than {limit} bytes.")


class Splitter:
    """Cuts a stream of bytes into the data of its events. Comments, names and ids of events mean nothing to us.

    Every dialect repeats the event's name inside its data, so only `data:` lines are read.
    """

    __slots__ = ("_cut", "_limit", "_rest", "_scanned")

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._cut = False
        self._rest = bytearray()
        self._scanned = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of every event that `piece` completes."""
        if self._cut or b"\r" in piece:
            piece = self._line_feeds(piece)
        if not self._rest and piece.endswith(b"\n\n"):
            return _data_of(piece)
        return self._feed_slowly(piece)

    def _line_feeds(self, piece: bytes) -> bytes:
        """The piece with every kind of line end as LF, also where a CR was cut from its LF."""
        if self._cut and piece.startswith(b"\n"):
            piece = piece[1:]
        self._cut = piece.endswith(b"\r")
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _feed_slowly(self, piece: bytes) -> list[bytes]:
        rest = self._rest
        rest += piece
        end = rest.rfind(b"\n\n", max(0, self._scanned - 1))
        if end < 0:
            self._scanned = len(rest)
            if len(rest) > self._limit:
                raise EventTooLong(self._limit)
            return []
        whole = bytes(rest[: end + 2])
        del rest[: end + 2]
        self._scanned = len(rest)
        return _data_of(whole)

    def close(self) -> list[bytes]:
        """The data of a last event that no blank line ended: some servers forget it."""
        data = _data(bytes(self._rest))
        self._rest.clear()
        return [] if data is None else [data]


def _data_of(events: bytes) -> list[bytes]:
    """The data of whole events."""
    found: list[bytes] = _EVENTS.findall(events)
    if b"" not in found:
        return found
    return [data for block in events.split(b"\n\n") if (data := _data(block)) is not None]


def _data(block: bytes) -> bytes | None:
    """The data of one event, of however many lines."""
    lines = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(_DATA)]
    return b"\n".join(lines) if lines else None
