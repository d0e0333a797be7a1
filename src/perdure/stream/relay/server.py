"""The owner's side of the relay: sends the parts of its episodes to replicas that wish for them."""

import asyncio
import contextlib
from collections.abc import Callable

import msgspec

from perdure.core.ids import ChatId
from perdure.core.public import public_delta
from perdure.live.episodes import Episode, EpisodeKey, Episodes
from perdure.stream.access import Receive, Scope, Send
from perdure.stream.relay.wire import HEADER, Drop, Follow, Grown, encoder, known, wishes

_NOT_HERE = b'{"message":"There is nothing at this address."}'


class RelayServer:
    """`/relay` as an ASGI application: one connection for all that another replica follows."""

    def __init__(self, episodes: Episodes, secret: str) -> None:
        self._episodes = episodes
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if scope["type"] != "websocket":
            await _turn_away(send)
            return
        shown = next((value for name, value in scope["headers"] if name == HEADER.encode()), b"")
        if not known(self._secret, shown):
            await send({"type": "websocket.close", "code": 4403})
            return
        await send({"type": "websocket.accept"})
        await _Connection(self._episodes, send).serve(receive)


async def _turn_away(send: Send) -> None:
    """Whoever asks without a WebSocket is no replica."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(_NOT_HERE)).encode())]
    await send({"type": "http.response.start", "status": 404, "headers": headers})
    await send({"type": "http.response.body", "body": _NOT_HERE})


class _Connection:
    """What one other replica wishes for, and how much of it was sent.

    Nothing is queued: whoever is slow finds more in the episodes when it comes back.
    """

    def __init__(self, episodes: Episodes, send: Send) -> None:
        self._episodes = episodes
        self._send = send
        self._sent: dict[ChatId, tuple[EpisodeKey, int]] = {}
        self._stops: dict[ChatId, Callable[[], None]] = {}
        self._grown: dict[ChatId, None] = {}
        self._work = asyncio.Event()

    async def serve(self, receive: Receive) -> None:
        writer = asyncio.ensure_future(self._write())
        try:
            while (event := await receive())["type"] == "websocket.receive":
                with contextlib.suppress(msgspec.DecodeError):
                    self._hear(wishes.decode(event.get("text") or ""))
        finally:
            for stop in self._stops.values():
                stop()
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await writer

    def _hear(self, wish: Follow | Drop) -> None:
        match wish:
            case Follow():
                key = EpisodeKey(wish.chat_id, wish.history_version, wish.attempt)
                self._sent[wish.chat_id] = key, wish.seq
                if wish.chat_id not in self._stops:
                    self._stops[wish.chat_id] = self._episodes.follow(wish.chat_id, self._woken)
                if (episode := self._episodes.of(wish.chat_id)) is not None:
                    self._woken(episode)
            case Drop():
                self._sent.pop(wish.chat_id, None)
                if (stop := self._stops.pop(wish.chat_id, None)) is not None:
                    stop()

    def _woken(self, episode: Episode) -> None:
        self._grown[episode.key.chat_id] = None
        self._work.set()

    async def _write(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            grown, self._grown = self._grown, {}
            for chat_id in grown:
                if (news := self._news(chat_id)) is not None:
                    await self._send({"type": "websocket.send", "text": encoder.encode(news).decode()})

    def _news(self, chat_id: ChatId) -> Grown | None:
        episode, sent = self._episodes.of(chat_id), self._sent.get(chat_id)
        if episode is None or sent is None:
            return None
        after = sent[1] if sent[0] == episode.key else 0
        pieces = episode.parts_since(after)
        if not pieces:
            return None
        self._sent[chat_id] = episode.key, after + len(pieces)
        public = [(piece.role, public_delta(piece.delta)) for piece in pieces]
        return Grown(chat_id, episode.key.history_version, episode.key.attempt, after, public)
