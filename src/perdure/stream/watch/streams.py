"""`GET /chats/watch` and `GET /inbox/watch`: everything of somebody's, followed from a moment on."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from perdure.core.errors import PerdureError
from perdure.core.ids import UserId
from perdure.stream.access import AccessControl, Receive, Scope, Send
from perdure.stream.chat_stream import cursor_text
from perdure.stream.open_streams import OpenStreams
from perdure.stream.transport import refuse, serve
from perdure.stream.watch.feed import Feed, position_of

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
