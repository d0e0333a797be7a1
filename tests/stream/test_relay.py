"""Parts of chats that another replica drives: over the relay, from segments, and across a crash."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from tests.stream.serving import serving, until
from tests.stream.watcher import Watcher

from perdure.core.deltas import TextDelta
from perdure.core.ids import ReplicaId, RunnerId
from perdure.core.message import ProviderMetadata, Role, Text
from perdure.live.segments import Segments
from perdure.machine.change import Owner
from perdure.machine.transitions import Acquire, RecordGenerationAttempt
from perdure.store.pool import Pool
from perdure.stream.access import Receive, Scope, Send
from perdure.stream.hubs import Hubs
from perdure.stream.relay.relay import Relay
from perdure.stream.relay.server import RelayServer
from perdure.testing.scripted import ScriptedChat, ScriptedChats, texts

SECRET = "between us"


@dataclass
class Two:
    """A replica that drives chats, and one that only follows them."""

    driving: ScriptedChats
    following: ScriptedChats
    hubs: Hubs
    relay: Relay
    relay_server: AsyncExitStack
    connections: list[Any]

    async def chat(self) -> ScriptedChat:
        return await self.driving.create()

    async def owner_dies(self) -> None:
        await self.relay_server.aclose()
        await self.driving.pool.execute("DELETE FROM replicas")


@pytest.fixture
async def two(pool: Pool) -> AsyncIterator[Two]:
    driving = await ScriptedChats.set_up(pool)
    following = ScriptedChats.beside(pool, driving.organisation_id, driving.user_id)
    relay = Relay(pool, SECRET, lambda: following.replica_id)
    hubs = Hubs(pool, following.episodes, remote=relay)
    async with AsyncExitStack() as stack:
        connections: list[Any] = []
        url = await stack.enter_async_context(_relay_server(driving, connections))
        # Nobody renews its lease here: it lasts for longer than the test does.
        await pool.execute(
            "INSERT INTO replicas (id, address, version, seen_at) VALUES ($1, $2, '1', now() + interval '1 hour')",
            driving.replica_id,
            url,
        )
        running = asyncio.ensure_future(relay.run())
        yield Two(driving, following, hubs, relay, stack, connections)
        running.cancel()
        await asyncio.wait([running])


@asynccontextmanager
async def _relay_server(scripted: ScriptedChats, connections: list[Any]) -> AsyncGenerator[str]:
    relay_server = RelayServer(scripted.episodes, SECRET)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        connections.append(send)
        await relay_server(scope, receive, send)

    async with serving(app) as url:
        yield url


async def _told(watcher: Watcher, two: Two, text: str, *, others: asyncio.Barrier | None = None) -> None:
    """Follow until the preview says this, and on until all others are told too."""
    async with two.hubs.follow(watcher.chat_id, None) as subscription:
        watcher.connections.append([])
        while watcher.transcript.preview != (Role.ASSISTANT, (Text(text),)):
            await watcher.take(subscription)
        if others is not None:
            await others.wait()


async def test_parts_cross_from_the_owner_to_the_follower(two: Two) -> None:
    chat = await two.chat()
    episode = await chat.attempt()
    secret = TextDelta(0, "He", ProviderMetadata("d", "m", {"signature": "s"}))
    episode.add(Role.ASSISTANT, [secret])
    watcher = Watcher(two.hubs, chat.id, connections=[[]])
    async with two.hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        while watcher.transcript.preview is None:
            await watcher.take(subscription)
        episode.add(Role.ASSISTANT, texts("llo"))
        while watcher.transcript.preview != (Role.ASSISTANT, (Text("Hello"),)):
            await watcher.take(subscription)


async def test_all_chats_of_an_owner_share_one_connection(two: Two) -> None:
    chats = [await two.chat() for _ in range(5)]
    for chat in chats:
        (await chat.attempt()).add(Role.ASSISTANT, texts("x"))
    # Who is told early stays: a connection that nobody needs for a moment is let go of.
    all_told = asyncio.Barrier(len(chats))
    await asyncio.gather(*(_told(Watcher(two.hubs, chat.id), two, "x", others=all_told) for chat in chats))
    assert len(two.connections) == 1


async def test_a_wish_for_an_episode_that_is_not_open_yet_is_kept(two: Two) -> None:
    chat = await two.chat()
    await chat.follows(Acquire(Owner(two.driving.replica_id, RunnerId(uuid4()))))
    watching = asyncio.ensure_future(_told(Watcher(two.hubs, chat.id), two, "later"))
    await until(lambda: two.connections)
    episode = await chat.attempt()
    await two.hubs.once()
    episode.add(Role.ASSISTANT, texts("later"))
    await watching


async def test_a_connection_that_breaks_comes_back_without_a_gap(two: Two) -> None:
    chat = await two.chat()
    episode = await chat.attempt()
    watcher = Watcher(two.hubs, chat.id, connections=[[]])
    async with two.hubs.follow(chat.id, None) as subscription:
        for number, piece in enumerate("abc", start=1):
            episode.add(Role.ASSISTANT, texts(piece))
            while watcher.transcript.preview != (Role.ASSISTANT, (Text("abc"[:number]),)):
                await watcher.take(subscription)
            two.connections[-1].__self__.transport.abort()
    assert len(two.connections) >= 3


async def test_an_owner_that_died_leaves_the_stored_prefix_and_a_new_attempt_starts_over(two: Two, pool: Pool) -> None:
    chat = await two.chat()
    episode = await chat.attempt()
    segments = Segments(pool, two.driving.episodes)
    episode.add(Role.ASSISTANT, texts("half ", "an "))
    await segments.once()
    watcher = Watcher(two.hubs, chat.id, connections=[[]])
    ahead = Watcher(two.hubs, chat.id, connections=[[]])
    await _told(ahead, two, "half an ")
    await two.owner_dies()
    ahead.transcript.cursor = (ahead.transcript.cursor or "").rsplit(".", 1)[0] + ".5"
    async with two.hubs.follow(chat.id, None) as subscription:
        while watcher.transcript.preview != (Role.ASSISTANT, (Text("half an "),)):
            await watcher.take(subscription)
        await ahead.look()
        assert "message_part" not in ahead.kinds
        await _taken_over(two, chat)
        while watcher.transcript.preview is not None:
            await watcher.take(subscription)
    await ahead.look()
    assert ahead.kinds[-1] == "preview_reset"


async def _taken_over(two: Two, chat: ScriptedChat) -> None:
    acquire = Acquire(Owner(ReplicaId(uuid4()), RunnerId(uuid4())), two.driving.replica_id)
    await two.following.machine.change(chat.id, acquire, RecordGenerationAttempt())
    await two.hubs.once()


async def test_a_stranger_is_refused(two: Two) -> None:
    async with aiohttp.ClientSession() as session:
        address = await two.driving.pool.fetchval("SELECT address FROM replicas")
        for guess in ("Bearer guess", "Bearer gr\xfc\xdfe"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{address}/api/v1/relay", headers={"authorization": guess})
            assert refused.value.status == 403
        async with session.get(f"{address}/api/v1/relay") as answer:
            assert answer.status == 404
