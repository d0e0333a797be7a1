"""A replica knows the chats that were written in last. Whatever others changed since then counts all the same."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet

Change = Callable[[Fleet, str], Awaitable[Any]]


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        await fleet.ready()
        yield fleet


async def _known(fleet: Fleet) -> str:
    """A chat at rest that the first replica knows."""
    chat = await fleet.asks(0, "[[say:one]]")
    for text in ("[[say:two]]", "[[say:three]]"):
        await fleet.comes_to_rest(0, chat)
        assert (await _send(fleet, chat, text)).status == 202
    await fleet.comes_to_rest(0, chat)
    return chat


async def _send(fleet: Fleet, chat: str, text: str) -> Any:
    return await fleet.at(0).post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": text}]})


async def _renamed(fleet: Fleet, chat: str) -> None:
    assert (await fleet.at(1).patch(f"/chats/{chat}", {"title": "Herons"})).status == 200


async def _planning(fleet: Fleet, chat: str) -> None:
    assert (await fleet.at(1).patch(f"/chats/{chat}", {"plan_mode": True})).status == 200


async def _unseen(fleet: Fleet, chat: str) -> None:
    """Nobody is told of a card that moves like this: the notice is lost."""
    await fleet.pool.execute(
        'UPDATE chat_cards SET labels = \'{"bird": "heron"}\', metadata_version = metadata_version + 1 WHERE id = $1',
        chat,
    )


async def _read(fleet: Fleet, chat: str) -> None:
    await fleet.pool.execute(
        "INSERT INTO read_markers (user_id, chat_id, number) VALUES ($1, $2, 6) "
        "ON CONFLICT (user_id, chat_id) DO UPDATE SET number = 6",
        fleet.person.id,
        chat,
    )


SHOWN = ("title", "plan_mode", "labels", "unread")


@pytest.mark.parametrize("change", [_renamed, _planning, _unseen, _read])
async def test_what_was_changed_elsewhere_is_in_the_next_answer_and_its_turn(fleet: Fleet, change: Change) -> None:
    chat = await _known(fleet)
    await change(fleet, chat)
    expected = await fleet.chat(1, chat)
    answer = await _send(fleet, chat, "[[say:four]]")
    assert answer.status == 202, answer.body
    assert [answer.json["chat"].get(name) for name in SHOWN] == [expected.get(name) for name in SHOWN]
    await fleet.comes_to_rest(0, chat)
    assert (await fleet.said(0, chat))[-1] == "four"


async def test_a_turn_at_another_replica_comes_before_the_next_message_here(fleet: Fleet) -> None:
    chat = await _known(fleet)
    content = {"content": [{"type": "text", "text": "[[say:elsewhere]]"}]}
    assert (await fleet.at(1).post(f"/chats/{chat}/messages", content)).status == 202
    await fleet.comes_to_rest(1, chat)
    assert (await _send(fleet, chat, "[[say:here]]")).status == 202
    await fleet.comes_to_rest(0, chat)
    assert (await fleet.said(0, chat))[-4:] == ["[[say:elsewhere]]", "elsewhere", "[[say:here]]", "here"]


async def test_a_chat_that_was_deleted_or_put_away_elsewhere_refuses_the_next_message(fleet: Fleet) -> None:
    gone, away = await _known(fleet), await _known(fleet)
    for chat in (gone, away):
        assert (await fleet.at(1).patch(f"/chats/{chat}", {"archived": True})).status == 200
    assert (await fleet.at(1).delete(f"/chats/{gone}")).status == 204
    assert (await _send(fleet, gone, "hello")).status == 404
    fresh = await fleet.at(1).post(f"/chats/{away}/messages", {"content": [{"type": "text", "text": "hello"}]})
    assert (await _send(fleet, away, "hello")).status == fresh.status
