"""A request is asked again where that can help, and is the same request each time."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from perdure.client import ApiError
from perdure.client.connection import Connection


class Proxy:
    """Answers with these statuses, one after the other, and remembers the key of every request."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.keys: list[str | None] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        return web.json_response({"said": "yes"}, status=self.statuses.pop(0))


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    proxy, application = Proxy(), web.Application()
    application.router.add_route("*", "/{path:.*}", proxy.answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    proxy.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield proxy
    await runner.cleanup()


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_request_to_a_replica_that_went_is_asked_again_under_its_key(proxy: Proxy, status: int) -> None:
    proxy.statuses = [status, 200]
    connection = Connection(proxy.url, None)
    assert await connection.post("/chats", dict[str, str], {}) == {"said": "yes"}
    await connection.close()
    first, again = proxy.keys
    assert first == again
    assert first is not None


async def test_what_is_refused_for_good_is_not_asked_again(proxy: Proxy) -> None:
    proxy.statuses = [409]
    connection = Connection(proxy.url, None)
    with pytest.raises(ApiError):
        await connection.post("/chats", dict[str, str], {})
    await connection.close()
    assert len(proxy.keys) == 1
