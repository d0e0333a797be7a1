"""Histories at hand: a busy chat is not read again from its beginning."""

from uuid import uuid4

from msgspec import structs

from perdure.agent.history import Histories
from perdure.core.ids import MessageNumber
from perdure.core.parts import Text
from perdure.machine.machine import Machine
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.testing.chats import Chats


async def _chats(pool: Pool) -> Chats:
    organisation = await pool.fetchval("INSERT INTO organisations (name) VALUES ('o') RETURNING id")
    user = await pool.fetchval(
        "INSERT INTO users (organisation_id, email) VALUES ($1, $2) RETURNING id",
        organisation,
        f"{uuid4()}@example.com",
    )
    return Chats(Machine(Execution(pool), lambda _: None), organisation_id=organisation, user_id=user)


async def test_reading_beside_a_turn_does_not_take_the_history_away(pool: Pool) -> None:
    chat = await (await _chats(pool)).at_rest()
    histories = Histories(pool)
    known = await histories.at(chat)
    # Something that only memory can know: whoever gets it did not read everything again.
    marked = structs.replace(known.messages[0], number=MessageNumber(99), parts=(Text("from memory"),))
    histories.keep(known.with_messages([marked], known.version))
    first, second = await histories.at(chat), await histories.at(chat)
    assert [history.messages[-1].number for history in (first, second)] == [99, 99]


async def test_an_older_history_does_not_replace_a_newer_one(pool: Pool) -> None:
    chat = await (await _chats(pool)).at_rest()
    histories = Histories(pool)
    known = await histories.at(chat)
    newer = structs.replace(known, version=known.version + 1)
    histories.keep(newer)
    histories.keep(known)
    ahead = structs.replace(chat, history_version=newer.version, snapshot_version=newer.version)
    assert (await histories.at(ahead)).version == newer.version
