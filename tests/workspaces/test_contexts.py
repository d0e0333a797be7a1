"""What workspaces tell chats, where they take their time."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from tests.workspaces.waiting import eventually
from tests.workspaces.yard import Yard

from perdure.core.ids import WorkspaceId
from perdure.machine.machine import Machine
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.testing.chats import Chats
from perdure.workspaces.contexts import Contexts

SLOW = "description = ''\nstart_up = 'until [ -e ~/go ]; do sleep 0.02; done; echo Rhyme. > AGENTS.md'"


async def test_a_workspace_that_is_made_for_a_prompt_is_made_also_when_the_prompt_does_not_wait(
    yard: Yard, pool: Pool
) -> None:
    await yard.offers("slow", SLOW)
    row = await yard.service.begin(WorkspaceId(uuid4()), replace(yard.wish, template="slow"))
    machine = Machine(Execution(pool), lambda _: None)
    chats = Chats(machine, organisation_id=yard.wish.organisation_id, user_id=yard.wish.owner_id)
    chat = await chats.created(workspace_id=row.id)
    hasty = Contexts(pool, yard.service, LocalBus(), patience=timedelta(milliseconds=50))
    nothing = await hasty.pinned(chat.id, chat.id, turns=1)
    await eventually(yard.layout(row).home.exists)
    (yard.layout(row).home / "go").touch()
    told = await Contexts(pool, yard.service, LocalBus()).pinned(chat.id, chat.id, turns=2)
    assert nothing is not None
    assert nothing.hash == ""
    assert told is not None
    assert [(file.path, file.content) for file in told.files] == [("AGENTS.md", "Rhyme.\n")]
