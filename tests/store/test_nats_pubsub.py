"""A NATS server that takes connections and never answers."""

import asyncio
from datetime import timedelta

import pytest

from perdure.store.nats_pubsub import FAILURES, reach


async def test_who_gives_up_on_a_silent_server_hangs_up() -> None:
    left = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.read() == b""
        left.set()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(FAILURES):
            await reach(f"nats://127.0.0.1:{port}", timedelta(milliseconds=200))
        async with asyncio.timeout(60):
            await left.wait()
