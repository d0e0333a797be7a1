"""A thousand who follow one chat: each gets every part, and each part is encoded once."""

import asyncio
from contextlib import AsyncExitStack

from tests.stream.test_hubs import set_up

from perdure.core.message import Role, Text
from perdure.store.pool import Pool
from perdure.stream.subscription import Subscription
from perdure.testing.scripted import texts

CROWD = 1_000
PARTS = 20


async def test_a_thousand_subscribers_get_every_part_and_each_is_encoded_once(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    async with AsyncExitStack() as stack:
        crowd: list[Subscription] = [await stack.enter_async_context(hubs.follow(chat.id, None)) for _ in range(CROWD)]
        await asyncio.gather(*(each.next() for each in crowd))
        assert hubs.reads == 1
        episode = await chat.attempt()
        encodings = set[int]()
        kept: list[object] = []
        for number in range(PARTS):
            episode.add(Role.ASSISTANT, texts(f"{number} "))
            batches = await asyncio.gather(*(each.next() for each in crowd))
            kept += [batch.json[0] for batch in batches]
            encodings |= {id(batch.json[0]) for batch in batches}
            assert {bytes(batch.json[0]) for batch in batches} == {bytes(batches[0].json[0])}
        assert (len(kept), len(encodings)) == (CROWD * PARTS, PARTS)
        await chat.commit(Text("done"))
        last = await asyncio.gather(*(each.next() for each in crowd))
        assert len({id(batch.json[0]) for batch in last}) == 1
    assert hubs.reads == 1
