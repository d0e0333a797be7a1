"""Several processes behind one address: started together, started again when one dies, replaced one by one."""

import asyncio
import logging
import signal
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field

from perdure.cli.serving import address_of, listening, opened
from perdure.cli.supervised import READY, Assignment
from perdure.core.tasks import BackgroundTasks, Backoff
from perdure.core.timing import PROCESS_HEALTHY, PROCESS_RESTART_FIRST, PROCESS_RESTART_LONGEST, SystemClock
from perdure.settings import Address, Settings
from perdure.sim.process import simulator_process
from perdure.store.database import open_database

Program = Callable[[Assignment], Sequence[str]]
"""What Python runs for a process with this assignment."""

log = logging.getLogger("perdure.serve")


class Child:
    """A process in a slot."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._since = asyncio.get_running_loop().time()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def healthy(self) -> bool:
        return asyncio.get_running_loop().time() - self._since >= PROCESS_HEALTHY.total_seconds()

    async def ready(self) -> bool:
        """Whether it came up. False once it ended instead."""
        assert self.process.stdout is not None
        return await self.process.stdout.readline() == READY

    async def ended(self) -> int:
        return await self.process.wait()

    def signal(self, number: int) -> None:
        if self.process.returncode is None:
            self.process.send_signal(number)


@dataclass(slots=True)
class Slot:
    """A place for a process. Its part of the listening address stays while processes come and go."""

    number: int
    listener: socket.socket
    child: Child | None = None
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whoever puts another process into it."""


class Supervisor:
    """Keeps a process in every slot until it is told to stop."""

    def __init__(self, slots: Sequence[Slot], launch: Callable[[Slot], Awaitable[Child]], address: Address) -> None:
        self._slots = slots
        self._launch = launch
        self._address = address
        self._children: set[Child] = set()
        self._stopping = False
        self._renewals = asyncio.Event()
        self._tasks = BackgroundTasks(log)

    async def run(self) -> int:
        """Serve until a signal says stop. The exit code is that of a first process that could not start."""
        first, *rest = self._slots
        self._heed_signals()
        if not await self._fill(first):
            # The environment is wrong, and the process has said how: the others would say the same.
            assert first.child is not None
            return 0 if self._stopping else await first.child.ended()
        await asyncio.gather(*(self._fill(slot) for slot in rest))
        log.info("ready at http://%s with %d processes", self._address, len(self._slots))
        self._tasks.start(self._renew(), "replacing processes")
        await asyncio.gather(*(self._keep(slot) for slot in self._slots))
        self._tasks.cancel()
        await asyncio.gather(*(child.ended() for child in self._children))
        return 0

    async def _fill(self, slot: Slot) -> bool:
        """Put a process into a slot, and wait until it takes requests."""
        child = slot.child = await self._launch(slot)
        self._children.add(child)
        if self._stopping:
            child.signal(signal.SIGTERM)
        return await child.ready()

    async def _keep(self, slot: Slot) -> None:
        backoff = Backoff(PROCESS_RESTART_FIRST, PROCESS_RESTART_LONGEST)
        while not self._stopping:
            child = slot.child
            assert child is not None
            code = await child.ended()
            self._children.discard(child)
            async with slot.changing:
                if self._stopping or slot.child is not child:
                    continue
                log.warning("process %d ended with %d: starting another", child.pid, code)
                if child.healthy:
                    backoff.reset()
                await backoff.wait(SystemClock())
                await self._fill(slot)

    async def _renew(self) -> None:
        while True:
            await self._renewals.wait()
            self._renewals.clear()
            log.info("replacing all processes, one by one")
            for slot in self._slots:
                if not await self._replace(slot):
                    log.error("the new process did not start: the others stay as they are")
                    break
            else:
                log.info("all processes are replaced")

    async def _replace(self, slot: Slot) -> bool:
        """The new one takes requests before the old one stops: both listen meanwhile."""
        async with slot.changing:
            old = slot.child
            if not await self._fill(slot):
                slot.child = old
                return False
        assert old is not None
        old.signal(signal.SIGTERM)
        await old.ended()
        self._children.discard(old)
        return True

    def _heed_signals(self) -> None:
        """Signals are handed on: processes know what a second one means. SIGHUP replaces them."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, number)
        loop.add_signal_handler(signal.SIGHUP, self._renewals.set)

    def _stop(self, number: signal.Signals) -> None:
        log.info("%s: stopping all processes", number.name)
        self._stopping = True
        for child in self._children:
            child.signal(number)


async def supervise(settings: Settings, program: Program, *, demo: bool = False) -> int:
    """Run the processes that the settings name behind one address, until a signal says stop."""
    async with AsyncExitStack() as stack:
        listeners = stack.enter_context(shared_listeners(settings.bind, settings.processes))
        address = address_of(listeners[0])
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="perdure-"))
        if settings.database_url is None:
            # Held here too, so that it stays when processes are replaced.
            await stack.enter_async_context(open_database(settings))
        model = (await stack.enter_async_context(simulator_process())).url if demo else None
        welcome = iter([settings.reached_at(address)])

        async def launch(slot: Slot) -> Child:
            given = Assignment(
                slot=slot.number,
                listener=slot.listener.fileno(),
                folder=folder,
                demo=model,
                welcome=next(welcome, None),
            )
            return Child(await _started(program(given), given.listener))

        slots = [Slot(number, listener) for number, listener in enumerate(listeners)]
        return await Supervisor(slots, launch, address).run()


async def _started(arguments: Sequence[str], listener: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        pass_fds=(listener,),
        # A Ctrl-C of the terminal is for us, who hand it on once.
        start_new_session=True,
    )


@contextmanager
def shared_listeners(address: Address, count: int) -> Generator[list[socket.socket]]:
    """One socket for each process, all at one address: the kernel spreads connections evenly over them.

    They are ours, so what waits in the queue of a process that died waits for the next one.
    """
    with ExitStack() as stack:
        # Alone first: an address that is shared can be shared with a stranger too.
        with listening(address) as alone:
            found = address_of(alone)
        yield [stack.enter_context(opened(found, shared=True)) for _ in range(count)]
