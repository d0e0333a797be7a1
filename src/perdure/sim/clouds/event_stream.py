"""Amazon's binary event stream: messages of typed headers and a payload, with checksums."""

import struct
from base64 import b64encode
from zlib import crc32

import msgspec

_PRELUDE = struct.Struct(">II")
_WORD = struct.Struct(">I")
_STRING = 7


def chunk(event: bytes) -> bytes:
    """An event of the model, wrapped."""
    payload = msgspec.json.encode({"bytes": b64encode(event).decode(), "p": "abcdefghijkl"})
    headers = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    return message(headers, payload)


def failure(kind: str, text: str) -> bytes:
    """An error in the middle of a stream."""
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, msgspec.json.encode({"message": text}))


def message(headers: dict[str, str], payload: bytes) -> bytes:
    """One message: lengths, their checksum, headers, payload, the checksum of it all."""
    packed = b"".join(_header(name, value) for name, value in headers.items())
    prelude = _PRELUDE.pack(len(packed) + len(payload) + 16, len(packed))
    body = prelude + _WORD.pack(crc32(prelude)) + packed + payload
    return body + _WORD.pack(crc32(body))


def _header(name: str, value: str) -> bytes:
    return struct.pack(">B", len(name)) + name.encode() + struct.pack(">BH", _STRING, len(value)) + value.encode()
