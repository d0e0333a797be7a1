"""Addresses that a server names for its sign-in: what is inside is not fetched for a stranger."""

from collections.abc import AsyncIterator

import aiohttp.web
import pytest

from perdure.testing.ports import free_port
from perdure.tools.mcp.messages import Unreachable
from perdure.tools.mcp.protocol.discovery import check_named
from perdure.tools.mcp.token_endpoint import OAuthClient, exchange
from perdure.tools.network import Network

OUTSIDE = "https://mcp.example.com/v1"


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9000/token",
        "http://localhost/token",
        "http://[::1]/token",
        "http://[::ffff:127.0.0.1]/token",
        "http://[::127.0.0.1]/token",
        "http://[64:ff9b::7f00:1]/token",
        "http://[64:ff9b::a9fe:a9fe]/latest/meta-data/",
        "http://[2002:7f00:1::]/token",
        "http://2130706433/token",
        "http://[/token",
        "http://a..b/token",
        "http://0.0.0.0/token",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fe80::1]/token",
        "http://[fd00:ec2::254]/latest/meta-data/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://METADATA.google.internal./x",
        "ftp://auth.example.com/token",
        "file:///etc/passwd",
        "https:///nowhere",
    ],
)
async def test_an_address_inside_is_not_fetched(address: str) -> None:
    with pytest.raises(Unreachable):
        await check_named(address, OUTSIDE)


@pytest.mark.parametrize("address", ["https://93.184.216.34/token", "https://10.1.2.3/token"])
async def test_other_addresses_are(address: str) -> None:
    await check_named(address, OUTSIDE)


async def test_an_admin_who_set_a_server_up_on_this_machine_allowed_it() -> None:
    await check_named("http://127.0.0.1:9000/token", "http://127.0.0.1:8000/mcp")
    with pytest.raises(Unreachable):
        await check_named("http://169.254.169.254/token", "http://127.0.0.1:8000/mcp")


@pytest.fixture
async def issuer() -> AsyncIterator[tuple[str, list[str]]]:
    """A sign-in service that leads elsewhere, or never stops talking; and what it was asked for."""
    asked: list[str] = []

    async def leads(request: aiohttp.web.Request) -> aiohttp.web.Response:
        asked.append(request.path)
        return aiohttp.web.Response(status=int(request.path.removeprefix("/")), headers={"location": "/elsewhere"})

    async def talks(request: aiohttp.web.Request) -> aiohttp.web.StreamResponse:
        answer = aiohttp.web.StreamResponse()
        await answer.prepare(request)
        while True:
            await answer.write(b" " * 65_536)

    app = aiohttp.web.Application()
    app.router.add_route("*", "/endless", talks)
    app.router.add_route("*", "/{path}", leads)
    runner = aiohttp.web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", port).start()
    yield f"http://127.0.0.1:{port}", asked
    await runner.cleanup()


@pytest.mark.parametrize("path", ["301", "302", "303", "307", "308", "endless"])
async def test_what_proves_who_we_are_goes_nowhere_else_and_no_answer_is_endless(
    issuer: tuple[str, list[str]], path: str
) -> None:
    url, asked = issuer
    with pytest.raises(Unreachable):
        await exchange(f"{url}/{path}", {"code": "c"}, OAuthClient("id", "secret", "client_secret_post"), "", Network())
    assert asked in ([f"/{path}"], [])
