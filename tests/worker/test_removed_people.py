"""Chats of somebody who was removed stop by themselves."""

from perdure.core.chat import State
from perdure.core.message import Role
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica


async def test_the_chats_of_somebody_who_was_removed_stop_and_their_queues_are_emptied(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]")
    await replica.shows(chat, lambda piece: piece.role is Role.ASSISTANT)
    await replica.someone_adds(chat, "[[say:3 tokens]] later")
    await replica.pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", replica.user)
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.queue) == (State.W, ())
    assert [message.role for message in await replica.messages(chat)] == [Role.USER, Role.ASSISTANT]
    assert len(sim.requests) == 1
