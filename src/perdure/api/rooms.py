"""The workspace that a new chat acts in: one that is there, or one that is made for it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from perdure.access.roles import Permission
from perdure.api.caller import Caller
from perdure.api.wire.chats import WorkspaceWish
from perdure.core.errors import InvalidInput, NotFound, PerdureError, Validation
from perdure.core.ids import WorkspaceId
from perdure.store.workspaces import WorkspaceRow
from perdure.workspaces.service import Workspaces


@asynccontextmanager
async def workspace_for(
    caller: Caller, wish: WorkspaceWish | None, workspace_id: WorkspaceId | None
) -> AsyncGenerator[WorkspaceId | None]:
    """A workspace for the chat that the block creates. One that was made for it goes if there is no chat in the end."""
    if wish is None:
        yield await caller.workspace(workspace_id)
        return
    if workspace_id is not None:
        raise InvalidInput("A chat acts in one workspace.", Validation("workspace_id", "is given beside workspace"))
    workspaces, made = _service(caller), WorkspaceId(caller.made_id("workspace"))
    try:
        await _make(caller, workspaces, wish, made)
        yield made
    except PerdureError:
        if (row := await caller.rows.one("workspaces/unused", made)) is not None:
            await workspaces.remove(WorkspaceRow.of(row))
            await caller.rows.all("workspaces/remove", made)
        raise


async def _make(caller: Caller, workspaces: Workspaces, wish: WorkspaceWish, workspace_id: WorkspaceId) -> None:
    caller.actor.require(Permission.CHAT)
    if wish.template not in workspaces.templates:
        known = ", ".join(workspaces.templates)
        raise InvalidInput("There is no such template.", Validation("workspace.template", f"must be one of: {known}"))
    await workspaces.create(
        workspace_id,
        owner_id=caller.actor.user_id,
        organisation_id=caller.actor.organisation_id,
        template=wish.template,
        parameters=wish.parameters,
    )


def _service(caller: Caller) -> Workspaces:
    if caller.services.workspaces is None:
        raise NotFound("This deployment has no workspaces.")
    return caller.services.workspaces
