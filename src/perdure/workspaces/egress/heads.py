"""HTTP/1.1 heads, read strictly: what two servers could understand in two ways is refused. No I/O."""

import re
from dataclasses import dataclass, replace

from perdure.workspaces.egress.rules import TOKEN

_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_TARGET = re.compile(r"[!-~]+")
_HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect", "content-length"}
)
_LONGEST = 1 << 62


class Malformed(Exception):
    """A head that is not forwarded, and why."""


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a message; names of headers as they came."""

    start: tuple[str, str, str]
    fields: tuple[tuple[str, str], ...]

    def all(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field.lower() == name]

    def one(self, name: str) -> str | None:
        values = self.all(name)
        if len(values) > 1:
            raise Malformed(f"there are {len(values)} headers {name}")
        return values[0] if values else None

    @property
    def tokens(self) -> set[str]:
        """What the header Connection names."""
        return {token.strip().lower() for value in self.all("connection") for token in value.split(",")}

    @property
    def upgrade(self) -> bool:
        return "upgrade" in self.tokens and (self.one("upgrade") or "").lower() == "websocket"

    def forwarded(self, *more: tuple[str, str]) -> "Head":
        """Without what is between two neighbours only, and with other fields in the place of those of their name."""
        new = {name.lower() for name, _ in more}
        gone = _HOP_BY_HOP | self.tokens | new
        kept = tuple(
            (name, value)
            for name, value in self.fields
            if name.lower() not in gone and not name.lower().startswith("proxy-")
        )
        return replace(self, fields=(*kept, *more))

    def encoded(self) -> bytes:
        lines = [" ".join(self.start), *(f"{name}: {value}" for name, value in self.fields), "", ""]
        return "\r\n".join(lines).encode("latin-1")


def parsed(raw: bytes, *, response: bool = False) -> Head:
    """A head with its empty line."""
    lines = raw.removesuffix(b"\r\n\r\n").split(b"\r\n")
    first = lines[0].decode("latin-1").split(" ", 2 if response else -1)
    if len(first) == 2 and response:
        first.append("")
    if len(first) != 3:
        raise Malformed("the first line is not one of HTTP/1.1")
    start = (first[0], first[1], first[2])
    # Python's own client asks for tunnels in the older version, and for nothing else.
    versions = ("HTTP/1.1", "HTTP/1.0") if start[0] == "CONNECT" else ("HTTP/1.1",)
    if not response and not (TOKEN.fullmatch(start[0]) and _TARGET.fullmatch(start[1]) and start[2] in versions):
        raise Malformed("the first line is not one of HTTP/1.1")
    return Head(start, tuple(_field(line) for line in lines[1:]))


def _field(line: bytes) -> tuple[str, str]:
    name, colon, value = line.partition(b":")
    if not colon or not TOKEN.fullmatch(name.decode("latin-1")):
        raise Malformed("a header has no name, or blanks around it")
    if not _VALUE.fullmatch(value):
        raise Malformed(f"the header {name.decode('latin-1')} holds control characters")
    return name.decode("latin-1"), value.strip(b" \t").decode("latin-1")


def body_length(head: Head) -> int | None:
    """How many bytes follow a request's head; None where they come in chunks."""
    coding, length = head.one("transfer-encoding"), head.one("content-length")
    if coding is not None and (length is not None or coding.lower() != "chunked"):
        raise Malformed("a body has a length, or comes in chunks, and in no other coding")
    return None if coding is not None else _number(length)


def answer_length(head: Head, method: str) -> int | None:
    """How many bytes follow a response's head: -1 in chunks, None until it closes."""
    status = int(head.start[1]) if re.fullmatch(r"[1-5][0-9]{2}", head.start[1]) else 0
    if not status:
        raise Malformed("the server's answer is not one of HTTP/1.1")
    if method == "HEAD" or status < 200 or status in (204, 304):
        return 0
    if head.all("transfer-encoding"):
        if (head.one("transfer-encoding") or "").lower() != "chunked" or head.start[0] != "HTTP/1.1":
            raise Malformed("the server's answer has a coding that is not known here")
        return -1
    return _number(head.one("content-length")) if head.all("content-length") else None


def chunk_size(line: bytes) -> int:
    size = line.partition(b";")[0].strip(b" \t")
    if not re.fullmatch(rb"[0-9a-fA-F]{1,15}", size):
        raise Malformed("a chunk has no size")
    return int(size, 16)


def _number(text: str | None) -> int:
    if text is not None and not re.fullmatch(r"[0-9]{1,18}", text):
        raise Malformed("a length is not a number")
    return int(text or "0")


def server_name(hello: bytes) -> str | None:
    """The host that a TLS client asks for in its first message; None where it names none, or this is no TLS."""
    try:
        return _server_name(hello)
    except IndexError:
        return None


def _server_name(hello: bytes) -> str | None:
    record = _Bytes(hello)
    if record.number(1) != 22 or record.number(2) >> 8 != 3:
        return None
    message = _Bytes(record.vector(2))
    if message.number(1) != 1:
        return None
    body = _Bytes(message.vector(3))
    body.take(34)
    for size in (1, 2, 1):
        body.vector(size)
    extensions = _Bytes(body.vector(2))
    names: list[str] = []
    while extensions.left:
        kind, content = extensions.number(2), _Bytes(extensions.vector(2))
        if kind == 0:
            listed = _Bytes(content.vector(2))
            while listed.left:
                sort, name = listed.number(1), listed.vector(2)
                names += [name.decode("latin-1")] if sort == 0 else []
    # Two names would be two answers to the question where this goes.
    return names[0] if len(names) == 1 else None


class _Bytes:
    """Bytes that are read from the front; too few of them raise IndexError."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    @property
    def left(self) -> int:
        return len(self._content) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise IndexError(count)
        self._at += count
        return self._content[self._at - count : self._at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        return self.take(self.number(size))
