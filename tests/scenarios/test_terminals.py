"""A terminal over a real server: typed into, resized, dropped and resumed on another replica, shown out."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

import aiohttp
import msgspec
import pytest

from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.metric_reader import sample
from perdure.testing.polling import seen

PATIENCE = 60


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        yield fleet


class Screen:
    """What a page does with a terminal: it counts what it has shown."""

    def __init__(self, fleet: Fleet, workspace: str, session: str = "tab") -> None:
        self.fleet = fleet
        self.workspace = workspace
        self.session = session
        self.offset = 0
        self.shown = b""
        self._http = aiohttp.ClientSession()
        self._socket: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._socket is not None:
            await self._socket.close()
        await self._http.close()

    async def opens(self, replica: int = 0, *, token: str = "") -> None:
        person = self.fleet.at(replica)
        if self._socket is not None:
            await self._socket.close()
        self._socket = await self._http.ws_connect(
            f"{person.url}/api/v1/workspaces/{self.workspace}/terminal",
            params={"session": self.session, "offset": str(self.offset)},
            headers={"authorization": f"Bearer {token or person.token}"},
        )

    async def types(self, content: bytes) -> None:
        await self._socket.send_bytes(content)

    async def says(self, order: Any) -> None:
        await self._socket.send_json(order)

    async def shows(self, wanted: bytes) -> None:
        """Take frames until a text is on the screen."""
        async with asyncio.timeout(PATIENCE):
            while wanted not in self.shown:
                message = await self._socket.receive()
                assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
                self._take(message)

    async def is_closed(self) -> int:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self._socket.receive()
                if message.type is aiohttp.WSMsgType.CLOSE:
                    return message.data
                self._take(message)

    def _take(self, message: aiohttp.WSMessage) -> None:
        if message.type is aiohttp.WSMsgType.TEXT:
            self.offset = msgspec.json.decode(message.data)["offset"]
        else:
            self.shown += message.data
            self.offset += len(message.data)


async def made(fleet: Fleet) -> str:
    return (await fleet.at(0).post("/workspaces", {"template": "blank"})).json["id"]


async def refused(screen: Screen, **how: Any) -> int:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
        await screen.opens(**how)
    return refusal.value.status


async def test_a_shell_is_typed_into_and_takes_the_size_of_the_window(fleet: Fleet) -> None:
    async with Screen(fleet, await made(fleet)) as screen:
        await screen.opens()
        await screen.says({"resize": {"cols": 132, "rows": 50}})
        await screen.types(b"stty size; echo $((6*7))-$(pwd)\n")
        await screen.shows(b"42-")
        assert b"50 132" in screen.shown
        assert await open_terminals(fleet) == 1
    assert await seen(lambda: closed(fleet))


async def open_terminals(fleet: Fleet) -> float:
    return sample(await fleet.numbers(0), "perdure_terminals_open")


async def closed(fleet: Fleet) -> bool:
    return await open_terminals(fleet) == 0


async def test_a_dropped_line_is_taken_up_on_another_replica_without_a_gap_or_a_repetition(fleet: Fleet) -> None:
    async with Screen(fleet, await made(fleet)) as screen:
        await screen.opens(0)
        await screen.types(b"for i in $(seq 1 400); do echo line-$i; sleep 0.005; done; echo the-e''nd\n")
        await screen.shows(b"line-20\r\n")
        fleet.replicas[0].kill()
        await screen.opens(1)
        await screen.shows(b"the-end")
        assert re.findall(rb"line-(\d+)\r\n", screen.shown) == [b"%d" % number for number in range(1, 401)]


async def test_a_shell_that_ended_says_so_and_the_session_gets_a_new_one(fleet: Fleet) -> None:
    async with Screen(fleet, await made(fleet)) as screen:
        await screen.opens()
        await screen.types(b"exit\n")
        assert await screen.is_closed() == 1000
        before = len(screen.shown)
        await screen.opens()
        await screen.types(b"echo ag''ain\n")
        await screen.shows(b"again")
        assert screen.offset == len(screen.shown) - before


async def test_a_terminal_is_its_owners_alone_and_not_for_tokens_that_only_read(fleet: Fleet, pool: Pool) -> None:
    async with Screen(fleet, await made(fleet)) as screen:
        stranger = await pool.fetchval(
            "INSERT INTO users (organisation_id, email, role) VALUES ($1, 'eve@example.com', 'admin') RETURNING id",
            fleet.person.organisation_id,
        )
        for user, scope, status in ((stranger, "admin", 404), (fleet.person.id, "read", 403)):
            token = mint(TOKEN_PREFIX)
            await pool.execute(
                "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 't', '', ARRAY[$3])",
                digest(token),
                user,
                scope,
            )
            assert await refused(screen, token=token) == status
        assert await refused(screen, token="nonsense") == 401
        screen.session = ""
        assert await refused(screen) == 400


async def test_stopping_the_workspace_shows_out_and_only_a_person_starts_it_again(fleet: Fleet) -> None:
    workspace = await made(fleet)
    async with Screen(fleet, workspace) as screen:
        await screen.opens()
        await screen.types(b"echo he''re\n")
        await screen.shows(b"here")
        await fleet.at(0).post(f"/workspaces/{workspace}/stop")
        assert await screen.is_closed() == 4409
        assert await refused(screen) == 409
        screen.offset = 0
        await screen.opens()
        await screen.types(b"echo back-ag''ain\n")
        await screen.shows(b"back-again")


async def test_a_revoked_token_ends_its_terminals(fleet: Fleet, pool: Pool) -> None:
    token = mint(TOKEN_PREFIX)
    await pool.execute(
        "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 't', '', '{chat}')",
        digest(token),
        fleet.person.id,
    )
    async with Screen(fleet, await made(fleet)) as screen:
        await screen.opens(token=token)
        await pool.execute("DELETE FROM tokens WHERE hash = $1", digest(token))
        assert await screen.is_closed() == 4403


async def test_what_is_no_order_for_a_terminal_ends_it(fleet: Fleet) -> None:
    workspace = await made(fleet)
    orders: list[Any] = [{"resize": {"cols": 0, "rows": 50}}, {"dance": {}}, {"resize": {"cols": 80}}]
    for order in orders:
        async with Screen(fleet, workspace) as screen:
            await screen.opens()
            await screen.says(order)
            assert await screen.is_closed() == 4400
