"""A request is asked again where that can help, and is the same request each time."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from perdure.client import ApiError
from perdure.client.connection import Connection, refused

SILENT = 0
"""Instead of a status: there is no answer."""


class Proxy:
    """Answers with these statuses, one after the other, and remembers the key of every request."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.keys: list[str | None] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        if self.statuses[0] == SILENT:
            self.statuses.pop(0)
            await asyncio.Event().wait()
        return web.json_response({"said": "yes"}, status=self.statuses.pop(0))


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    proxy, application = Proxy(), web.Application()
    application.router.add_route("*", "/{path:.*}", proxy.answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
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


async def test_a_request_that_nobody_answers_is_asked_again_and_given_up_in_the_end(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perdure.client.connection._FIRST_DELAY", 0.01)
    proxy.statuses = [SILENT, 200]
    connection = Connection(proxy.url, None, patience=0.2)
    assert await connection.post("/chats", dict[str, str], {}) == {"said": "yes"}
    assert len(set(proxy.keys)) == 1
    proxy.statuses = [SILENT] * 4
    with pytest.raises(TimeoutError, match=r"did not answer within 0\.2 s"):
        await connection.get("/chats", object)
    await connection.close()


def test_a_refusal_says_what_does_not_fit_and_where() -> None:
    said = (
        b'{"message": "It does not fit.", "validations": [{"field": "content[0].text", "detail": "must not be blank"}]}'
    )
    error = refused(400, said)
    assert str(error) == "It does not fit (content[0].text: must not be blank)."
    assert error.problem.message == "It does not fit."
