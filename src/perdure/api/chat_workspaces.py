"""The workspace that a new chat acts in: one that is there, or one that is made for it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.wire.chats import WorkspaceWish
from perdure.core.errors import InvalidInput, NotFound, PerdureError, Validation
from perdure.core.ids import WorkspaceId
from perdure.store.tables.workspaces import read, remove_own, unused
from perdure.workspaces.service import Wish, Workspaces
from perdure.workspaces.templates.template import Value


@asynccontextmanager
async def workspace_for(
    caller: Caller, wish: WorkspaceWish | None, workspace_id: WorkspaceId | None
) -> AsyncGenerator[WorkspaceId | None]:
    """A workspace for the chat that the block creates. One that was made for it goes if there is no chat in the end."""
    if wish is None:
        yield await own_workspace(caller, workspace_id)
        return
    if workspace_id is not None:
        raise InvalidInput("A chat acts in one workspace.", Validation("workspace_id", "is given beside workspace"))
    workspaces, made = caller.services.workspaces, WorkspaceId(caller.made_id("workspace"))
    try:
        await _begin(caller, workspaces, wish, made)
        yield made
    except PerdureError:
        if (row := await unused(caller.rows, made)) is not None:
            await workspaces.remove(row)
            await remove_own(caller.rows, made)
        raise


async def own_workspace(caller: Caller, workspace_id: WorkspaceId | None) -> WorkspaceId | None:
    """The id, if it is that of a workspace of the caller's own."""
    if workspace_id is not None and await read(caller.rows, workspace_id) is None:
        raise NotFound("There is no such workspace.")
    return workspace_id


async def wish_of(caller: Caller, template: str, parameters: Mapping[str, Value]) -> Wish:
    """What the caller wants, within what they may have."""
    settings = await caller.config.settings(caller.actor.organisation_id)
    return Wish(
        owner_id=caller.actor.user_id,
        organisation_id=caller.actor.organisation_id,
        template=template,
        parameters=parameters,
        most=settings.workspaces.per_person,
    )


async def _begin(caller: Caller, workspaces: Workspaces, wish: WorkspaceWish, workspace_id: WorkspaceId) -> None:
    """It is made when it is used first: nobody waits for it before the chat begins."""
    caller.actor.require(Permission.CHAT)
    try:
        await workspaces.begin(workspace_id, await wish_of(caller, wish.template, wish.parameters))
    except NotFound as error:
        raise InvalidInput("There is no such template.", Validation("workspace.template", str(error))) from error
