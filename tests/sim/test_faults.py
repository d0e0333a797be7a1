"""Everything that can go wrong with a provider, on demand, in every wire format."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import aiohttp
import pytest
from tests.sim.wires import ANTHROPIC, CHAT, FORMATS, GEMINI, RESPONSES, Format

from perdure.sim.recording import Filter
from perdure.sim.server import Simulator

every_format = pytest.mark.parametrize("wire", FORMATS, ids=str)


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(read_bufsize=2**24) as session:
        yield session


async def answered(client: aiohttp.ClientSession, sim: Simulator, wire: Format, prompt: str) -> tuple[int, bytes]:
    async with wire.ask(client, sim.url, prompt) as answer:
        return answer.status, await answer.read()


@pytest.mark.parametrize(
    ("fault", "statuses"),
    [
        ("auth", (401, 401, 401, 400)),
        ("403", (403, 403, 403, 403)),
        ("rate_limit", (429, 429, 429, 429)),
        ("quota", (400, 429, 429, 429)),
        ("500", (500, 500, 500, 500)),
        ("502", (502, 502, 502, 502)),
        ("503", (503, 503, 503, 503)),
        ("overloaded", (529, 503, 503, 503)),
        ("overflow", (400, 400, 400, 400)),
    ],
)
async def test_an_error_has_the_vendors_status(
    client: aiohttp.ClientSession, sim: Simulator, fault: str, statuses: tuple[int, ...]
) -> None:
    got = [await answered(client, sim, wire, f"[[fault:{fault}]]") for wire in FORMATS]
    assert tuple(status for status, _ in got) == statuses
    assert all(b'"error"' in body for _, body in got)


@every_format
async def test_a_fault_wears_off(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    got = [await answered(client, sim, wire, "[[fault:500 x2]][[say:at last]]") for _ in range(3)]
    assert [status for status, _ in got] == [500, 500, 200]
    assert b"at l" in got[2][1]


async def test_attempts_are_counted_for_each_request_apart(client: aiohttp.ClientSession, sim: Simulator) -> None:
    got = [await answered(client, sim, CHAT, f"[[fault:500 x1]] {name}") for name in ("a", "b", "a", "b")]
    assert [status for status, _ in got] == [500, 500, 200, 200]


@pytest.mark.parametrize(("hint", "header"), [("7", "retry-after"), ("1500ms", "retry-after-ms")])
async def test_a_rate_limit_says_when_to_come_back(
    client: aiohttp.ClientSession, sim: Simulator, hint: str, header: str
) -> None:
    async with CHAT.ask(client, sim.url, f"[[fault:rate_limit retry_after={hint}]]") as answer:
        assert answer.headers[header] == hint.removesuffix("ms")


async def test_a_rate_limit_may_name_a_date(client: aiohttp.ClientSession, sim: Simulator) -> None:
    async with CHAT.ask(client, sim.url, "[[fault:rate_limit retry_after=date+3600]]") as answer:
        ahead = parsedate_to_datetime(answer.headers["retry-after"]) - datetime.now(UTC)
    assert 3000 < ahead.total_seconds() <= 3600


@every_format
async def test_a_stream_is_cut(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    async with wire.ask(client, sim.url, "[[say:3 tokens]][[fault:cut]][[say:never]]") as answer:
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.read()


@every_format
async def test_a_stream_ends_without_its_end(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    status, body = await answered(client, sim, wire, "[[say:3 tokens]][[fault:no_terminal]]")
    assert status == 200
    assert b"the " in body
    assert not any(word in body for word in (b"message_stop", b"[DONE]", b"response.completed", b"finishReason"))


async def the_end_of(answer: aiohttp.ClientResponse) -> None:
    """Take what belongs to the same word and comes after it. Whether that ends, or there is only silence."""
    while await asyncio.wait_for(answer.content.readany(), 0.05):
        pass


@every_format
async def test_a_stream_falls_silent(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    async with wire.ask(client, sim.url, "[[say:loud]][[fault:silence]]") as answer:
        while b"loud" not in await answer.content.readany():
            pass
        with pytest.raises(TimeoutError):
            await the_end_of(answer)
    async with asyncio.timeout(60):
        await sim.recording.until(1, Filter(closed=True))


@pytest.mark.parametrize(
    ("wire", "says"),
    [
        (ANTHROPIC, b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"'),
        (CHAT, b'data: {"error":{"message":"Our servers are currently overloaded."'),
        (RESPONSES, b'"code":"server_is_overloaded"'),
        (GEMINI, b'data: {"error":{"code":503,"message":"The model is overloaded.'),
    ],
    ids=str,
)
async def test_an_error_inside_a_stream(
    client: aiohttp.ClientSession, sim: Simulator, wire: Format, says: bytes
) -> None:
    status, body = await answered(client, sim, wire, "[[say:3 tokens]][[fault:stream_overloaded]][[say:never]]")
    assert status == 200
    assert says in body
    assert b"neve" not in body


@every_format
async def test_malformed_json(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    _, body = await answered(client, sim, wire, "[[say:3 tokens]][[fault:malformed]]")
    assert b'"delta": {"te\n\n' in body


@every_format
async def test_a_page_instead_of_a_stream(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    async with wire.ask(client, sim.url, "[[fault:html]]") as answer:
        assert (answer.status, answer.content_type) == (200, "text/html")
        assert b"<html>" in await answer.read()


@every_format
async def test_an_empty_answer(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    assert await answered(client, sim, wire, "[[fault:empty]]") == (200, b"")


@every_format
async def test_a_gigantic_delta(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    _, body = await answered(client, sim, wire, "[[fault:gigantic 2mb]]")
    assert max(len(line) for line in body.splitlines()) > 2 * 1024 * 1024


@every_format
async def test_output_without_end(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    async with wire.ask(client, sim.url, "[[fault:endless]]") as answer:
        assert len(await answer.content.readexactly(2_000_000)) == 2_000_000
    async with asyncio.timeout(60):
        await sim.recording.until(1, Filter(closed=True))


@every_format
async def test_a_slow_start_is_only_slow(client: aiohttp.ClientSession, sim: Simulator, wire: Format) -> None:
    status, body = await answered(client, sim, wire, "[[fault:slow 20ms]][[say:here]]")
    assert status == 200
    assert b"here" in body


async def test_an_unknown_fault_is_an_answer_that_says_so(client: aiohttp.ClientSession, sim: Simulator) -> None:
    status, body = await answered(client, sim, CHAT, "[[fault:earthquake]]")
    assert status == 400
    assert b"unknown fault 'earthquake'" in body
