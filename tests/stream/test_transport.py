"""Streams over real sockets: both transports, refusals, slow and unwelcome clients."""

import socket
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from tests.stream.serving import Replica, over_sse, over_websocket, until
from tests.stream.watcher import history

from perdure.client.transcript import Transcript
from perdure.core.chat import Status
from perdure.core.ids import ChatId
from perdure.core.message import Role, Text
from perdure.core.timing import SLOW_SUBSCRIBER, STREAM_PING
from perdure.live.episodes import EpisodeKey
from perdure.store.pool import Pool
from perdure.testing.scripted import ScriptedChats, texts

TRANSPORTS = pytest.mark.parametrize("over", [over_websocket, over_sse])


@pytest.fixture
async def replica(pool: Pool) -> AsyncIterator[Replica]:
    async with Replica.of(await ScriptedChats.set_up(pool), pool).served() as replica:
        yield replica


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@TRANSPORTS
async def test_a_turn_is_followed_to_its_end(
    over: Any, replica: Replica, session: aiohttp.ClientSession, pool: Pool
) -> None:
    chat = await replica.scripted.create("hello")
    transcript = Transcript()
    async for event in over(session, replica.url, chat.id, None):
        transcript.add(event)
        if transcript.card is not None and transcript.card.status is Status.WAITING:
            break
        if event.__struct_config__.tag == "chat":
            await chat.answer("Hello to you, too", pieces=5)
    assert transcript.messages == await history(pool, chat.id)


@TRANSPORTS
async def test_a_dropped_stream_goes_on_after_its_cursor(
    over: Any, replica: Replica, session: aiohttp.ClientSession
) -> None:
    chat = await replica.scripted.create()
    transcript, taken = Transcript(), 0
    episode = await chat.attempt()
    for piece in "abcdefgh":
        episode.add(Role.ASSISTANT, texts(piece))
        async for event in over(session, replica.url, chat.id, transcript.cursor):
            transcript.add(event)
            if event.__struct_config__.tag == "message_part":
                taken += 1
                break
    assert transcript.preview == (Role.ASSISTANT, (Text("abcdefgh"),))
    assert taken == 8


@TRANSPORTS
async def test_what_cannot_be_followed_is_refused_with_a_status(
    over: Any, replica: Replica, session: aiohttp.ClientSession
) -> None:
    chat = await replica.scripted.create()
    for chat_id, cursor, status in ((ChatId(uuid4()), None, 404), ("nonsense", None, 404), (chat.id, "1.x", 400)):
        assert await _status(over, session, replica.url, chat_id, cursor) == status


async def _status(over: Any, session: aiohttp.ClientSession, url: str, chat_id: object, cursor: str | None) -> int:
    address, query = f"{url}/chats/{chat_id}/stream", {"cursor": cursor} if cursor else {}
    if over is over_sse:
        async with session.get(address, params=query) as response:
            return response.status
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await session.ws_connect(address, params=query)
    return refused.value.status


@TRANSPORTS
async def test_a_share_that_is_taken_back_ends_the_open_stream(
    over: Any, replica: Replica, session: aiohttp.ClientSession
) -> None:
    chat = await replica.scripted.create()
    async for _ in over(session, replica.url, chat.id, None):
        if chat.id not in replica.access.kept_out:
            replica.access.kept_out.add(chat.id)
            await replica.open_streams.check()
    assert len(replica.open_streams) == 0


async def test_a_silent_stream_has_a_heartbeat_that_reaches_the_clients_code(
    replica: Replica, session: aiohttp.ClientSession
) -> None:
    chat = await replica.scripted.create()
    async with (
        session.ws_connect(f"{replica.url}/chats/{chat.id}/stream") as stream,
        session.get(f"{replica.url}/chats/{chat.id}/stream") as response,
    ):
        await stream.receive()
        await response.content.readuntil(b"\n\n")
        await until(lambda: len(replica.open_streams) == 2)
        for each in replica.open_streams._streams:  # pyright: ignore[reportPrivateUsage]
            each.sent_at -= STREAM_PING.total_seconds() + 1
        replica.open_streams.look()
        assert (await stream.receive()).data == "[]"
        while (line := await response.content.readuntil(b"\n\n")).startswith(b"id:"):
            pass
        assert line == b"event: heartbeat\ndata:\n\n"


async def test_the_close_code_says_why(replica: Replica, session: aiohttp.ClientSession) -> None:
    chat = await replica.scripted.create()
    async with session.ws_connect(f"{replica.url}/chats/{chat.id}/stream") as stream:
        await stream.receive()
        replica.hubs.end()
        closing = await stream.receive()
        assert (closing.type, stream.close_code) == (aiohttp.WSMsgType.CLOSE, 1012)


async def test_a_client_that_leaves_is_forgotten(replica: Replica, session: aiohttp.ClientSession) -> None:
    chat = await replica.scripted.create()
    for over in (over_sse, over_websocket):
        stream = over(session, replica.url, chat.id, None)
        await anext(stream)
        assert len(replica.open_streams) == 1
        await stream.aclose()
        await until(lambda: not len(replica.open_streams))


async def test_a_client_that_closes_its_half_is_forgotten_and_bothers_nobody(
    replica: Replica, session: aiohttp.ClientSession
) -> None:
    chat = await replica.scripted.create()
    staying = over_sse(session, replica.url, chat.id, None)
    await anext(staying)
    for request_line in (b"", b"Connection: Upgrade\r\nUpgrade: websocket\r\n"):
        with _deaf(replica.url, chat.id, request_line) as client:
            await until(lambda: len(replica.open_streams) == 2)
            client.shutdown(socket.SHUT_WR)
            await until(lambda: len(replica.open_streams) == 1)
    await chat.answer("Hello to you, too", pieces=2)
    async for event in staying:
        if event.__struct_config__.tag == "message_part":
            break
    await staying.aclose()


@pytest.mark.parametrize("request_line", [b"", b"Connection: Upgrade\r\nUpgrade: websocket\r\n"])
async def test_a_stuck_client_holds_up_nobody_and_is_cut(
    request_line: bytes, replica: Replica, session: aiohttp.ClientSession
) -> None:
    chat = await replica.scripted.create()
    with _deaf(replica.url, chat.id, request_line):
        await until(lambda: len(replica.open_streams))
        await _flood(chat.scripted, chat.id, replica, session)
        (stream,) = [each for each in replica.open_streams._streams if each.sending_since is not None]  # pyright: ignore[reportPrivateUsage]
        assert stream.sending_since is not None
        stream.sending_since -= SLOW_SUBSCRIBER.total_seconds()
        assert replica.numbers("perdure_stream_lag_seconds") > SLOW_SUBSCRIBER.total_seconds()
        replica.open_streams.look()
        await until(lambda: not len(replica.open_streams))
        assert replica.numbers("perdure_stream_lag_seconds") == 0
        assert replica.numbers("perdure_streams_ended_total", reason="slow") == 1


def _deaf(url: str, chat_id: ChatId, request_line: bytes) -> socket.socket:
    """A client that asks for a stream and never reads."""
    client = socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    key = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" if request_line else b""
    client.sendall(b"GET /chats/%b/stream HTTP/1.1\r\nHost: x\r\n%b%b\r\n" % (str(chat_id).encode(), request_line, key))
    client.setblocking(False)
    return client


async def _flood(scripted: ScriptedChats, chat_id: ChatId, replica: Replica, session: aiohttp.ClientSession) -> None:
    """Much more than any buffer holds, all of which a client that reads gets."""
    large = "x" * 100_000
    committed = await scripted.machine.load(chat_id)
    assert committed.status is Status.RUNNING
    episode = scripted.episodes.open(EpisodeKey(chat_id, committed.history_version, committed.generation_attempt))
    heard = 0
    async for event in over_websocket(session, replica.url, chat_id, None):
        if event.__struct_config__.tag in ("chat", "message_part"):
            heard += 1
            episode.add(Role.ASSISTANT, texts(large))
        if heard > 100:
            return
