"""A family goes into the archive and comes back as one."""

import asyncio

import pytest
from tests.machine.place import Place

from perdure.core.chat import Chat, State
from perdure.core.errors import ChatNotFound, InvalidState, NotRoot, PerdureError, TransitionNotAllowed
from perdure.core.ids import ChatId
from perdure.machine.transitions import SendMessage, SetArchived
from perdure.proof.proxy import Fate, Proxy
from perdure.store.pool import open_pool
from perdure.testing.chats import said


async def family_of(place: Place, children: int = 2) -> tuple[Chat, list[Chat]]:
    root = await place.chats.at_rest()
    return root, [await place.chats.at_rest(parent_id=root.id, root_id=root.id) for _ in range(children)]


async def states(place: Place, chats: list[Chat]) -> list[State]:
    return [(await place.machine.load(chat.id)).state for chat in chats]


async def test_a_root_takes_its_descendants_along_and_back(place: Place) -> None:
    root, children = await family_of(place)
    await place.pool.execute("UPDATE chat_cards SET pin = 2 WHERE id = $1", root.id)
    place.announced.clear()
    await place.machine.archive_family(root.id, archived=True)
    assert await states(place, [root, *children]) == [State.XW] * 3
    assert {c.chat.id for c in place.announced} == {chat.id for chat in (root, *children)}
    assert await place.pool.fetchval("SELECT pin FROM chat_cards WHERE id = $1", root.id) == 0
    for member in await place.machine.archive_family(root.id, archived=False):
        assert member.chat == await place.machine.load(member.chat.id)
    assert await states(place, [root, *children]) == [State.W] * 3


async def test_one_busy_member_keeps_all_of_them(place: Place) -> None:
    root, children = await family_of(place)
    await place.machine.change(children[1].id, SendMessage(said("go on", place.user_id)))
    before = [await place.rows_of(chat.id) for chat in (root, *children)]
    place.announced.clear()
    with pytest.raises(TransitionNotAllowed):
        await place.machine.archive_family(root.id, archived=True)
    assert [await place.rows_of(chat.id) for chat in (root, *children)] == before
    assert place.announced == []


async def test_a_member_that_is_there_already_moves_its_snapshot_only(place: Place) -> None:
    root, children = await family_of(place)
    away = (await place.machine.change(children[0].id, SetArchived(archived=True))).chat
    await place.machine.archive_family(root.id, archived=True)
    now = await place.machine.load(away.id)
    assert (now.state, now.snapshot_version) == (State.XW, away.snapshot_version + 1)


async def test_only_a_root_can_be_asked(place: Place) -> None:
    root, children = await family_of(place)
    with pytest.raises(NotRoot):
        await place.machine.archive_family(children[0].id, archived=True)
    with pytest.raises(TransitionNotAllowed):
        await place.machine.archive_family(root.id, archived=False)
    with pytest.raises(ChatNotFound):
        await place.machine.archive_family(ChatId(place.organisation_id), archived=True)


async def test_an_invalid_member_keeps_all_of_them(place: Place) -> None:
    root, children = await family_of(place)
    await place.pool.execute("ALTER TABLE chats DROP CONSTRAINT chats_valid_state")
    await place.pool.execute("UPDATE chats SET queue = '{5}' WHERE id = $1", children[0].id)
    with pytest.raises(InvalidState):
        await place.machine.archive_family(root.id, archived=True)
    assert (await states(place, [root]))[0] is State.W


async def test_families_that_are_archived_while_members_move_are_never_torn(place: Place) -> None:
    root, children = await family_of(place, children=3)
    machines = [place.another_machine() for _ in range(4)]

    async def archive(number: int) -> None:
        for turn in range(6):
            try:
                await machines[number].archive_family(root.id, archived=(number + turn) % 2 == 0)
            except PerdureError:
                continue

    async def touch(chat: Chat) -> None:
        for _ in range(6):
            try:
                await place.machine.change(chat.id, SetArchived(archived=True))
                await place.machine.change(chat.id, SetArchived(archived=False))
            except PerdureError:
                continue

    await asyncio.gather(*(archive(number) for number in range(4)), touch(children[0]))
    for archived in (True, False):
        if (await place.machine.load(root.id)).archived is not archived:
            await place.machine.archive_family(root.id, archived=archived)
    assert await states(place, [root, *children]) == [State.W] * 4


async def test_a_lost_answer_is_found_in_the_family(place: Place) -> None:
    root, children = await family_of(place)
    proxy = Proxy(place.url)
    async with proxy.running(), open_pool(proxy.url, size=2) as shaky:
        machine = place.another_machine(shaky)
        await machine.archive_family(root.id, archived=True)
        await machine.archive_family(root.id, archived=False)
        before = proxy.requests
        proxy.decide = lambda _: Fate.LOSE_ANSWER if proxy.requests == before + 1 else Fate.CARRY
        committed = await machine.archive_family(root.id, archived=True)
    assert len(committed) == 3
    ends = [await place.machine.load(chat.id) for chat in (root, *children)]
    assert [chat.state for chat in ends] == [State.XW] * 3
    assert {chat.snapshot_version for chat in ends} == {root.snapshot_version + 3}
