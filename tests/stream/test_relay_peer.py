"""One end of the relay: when it gives up, and when it asks again."""

import asyncio
from uuid import uuid4

import pytest
from aiohttp import web

from perdure.core.ids import ReplicaId
from perdure.stream.relay.peer import Peer
from perdure.testing.clock import HurriedClock


@pytest.mark.parametrize(("status", "asked"), [(401, 1), (403, 1), (503, 3)])
async def test_a_refused_handshake_is_not_tried_for_ever(status: int, asked: int) -> None:
    seen: list[int] = []

    async def refuse(_: web.Request) -> web.Response:
        seen.append(status)
        return web.Response(status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", refuse)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    alive = [f"{host}:{port}"] * 3

    async def find(_: ReplicaId) -> str | None:
        return alive.pop() if alive else None

    peer = Peer(ReplicaId(uuid4()), find, "a secret", HurriedClock())
    await asyncio.wait_for(peer.run(lambda _: None), 10)
    await runner.cleanup()
    assert (len(seen), peer.connected) == (asked, False)
