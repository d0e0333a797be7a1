"""Bytes between two sockets: heads and bodies read from one, moved to the other, in the kernel where that can be."""

import contextlib
import fcntl
import os
import select
import socket
import ssl
from threading import Thread

from perdure.workspaces.egress.heads import Malformed, chunk_size

PIECE = 256 * 1024
PIPE_BYTES = 1024 * 1024
MOST_HEAD = 64 * 1024
HELLO_HEADER = 5


class Stream:
    """A socket that is read with a look ahead."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._ahead = bytearray()

    @property
    def plain(self) -> bool:
        return not isinstance(self.sock, ssl.SSLSocket)

    @property
    def ahead(self) -> bool:
        return bool(self._ahead)

    @property
    def stale(self) -> bool:
        """Whether something waits to be read where nothing is expected: the end, or what nobody asked for."""
        return self.ahead or bool(select.select([self.sock], [], [], 0)[0])

    def until(self, end: bytes, most: int = MOST_HEAD) -> bytes:
        """All up to an ending; nothing where the other side ends before it begins."""
        searched = 0
        while (found := self._ahead.find(end, searched)) < 0:
            if len(self._ahead) > most:
                raise Malformed("a head is too long")
            searched = max(0, len(self._ahead) - len(end) + 1)
            piece = self.sock.recv(16_384)
            if not piece:
                if self._ahead:
                    raise ConnectionResetError
                return b""
            self._ahead += piece
        return self._taken(found + len(end))

    def some(self, most: int) -> bytes:
        return self._taken(min(most, len(self._ahead))) if self._ahead else self.sock.recv(min(most, PIECE))

    def _taken(self, count: int) -> bytes:
        taken = bytes(self._ahead[:count])
        del self._ahead[:count]
        return taken

    def send(self, content: bytes) -> None:
        self.sock.sendall(content)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.sock.close()


def first_record(sock: socket.socket) -> bytes:
    """The first TLS record, left where it is."""
    header = sock.recv(HELLO_HEADER, socket.MSG_PEEK | socket.MSG_WAITALL)
    if len(header) < HELLO_HEADER or header[0] != 22:
        return b""
    whole = HELLO_HEADER + int.from_bytes(header[3:5], "big")
    return sock.recv(whole, socket.MSG_PEEK | socket.MSG_WAITALL)


def copy(source: Stream, target: Stream, length: int) -> None:
    """Move so many bytes."""
    left = length
    while left and source.ahead:
        piece = source.some(left)
        target.send(piece)
        left -= len(piece)
    if left > PIECE and source.plain and target.plain:
        _splice(source.sock, target.sock, left)
        return
    while left:
        piece = source.some(left)
        if not piece:
            raise ConnectionResetError
        target.send(piece)
        left -= len(piece)


def copy_to_end(source: Stream, target: Stream) -> None:
    while piece := source.some(PIECE):
        target.send(piece)


def copy_chunks(source: Stream, target: Stream) -> None:
    """Move a body in chunks of our own making: nothing but sizes and bytes of the original is passed on."""
    while size := chunk_size(source.until(b"\r\n", 1024)):
        target.send(b"%x\r\n" % size)
        copy(source, target, size)
        if source.until(b"\r\n", 2) != b"\r\n":
            raise Malformed("a chunk is longer than it says")
        target.send(b"\r\n")
    while source.until(b"\r\n", MOST_HEAD) != b"\r\n":
        pass
    target.send(b"0\r\n\r\n")


def join(one: Stream, other: Stream) -> None:
    """Both directions until both are over."""
    if one.plain and other.plain and not one.ahead and not other.ahead:
        back = Thread(target=_one_way, args=(other.sock, one.sock), daemon=True)
        back.start()
        _one_way(one.sock, other.sock)
        back.join()
        return
    _alternate(one, other)


def _one_way(source: socket.socket, target: socket.socket) -> None:
    try:
        _splice(source, target, None)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for sock in (source, target):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


def _splice(source: socket.socket, target: socket.socket, length: int | None) -> None:
    """Move bytes through a pipe of the kernel; all of them, or so many."""
    reading, writing = os.pipe()
    with contextlib.suppress(OSError):
        # More than a user's pipes may have together: then it is as large as pipes are.
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    patience = source.gettimeout(), target.gettimeout()
    try:
        source.setblocking(True)
        target.setblocking(True)
        left = length
        while left is None or left:
            moved = os.splice(source.fileno(), writing, PIPE_BYTES if left is None else min(PIPE_BYTES, left))
            if not moved and left is None:
                return
            if not moved:
                raise ConnectionResetError
            left = None if left is None else left - moved
            while moved:
                moved -= os.splice(reading, target.fileno(), moved)
    finally:
        os.close(reading)
        os.close(writing)
        with contextlib.suppress(OSError):
            source.settimeout(patience[0])
            target.settimeout(patience[1])


def _alternate(one: Stream, other: Stream) -> None:
    """For TLS, which one thread alone may read and write."""
    ways = {one.sock: (one, other), other.sock: (other, one)}
    while ways:
        pending = [
            way
            for way in ways.values()
            if way[0].ahead or (isinstance(way[0].sock, ssl.SSLSocket) and way[0].sock.pending())
        ]
        ready = pending or [ways[sock] for sock in select.select(list(ways), [], [])[0]]
        for source, target in ready:
            piece = source.some(PIECE)
            if not piece:
                return
            target.send(piece)
