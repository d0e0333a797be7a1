"""Whatever a program sends in any protocol, it gets an answer of that protocol, and no chat that cannot go on."""

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, cast
from uuid import uuid4

import aiohttp
import msgspec
import pytest
from msgspec import Raw
from tests.faces.conftest import minted
from tests.faces.requests import all_else, asks

from perdure.core.chat import AT_REST
from perdure.core.ids import ChatId
from perdure.testing.replica import InProcessReplica

HOSTILE = (
    *("null", "true", "0", "-1", "1e308", "4294967295", "9223372036854775808", "99999999999999999999999999"),
    *('""', '" "', r'"\u0000"', r'"a\nb"', r'"\ud800"', r'"\ud83d\ude00"', f'"{"x" * 70_000}"'),
    *("[]", "{}", "[null]", "[5]", "[{}]", "[[]]", '{"type": "text"}', "[" * 100 + "]" * 100),
    f"[{','.join(['{}'] * 2_000)}]",
)
AT_ONCE = 20


def spoiled(body: Any) -> Iterator[tuple[str, Any]]:
    """The same with one place of it gone, or something else there."""
    for hostile in HOSTILE:
        yield hostile[:30], Raw(hostile.encode())
    if isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        for key, value in fields.items():
            yield f"no {key}", {name: kept for name, kept in fields.items() if name != key}
            for place, spoilt in spoiled(value):
                yield f"{key}.{place}", {**fields, key: spoilt}
    elif isinstance(body, list):
        items = cast("list[Any]", body)
        for index, value in enumerate(items):
            for place, spoilt in spoiled(value):
                yield f"{index}.{place}", [*items[:index], spoilt, *items[index + 1 :]]


NAMES = tuple(asks(ChatId(uuid4())))


@pytest.fixture
async def chat(replica: InProcessReplica) -> ChatId:
    chat = await replica.someone_asks("[[say:Hello.]]")
    await replica.comes_to_rest(chat)
    return chat


@pytest.mark.parametrize("name", NAMES)
async def test_no_request_is_a_bug_or_breaks_a_chat(
    replica: InProcessReplica, url: str, chat: ChatId, name: str
) -> None:
    ask = asks(chat)[name]
    token, turns = await minted(replica.pool, replica.user), asyncio.Semaphore(AT_ONCE)
    before = await all_else(replica.pool)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json", **ask.headers}
    async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(60)) as http:

        async def tries(place: str, body: Any) -> str | None:
            async with turns, http.post(f"{url}{ask.path}", data=msgspec.json.encode(body)) as answer:
                # What tells of tasks goes on for as long as somebody listens.
                listens = "subscriptions/listen" in name and answer.content_type == "text/event-stream"
                text = (await (answer.content.readuntil(b"\n\n") if listens else answer.read())).decode()
                fine = answer.status < HTTPStatus.INTERNAL_SERVER_ERROR or answer.status == HTTPStatus.BAD_GATEWAY
                return None if fine and "-32603" not in text else f"{place}: {answer.status} {text[:300]}"

        assert await tries("as it is", ask.body) is None
        told = await asyncio.gather(*(tries(*each) for each in spoiled(ask.body)))
    assert [bug for bug in told if bug] == []
    # A token for chats is for nothing else, whatever is sent with it.
    assert await all_else(replica.pool) == before
    for each in await replica.pool.fetch("SELECT id FROM chats"):
        rested = await replica.until(ChatId(each["id"]), lambda chat: chat.status in AT_REST)
        assert rested.last_error is None, (await replica.said(rested.id), rested.last_error)
