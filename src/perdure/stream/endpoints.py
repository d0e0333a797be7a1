"""`GET /chats/{chat_id}/stream`, `GET /chats/watch` and `GET /inbox/watch`: followed from a cursor or a moment on."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from urllib.parse import parse_qs
from uuid import UUID

from perdure.core.author import Author
from perdure.core.cursor import Cursor
from perdure.core.errors import ChatNotFound, PerdureError
from perdure.core.ids import ChatId, UserId
from perdure.stream.access import AccessControl, Receive, Scope, Send
from perdure.stream.batches import Batch
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.presence import Presence
from perdure.stream.subscription import Subscription
from perdure.stream.transport import refuse, serve
from perdure.stream.watch.feed import Feed, position_of

PATTERN = r"/chats/(?P<chat_id>[^/]+)/stream"


class Shared:
    """A subscription of somebody with whom the chat is shared."""

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription

    async def next(self) -> Batch:
        return (await self._subscription.next()).unpinned


class ChatStream:
    """The stream of one chat as an ASGI application. The path's chat comes in `scope["path_params"]`."""

    def __init__(self, hubs: Hubs, open_streams: OpenStreams, access: AccessControl, presence: Presence) -> None:
        self._hubs = hubs
        self._presence = presence
        self._streams = open_streams
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            chat_id = _chat_id(scope["path_params"]["chat_id"])
            text = cursor_text(scope)
            cursor = Cursor.parse(text) if text else None
            admission = await self._access.enter(scope, chat_id)
            async with self._hubs.follow(chat_id, cursor) as subscription:
                feed = subscription if admission.own else Shared(subscription)
                person = Author(admission.user_id, admission.name)
                with self._presence.here(chat_id, person, own=admission.own):
                    await serve(feed, admission, self._streams, scope, receive, send)
        except PerdureError as error:
            await refuse(self._access, error, scope, receive, send)


def cursor_text(scope: Scope) -> str:
    """Where the client wants to go on. A browser that reconnects repeats an old address with a newer header."""
    for name, value in scope["headers"]:
        if name == b"last-event-id" and value:
            return value.decode("latin-1")
    return parse_qs(scope["query_string"].decode("latin-1")).get("cursor", [""])[-1]


def _chat_id(text: str) -> ChatId:
    try:
        return ChatId(UUID(text))
    except ValueError:
        raise ChatNotFound from None


LIST_PATTERN = r"/chats/watch"
INBOX_PATTERN = r"/inbox/watch"

Follow = Callable[[UserId, datetime | None], AbstractAsyncContextManager[Feed]]


class WatchStream:
    """One of the two as an ASGI application: `follow` says which."""

    def __init__(self, follow: Follow, open_streams: OpenStreams, access: AccessControl) -> None:
        self._follow = follow
        self._streams = open_streams
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            text = cursor_text(scope)
            position = position_of(text) if text else None
            admission = await self._access.enter(scope, None)
            async with self._follow(admission.user_id, position) as feed:
                await serve(feed, admission, self._streams, scope, receive, send)
        except PerdureError as error:
            await refuse(self._access, error, scope, receive, send)
