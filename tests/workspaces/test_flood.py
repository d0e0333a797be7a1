"""A command that floods, in a real workspace: what is kept of it is bounded, and the chats beside it notice nothing."""

import asyncio
import time
import tracemalloc
from contextlib import aclosing
from datetime import timedelta
from uuid import uuid4

from tests.workspaces.inside import Inside

from perdure.agent.attempt_output import AttemptOutput
from perdure.core.deltas import TextDelta
from perdure.core.ids import ChatId
from perdure.core.message import Role, ToolCall
from perdure.core.timing import SystemClock
from perdure.live.episodes import Episode, EpisodeKey, Episodes
from perdure.store.rows import encoded

CALL = ToolCall("c", "execute", "{}")
FLOOD_BYTES = 64 * 1024 * 1024
STORED_BYTES = 2 * 1024 * 1024
MEMORY_BYTES = 16 * 1024 * 1024
NEIGHBOUR_CPU_SECONDS = 0.1
LOOK = timedelta(milliseconds=50)


def opened(episodes: Episodes) -> Episode:
    return episodes.open(EpisodeKey(ChatId(uuid4()), 1, 1))


async def follow(inside: Inside, process: str, output: AttemptOutput) -> None:
    async with aclosing(inside.client.processes.follow(process)) as frames:
        async for frame in frames:
            output.progress(0, CALL, frame.content.decode())


class Neighbour:
    """Another chat of the replica, and how much was computed between each of its parts and its followers' hearing."""

    def __init__(self, episodes: Episodes) -> None:
        self._episode = opened(episodes)
        self._begun = 0.0
        self._heard = asyncio.Event()
        self.seconds: list[float] = []
        episodes.follow(self._episode.key.chat_id, lambda _: self._hear())

    def _hear(self) -> None:
        self.seconds.append(time.process_time() - self._begun)
        self._heard.set()

    async def speaks(self) -> None:
        self._heard.clear()
        self._begun = time.process_time()
        self._episode.add(Role.ASSISTANT, [TextDelta(0, "word ")])
        await self._heard.wait()


async def test_a_flood_is_bounded_and_delays_nobody(inside: Inside) -> None:
    episodes = Episodes()
    output, neighbour = AttemptOutput(opened(episodes), SystemClock()), Neighbour(episodes)
    process = await inside.client.processes.start("yes", key="k")
    tracemalloc.start()
    showing = asyncio.create_task(follow(inside, process.id, output))
    printed = 0
    while printed < FLOOD_BYTES:
        await neighbour.speaks()
        printed = (await inside.client.processes.wait(process.id, LOOK)).total_bytes
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not showing.done()
    showing.cancel()
    await inside.client.processes.stop(process.id)
    parts = output.episode.parts_since(0)
    assert parts
    assert len(encoded(parts)) < STORED_BYTES
    assert grown < MEMORY_BYTES
    assert max(neighbour.seconds) < NEIGHBOUR_CPU_SECONDS


async def test_a_thousand_floods_of_a_chat_share_what_one_chat_may_show() -> None:
    output = AttemptOutput(opened(Episodes()), SystemClock())
    for number in range(1000):
        call = ToolCall(f"c{number}", "execute", "{}")
        for _ in range(4):
            output.progress(number, call, "y\n" * 32 * 1024)
    assert len(encoded(output.episode.parts_since(0))) < STORED_BYTES


async def test_floods_of_many_chats_share_what_a_replica_may_show() -> None:
    episodes = Episodes()
    flights = [AttemptOutput(opened(episodes), SystemClock()) for _ in range(200)]
    for output in flights:
        for number in range(8):
            output.progress(number, ToolCall(f"c{number}", "execute", "{}"), "y" * 64 * 1024)
    assert sum(len(encoded(output.episode.parts_since(0))) for output in flights) < 10 * 1024 * 1024


async def test_the_result_follows_what_was_shown_and_nothing_comes_after_it() -> None:
    output = AttemptOutput(opened(Episodes()), SystemClock())
    output.progress(0, CALL, "a little")
    output.progress(0, CALL, "y" * 10_000_000)
    output.progress(0, CALL, "", afresh=True)
    output.progress(0, CALL, "again")
    shown = [piece.delta for piece in output.episode.parts_since(0)]
    texts = [getattr(delta, "result_delta", "") for delta in shown]
    assert texts[0] == "a little"
    assert texts[1].startswith("\n[… 9995904 characters are not shown …]\n")
    assert texts[-2:] == ["", "again"]
