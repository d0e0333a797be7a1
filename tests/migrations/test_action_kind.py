"""What chats wait for and ask, once it is in columns."""

from collections.abc import Sequence

from tests.machine.place import Place

from perdure.core.action import ActionKind
from perdure.core.ids import ChatId
from perdure.core.message import ToolCall
from perdure.machine.transitions import CommitStep, FinishTurn
from perdure.store.migrations.runner import shipped
from perdure.store.pool import Pool
from perdure.testing.chats import READ, answered

QUESTION = ToolCall("q", "ask_user_question", "{}")
PLAN = ToolCall("p", "propose_plan", "{}")


async def test_chats_that_were_there_before_say_the_same_as_new_ones(database_url: str, pool: Pool) -> None:
    place = Place(database_url, pool)
    await place.furnish()
    parked = await place.chats.parked(READ, ActionKind.APPROVAL)
    asking = [
        await place.chats.created(CommitStep(messages=(answered(call),), continues=False), FinishTurn(), plan_mode=True)
        for call in (QUESTION, PLAN, READ)
    ]
    chats = [parked.id, *(chat.id for chat in asking)]
    written = await columns(pool, chats)
    assert written == [("approval", None), (None, "question"), (None, "plan"), (None, None)]
    await pool.execute("DROP VIEW cards; ALTER TABLE chats DROP COLUMN action_kind, DROP COLUMN asks_owner")
    await pool.execute(next(each.sql for each in shipped() if each.name == "action_kind"))
    assert await columns(pool, chats) == written


async def columns(pool: Pool, chats: Sequence[ChatId]) -> list[tuple[str | None, str | None]]:
    rows = await pool.fetch("SELECT id, action_kind, asks_owner FROM chats")
    found = {row["id"]: (row["action_kind"], row["asks_owner"]) for row in rows}
    return [found[chat] for chat in chats]
