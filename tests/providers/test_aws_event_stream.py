"""Bedrock's binary framing, alone and through the client."""

import struct
from base64 import b64encode
from pathlib import Path
from zlib import crc32

import msgspec
import pytest
from tests.providers.routes import user
from tests.providers.servers import Canned, answer

from perdure.core.errors import ProviderFailure
from perdure.core.failure import ErrorKind
from perdure.core.message import Text
from perdure.providers.client import ProviderClient
from perdure.providers.errors.failures import ApiError, Malformed
from perdure.providers.event_streams import EventStreamSplitter, Splitter
from perdure.providers.model import Model
from perdure.providers.request import ModelRequest
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service

RECORDED = Path("tests/recordings/anthropic_messages/thinking_and_tools.sse").read_bytes()


def header(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()


def framed(payload: bytes, **headers: str) -> bytes:
    block = b"".join(
        bytes([len(name) + 1])
        + b":"
        + name.replace("_", "-").encode()
        + b"\x07"
        + struct.pack(">H", len(value))
        + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    message = prelude + struct.pack(">I", crc32(prelude)) + block + payload
    return message + struct.pack(">I", crc32(message))


def event(data: bytes) -> bytes:
    payload = msgspec.json.encode({"bytes": b64encode(data).decode(), "p": "abcdef"})
    return framed(payload, event_type="chunk", content_type="application/json", message_type="event")


def test_events_come_out_however_they_are_cut() -> None:
    whole = event(b'{"type":"ping"}') + event(b'{"type":"message_stop"}')
    for size in (1, 7, 64, len(whole)):
        splitter = EventStreamSplitter()
        heard = [data for at in range(0, len(whole), size) for data in splitter.feed(whole[at : at + size])]
        assert heard == [b'{"type":"ping"}', b'{"type":"message_stop"}']


def test_a_wrong_checksum_is_noticed() -> None:
    whole = bytearray(event(b"{}"))
    whole[-6] ^= 1
    with pytest.raises(Malformed):
        list(EventStreamSplitter().feed(bytes(whole)))
    with pytest.raises(Malformed):
        list(EventStreamSplitter().feed(b"data: {}\n\ndata: {}\n\n"))


def test_an_exception_is_raised_with_its_status() -> None:
    told = framed(b'{"message":"Too many tokens"}', exception_type="throttlingException", message_type="exception")
    with pytest.raises(ApiError) as failed:
        list(EventStreamSplitter().feed(told))
    assert (failed.value.text, failed.value.status) == ("throttlingException: Too many tokens", 429)


def bedrock(url: str) -> Route:
    settings = ProviderSettings(service=Service.BEDROCK, region="eu-west-1", base_url=url)
    return Route.to(settings, Model(id="anthropic.claude:0", dialect="anthropic_messages"), "AKID:canary-secret")


async def test_an_answer_streams_from_bedrock(client: ProviderClient) -> None:
    body = b"".join(event(data) for data in Splitter().feed(RECORDED))
    async with Canned(answer(body, content_type="application/vnd.amazon.eventstream")) as server:
        completion = await client.complete(bedrock(server.url), ModelRequest(messages=[user("hi")]))
    assert Text("I look it up 🌦.") in completion.parts
    head = server.requests[0].decode()
    assert head.startswith("POST /model/anthropic.claude%3A0/invoke-with-response-stream HTTP/1.1")
    assert "Credential=AKID/" in head
    assert "canary-secret" not in head


async def test_a_throttled_bedrock_is_a_rate_limit(client: ProviderClient) -> None:
    told = framed(b'{"message":"Too many tokens"}', exception_type="throttlingException", message_type="exception")
    async with Canned(answer(told, content_type="application/vnd.amazon.eventstream")) as server:
        with pytest.raises(ProviderFailure) as failed:
            await client.complete(bedrock(server.url), ModelRequest(messages=[user("hi")]))
    assert (failed.value.error.kind, failed.value.error.provider) == (ErrorKind.RATE_LIMIT, "Amazon Bedrock")


async def test_what_breaks_after_the_last_event_does_not_matter(client: ProviderClient) -> None:
    late = framed(b'{"message":"late"}', exception_type="throttlingException", message_type="exception")
    body = b"".join(event(data) for data in Splitter().feed(RECORDED)) + late + b"noise that is no frame"
    async with Canned(answer(body, content_type="application/vnd.amazon.eventstream")) as server:
        completion = await client.complete(bedrock(server.url), ModelRequest(messages=[user("hi")]))
    assert Text("I look it up 🌦.") in completion.parts
