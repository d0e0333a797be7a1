"""The place for commands: started once per key, followed, waited for, and stopped with everything they left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator

from perdure.workspaces.agent import guard, limits
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.keys import Record
from perdure.workspaces.agent.lineage import descendants, kill_below, signal_all
from perdure.workspaces.agent.output import frames
from perdure.workspaces.agent.problems import Problem, invalid, missing, of_os_error
from perdure.workspaces.agent.process import Command, CommandContext

SIGNALS = {name: getattr(signal, "SIG" + name).value for name in ("HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM")}


class Processes:
    """All commands of this incarnation; keyed ones of earlier incarnations are known by their record."""

    def __init__(self, around: CommandContext) -> None:
        self._around = around
        self._known: dict[str, Command] = {}

    def start(self, fields: Fields) -> dict[str, object]:
        command = fields.text("command")
        if not command.strip() or "\0" in command or len(command) > limits.COMMAND_BYTES:
            raise invalid(f"command must be a string of 1 to {limits.COMMAND_BYTES} characters without NUL")
        key = fields.maybe_text("key")
        run = "p" + secrets.token_hex(4)
        record = None if key is None else self._around.keys.known(key, fields.fingerprint())
        if record is not None:
            # First of all: its directory may be gone since, or the limit be reached.
            return self._again(record)
        directory = self._directory(fields.text("workdir", "."))
        try:
            if sum(not process.quiet.is_set() for process in self._known.values()) >= limits.RUNNING_MOST:
                raise Problem(503, "process_limit", "too many commands are running; stop some with process_signal")
            if key is not None:
                self._around.keys.claim(key, fields.fingerprint(), run, self._around.incarnation)
            process = Command(command, key, run)
            self._launch(process, directory, fields.text_map("environment"))
            return process.report()
        except OSError as error:
            if key is not None:
                self._around.keys.forget(key)
            raise of_os_error(error, "starting the command") from error
        finally:
            os.close(directory)

    def follow(self, run: str, offset: int) -> AsyncIterator[bytes]:
        return frames(self.find(run), offset)

    async def wait(self, run: str, seconds: float, most: int) -> dict[str, object]:
        process = self.find(run)
        if await _within(process.exited, min(seconds, limits.WAIT_MOST_SECONDS)):
            # The guard leaves a moment after the command, unless there is something left to guard.
            await _within(process.quiet, limits.SETTLE_SECONDS)
        self._record(process)
        return process.report(most)

    def list(self) -> list[dict[str, object]]:
        return [process.report(most=0) for process in self._known.values()]

    def running(self) -> list[Command]:
        return [process for process in self._known.values() if not process.quiet.is_set()]

    def checked(self, run: str, name: str) -> int:
        """The number of a signal that can be sent to a process that there is."""
        self.find(run)
        number = SIGNALS.get(name.upper().removeprefix("SIG"))
        if number is None:
            raise invalid(f"signal must be one of {', '.join(SIGNALS)}")
        return number

    async def signal(self, run: str, number: int, grace: float | None) -> dict[str, object]:
        """Signal everything below; with a grace, what is left after it is killed until nothing is."""
        process = self.find(run)
        if not process.quiet.is_set():
            process.signalled = process.signalled or time.monotonic()
            told = _tell(process, number, set())
            while not told and not process.exited.is_set():
                # The guard has not started the command yet: a signal to nobody would be lost.
                await _within(process.exited, limits.QUIET_POLL_SECONDS)
                told = _tell(process, number, told)
            if grace is not None or number == signal.SIGKILL:
                await self._silence(process, number, told, grace or 0.0)
        return process.report()

    async def stop_all(self, grace: float) -> None:
        await asyncio.gather(*(self.signal(process.id, signal.SIGTERM, grace) for process in self.running()))

    def find(self, run: str) -> Command:
        process = self._known.get(run)
        if process is None:
            raise missing(f"no process {run}; process_list shows those that are known")
        return process

    def by_key(self, key: str) -> dict[str, object]:
        record = self._around.keys.find(key)
        if record is None:
            raise missing("nothing was started with this key")
        return self._again(record)

    def _again(self, record: Record) -> dict[str, object]:
        process = self._known.get(record.run)
        if process is not None:
            self._record(process)
            return process.report()
        if record.result is not None:
            return record.result
        return {"id": record.run, "state": "lost", "incarnation": record.incarnation}

    def _directory(self, path: str) -> int:
        with self._around.places.find(path) as place:
            return place.open(os.O_RDONLY | os.O_DIRECTORY)

    def _launch(self, process: Command, directory: int, more: dict[str, str]) -> None:
        reading, writing = os.pipe()
        process.memory_kills = self._around.memory.kills()
        nothing = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        settings = self._around.settings
        launch = guard.Launch(
            ["/bin/sh", "-c", process.command],
            directory,
            settings.command_environment(more),
            (nothing, writing, writing),
            False,
            settings.limits,
        )
        try:
            process.guard, process.reports = self._around.launch(launch)
        except OSError:
            os.close(reading)
            raise
        finally:
            os.close(nothing)
            os.close(writing)
        self._known[process.id] = process
        self._drop_oldest()
        self._around.children.expect(process.guard, lambda status: self._guard_left(process, status))
        os.set_blocking(reading, False)
        process.reports.setblocking(False)
        process.reading = reading
        loop = asyncio.get_running_loop()
        loop.add_reader(reading, self._hear, process)
        loop.add_reader(process.reports, self._told, process)

    def _hear(self, process: Command) -> bool:
        """Take what the command printed; false when there is no more for now."""
        if process.reading < 0:
            return False
        try:
            content = os.read(process.reading, limits.PIPE_READ_BYTES)
        except BlockingIOError:
            return False
        if not content:
            asyncio.get_running_loop().remove_reader(process.reading)
            os.close(process.reading)
            process.reading = -1
            return False
        process.output.add(content)
        process.move()
        return True

    def _told(self, process: Command) -> None:
        if process.reports is None:
            return
        try:
            content = process.reports.recv(4096)
        except BlockingIOError:
            return
        process.heard += content
        while b"\n" in process.heard:
            line, _, process.heard = process.heard.partition(b"\n")
            word, _, value = line.decode().partition(" ")
            if word == "failed":
                process.failure = value
            else:
                self._exited(process, int(value))
        if not content:
            asyncio.get_running_loop().remove_reader(process.reports)
            process.reports.close()
            process.reports = None

    def _exited(self, process: Command, status: int) -> None:
        # What it printed before it ended is in the pipe; what others still print must not hold this up.
        for _ in range(limits.DRAIN_READS):
            if not self._hear(process):
                break
        process.status = status
        process.ended = time.monotonic()
        process.out_of_memory = self._around.memory.kills() > process.memory_kills
        process.exited.set()
        process.move()
        self._record(process)
        self._around.changed()

    def _guard_left(self, process: Command, status: int) -> None:
        # It may be collected together with another child, before its last words were read.
        self._told(process)
        if status != 0:
            self._around.children.kill_strays()
        if not process.exited.is_set():
            self._exited(process, signal.SIGKILL)
        if process.signalled is not None:
            process.quiet_milliseconds = int((time.monotonic() - process.signalled) * 1000)
            process.recorded = process.key is None
        process.quiet.set()
        process.move()
        self._record(process)
        self._around.changed()

    async def _silence(self, process: Command, number: int, told: set[int], grace: float) -> None:
        """Give everything below the grace to leave, also what appears only now; then kill until nothing is left."""
        patience = time.monotonic() + grace
        while time.monotonic() < patience:
            if await _within(process.quiet, min(limits.QUIET_POLL_SECONDS, grace)):
                return
            told |= _tell(process, number, told)
        deadline = time.monotonic() + limits.KILL_SECONDS
        while time.monotonic() < deadline:
            kill_below(process.guard, rounds=20)
            if await _within(process.quiet, limits.QUIET_POLL_SECONDS):
                return
        if os.getpid() == 1:
            # A line that forks faster than it can be listed: as init, end everything else in one call.
            os.kill(-1, signal.SIGKILL)
            await _within(process.quiet, limits.KILL_SECONDS)

    def _record(self, process: Command) -> None:
        """Keep a keyed result for good. On a full disk it stays in memory and is tried again when asked for."""
        if process.recorded or process.key is None or not process.exited.is_set():
            return
        try:
            self._around.keys.finish(process.key, process.report())
            process.recorded = True
        except OSError:
            pass

    def _drop_oldest(self) -> None:
        finished = [process for process in self._known.values() if process.quiet.is_set() and process.recorded]
        for process in finished[: -limits.FINISHED_KEPT]:
            del self._known[process.id]


def _tell(process: Command, number: int, told: set[int]) -> set[int]:
    """Signal those below who have not heard it yet."""
    below = [pid for pid in descendants(process.guard) if pid not in told]
    signal_all(below, number)
    signal_all(below, signal.SIGCONT)
    return set(below)


async def _within(event: asyncio.Event, seconds: float) -> bool:
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()
