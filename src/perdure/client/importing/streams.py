"""JSON of any size in pieces: one element of a list at a time, so that memory is bounded whatever a file says."""

import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from perdure.client.importing.conversation import NotReadable

PIECE = 1024 * 1024
MOST_ELEMENT = 64 * 1024 * 1024
"""Bytes of one chat, or of one line. A larger one is left out."""

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[{\]}]', re.DOTALL)
"""A string, or a bracket. A quotation mark alone begins a string whose end is not there yet."""

_ELEMENT = 2
"""How deep an element stands: in the list."""

_decoder = msgspec.json.Decoder()


def decoded(data: bytes) -> object:
    """What a piece of JSON says. Raises NotReadable where it says nothing."""
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise NotReadable(f"It is not valid JSON: {error}.") from error


def lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines; None for one that is too long."""
    while line := stream.readline(MOST_ELEMENT):
        if line.endswith(b"\n") or len(line) < MOST_ELEMENT:
            yield line
            continue
        while (rest := stream.readline(PIECE)) and not rest.endswith(b"\n"):
            pass
        yield None


class Elements:
    """The objects of a list, as bytes; None for one that is too large. Raises NotReadable where the list is cut off."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._data = b""
        self._at = 0
        self._start: int | None = None
        """Where the element begins that is being read."""
        self._depth = 0
        self._skipping = False

    def __iter__(self) -> Iterator[bytes | None]:
        while True:
            yield from self._found()
            if self._depth < 0:
                return
            self._trim()
            # What is not all there is looked at again: twice as much each time.
            more = self._stream.read(max(PIECE, len(self._data) - self._at))
            if not more:
                raise NotReadable("The file is cut off: its list never ends.")
            self._data += more

    def _found(self) -> Iterator[bytes | None]:
        for token in _TOKEN.finditer(self._data, self._at):
            mark = token[0]
            if mark == b'"':
                self._at = token.start()
                return
            self._at = token.end()
            if mark in b"[{":
                self._open(token.start())
            elif mark in b"]}":
                yield from self._close()
                if self._depth < 0:
                    return
        self._at = len(self._data)

    def _open(self, at: int) -> None:
        self._depth += 1
        if self._depth == _ELEMENT:
            self._start = at

    def _close(self) -> Iterator[bytes | None]:
        self._depth -= 1
        if self._depth == 0:
            self._depth = -1
        elif self._depth == _ELEMENT - 1 and self._start is not None:
            yield None if self._skipping else self._data[self._start : self._at]
            self._start, self._skipping = None, False

    def _trim(self) -> None:
        """Forget what has been read, and of an element that is too large all of it."""
        if self._start is not None and len(self._data) - self._start > MOST_ELEMENT:
            self._skipping = True
        if len(self._data) - self._at > MOST_ELEMENT:
            raise NotReadable(f"One of its texts is longer than {MOST_ELEMENT >> 20} MiB.")
        kept = self._at if self._start is None or self._skipping else self._start
        self._data, self._at = self._data[kept:], self._at - kept
        if self._start is not None:
            self._start = 0
