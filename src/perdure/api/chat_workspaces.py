"""The workspace that a new chat acts in: one that is there, or one that is made for it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from perdure.access.actor import Permission
from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.wire.chats import EditBody, FilesWish, WorkspaceWish
from perdure.core.chat import Status
from perdure.core.errors import InvalidInput, NotAllowed, NotFound, PerdureError, Refused, Validation
from perdure.core.ids import MessageNumber, WorkspaceId
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
        raise InvalidInput(
            "A chat uses one workspace.", Validation("workspace_id", "cannot be combined with workspace")
        )
    workspaces, made = caller.services.workspaces, WorkspaceId(caller.made_id("workspace"))
    async with unless_unused(caller, made):
        await _begin(caller, workspaces, wish, made)
        yield made


@asynccontextmanager
async def unless_unused(caller: Caller, made: WorkspaceId) -> AsyncGenerator[None]:
    """A workspace that was made for the chat that the block creates goes again if there is no chat in the end."""
    try:
        yield
    except PerdureError:
        if (row := await unused(caller.rows, made)) is not None:
            await caller.services.workspaces.remove(row)
            await remove_own(caller.rows, made)
        raise


async def own_workspace(caller: Caller, workspace_id: WorkspaceId | None) -> WorkspaceId | None:
    """The id, if it is that of a workspace of the caller's own."""
    if workspace_id is not None and await read(caller.rows, workspace_id) is None:
        raise NotFound("Workspace not found.")
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
        raise InvalidInput("Template not found.", Validation("workspace.template", str(error))) from error


@asynccontextmanager
async def files_back(caller: Caller, seen: Seen, number: MessageNumber, body: EditBody) -> AsyncGenerator[None]:
    """Files go back before the block, where that was asked for; where the block fails they are as they were."""
    if body.files is FilesWish.KEEP:
        yield
        return
    home, files = seen.chat.id, caller.services.chat_files
    await resting_root(caller, seen)
    went = await files.go_back(home, number, key=str(caller.made_id("files")), state=body.files_state)
    try:
        yield
    except PerdureError:
        await files.take_back(home, number, went, key=str(caller.made_id("files-again")))
        raise


async def resting_root(caller: Caller, seen: Seen) -> None:
    """Files go back only in chats that have a workspace of their own, and while nothing of them is at work."""
    if not seen.own:
        raise NotAllowed("Only the chat's owner can restore its files.")
    if seen.row.parent_id is not None:
        raise Refused("Restore the files from the chat that this agent works for.")
    at_work = seen.chat.status not in (Status.WAITING, Status.ERROR)
    if at_work or not all(agent.at_rest for agent in await caller.services.family.all(seen.chat.id)):
        raise Refused("The chat is working. Stop it first, then restore its files.")
