"""The place for commands that one client talks with over their standard streams, for as long as it listens."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import struct
from collections.abc import AsyncIterator

from perdure.workspaces.agent import guard, limits
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.output import Output
from perdure.workspaces.agent.problems import Problem, invalid, missing
from perdure.workspaces.agent.process import CommandContext


class PipedCommand:
    """One command with its three streams."""

    def __init__(self, reports: socket.socket, writing: int, reading: int, complaints: int) -> None:
        self.id = "i" + secrets.token_hex(4)
        self.reports = reports
        self.writing = writing
        self.reading = reading
        self.complaints = complaints
        self.complained = Output(0, limits.COMPLAINT_BYTES)
        self.turn = asyncio.Lock()
        self.waiting: set[asyncio.Future[None]] = set()
        self.followed = False
        self.closed = False

    def shut(self, *streams: str) -> None:
        """Let go of streams; those that are closed already stay so."""
        for stream in streams:
            descriptor: int = getattr(self, stream)
            if descriptor >= 0:
                setattr(self, stream, -1)
                asyncio.get_running_loop().remove_reader(descriptor)
                asyncio.get_running_loop().remove_writer(descriptor)
                os.close(descriptor)
        for ready in self.waiting:
            _wake(ready)

    async def ready(self, stream: str) -> None:
        """Until the stream can be used, or is closed."""
        loop, descriptor = asyncio.get_running_loop(), getattr(self, stream)
        ready: asyncio.Future[None] = loop.create_future()
        self.waiting.add(ready)
        (loop.add_writer if stream == "writing" else loop.add_reader)(descriptor, _wake, ready)
        try:
            await ready
        finally:
            self.waiting.discard(ready)
            if getattr(self, stream) == descriptor:
                (loop.remove_writer if stream == "writing" else loop.remove_reader)(descriptor)

    def report(self) -> dict[str, object]:
        head, tail, _ = self.complained.ends(limits.COMPLAINT_BYTES)
        complaints = head + tail
        return {"id": self.id, "closed": self.closed, "complaints": complaints.decode("utf-8", "replace")}


class Pipes:
    """The commands that somebody talks with."""

    def __init__(self, around: CommandContext) -> None:
        self._around = around
        self._known: dict[str, PipedCommand] = {}

    def open(self, fields: Fields) -> dict[str, object]:
        """Start a command. Unless its output is followed soon, it ends again."""
        command = fields.text("command")
        if not command.strip() or "\0" in command or len(command) > limits.COMMAND_BYTES:
            raise invalid(f"command must be a string of 1 to {limits.COMMAND_BYTES} characters without NUL")
        open_now = [pipe for pipe in self._known.values() if not pipe.closed]
        if len(open_now) >= limits.PIPES_MOST:
            raise Problem(503, "pipe_limit", "too many commands are talked with; close one first")
        self._known = {pipe.id: pipe for pipe in [*list(self._known.values())[-limits.PIPES_MOST :], *open_now]}
        pipe = self._launched(command, fields.text_map("environment"))
        self._known[pipe.id] = pipe
        asyncio.get_running_loop().call_later(limits.FOLLOW_SECONDS, self._unless_followed, pipe)
        return pipe.report()

    def look(self, run: str) -> dict[str, object]:
        return self._find(run).report()

    async def write(self, run: str, content: bytes) -> dict[str, object]:
        """Hand all of it over; a command that does not read makes the client wait."""
        pipe = self._find(run)
        async with pipe.turn:
            left = memoryview(content)
            while left and not pipe.closed:
                left = await _written(pipe, left)
        return pipe.report()

    def follow(self, run: str) -> AsyncIterator[bytes]:
        """What it prints until it ends. It is read no faster than it is taken, and ends when nobody takes it."""
        pipe = self._find(run)
        if pipe.followed:
            raise Problem(409, "followed", "somebody listens to this command already")
        pipe.followed = True
        return self._output(pipe)

    async def _output(self, pipe: PipedCommand) -> AsyncIterator[bytes]:
        offset = 0
        try:
            while True:
                try:
                    content = os.read(pipe.reading, limits.PIPE_READ_BYTES)
                except BlockingIOError:
                    await pipe.ready("reading")
                    continue
                if not content:
                    return
                yield struct.pack(">QI", offset, len(content)) + content
                offset += len(content)
        finally:
            pipe.shut("reading")
            self.close(pipe.id)

    def close(self, run: str) -> dict[str, object]:
        pipe = self._find(run)
        if not pipe.closed:
            guard.dismiss(pipe.reports)
        return pipe.report()

    def _find(self, run: str) -> PipedCommand:
        pipe = self._known.get(run)
        if pipe is None:
            raise missing(f"no command {run}; open a new one")
        return pipe

    def _unless_followed(self, pipe: PipedCommand) -> None:
        if not pipe.followed:
            pipe.followed = True
            pipe.shut("reading")
            self.close(pipe.id)

    def _launched(self, command: str, more: dict[str, str]) -> PipedCommand:
        stdin, writing = os.pipe()
        reading, stdout = os.pipe()
        complaints, stderr = os.pipe()
        settings = self._around.settings
        directory = os.open(self._around.places.tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        arguments = ["/bin/sh", "-c", command]
        environment = settings.command_environment(more)
        try:
            launch = guard.Launch(arguments, directory, environment, (stdin, stdout, stderr), False, settings.limits)
            guarded, reports = self._around.launch(launch)
        except OSError:
            for descriptor in (writing, reading, complaints):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (directory, stdin, stdout, stderr):
                os.close(descriptor)
        pipe = PipedCommand(reports, writing, reading, complaints)
        self._watch(pipe, guarded)
        return pipe

    def _watch(self, pipe: PipedCommand, guarded: int) -> None:
        loop = asyncio.get_running_loop()
        for descriptor in (pipe.writing, pipe.reading, pipe.complaints):
            os.set_blocking(descriptor, False)
        loop.add_reader(pipe.complaints, self._complained, pipe)
        loop.add_reader(pipe.reports, self._ended, pipe)
        self._around.children.expect(guarded, lambda _status: self._left(pipe))

    def _complained(self, pipe: PipedCommand) -> None:
        with contextlib.suppress(BlockingIOError):
            content = os.read(pipe.complaints, limits.PIPE_READ_BYTES)
            if content:
                pipe.complained.add(content)
            else:
                asyncio.get_running_loop().remove_reader(pipe.complaints)

    def _ended(self, pipe: PipedCommand) -> None:
        """The command is over: so is whatever it left behind."""
        asyncio.get_running_loop().remove_reader(pipe.reports)
        self._complained(pipe)
        guard.dismiss(pipe.reports)

    def _left(self, pipe: PipedCommand) -> None:
        asyncio.get_running_loop().remove_reader(pipe.reports)
        pipe.reports.close()
        pipe.closed = True
        # What it printed last is still to be read by whoever follows, or comes to follow it soon.
        pipe.shut("writing", "complaints")
        self._around.changed()


async def _written(pipe: PipedCommand, content: memoryview) -> memoryview:
    """What is left after one attempt."""
    try:
        return content[os.write(pipe.writing, content) :]
    except BlockingIOError:
        await pipe.ready("writing")
        return content
    except OSError:
        # It does not read any more: the end of its output says so too.
        return content[:0]


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
