"""Chats of somebody who was removed stop by themselves."""

from uuid import uuid4

import pytest

from perdure.core.chat import State
from perdure.core.ids import UserId
from perdure.core.message import NoticePart, Role
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


async def _another(replica: InProcessReplica, role: str) -> UserId:
    """Somebody else, with whom every chat of the replica's user is shared from now on."""
    user = UserId(uuid4())
    await replica.pool.execute(
        "INSERT INTO users (id, organisation_id, email, name, role) VALUES ($1, $2, $3, 'Will', 'member')",
        user,
        replica.organisation,
        f"{user}@example.com",
    )
    await replica.pool.execute(
        "INSERT INTO chat_shares (chat_id, user_id, role) SELECT id, $1, $2 FROM chat_cards", user, role
    )
    return user


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE chat_shares SET role = 'read' WHERE user_id = $1",
        "DELETE FROM chat_shares WHERE user_id = $1",
        "UPDATE users SET disabled_at = now() WHERE id = $1",
    ],
)
async def test_the_turn_of_somebody_who_may_not_write_any_more_stops_and_the_others_go_on(
    replica: InProcessReplica, sim: Simulator, change: str
) -> None:
    chat = await replica.someone_asks("[[say:1 tokens]]")
    await replica.comes_to_rest(chat)
    owner, will = replica.user, await _another(replica, "write")
    replica.user = will
    await replica.someone_adds(chat, "[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]")
    await replica.someone_adds(chat, "[[say:3 tokens]] and this")
    replica.user = owner
    await replica.someone_adds(chat, "[[say:3 tokens]] mine")
    await sim.gates["never"].reached()
    await replica.shows(chat, lambda piece: piece.role is Role.ASSISTANT)
    await replica.pool.execute(change, will)
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.queue, rested.asked_by) == (State.W, (), owner)
    told = [(message.role, message.created_by) for message in await replica.messages(chat)]
    assert told == [
        (Role.USER, owner),
        (Role.ASSISTANT, None),
        (Role.USER, will),
        (Role.ASSISTANT, None),
        (Role.ASSISTANT, None),
        (Role.USER, owner),
        (Role.ASSISTANT, None),
    ]
    (word,) = [
        part for message in await replica.messages(chat) for part in message.parts if isinstance(part, NoticePart)
    ]
    assert word.text == "This turn was stopped: whoever asked for it cannot write here any more."
    assert len(sim.requests) == 3


async def test_nobody_is_answered_who_may_not_write_when_their_turn_comes(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[say:1 tokens]]")
    await replica.comes_to_rest(chat)
    owner, replica.user = replica.user, await _another(replica, "read")
    await replica.someone_adds(chat, "[[say:3 tokens]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert len(sim.requests) == 1
    await replica.someone_adds(chat, "[[say:3 tokens]]")
    replica.user = owner
    await replica.someone_adds(chat, "[[say:3 tokens]] mine")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.queue, rested.asked_by) == (State.W, (), owner)
    assert len(sim.requests) == 2
