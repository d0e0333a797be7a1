"""The least that a turn can cost: drain the simulated stream, commit twice, nothing else. A process of its own."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeAlias
from uuid import UUID, uuid4

import aiohttp
import asyncpg
import msgspec
import uvloop
from asyncpg import Pool, Record

from perdure.proof.evidence import sql

CONNECTIONS = 20

BarePool: TypeAlias = "Pool[Record]"


class Task(msgspec.Struct, frozen=True):
    """What to do: so many chats at once, so many turns each. Without a database the stream is only drained."""

    simulator_url: str
    text: str
    chats: int
    turns: int
    database_url: str | None = None


class Done(msgspec.Struct, frozen=True):
    seconds: float
    cpu: float
    turns: int


async def measured(task: Task) -> Done:
    """Have it done by another process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "perdure.proof.scale.floor", msgspec.json.encode(task).decode()),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return msgspec.json.decode(output, type=Done)


async def _run(task: Task) -> Done:
    async with _database(task) as pool, aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        chats = [uuid4() for _ in range(task.chats)]
        for chat in chats if pool is not None else ():
            assert pool is not None
            await pool.execute(sql("floor_chat"), chat)
        await _drain(http, task)
        before, begun = time.process_time(), time.perf_counter()
        await asyncio.gather(*(_chat(chat, task, http, pool) for chat in chats))
        return Done(time.perf_counter() - begun, time.process_time() - before, task.chats * task.turns)


async def _chat(chat: UUID, task: Task, http: aiohttp.ClientSession, pool: "BarePool | None") -> None:
    for _ in range(task.turns):
        if pool is not None:
            await pool.fetchrow(sql("floor_commit"), chat, "running", task.text)
        answer = await _drain(http, task)
        if pool is not None:
            await pool.fetchrow(sql("floor_commit"), chat, "waiting", answer)


async def _drain(http: aiohttp.ClientSession, task: Task) -> str:
    body = {
        "model": "demo",
        "stream": True,
        "max_tokens": 8000,
        "messages": [{"role": "user", "content": task.text}],
    }
    headers = {"x-api-key": "floor", "anthropic-version": "2023-06-01", "content-type": "application/json"}
    size = 0
    url = f"{task.simulator_url}/v1/messages"
    async with http.post(url, data=msgspec.json.encode(body), headers=headers) as answer:
        answer.raise_for_status()
        while piece := await answer.content.readany():
            size += len(piece)
    return "x" * (size // 40)


@asynccontextmanager
async def _database(task: Task) -> "AsyncGenerator[BarePool | None]":
    if task.database_url is None:
        yield None
        return
    async with bare_pool(task.database_url, CONNECTIONS) as pool:
        await pool.execute(sql("floor_tables"))
        yield pool


@asynccontextmanager
async def bare_pool(url: str, size: int) -> AsyncGenerator[BarePool]:
    """The pool that the driver brings, as whoever does without us would use it."""
    async with asyncpg.create_pool(url, min_size=size, max_size=size) as pool:
        yield pool


def main() -> None:
    done = uvloop.run(_run(msgspec.json.decode(sys.argv[1], type=Task)))
    sys.stdout.buffer.write(msgspec.json.encode(done))


if __name__ == "__main__":
    main()
