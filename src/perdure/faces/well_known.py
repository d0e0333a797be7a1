"""Addresses below `/.well-known`, which several protocols have something at."""

from collections.abc import Mapping

from perdure.api.http import App, Receive, Scope, Send


class WellKnown:
    """Hands a request to whoever has its path."""

    def __init__(self, known: Mapping[str, App], rest: App) -> None:
        self._known = known
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._known.get(scope["path"], self._rest)(scope, receive, send)
