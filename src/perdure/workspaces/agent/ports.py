"""The place for what listens inside: the ports that the workspace's own processes serve, and a way to one of them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from typing import NamedTuple

from perdure.workspaces.agent.limits import COMMAND_SHOWN, CONNECT_SECONDS, PIPE_READ_BYTES, TUNNELS_MOST
from perdure.workspaces.agent.lineage import descendants
from perdure.workspaces.agent.problems import Problem, missing

LISTENS = "0A"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - compared with, never bound


class Listener(NamedTuple):
    """A socket that listens, as the kernel's table has it."""

    address: str
    port: int
    inode: str


class Ports:
    """What descends from this program counts. Where the network is shared with a host, what is the host's does not."""

    def __init__(self) -> None:
        self._owned: dict[str, int] = {}
        self._tunnels = 0

    def list(self) -> list[dict[str, object]]:
        """The ports that can be looked at, each with the command that serves it."""
        self._owned = dict(_sockets(descendants(os.getpid())))
        found: dict[int, dict[str, object]] = {}
        for each in _listeners():
            if each.inode in self._owned:
                found.setdefault(each.port, {"port": each.port, "command": _command(self._owned[each.inode])})
        return [found[port] for port in sorted(found)]

    async def connect(self, port: int) -> Tunnel:
        """A way to what listens there, if it is the workspace's own."""
        if self._tunnels >= TUNNELS_MOST:
            raise Problem(503, "busy", f"more than {TUNNELS_MOST} connections to ports are open; close some first")
        before = self._own(port)
        reader, writer = await self._reached(before)
        # Between the look and the connection somebody else may have taken the port.
        if self._own(port) != before:
            writer.close()
            raise missing(f"what listened on port {port} has changed; try again")
        self._tunnels += 1
        return Tunnel(self, reader, writer)

    def ended(self) -> None:
        self._tunnels -= 1

    def _own(self, port: int) -> list[Listener]:
        found = sorted(each for each in _listeners() if each.port == port)
        if any(each.inode not in self._owned for each in found):
            self._owned = dict(_sockets(descendants(os.getpid())))
        if not found or any(each.inode not in self._owned for each in found):
            raise missing(f"nothing in this workspace listens on port {port}")
        return found

    async def _reached(self, listeners: list[Listener]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Four digits groups before eight: most of what listens on both answers on the first."""
        addresses = sorted({_reachable(each.address) for each in listeners}, key=lambda address: ":" in address)
        trouble = "it does not answer"
        for address in addresses:
            opening = asyncio.open_connection(address, listeners[0].port)
            try:
                return await asyncio.wait_for(opening, CONNECT_SECONDS)
            except (OSError, asyncio.TimeoutError) as error:
                trouble = str(error) or trouble
        raise Problem(502, "unanswered", f"port {listeners[0].port} cannot be reached: {trouble}")


class Tunnel:
    """Bytes both ways between whoever asked and a port, until one of the two has gone."""

    def __init__(self, ports: Ports, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ports = ports
        self._reader = reader
        self._writer = writer

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ways = [
            asyncio.ensure_future(pump(reader, self._writer)),
            asyncio.ensure_future(pump(self._reader, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
            self._leave()

    def _leave(self) -> None:
        self._ports.ended()
        self._writer.close()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand on what comes until it ends, or nobody takes it."""
    with contextlib.suppress(ConnectionError):
        while content := await reader.read(PIPE_READ_BYTES):
            writer.write(content)
            await writer.drain()


def _listeners() -> Iterator[Listener]:
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        try:
            with open(table) as file:
                lines = file.readlines()[1:]
        except FileNotFoundError:
            # A kernel without the newer protocol has no table of it.
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == LISTENS:
                address, _, port = fields[1].rpartition(":")
                yield Listener(_address(address), int(port, 16), fields[9])


def _address(text: str) -> str:
    """The kernel prints words of 32 bits in the order of the machine."""
    words = [int(text[start : start + 8], 16) for start in range(0, len(text), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    return socket.inet_ntop(socket.AF_INET if len(words) == 1 else socket.AF_INET6, packed)


def _reachable(address: str) -> str:
    return {EVERYWHERE: "127.0.0.1", "::": "::1"}.get(address, address)


def _sockets(pids: list[int]) -> Iterator[tuple[str, int]]:
    """Which socket each of these processes holds; of several holders the last that was started."""
    for pid in sorted(pids):
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for name in names:
            with contextlib.suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if target.startswith("socket:["):
                    yield target[8:-1], pid


def _command(pid: int) -> str:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read(4 * COMMAND_SHOWN).replace(b"\0", b" ").decode("utf-8", "replace").strip()[:COMMAND_SHOWN]
    return ""
