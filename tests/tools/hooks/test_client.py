"""What comes back from hooks, whole, in pieces or as nonsense."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from tests.peers.twice import Twice
from tests.providers.servers import Canned, answer
from tests.tools.hooks.receiver import SECRET

from perdure.config.hooks import HookEvent, HookOptions
from perdure.core.ids import UserId
from perdure.core.timing import SystemClock
from perdure.tools.hooks.client import DeliveryFailed, HookClient
from perdure.tools.hooks.messages import Decision, HookRequest, HookResponse

REQUEST = HookRequest(
    event=HookEvent.PRE_TOOL_USE, dispatch_id=uuid4(), chat_id=None, turn=1, user_id=UserId(uuid4()), payload={}
)


@asynccontextmanager
async def asked(response: bytes | Sequence[bytes]) -> AsyncGenerator[Any]:
    """A way to ask a hook that answers so."""
    client = HookClient(SystemClock())
    async with Canned(response) as server:
        options = HookOptions(url=server.url, events=(REQUEST.event,), timeout_ms=60_000)
        try:
            yield lambda: client.ask(options, SECRET, REQUEST)
        finally:
            await client.close()


async def test_an_answer_that_comes_in_pieces_is_heard_to_its_end() -> None:
    whole = answer(msgspec.json.encode(HookResponse(decision=Decision.DENY, user_message="Not this.")))
    async with asked([whole[:-20], whole[-20:]]) as ask:
        delivery = await ask()
    assert (delivery.response.decision, delivery.response.user_message) == (Decision.DENY, "Not this.")


@pytest.mark.parametrize(
    "body", [b"so be it", b'{"input":' + b"[" * 100_000, b'{"model_context":"' + b"x" * 300_000 + b'"}']
)
async def test_an_answer_that_means_nothing_is_silence(body: bytes) -> None:
    async with asked(answer(body)) as ask:
        with pytest.raises(DeliveryFailed):
            await ask()


async def test_what_a_hook_answers_twice_is_no_answer_to_what_it_is_asked_next() -> None:
    said = [answer(msgspec.json.encode(HookResponse(decision=each))) for each in (Decision.ALLOW, Decision.DENY)]
    client = HookClient(SystemClock())
    async with Twice(said).running() as server:
        options = HookOptions(url=server.url, events=(REQUEST.event,), timeout_ms=60_000)
        assert (await client.ask(options, SECRET, REQUEST)).response.decision is Decision.ALLOW
        server.again.set()
        await server.repeated.wait()
        assert (await client.ask(options, SECRET, REQUEST)).response.decision is Decision.DENY
        await client.close()
