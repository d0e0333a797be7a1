"""The place for handing copies of the files out, and for taking them in: each in a fork, over one connection."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import BinaryIO, Callable, NamedTuple, cast

from perdure.workspaces.agent.aside import fork_aside, problem_of
from perdure.workspaces.agent.children import Children
from perdure.workspaces.agent.copying import Different, Receiver, Sender
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.file_history import FileHistory
from perdure.workspaces.agent.http import Takeover
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.ports import pump
from perdure.workspaces.agent.problems import Problem
from perdure.workspaces.agent.snapshots import Snapshots, Terms

BUFFER_BYTES = 1 << 20
Work = Callable[[BinaryIO, BinaryIO], None]


class Streams(NamedTuple):
    """What work in a fork says, and what it is told."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class Copies:
    """What copies need of the rest."""

    def __init__(self, places: Places, history: FileHistory, children: Children) -> None:
        self.places = places
        self.history = history
        self._children = children

    def out(self, fields: Fields) -> Takeover:
        """A connection that gets all files: as they are or, where a turn is named, as they were before it."""
        turn, terms = fields.maybe_integer("turn"), Terms.read(fields)
        chat, state = fields.text("chat", ""), fields.maybe_text("state")

        def different(snapshots: Snapshots) -> Different:
            return {} if turn is None else snapshots.as_before(chat, turn, state, terms)

        return Outgoing(self, different)

    def into(self) -> Takeover:
        """A connection whose stream is laid down here, and that is told what came of it."""
        return Incoming(self)

    @asynccontextmanager
    async def forked(self, work: Work) -> AsyncGenerator[Streams, None]:
        """Both ends of a conversation with work that is done in a fork. It ends with the block."""
        ours, theirs = socket.socketpair()

        def inside() -> None:
            ours.close()
            with theirs.makefile("rb", BUFFER_BYTES) as source, theirs.makefile("wb", BUFFER_BYTES) as target:
                work(cast("BinaryIO", source), cast("BinaryIO", target))
                target.flush()
                # Whoever closes with something unread takes back what was said.
                theirs.shutdown(socket.SHUT_WR)
                while source.read(BUFFER_BYTES):
                    pass

        pid, ended = fork_aside(self._children, inside)
        theirs.close()
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            yield Streams(reader, writer)
        finally:
            writer.close()
            if not ended.done():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                await ended


class Outgoing:
    """One copy on its way out. It begins when whoever asked says so."""

    def __init__(self, copies: Copies, different: Callable[[Snapshots], Different]) -> None:
        self._copies = copies
        self._different = different

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        # Others may not let go of what is being read.
        async with self._copies.history.alone() as snapshots, self._copies.forked(self._sending(snapshots)) as streams:
            await pump(streams.reader, writer)

    def _sending(self, snapshots: Snapshots) -> Work:
        def send(_: BinaryIO, target: BinaryIO) -> None:
            sender, places = Sender(target, snapshots.contents), self._copies.places
            found = problem_of(lambda: sender.send(places.tree, places.home, self._different(snapshots)))
            if isinstance(found, Problem):
                sender.problem(found)

        return send


class Incoming:
    """One copy that is laid down."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with self._copies.forked(self._receive) as streams:
            handing = asyncio.ensure_future(_handed(reader, streams.writer))
            try:
                writer.write(await streams.reader.read())
                await writer.drain()
            finally:
                handing.cancel()

    def _receive(self, source: BinaryIO, target: BinaryIO) -> None:
        places = self._copies.places
        found = problem_of(Receiver(source, places.tree, places.home).receive)
        target.write(json.dumps(found.body() if isinstance(found, Problem) else found).encode())


async def _handed(reader: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """All that comes, and that it has ended: what is cut off must not be waited for."""
    await pump(reader, target)
    if target.can_write_eof():
        target.write_eof()
