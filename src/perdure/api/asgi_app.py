"""Everything a replica serves over HTTP: the API, the streams, the page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perdure.api.errors import answer_of
from perdure.api.http import App, Receive, Scope, Send
from perdure.api.server import BASE
from perdure.core.errors import Unavailable


@dataclass(frozen=True, slots=True)
class StreamRoute:
    """A path below `/api/v1` that is served as bare ASGI, over HTTP or WebSocket.

    What the pattern names is handed on in `scope["path_params"]`, as text.
    """

    pattern: re.Pattern[str]
    app: App


class AsgiApp:
    """Sends each request to the part that serves it."""

    def __init__(
        self, *, api: App, page: App, streams: Sequence[StreamRoute] = (), faces: Mapping[str, App] | None = None
    ) -> None:
        self._api = api
        self._page = page
        self._streams = streams
        self._faces = faces or {}
        """What other protocols find, by the first piece of their paths."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if not path.startswith(f"{BASE}/"):
            app = self._faces.get(f"/{path.split('/', 2)[1]}", self._page if scope["type"] == "http" else _refuse)
        elif (stream := self._stream(scope, path)) is not None:
            app = stream
        else:
            app = self._api if scope["type"] == "http" else _refuse
        await app(scope, receive, send)

    def _stream(self, scope: Scope, path: str) -> App | None:
        if scope.get("method", "GET") != "GET":
            return None
        for stream in self._streams:
            match = stream.pattern.fullmatch(path.removeprefix(BASE))
            if match is not None:
                scope["path_params"] = match.groupdict()
                return stream.app
        return None


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    """Nothing here speaks WebSocket."""
    await receive()
    await send({"type": "websocket.close", "code": 4404})


async def closed(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    """A replica that serves nobody: a proxy that asks it asks the wrong one."""
    await answer_of(Unavailable("This replica only drives chats. Ask another one.")).send(send)
