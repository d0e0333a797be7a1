"""The load that everybody gets alike: it hears answers out, times their first token and counts what fails."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from perdure.cli.bench_beside import Conversations, Result, load, table
from perdure.cli.beside_peers import PEERS

DBOS = next(peer for peer in PEERS if peer.name == "dbos")
WANTED = Conversations(chats=3, turns=2, tokens=5)


@pytest_asyncio.fixture
async def url() -> AsyncGenerator[str]:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.match_info["chat"])
        if len(set(asked)) > WANTED.chats:
            raise web.HTTPServiceUnavailable
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'data: "hello"\n\n')
        return response

    app = web.Application()
    app.router.add_post("/chats/{chat}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


async def test_every_turn_of_every_conversation_is_timed(url: str) -> None:
    firsts, failures = await load(DBOS, url, WANTED)
    assert (len(firsts), failures) == (6, 0)
    assert all(first > 0 for first in firsts)


async def test_a_conversation_that_is_refused_is_counted(url: str) -> None:
    await load(DBOS, url, WANTED)
    firsts, failures = await load(DBOS, url, Conversations(chats=2, turns=2, tokens=5))
    assert (firsts, failures) == ([], 2)


@pytest.mark.parametrize("failures", [0, 2])
def test_the_table_says_what_a_turn_takes(failures: int) -> None:
    shown = table([Result("other", 10, 2.0, 0.05, 1.0, 0.5, 40, failures, "paid once")]).splitlines()[-1]
    assert shown.endswith("| 5.0 | 50 ms | 100.0 ms | 50.0 ms | 4.0 | paid once |")
    assert ("2 failed" in shown) == bool(failures)
