"""The place for the way out: a socket on the workspace's loopback, handed to the proxy outside that answers on it."""

from __future__ import annotations

import asyncio
import contextlib
import socket

AGAIN_SECONDS = 0.5


def listen(port: int) -> socket.socket:
    """Opened before any command runs, so that none can take its place."""
    return socket.create_server(("127.0.0.1", port), backlog=256)


async def offer(listening: socket.socket, folder: int) -> None:
    """Hand the socket over, and again to the next proxy when the first is gone."""
    while True:
        with contextlib.suppress(OSError):
            await _offer_once(listening, folder)
        await asyncio.sleep(AGAIN_SECONDS)


async def _offer_once(listening: socket.socket, folder: int) -> None:
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_UNIX) as proxy:
        proxy.setblocking(False)
        await loop.sock_connect(proxy, f"/proc/self/fd/{folder}/socket")
        socket.send_fds(proxy, [b"o"], [listening.fileno()])
        while await loop.sock_recv(proxy, 1):
            pass
