"""Writes rendered events to a client: joins what it can, waits where the script waits, breaks where it breaks."""

import asyncio
from collections.abc import Iterator
from typing import Protocol, TypeAlias

from perdure.core.timing import SIMULATED_GRAIN
from perdure.sim.gates import Gates
from perdure.sim.script import Fault, GatePart, Pause

Action: TypeAlias = bytes | Pause | GatePart | Fault

BATCH = 64 * 1024
"""Bytes written at once when nothing asks for less."""

MALFORMED = b'event: message\ndata: {"type": "message", "delta": {"te\n\n'


class Sink(Protocol):
    """Where events go: a connection, or the store of a background response."""

    def write(self, data: bytes) -> None: ...
    async def drain(self) -> None: ...
    def end(self, data: bytes = b"") -> None: ...
    def abort(self) -> None: ...


class EventWriter:
    """One answer being written to one sink."""

    def __init__(self, sink: Sink, gates: Gates, *, survives_cut: bool = False) -> None:
        self._sink = sink
        self._survives_cut = survives_cut
        self._gates = gates
        self._batch: list[bytes] = []
        self._size = 0
        self._due = 0.0

    async def write(self, actions: Iterator[Action]) -> None:
        """Write to the end, whatever the end is."""
        loop = asyncio.get_running_loop()
        self._due = loop.time()
        for action in actions:
            if isinstance(action, bytes):
                self._batch.append(action)
                self._size += len(action)
                if self._size >= BATCH:
                    await self._flush()
            elif not await self._act(action, loop):
                return
        self._sink.end(self._taken())

    async def _act(self, action: Pause | GatePart | Fault, loop: asyncio.AbstractEventLoop) -> bool:
        """Do what is not bytes; says whether the answer goes on."""
        match action:
            case Pause(seconds):
                self._due += seconds
                if self._due - loop.time() >= SIMULATED_GRAIN.total_seconds():
                    await self._flush()
                    await asyncio.sleep(self._due - loop.time())
            case GatePart(name):
                await self._flush()
                await self._gates[name].pass_through()
                self._due = loop.time()
            case Fault():
                await self._flush()
                return await self._break(action)
        return True

    async def _break(self, fault: Fault) -> bool:
        match fault.kind:
            case "cut":
                self._sink.abort()
                return self._survives_cut
            case "no_terminal":
                self._sink.end()
            case "malformed":
                self._batch.append(MALFORMED)
                return True
            case _:
                return await silence(fault)
        return False

    async def _flush(self) -> None:
        self._sink.write(self._taken())
        await self._sink.drain()

    def _taken(self) -> bytes:
        data, self._batch, self._size = b"".join(self._batch), [], 0
        return data


async def silence(fault: Fault) -> bool:
    """Say nothing for the fault's time, or for as long as the client stays; says whether to go on."""
    if fault.seconds is None:
        await asyncio.get_running_loop().create_future()
        return False
    await asyncio.sleep(fault.seconds)
    return True
