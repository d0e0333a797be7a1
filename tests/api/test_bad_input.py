"""What does not fit gets a clear error, and nothing is stored."""

import asyncio
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import aiohttp
import pytest

from perdure.testing.served_api import Person, ServedApi

NOBODY = "7f2d9b60-6f5e-4c6a-9d3e-1f2a3b4c5d6e"
TEXT = {"type": "text", "text": "hi"}

BAD_BODIES: list[tuple[Any, str]] = [
    ({"content": [TEXT], "colour": "red"}, "colour"),
    ({"content": []}, "content"),
    ({}, "content"),
    ({"content": "hi"}, "content"),
    ({"content": [{"type": "text", "text": "  \n"}]}, "content[0].text"),
    ({"content": [TEXT, {"type": "text", "text": ""}]}, "content[1].text"),
    ({"content": [{"type": "tool_result", "call_id": "1", "tool": "x", "result": ""}]}, "content[0].type"),
    ({"content": [{"type": "text", "text": "hi", "provider_metadata": {}}]}, "content[0].provider_metadata"),
    ({"content": [{"type": "file", "file_id": NOBODY}]}, "content[0].file_id"),
    ({"content": [TEXT], "model": "no-such-model"}, "model"),
    ({"content": [TEXT], "effort": "enormous"}, "effort"),
    ({"content": [TEXT], "title": ""}, "title"),
    ({"content": [TEXT], "title": "x" * 201}, "title"),
    ({"content": [TEXT], "title": "a\u0000b"}, "title"),
    ({"content": [TEXT], "title": "a\n"}, "title"),
    ({"content": [TEXT], "labels": {"-bad": "x"}}, "labels"),
    ({"content": [TEXT], "labels": {"bad\n": "x"}}, "labels"),
    ({"content": [TEXT], "labels": {f"k{n}": "v" for n in range(51)}}, "labels"),
    ({"content": [TEXT], "client_id": ""}, "client_id"),
    ({"content": [TEXT], "system_prompt": "\u00fc" * 70_000}, "system_prompt"),
    ({"content": [TEXT], "client_tools": [{"name": "a\n"}]}, "client_tools[0].name"),
    ({"content": [TEXT], "client_tools": [{"name": "a"}, {"name": "a"}]}, "client_tools[1].name"),
    ({"content": [TEXT], "client_tools": [{"name": "execute"}]}, "client_tools[0].name"),
    ({"content": [TEXT], "client_tools": [{"name": "advisor"}]}, "client_tools[0].name"),
    ({"content": [TEXT], "client_tools": [{"name": "a", "schema": {"type": 5}}]}, "client_tools[0].schema"),
    ({"content": [TEXT], "client_tools": [{"name": "a", "schema": {"pattern": "("}}]}, "client_tools[0].schema"),
    ({"content": [TEXT], "client_tools": [{"name": f"t{n}"} for n in range(251)]}, "client_tools"),
    (
        {"content": [{"type": "file_reference", "file_name": "a", "start_line": 9, "end_line": 1, "content": ""}]},
        "content[0].end_line",
    ),
    (b"{", ""),
    (b"\xff\xfe", ""),
    (b"[" * 100_000, ""),
    (b'"text"', ""),
]


@pytest.mark.parametrize(("body", "field"), BAD_BODIES, ids=lambda value: str(value)[:60])
async def test_a_body_that_does_not_fit_names_the_place_and_stores_nothing(
    api: ServedApi, ada: Person, body: Any, field: str
) -> None:
    refused = await ada.post("/chats", body)
    assert refused.status == 400
    assert refused.json["validations"][0]["field"].startswith(field)
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 0


@pytest.mark.parametrize(
    "path",
    [
        "/chats?cursor=zzz",
        "/chats?limit=0",
        "/chats?colour=red",
        "/chats?limit=2&limit=3",
        "/chats?cursor=%00",
        "/chats?label=x",
        "/me?colour=red",
        "/users?limit=2",
    ],
)
async def test_a_query_that_does_not_fit_is_refused(ada: Person, path: str) -> None:
    assert (await ada.get(path)).status == 400


@pytest.mark.parametrize(
    "path", ["/chats/1", "/chats/%00", f"/chats/{NOBODY}", "/nothing", f"/chats/{NOBODY}/messages/x"]
)
async def test_what_does_not_exist_is_not_found(ada: Person, path: str) -> None:
    assert (await ada.get(path)).status in (404, 405)


@contextmanager
def inside() -> Generator[tuple[str, list[str]]]:
    """A server that only this machine reaches, and what it was asked for."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/secrets", asked
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("keyword", ["$schema", "$ref"])
async def test_a_schema_of_a_tool_does_not_make_the_server_fetch_anything(ada: Person, keyword: str) -> None:
    with inside() as (url, asked):
        body = {"content": [TEXT], "client_tools": [{"name": "a", "schema": {keyword: url}}]}
        refused = await ada.post("/chats", body)
    assert (refused.status, refused.json["validations"][0]["field"], asked) == (400, "client_tools[0].schema", [])


@pytest.mark.parametrize("name", ["", "a\u0000b", "x" * 101])
async def test_a_template_that_cannot_be_one_is_refused(ada: Person, name: str) -> None:
    refused = await ada.post("/workspaces", {"template": name, "wait": False})
    assert (refused.status, refused.json["validations"][0]["field"]) == (400, "template")


async def test_usage_is_told_up_to_the_last_day_there_is(ada: Person) -> None:
    told = await ada.get("/usage?from=0001-01-01&to=9999-12-31")
    assert (told.status, told.json) == (200, {"items": []})


async def test_a_body_over_the_limit_is_refused_with_and_without_a_declared_length(api: ServedApi, ada: Person) -> None:
    huge = {"content": [{"type": "text", "text": "x" * 300_000}]}
    assert (await ada.post("/chats", huge)).status == 413
    reader, writer = await asyncio.open_connection("127.0.0.1", int(api.url.rsplit(":", 1)[1]))
    writer.write(_head(ada, "transfer-encoding: chunked") + (b"10000\r\n" + b" " * 0x10000 + b"\r\n") * 5)
    assert (await reader.readline()).startswith(b"HTTP/1.1 413")
    writer.close()


async def test_a_client_that_hangs_up_in_the_middle_leaves_nothing(api: ServedApi, ada: Person) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(api.url.rsplit(":", 1)[1]))
    writer.write(_head(ada, "content-length: 500") + b'{"content"')
    await writer.drain()
    writer.close()
    await reader.read()
    assert (await ada.get("/chats")).json["items"] == []


async def test_a_socket_that_is_half_closed_in_the_middle_ends_and_leaves_nothing(api: ServedApi, ada: Person) -> None:
    for sent in (
        _head(ada, "content-length: 500") + b'{"content"',
        _head(ada, "transfer-encoding: chunked") + b"5\r\n{",
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(api.url.rsplit(":", 1)[1]))
        writer.write(sent)
        writer.write_eof()
        assert await asyncio.wait_for(reader.read(), 60) == b""
        writer.close()
    assert (await ada.get("/chats")).json["items"] == []


async def test_a_nul_in_a_message_survives(ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": [{"type": "text", "text": "a\u0000b"}]})).json["chat"]
    page = (await ada.get(f"/chats/{chat['id']}/messages")).json
    assert page["items"][0]["parts"][0]["text"] == "a\u0000b"


def _head(person: Person, length: str) -> bytes:
    return (
        f"POST /api/v1/chats HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {person.token}\r\n{length}\r\n\r\n".encode()
    )


async def test_ten_thousand_messages_at_once_fill_one_queue_and_bother_nobody_else(api: ServedApi, ada: Person) -> None:
    chat_id = (await ada.post("/chats", {"content": [{"type": "text", "text": "hello"}]})).json["chat"]["id"]
    body = {"content": [{"type": "text", "text": "and?"}]}
    url, headers = f"{api.url}/api/v1/chats/{chat_id}/messages", {"authorization": f"Bearer {ada.token}"}

    async def says(http: aiohttp.ClientSession) -> int:
        async with http.post(url, json=body, headers=headers) as answer:
            return answer.status

    connections = aiohttp.TCPConnector(limit=100, force_close=True)
    async with aiohttp.ClientSession(connector=connections) as http, await api.person("bob") as bob:
        flood = asyncio.gather(*(says(http) for _ in range(10_000)))
        created = await asyncio.wait_for(bob.post("/chats", body), 60)
        statuses = Counter(await flood)
    assert created.status == 201
    assert statuses == {202: 20, 429: 9_980}
    assert await api.pool.fetchval("SELECT count(*) FROM queued_messages") == 20


async def test_a_pattern_is_shown_as_people_write_it(ada: Person) -> None:
    refused = await ada.post("/chats", {"content": [TEXT], "labels": {"a b": "c"}})
    assert refused.json["validations"][0]["detail"] == "Expected `str` matching regex '^[A-Za-z0-9][A-Za-z0-9._/-]*$'"
