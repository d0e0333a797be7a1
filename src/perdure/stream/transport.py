"""Sending batches of events over a WebSocket or as server-sent events, in bare ASGI."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from perdure.core.errors import ChatNotFound, PerdureError, Unavailable
from perdure.stream.access import AccessControl, Admission, Receive, Refusal, Scope, Send
from perdure.stream.batches import Batch, text_frame
from perdure.stream.hub import GONE, RECONNECT
from perdure.stream.open_streams import DENIED, SLOW, OpenStream, OpenStreams
from perdure.stream.subscription import Ended


class BatchSource(Protocol):
    """Something that gives batch after batch, and raises `Ended` when there are no more."""

    async def next(self) -> Batch: ...


CLOSE_CODES = {GONE: 4404, DENIED: 4403, SLOW: 4408, RECONNECT: 1012}
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
# What shows a client's own code that the connection lives; the pings of the protocols do not reach it.
_BEAT = b"event: heartbeat\ndata:\n\n"
_BEAT_FRAME = text_frame(b"[]")
FRAME = "websocket.frame"
"""A message that ASGI does not know: a frame that is ready to be sent. The server's protocol understands it."""
_log = logging.getLogger(__name__)


async def serve(
    feed: BatchSource,
    admission: Admission,
    open_streams: OpenStreams,
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    beat_frame: bytes = _BEAT_FRAME,
) -> None:
    """Send a feed to its client until one of the two ends. What goes wrong before the first batch is raised."""
    first = await feed.next()
    over = partial(_websocket, beat_frame) if scope["type"] == "websocket" else _sse
    stream = OpenStream(admission, open_streams.now())
    writer = asyncio.ensure_future(over(feed, first, stream, open_streams.now, send))
    stream.writes(writer)
    open_streams.add(stream)
    try:
        await _left(receive, writer)
    finally:
        open_streams.discard(stream)
        await _stopped(writer)


async def refuse(access: AccessControl, error: PerdureError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer somebody who does not get a stream."""
    await deny(access.refusal(error), str(error), scope, receive, send)


async def deny(refusal: Refusal, reason: str, scope: Scope, receive: Receive, send: Send) -> None:
    kind = "http.response"
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 4000 + refusal.status, "reason": reason})
            return
        kind = "websocket.http.response"
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(refusal.body)).encode())]
    await send({"type": f"{kind}.start", "status": refusal.status, "headers": headers})
    await send({"type": f"{kind}.body", "body": refusal.body})


async def _left(receive: Receive, writer: "asyncio.Task[None]") -> None:
    """Wait until the client is gone. What it says meanwhile means nothing."""
    while not writer.done():
        event = await receive()
        if event["type"] in ("websocket.disconnect", "http.disconnect"):
            return


async def _stopped(writer: "asyncio.Task[None]") -> None:
    writer.cancel()
    with contextlib.suppress(asyncio.CancelledError, OSError):
        await writer


async def _websocket(
    beat_frame: bytes, feed: BatchSource, first: Batch, stream: OpenStream, now: Callable[[], float], send: Send
) -> None:
    await send({"type": "websocket.accept"})

    async def emit(batch: Batch) -> None:
        await send({"type": FRAME, "frame": batch.frame})

    async def ping() -> None:
        await send({"type": FRAME, "frame": beat_frame})

    stream.ping = ping
    stream.reason = reason = await _pump(feed, first, stream, now, emit)
    if reason == SLOW:
        abort(send)
    await send({"type": "websocket.close", "code": CLOSE_CODES[reason], "reason": reason})


async def _sse(feed: BatchSource, first: Batch, stream: OpenStream, now: Callable[[], float], send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})

    async def emit(batch: Batch) -> None:
        await send({"type": "http.response.body", "body": batch.sse, "more_body": True})

    async def ping() -> None:
        await send({"type": "http.response.body", "body": _BEAT, "more_body": True})

    stream.ping = ping
    stream.reason = reason = await _pump(feed, first, stream, now, emit)
    if reason == SLOW:
        abort(send)
    await send({"type": "http.response.body", "body": b""})


async def _pump(
    feed: BatchSource,
    batch: Batch,
    stream: OpenStream,
    now: Callable[[], float],
    emit: Callable[[Batch], Awaitable[None]],
) -> str:
    """Send batch after batch; why it ended."""
    try:
        while True:
            stream.sending_since = stream.sent_at = now()
            if not batch.empty:
                await emit(batch)
            stream.sending_since = None
            batch = await feed.next()
    except Ended as ended:
        return str(ended)
    except asyncio.CancelledError:
        if not stream.reason:
            raise
        return stream.reason
    except ChatNotFound:
        return GONE
    except Unavailable:
        return RECONNECT
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - the edge of a stream: it ends, the others go on
        _log.exception("a stream broke")
        return RECONNECT


def abort(send: Send) -> None:
    """Drop the connection of a client that reads nothing: a polite close would wait for it for ever.

    ASGI has no word for this. The servers we run on hand out a `send` that is a method of what owns the transport.
    """
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is not None:
        transport.abort()
