"""Where nothing carries notices between replicas, everybody is told again and again to look."""

import asyncio

from perdure.core.notice import Notice, Topic
from perdure.store.postgres_pubsub import PollingPubsub
from perdure.testing.clock import HurriedClock


async def test_listeners_here_hear_at_once_and_are_told_to_look_for_the_rest() -> None:
    pubsub = PollingPubsub(HurriedClock())
    heard: list[Topic] = []
    looked_thrice = asyncio.Event()

    def listen(notice: Notice) -> None:
        heard.append(notice.topic)
        if heard.count(Topic.GAP) == 3:
            looked_thrice.set()

    pubsub.listen(listen)
    pubsub.publish([Notice(Topic.WAKE)])
    assert heard == [Topic.WAKE]
    running = asyncio.create_task(pubsub.run())
    async with asyncio.timeout(30):
        await looked_thrice.wait()
        await pubsub.flush()
    assert pubsub.listening.is_set()
    running.cancel()
