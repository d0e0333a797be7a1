"""Whatever is sent, the simulator answers as a vendor would: it never fails itself."""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from copy import deepcopy
from random import Random
from typing import cast

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sim.wires import ANTHROPIC, CHAT, GEMINI, HEADERS, RESPONSES, Format

from perdure.sim.document import Json
from perdure.sim.gemini.parts import SKIPPED
from perdure.sim.server import Simulator

ODD: list[Json] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    " ",
    "x",
    "\0",
    [],
    {},
    [None],
    {"type": None},
    {"type": "text"},
    [[]],
    "[[say:a]]",
]
RICH: dict[str, dict[str, Json]] = {
    "anthropic": {
        "system": [{"type": "text", "text": "be kind", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "read", "input_schema": {"type": "object", "properties": {}}}],
        "tool_choice": {"type": "auto"},
        "thinking": {"type": "disabled"},
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "object"}}},
        "metadata": {"user_id": "u"},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]},
        ],
    },
    "openai_chat": {
        "tools": [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}],
        "tool_choice": {"type": "function", "function": {"name": "read"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "x"},
        ],
    },
    "openai_responses": {
        "tools": [{"type": "function", "name": "read", "parameters": {"type": "object"}}],
        "tool_choice": {"type": "function", "name": "read"},
        "text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}},
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "x"},
        ],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "be kind"}]},
        "tools": [
            {"functionDeclarations": [{"name": "read", "parameters": {"type": "OBJECT", "properties": {"a": {}}}}]}
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read"]}},
        "generationConfig": {
            "temperature": 1,
            "thinkingConfig": {"includeThoughts": True},
            "responseSchema": {"type": "OBJECT"},
        },
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {
                "role": "model",
                "parts": [{"functionCall": {"name": "read", "args": {}}, "thoughtSignature": SKIPPED[0]}],
            },
            {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "x"}}}]},
        ],
    },
}


def places(value: Json) -> Iterator[tuple[dict[str, Json] | list[Json], str | int]]:
    """Every spot in a document that can be replaced."""
    keys: list[str | int] = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    for key in keys:
        holder = cast("dict[str | int, Json]", value)
        yield cast("dict[str, Json] | list[Json]", value), key
        yield from places(holder[key])


def mutated(document: dict[str, Json], random: Random) -> dict[str, Json]:
    """The document with a few spots replaced, removed or doubled."""
    copy = deepcopy(document)
    for _ in range(random.randint(1, 3)):
        spots = list(places(copy))
        holder, key = random.choice(spots)
        if random.random() < 0.25:
            del holder[key]  # pyright: ignore[reportArgumentType, reportCallIssue]
        else:
            holder[key] = random.choice(ODD)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return copy


@contextmanager
def simulated() -> Generator[tuple[asyncio.AbstractEventLoop, Simulator]]:
    loop = asyncio.new_event_loop()
    simulator = Simulator()
    loop.run_until_complete(simulator.start())
    try:
        yield loop, simulator
    finally:
        loop.run_until_complete(simulator.close())
        loop.close()


async def statuses(sim: Simulator, wire: Format, bodies: list[dict[str, Json]]) -> list[tuple[int, dict[str, Json]]]:
    found: list[tuple[int, dict[str, Json]]] = []
    async with aiohttp.ClientSession() as client:
        for body in bodies:
            async with client.post(sim.url + wire.path, json=body, headers=HEADERS) as answer:
                await answer.read()
                found.append((answer.status, body))
    return found


@pytest.mark.parametrize("wire", [ANTHROPIC, CHAT, RESPONSES, GEMINI], ids=str)
async def test_a_mangled_request_is_refused_or_answered(sim: Simulator, wire: Format) -> None:
    good = {**wire.body("hi"), **RICH[wire.name]}
    bodies = [mutated(good, Random(seed)) for seed in range(400)]
    found = await statuses(sim, wire, bodies)
    assert [body for status, body in found if status not in (200, 400, 404)] == []
    assert {status for status, _ in found} >= {200, 400}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=400))
def test_bytes_that_are_no_request_do_no_harm(data: bytes) -> None:
    async def send(sim: Simulator) -> int:
        host, _, port = sim.url.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(data)
        writer.write_eof()
        await reader.read()
        writer.close()
        async with aiohttp.ClientSession() as client, client.get(f"{sim.url}/sim/health") as answer:
            return answer.status

    with simulated() as (loop, sim):
        assert loop.run_until_complete(send(sim)) == 200


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff\xfe", b'"text"', b"null", b"[[[[[[[["], ids=repr)
@pytest.mark.parametrize("wire", [ANTHROPIC, CHAT, RESPONSES, GEMINI], ids=str)
async def test_a_body_that_is_no_object_is_refused(sim: Simulator, wire: Format, body: bytes) -> None:
    async with (
        aiohttp.ClientSession() as client,
        client.post(sim.url + wire.path, data=body, headers={**HEADERS, "content-type": "application/json"}) as answer,
    ):
        assert answer.status == 400
        assert "error" in await answer.json()
