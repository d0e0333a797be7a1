"""Turns that are waited for: for so long, or several at once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, TypeVar

from perdure.faces.asked import TurnId
from perdure.faces.mcp.results import complete, detailed
from perdure.faces.mcp.tasks import Task, Tasks, task_id
from perdure.faces.mcp.wire import SUBSCRIPTION_KEY, RpcId, frame

T = TypeVar("T")


async def within(moves: AsyncIterator[T], seconds: float) -> AsyncGenerator[T]:
    """What comes within a time; the first in any case."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    patience: float | None = None
    while True:
        try:
            move = await asyncio.wait_for(anext(moves), patience)
        except (TimeoutError, StopAsyncIteration):
            return
        yield move
        patience = None if seconds == float("inf") else max(0.0, until - loop.time())


async def last(moves: AsyncIterator[T]) -> T:
    """Where it ends. There is at least one move."""
    found = [move async for move in moves]
    return found[-1]


async def listened(number: RpcId, turns: Sequence[TurnId], tasks: Tasks, *, elicits: bool) -> AsyncIterator[bytes]:
    """Every change of some tasks, until all of them are over."""
    meta = {SUBSCRIPTION_KEY: number}
    agreed: dict[str, Any] = {"taskIds": [task_id(turn) for turn in turns]} if turns else {}
    params = {"notifications": agreed, "_meta": meta}
    yield frame({"method": "notifications/subscriptions/acknowledged", "params": params})
    if not turns:
        await asyncio.Event().wait()
    queue = asyncio.Queue[Task | None]()
    followers = [asyncio.ensure_future(_follow(tasks, turn, queue)) for turn in turns]
    try:
        told: dict[TurnId, dict[str, Any]] = {}
        left = len(turns)
        while left:
            task = await queue.get()
            if task is None:
                left -= 1
                continue
            shown = detailed(task, elicits=elicits)
            if told.get(task.turn) != shown:
                told[task.turn] = shown
                yield frame({"method": "notifications/tasks", "params": {**shown, "_meta": meta}})
        yield frame({"id": number, "result": complete({"_meta": meta})})
    finally:
        for follower in followers:
            follower.cancel()


async def _follow(tasks: Tasks, turn: TurnId, queue: asyncio.Queue[Task | None]) -> None:
    try:
        async for task in tasks.follow(turn):
            await queue.put(task)
    finally:
        queue.put_nowait(None)
