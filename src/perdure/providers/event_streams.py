"""Streams of events, split on bytes: server-sent events, and the binary events that Bedrock wraps around them."""

import re
import struct
from base64 import b64decode
from collections.abc import Iterator
from zlib import crc32

import msgspec

from perdure.providers.errors.failures import ApiError, Malformed

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


_PRELUDE = struct.Struct(">III")
_STRING = 7
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_STATUSES = {
    "throttlingexception": 429,
    "validationexception": 400,
    "accessdeniedexception": 403,
    "modeltimeoutexception": 408,
    "modelstreamerrorexception": 424,
    "modelnotreadyexception": 429,
    "internalserverexception": 500,
    "serviceunavailableexception": 503,
}


class _Chunk(msgspec.Struct):
    data: str = msgspec.field(name="bytes", default="")
    message: str = ""


_CHUNKS = msgspec.json.Decoder(_Chunk)


class EventStreamSplitter:
    """Cuts a stream of bytes into the events inside its messages. Checksums are checked."""

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._rest = bytearray()

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The events that `piece` completes, each read when it is asked for: what follows a last one may be broken."""
        rest = self._rest
        rest += piece
        while len(rest) >= _PRELUDE.size:
            total, header_size, checksum = _PRELUDE.unpack_from(rest)
            if crc32(rest[:8]) != checksum or total < header_size + 16:
                raise Malformed("not an event stream")
            if total > self._limit:
                raise EventTooLong(self._limit)
            if len(rest) < total:
                break
            message = bytes(rest[:total])
            del rest[:total]
            yield _event(message, header_size)

    def close(self) -> list[bytes]:
        self._rest.clear()
        return []


def _event(message: bytes, header_size: int) -> bytes:
    if crc32(message[:-4]) != int.from_bytes(message[-4:], "big"):
        raise Malformed("a message with a wrong checksum")
    headers = _headers(message[12 : 12 + header_size])
    try:
        chunk = _CHUNKS.decode(message[12 + header_size : -4] or b"{}")
        data = b64decode(chunk.data)
    except (msgspec.DecodeError, ValueError) as error:
        raise Malformed("a message without an event") from error
    if headers.get(":message-type", "event") != "event":
        code = headers.get(":exception-type") or headers.get(":error-code", "exception")
        raise ApiError(f"{code}: {chunk.message}", status=_STATUSES.get(code.lower()))
    return data


def _headers(block: bytes) -> dict[str, str]:
    """The headers that are strings; the others are skipped over."""
    headers: dict[str, str] = {}
    position = 0
    while position < len(block):
        name_end = position + 1 + block[position]
        name, kind = block[position + 1 : name_end].decode("utf-8", "replace"), block[name_end : name_end + 1]
        position = name_end + 1
        if not kind:
            raise Malformed("a message with broken headers")
        if kind[0] in _SIZES:
            position += _SIZES[kind[0]]
            continue
        size = int.from_bytes(block[position : position + 2], "big")
        if kind[0] == _STRING:
            headers[name] = block[position + 2 : position + 2 + size].decode("utf-8", "replace")
        position += 2 + size
    return headers
