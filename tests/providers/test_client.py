"""The client against the simulator, over real sockets: guards, cancellation, reuse."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from datetime import timedelta
from typing import Any

import pytest
from tests.providers.clock import HandClock
from tests.providers.routes import MODELS, NAMES, route, user
from tests.providers.servers import Canned, answer

from perdure.core.deltas import Accumulator
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ErrorKind
from perdure.core.message import Text
from perdure.providers import client as providers
from perdure.providers.client import ProviderClient
from perdure.providers.request import Continuation, ModelRequest
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service
from perdure.sim.recording import Filter
from perdure.sim.server import Simulator

CLOSED = Filter(closed=True)
PATIENCE = 60
ROUNDS = 20_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def timed(clock: HandClock) -> AsyncIterator[ProviderClient]:
    async with ProviderClient(clock) as opened:
        yield opened


def chat(text: bytes) -> bytes:
    return b'data: {"choices":[{"delta":{"content":"' + text + b'"},"finish_reason":"stop"}]}\n\n'


def compatible(server: Canned) -> Route:
    return Route.to(ProviderSettings(service=Service.COMPATIBLE, base_url=server.url), MODELS["openai_chat"], None)


def saying(prompt: str) -> ModelRequest:
    return ModelRequest(messages=[user(prompt)])


async def at_once(happens: Coroutine[Any, Any, object]) -> None:
    """It happens while the loop that both ends live in goes round: some time for the kernel, none to sleep."""
    happening = asyncio.create_task(happens)
    for _ in range(ROUNDS):
        if happening.done():
            break
        await asyncio.sleep(0)
    assert happening.done()


async def test_one_connection_serves_one_answer_after_another(client: ProviderClient) -> None:
    async with Canned(answer(chat(b"Hello."))) as server:
        for _ in range(3):
            assert (await client.complete(compatible(server), saying("hi"))).parts == (Text("Hello."),)
        assert (server.connections, len(server.requests)) == (1, 3)


@pytest.mark.parametrize("dialect", NAMES)
async def test_leaving_early_frees_the_connection_at_once(sim: Simulator, timed: ProviderClient, dialect: str) -> None:
    async with timed.stream(route(sim, dialect), saying("[[say:first]][[gate:never]][[say:last]]")) as stream:
        await anext(stream)
    await at_once(sim.recording.until(1, CLOSED))


@pytest.mark.parametrize("prompt", ["[[gate:never]]", "[[say:first]][[gate:never]]"], ids=["before", "within"])
async def test_cancelling_an_attempt_frees_its_connection_at_once(
    sim: Simulator, timed: ProviderClient, prompt: str
) -> None:
    task = asyncio.create_task(timed.complete(route(sim, "anthropic_messages"), saying(prompt)))
    await asyncio.wait_for(sim.gates["never"].reached(), PATIENCE)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await at_once(sim.recording.until(1, CLOSED))


async def test_no_first_event_in_time_is_a_kind_of_its_own(
    sim: Simulator, timed: ProviderClient, clock: HandClock
) -> None:
    task = asyncio.create_task(timed.complete(route(sim, "anthropic_messages"), saying("[[fault:never]]")))
    await asyncio.wait_for(sim.recording.until(1), PATIENCE)
    clock.pass_time(59)
    await asyncio.sleep(0)
    assert not task.done()
    clock.pass_time(2)
    with pytest.raises(ProviderFailure) as failed:
        await asyncio.wait_for(task, PATIENCE)
    assert (failed.value.error.kind, failed.value.error.retryable) == (ErrorKind.STARTUP_TIMEOUT, True)
    await asyncio.wait_for(sim.recording.until(1, CLOSED), PATIENCE)


async def test_silence_within_an_answer_is_a_kind_of_its_own(
    sim: Simulator, timed: ProviderClient, clock: HandClock
) -> None:
    way = route(sim, "openai_chat")
    async with timed.stream(way, saying("[[say:one]][[gate:a]][[say:two]][[gate:b]][[say:three]]")) as stream:
        await anext(stream)
        clock.pass_time(170)
        await sim.gates["a"].set(open=True)
        await anext(stream)
        waiting = asyncio.create_task(anext(stream))
        await asyncio.sleep(0)
        clock.pass_time(179)
        await asyncio.sleep(0)
        assert not waiting.done()
        clock.pass_time(2)
        with pytest.raises(ProviderFailure) as failed:
            await asyncio.wait_for(waiting, PATIENCE)
    assert (failed.value.error.kind, failed.value.error.retryable) == (ErrorKind.STREAM_SILENCE_TIMEOUT, True)
    await asyncio.wait_for(sim.recording.until(1, CLOSED), PATIENCE)


async def test_a_reader_who_is_busy_elsewhere_is_not_silence(
    sim: Simulator, timed: ProviderClient, clock: HandClock
) -> None:
    way = route(sim, "anthropic_messages")
    async with timed.stream(way, saying("[[say:one]][[gate:a]][[say:two]]")) as stream:
        await anext(stream)
        clock.pass_time(1000)
        await asyncio.sleep(0)
        await sim.gates["a"].set(open=True)
        said = [delta async for batch in stream for delta in batch]
    assert said


async def test_what_the_reader_raises_is_the_readers_own(sim: Simulator, client: ProviderClient) -> None:
    async def read() -> None:
        async with client.stream(route(sim, "gemini"), saying("[[say:hello]]")):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await read()


async def test_a_gigantic_delta_is_taken_whole(client: ProviderClient) -> None:
    async with Canned(answer(chat(b"x" * 4_000_000))) as server:
        completion = await client.complete(compatible(server), saying("hi"))
    assert completion.parts == (Text("x" * 4_000_000),)


async def test_an_event_of_fifty_megabytes_is_refused(client: ProviderClient) -> None:
    async with Canned(answer(chat(b"So.") + chat(b"x" * 50_000_000))) as server:
        with pytest.raises(ProviderFailure) as failed:
            await client.complete(compatible(server), saying("hi"))
    assert (failed.value.error.kind, failed.value.error.retryable) == (ErrorKind.TIMEOUT, True)


async def test_an_error_that_comes_in_pieces_is_read_to_its_end(client: ProviderClient) -> None:
    body = b'{"error":{"message":"This is too much.","type":"invalid_request_error","code":"context_length_exceeded"}}'
    whole = answer(body, status="400 Bad Request", content_type="application/json")
    async with Canned([whole[:-60], whole[-60:]]) as server:
        with pytest.raises(ProviderFailure) as failed:
            await client.complete(compatible(server), saying("hi"))
    assert failed.value.error.kind is ErrorKind.CONTEXT_OVERFLOW


async def test_an_error_that_breaks_off_is_still_the_error_that_its_status_says(client: ProviderClient) -> None:
    head = b"HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    async with Canned(head + b'{"error":', hangs_up=True) as server:
        with pytest.raises(ProviderFailure) as failed:
            await client.complete(compatible(server), saying("hi"))
    assert (failed.value.error.kind, failed.value.error.status_code) == (ErrorKind.AUTH, 401)


async def test_a_background_response_is_heard_again_by_its_id(sim: Simulator, client: ProviderClient) -> None:
    way = route(sim, "openai_responses")
    request = ModelRequest(
        messages=[user("[[say:first]][[gate:later]][[say: last]]")], continuation=Continuation(background=True)
    )
    async with client.stream(way, request) as stream:
        await anext(stream)
        position = stream.position
    assert position is not None
    await sim.gates["later"].set(open=True)
    async with client.resume(way, position[0], request.settings) as stream:
        said = Accumulator([delta async for batch in stream for delta in batch])
    assert said.parts() == (Text("first"), Text("last")) or said.parts() == (Text("first last"),)
    assert stream.finish.response_id == position[0]


async def test_a_background_response_is_given_up(sim: Simulator, client: ProviderClient) -> None:
    way = route(sim, "openai_responses")
    request = ModelRequest(messages=[user("[[say:a]][[gate:never]]")], continuation=Continuation(background=True))
    async with client.stream(way, request) as stream:
        await anext(stream)
        position = stream.position
    assert position is not None
    await client.give_up(way, position[0])
    async with client.resume(way, position[0], request.settings) as stream:
        with pytest.raises(ProviderFailure):
            _ = [batch async for batch in stream]


async def test_a_provider_that_does_not_hear_that_a_response_is_given_up_is_not_waited_for(
    client: ProviderClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "RESPONSE_GIVEN_UP", timedelta(milliseconds=50))
    async with Canned([]) as server:
        settings = ProviderSettings(service=Service.OPENAI, base_url=server.url)
        way = Route.to(settings, MODELS["openai_responses"], "a key")
        giving_up = asyncio.create_task(client.give_up(way, "resp_1"))
        done, _ = await asyncio.wait({giving_up}, timeout=PATIENCE)
        assert done
        assert isinstance(giving_up.exception(), TimeoutError)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


@pytest.mark.parametrize(
    ("sent", "kind", "retried"),
    [
        (b"HTTP/1.1 2", ErrorKind.TIMEOUT, True),
        (OK, ErrorKind.TIMEOUT, True),
        (OK + b"Content-Length: 429\r\n\r\n" + chat(b"Hello.")[:20], ErrorKind.TIMEOUT, True),
        (OK + b"no header\r\n\r\n", ErrorKind.TIMEOUT, True),
        (OK + b"X: " + b"x" * 20_000 + b"\r\n\r\n", ErrorKind.TIMEOUT, True),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", ErrorKind.TIMEOUT, True),
        (OK + b"Content-Encoding: br\r\nContent-Length: 5\r\n\r\nhello", ErrorKind.TIMEOUT, True),
        (b"SSH-2.0-OpenSSH_9.2\r\n", ErrorKind.CONFIG, False),
        (b"\x15\x03\x01\x00\x02\x02\x46", ErrorKind.CONFIG, False),
    ],
)
async def test_what_is_no_whole_http_is_told_without_a_status_and_without_internals(
    client: ProviderClient, sent: bytes, kind: ErrorKind, retried: bool
) -> None:
    async with Canned(sent, hangs_up=True) as server:
        with pytest.raises(ProviderFailure) as raised:
            await client.complete(compatible(server), saying("hi"))
    error = raised.value.error
    assert (error.kind, error.retryable, error.status_code) == (kind, retried, None)
    assert error.detail is not None
    assert not any(internal in error.detail for internal in ("b'", "^", "header", "chunk", "Brotli"))


@pytest.mark.parametrize("key", ["abc\0defghijk", "abc\x01defghijk", "abc\x7fdefghi", "\ud800abcdefgh"])
async def test_a_key_that_no_header_can_carry_is_a_matter_of_configuration(client: ProviderClient, key: str) -> None:
    settings = ProviderSettings(service=Service.COMPATIBLE, base_url="http://127.0.0.1:1")
    way = Route.to(settings, MODELS["openai_chat"], key)
    with pytest.raises(ProviderFailure) as raised:
        await client.complete(way, saying("hi"))
    assert raised.value.error.kind is ErrorKind.CONFIG


@pytest.mark.parametrize(
    "headers", [{"X": "a\nb"}, {"X": "a\0"}, {"X Y": "a"}, {"Content-Length": "5"}, {"Expect": "100-continue"}]
)
async def test_a_header_that_cannot_be_sent_is_a_matter_of_configuration(
    client: ProviderClient, headers: dict[str, str]
) -> None:
    settings = ProviderSettings(service=Service.COMPATIBLE, base_url="http://127.0.0.1:1", headers=headers)
    with pytest.raises(ProviderFailure) as raised:
        await client.complete(Route.to(settings, MODELS["openai_chat"], None), saying("hi"))
    assert raised.value.error.kind is ErrorKind.CONFIG
