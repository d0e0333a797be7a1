"""The simulator's own interface: gates that a test opens, requests that a test reads."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from tests.sim.wires import CHAT

from perdure.sim.server import Simulator


@pytest.fixture
async def client(sim: Simulator) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(sim.url) as session:
        yield session


async def told(client: aiohttp.ClientSession, method: str, path: str) -> tuple[int, dict[str, Any]]:
    async with client.request(method, path) as answer:
        return answer.status, await answer.json()


async def test_an_answer_waits_at_a_gate_until_it_is_opened(client: aiohttp.ClientSession) -> None:
    async with CHAT.ask(client, "", "[[say:before]][[gate:door]][[say:after]]") as answer:
        _, gates = await told(client, "GET", "/sim/gates/door?waiting=1")
        assert gates == {"gates": {"door": {"open": False, "waiting": 1}}}
        seen = await answer.content.readany()
        assert b"after" not in seen
        await told(client, "POST", "/sim/gates/door/open")
        assert b"afte" in await answer.read()


async def test_a_gate_lets_one_pass(sim: Simulator, client: aiohttp.ClientSession) -> None:
    asks = [CHAT.ask(client, "", f"[[gate:door]][[say:done]] {number}") for number in range(2)]
    async with asks[0] as first, asks[1] as second:
        await told(client, "GET", "/sim/gates/door?waiting=2")
        await told(client, "POST", "/sim/gates/door/pass")
        reading = {asyncio.ensure_future(first.read()), asyncio.ensure_future(second.read())}
        done, left = await asyncio.wait(reading, return_when=asyncio.FIRST_COMPLETED)
        assert (len(done), sim.gates["door"].waiting) == (1, 1)
        await told(client, "DELETE", "/sim/gates")
        await asyncio.wait(left)


async def test_a_question_about_a_gate_gives_up(client: aiohttp.ClientSession) -> None:
    status, _ = await told(client, "GET", "/sim/gates/nowhere?waiting=1&wait=0.01")
    assert status == 408


async def test_requests_are_found_by_model_marker_and_chat(client: aiohttp.ClientSession) -> None:
    for text, key in (("red", "chat-1"), ("blue", "chat-2")):
        body = {**CHAT.body(text), "prompt_cache_key": key, "model": f"model-{text}"}
        async with client.post(CHAT.path, json=body, headers={"authorization": "Bearer k"}) as answer:
            await answer.read()
    for query in ("marker=blue", "model=model-blue", "chat=chat-2", "after=1"):
        _, found = await told(client, "GET", f"/sim/requests?{query}")
        assert [entry["chat"] for entry in found["requests"]] == ["chat-2"], query


async def test_a_question_about_requests_waits_for_them(client: aiohttp.ClientSession) -> None:
    waiting = asyncio.ensure_future(told(client, "GET", "/sim/requests?count=1&marker=later"))
    async with CHAT.ask(client, "", "later") as answer:
        await answer.read()
    _, found = await waiting
    assert found["requests"][0]["text"] == "later"


async def test_what_was_recorded_is_forgotten(sim: Simulator, client: aiohttp.ClientSession) -> None:
    async with CHAT.ask(client, "", "hi") as answer:
        await answer.read()
    await told(client, "DELETE", "/sim/requests")
    assert sim.requests == []


async def test_a_refused_request_is_recorded_with_its_reason(sim: Simulator, client: aiohttp.ClientSession) -> None:
    async with client.post(CHAT.path, json={"model": "m"}, headers={"authorization": "Bearer k"}) as answer:
        assert answer.status == 400
    (entry,) = sim.requests
    assert (entry.status, entry.problem) == (400, "Missing required parameter: 'messages'.")


async def test_no_key_is_kept_anywhere(sim: Simulator, client: aiohttp.ClientSession) -> None:
    canary = "sk-canary-77"
    headers = {"authorization": f"Bearer {canary}", "x-goog-api-key": canary, "x-api-key": canary}
    path = f"/v1beta/models/m:generateContent?key={canary}"
    async with client.post(path, json={"contents": [{"parts": [{"text": "hi"}]}]}, headers=headers) as answer:
        assert answer.status == 200
    async with client.get("/sim/requests") as listed:
        assert canary not in await listed.text()
    assert sim.requests[0].key is not None


async def test_an_unknown_path_is_not_found(client: aiohttp.ClientSession) -> None:
    for path in ("/v1/nothing", "/sim/nothing"):
        status, _ = await told(client, "GET", path)
        assert status == 404


async def test_requests_are_told_as_json_whatever_was_sent(client: aiohttp.ClientSession) -> None:
    key = {"authorization": "Bearer k"}
    async with client.get("/v1/models", headers=key) as listed:
        assert listed.status == 200
    async with client.post("/v1/chat/completions", data=b'{"not": \xff', headers=key) as refused:
        assert refused.status == 400
    _, heard = await told(client, "GET", "/sim/requests")
    assert [entry["body"] for entry in heard["requests"]] == ["", '{"not": \ufffd']
