"""Workspaces as the rest of the system sees them: what stands how, and what becomes of those that are no use."""

import os
import signal
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.workspaces.yard import Yard

from perdure.core.errors import BuildFailed, WorkspaceUnreachable
from perdure.core.ids import WorkspaceId
from perdure.machine.machine import Machine
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.testing.chats import Chats


async def test_a_workspace_that_was_only_noted_is_not_stopped_but_made_when_it_is_used(yard: Yard) -> None:
    row = await yard.service.begin(WorkspaceId(uuid4()), yard.wish)
    await yard.service.stop(row)
    assert (await yard.row(row.id)).status == "creating"
    assert (await (await yard.service.client(row)).files.list()).entries == []
    assert (await yard.row(row.id)).status == "running"


async def test_a_workspace_that_failed_says_why_also_when_it_is_stopped_and_used(yard: Yard) -> None:
    await yard.offers("broken", "description = ''\nstart_up = 'exit 3'")
    row = await yard.service.begin(WorkspaceId(uuid4()), replace(yard.wish, template="broken"))
    for _ in range(2):
        with pytest.raises(BuildFailed, match="The step start_up failed with exit code 3"):
            await yard.service.client(await yard.row(row.id))
        await yard.service.stop(row)
        assert (await yard.row(row.id)).status == "failed"


async def test_a_noted_workspace_whose_template_is_gone_fails_and_counts_no_more(yard: Yard, pool: Pool) -> None:
    await yard.offers("short", "description = ''")
    row = await yard.service.begin(WorkspaceId(uuid4()), replace(yard.wish, template="short"))
    await pool.execute("DELETE FROM templates")
    with pytest.raises(BuildFailed, match="There is no template 'short'"):
        await yard.service.client(row)
    assert (await yard.row(row.id)).status == "failed"
    assert (await yard.made()).status == "running"


async def test_a_workspace_that_could_not_be_started_once_can_be_started_later(yard: Yard) -> None:
    row = await yard.made()
    await yard.service.client(row)
    run = yard.layout(row).root / "run"
    os.kill(yard.agent(row), signal.SIGKILL)
    aside = run.rename(run.with_name("aside"))
    with pytest.raises(WorkspaceUnreachable, match="Call start_workspace and try again"):
        await yard.service.client(row)
    aside.rename(run)
    assert (await (await yard.service.client(row)).files.list()).entries == []


async def test_reaching_a_workspace_that_does_not_answer_ends_with_what_to_do(yard: Yard) -> None:
    row = await yard.made()
    agent = yard.agent(row)
    impatient = yard.replica(patience=timedelta(milliseconds=300))
    os.kill(agent, signal.SIGSTOP)
    try:
        with pytest.raises(WorkspaceUnreachable, match="call stop_workspace and start_workspace once"):
            await impatient.client(row)
    finally:
        os.kill(agent, signal.SIGCONT)
        await impatient.close()
    assert (await (await yard.service.client(row)).health()).running == 0


async def test_a_workspace_whose_files_are_gone_can_be_stopped(yard: Yard) -> None:
    row = await yard.made()
    await yard.service.stop(row)
    yard.layout(row).root.rename(yard.folder / "elsewhere")
    await yard.service.stop(row)
    assert (await yard.row(row.id)).status == "stopped"


async def test_a_workspace_that_a_call_waits_in_is_not_idle(yard: Yard, pool: Pool) -> None:
    row = await yard.made()
    people = Chats(Machine(Execution(pool), lambda _: None), organisation_id=row.organisation_id, user_id=row.owner_id)
    chat = await people.created(workspace_id=row.id)
    begin = (
        "INSERT INTO journal (chat_id, message, index, run, tool, effect, runner_id) "
        "VALUES ($1, 2, 0, 0, 'execute', 'keyed', gen_random_uuid())"
    )
    await pool.execute(begin, chat.id)
    await pool.execute("UPDATE workspaces SET used_at = now() - interval '1 day'")
    await yard.service.stop_idle()
    assert (await yard.row(row.id)).status == "running"
    await pool.execute("UPDATE journal SET state = 'finished'")
    await yard.service.stop_idle()
    assert (await yard.row(row.id)).status == "stopped"
