"""WebSockets that are refused."""

import logging

import aiohttp
import pytest

from perdure.api.http import Receive, Scope, Send
from perdure.testing.served_api import listening


async def refusing(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    await send({"type": "websocket.http.response.start", "status": 409, "headers": []})
    await send({"type": "websocket.http.response.body", "body": b"not now"})


async def test_a_socket_that_is_refused_is_no_error_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    async with listening(refusing) as url, aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(url)
    assert refused.value.status == 409
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []
