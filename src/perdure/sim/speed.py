"""How much processor time the simulator itself takes: a delta must cost next to nothing, or benchmarks measure us."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from perdure.sim.process import Running, simulator_process

_PATHS = {
    "anthropic": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "gemini": "/v1beta/models/speed:streamGenerateContent?alt=sse",
}
_END = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Speed:
    """What one wire format costs, in microseconds of processor time."""

    wire: str
    per_delta: float
    per_request: float


async def measure(requests: int = 200, deltas: int = 1_000) -> list[Speed]:
    """Drive a simulator in a process of its own and read its processor time."""
    async with simulator_process() as running:
        return [await _measured(running, wire, requests, deltas) for wire in _PATHS]


async def _measured(running: Running, wire: str, requests: int, deltas: int) -> Speed:
    """Two runs, with many deltas and with one, tell the cost of a delta from that of a request."""
    await _run(running, wire, 5, deltas)
    short = await _run(running, wire, requests, 1)
    long = await _run(running, wire, requests, deltas)
    return Speed(wire, (long - short) / requests / (deltas - 1), short / requests)


async def _run(running: Running, wire: str, requests: int, deltas: int) -> float:
    """Microseconds for so many answers of so many deltas, one after the other on one connection."""
    before = _processor_time(running.pid)
    async with _connection(running.url) as (reader, writer):
        for number in range(requests):
            writer.write(_request(wire, f"[[say:{deltas} tokens]] {number}"))
            await reader.readuntil(_END)
    return _processor_time(running.pid) - before


@asynccontextmanager
async def _connection(url: str) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=64 * 1024 * 1024)
    try:
        yield reader, writer
    finally:
        writer.close()
        await writer.wait_closed()


def _request(wire: str, prompt: str) -> bytes:
    body = msgspec.json.encode(dict(_body(wire, prompt)))
    head = (
        f"POST {_PATHS[wire]} HTTP/1.1\r\nhost: sim\r\nx-api-key: k\r\nauthorization: Bearer k\r\nx-goog-api-key: k\r\n"
        f"anthropic-version: 2023-06-01\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _body(wire: str, prompt: str) -> Iterator[tuple[str, object]]:
    if wire == "gemini":
        yield "contents", [{"role": "user", "parts": [{"text": prompt}]}]
        return
    yield "model", "speed"
    yield "stream", True
    yield "input" if wire == "openai_responses" else "messages", [{"role": "user", "content": prompt}]
    if wire == "anthropic":
        yield "max_tokens", 100_000


def _processor_time(pid: int) -> float:
    """Microseconds that a process has used so far: Linux names the processor clock of another process by its number."""
    return time.clock_gettime_ns(~pid << 3 | 2) / 1_000
