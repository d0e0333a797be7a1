"""The place for terminals: a shell on a pseudo terminal whose output can be resumed at any offset."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import secrets
import socket
import struct
import termios
from collections.abc import AsyncIterator

from perdure.workspaces.agent import guard, limits
from perdure.workspaces.agent.children import find_program
from perdure.workspaces.agent.output import Output, frames
from perdure.workspaces.agent.problems import Problem, missing
from perdure.workspaces.agent.process import CommandContext

SCROLLBACK_BYTES = 256 * 1024
INPUT_BYTES = 256 * 1024


class Shell:
    """One shell with its screen."""

    def __init__(self, descriptor: int, reports: socket.socket, name: str) -> None:
        self.id = "t" + secrets.token_hex(4)
        self.name = name
        self.descriptor = descriptor
        self.reports = reports
        self.typed = bytearray()
        self.output = Output(0, SCROLLBACK_BYTES)
        self.followers = 0
        self.closed: bool = False
        self.moved = asyncio.Event()

    def move(self) -> None:
        self.moved.set()
        self.moved = asyncio.Event()

    def report(self) -> dict[str, object]:
        return {"id": self.id, "closed": self.closed, "total_bytes": self.output.total}


class Terminals:
    """The open terminals of this incarnation."""

    def __init__(self, around: CommandContext) -> None:
        self._around = around
        self._known: dict[str, Shell] = {}

    def open(self, columns: int, rows: int, name: str = "") -> dict[str, object]:
        """A new shell, or the one that was opened under this name and still runs."""
        self._known = {run: terminal for run, terminal in self._known.items() if not terminal.closed}
        known = next((each for each in self._known.values() if name and each.name == name), None)
        if known is not None:
            return known.report()
        self._make_room()
        ours, theirs = os.openpty()
        _size(ours, columns, rows)
        directory = os.open(self._around.places.tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        settings = self._around.settings
        shell = find_program("bash", settings.environment["PATH"]) or "/bin/sh"
        environment = {**settings.environment, "TERM": "xterm-256color", "SHELL": shell}
        try:
            launch = guard.Launch(
                [shell, "-l"], directory, environment, (theirs, theirs, theirs), True, settings.limits
            )
            guarded, reports = self._around.launch(launch)
        except OSError:
            os.close(ours)
            raise
        finally:
            os.close(directory)
            os.close(theirs)
        terminal = Shell(ours, reports, name)
        self._watch(terminal, guarded)
        return terminal.report()

    def _make_room(self) -> None:
        """Where all are taken, the oldest that nobody looks at goes."""
        if len(self._known) < limits.TERMINALS_MOST:
            return
        unseen = next((each for each in self._known.values() if not each.followers), None)
        if unseen is None:
            raise Problem(503, "terminal_limit", "too many terminals are open; close one first")
        guard.dismiss(unseen.reports)
        del self._known[unseen.id]

    def list(self) -> list[dict[str, object]]:
        return [terminal.report() for terminal in self._known.values()]

    def type(self, run: str, content: bytes) -> dict[str, object]:
        """Type all of it, or nothing. What the shell does not read yet waits for it."""
        terminal = self._find(run)
        if len(terminal.typed) + len(content) > INPUT_BYTES:
            raise Problem(503, "busy", "the terminal does not read its input; try again")
        if not terminal.closed:
            terminal.typed += content
            self._write(terminal)
        return terminal.report()

    def resize(self, run: str, columns: int, rows: int) -> dict[str, object]:
        terminal = self._find(run)
        if not terminal.closed:
            _size(terminal.descriptor, columns, rows)
        return terminal.report()

    def close(self, run: str) -> dict[str, object]:
        terminal = self._find(run)
        if not terminal.closed:
            guard.dismiss(terminal.reports)
        return terminal.report()

    def follow(self, run: str, offset: int) -> AsyncIterator[bytes]:
        return self._followed(self._find(run), offset)

    async def _followed(self, terminal: Shell, offset: int) -> AsyncIterator[bytes]:
        terminal.followers += 1
        try:
            async for frame in frames(terminal, offset):
                yield frame
        finally:
            terminal.followers -= 1

    def _find(self, run: str) -> Shell:
        terminal = self._known.get(run)
        if terminal is None:
            raise missing(f"no terminal {run}; open a new one")
        return terminal

    def _watch(self, terminal: Shell, guarded: int) -> None:
        self._known[terminal.id] = terminal
        os.set_blocking(terminal.descriptor, False)
        loop = asyncio.get_running_loop()
        loop.add_reader(terminal.descriptor, self._hear, terminal)
        loop.add_reader(terminal.reports, self._shell_ended, terminal)
        self._around.children.expect(guarded, lambda _status: self._left(terminal))

    def _write(self, terminal: Shell) -> None:
        """A pseudo terminal takes a few kilobytes at a time: the rest is written when there is room again."""
        loop = asyncio.get_running_loop()
        try:
            while terminal.typed:
                del terminal.typed[: os.write(terminal.descriptor, terminal.typed)]
        except BlockingIOError:
            loop.add_writer(terminal.descriptor, self._write, terminal)
            return
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            terminal.typed.clear()
        loop.remove_writer(terminal.descriptor)

    def _hear(self, terminal: Shell) -> bool:
        try:
            content = os.read(terminal.descriptor, limits.PIPE_READ_BYTES)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            asyncio.get_running_loop().remove_reader(terminal.descriptor)
            return False
        terminal.output.add(content)
        terminal.move()
        return True

    def _shell_ended(self, terminal: Shell) -> None:
        """Like a real terminal that is hung up: what the shell left behind ends with it."""
        asyncio.get_running_loop().remove_reader(terminal.reports)
        guard.dismiss(terminal.reports)

    def _left(self, terminal: Shell) -> None:
        asyncio.get_running_loop().remove_reader(terminal.reports)
        terminal.reports.close()
        while self._hear(terminal):
            pass
        asyncio.get_running_loop().remove_reader(terminal.descriptor)
        asyncio.get_running_loop().remove_writer(terminal.descriptor)
        os.close(terminal.descriptor)
        terminal.closed = True
        terminal.move()
        self._around.changed()


def _size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
