"""Amazon's binary event stream, split: what Bedrock wraps around a dialect's events."""

import struct
from base64 import b64decode
from collections.abc import Iterator
from zlib import crc32

import msgspec

from perdure.providers.errors.failures import ApiError, Malformed
from perdure.providers.sse import MAX_EVENT_BYTES, EventTooLong

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
