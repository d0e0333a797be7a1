"""The tool `create_workspace`."""

from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

from msgspec import Meta

from perdure.core.errors import BuildFailed, WorkspaceRefused
from perdure.core.ids import WorkspaceId
from perdure.store.workspaces import WorkspaceRow
from perdure.tools.call import Mode, ToolFailed
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces.service import Wish, Workspaces
from perdure.workspaces.templates.building import Progress


@tool(Effect.KEYED, modes=frozenset({Mode.ROOT}), serial=True, reframes=True)
async def create_workspace(
    ctx: ToolContext,
    template: Annotated[str, Meta(description="As list_templates names it.")] = "blank",
    parameters: Annotated[dict[str, str | int | bool], Meta(description="What the template asks for.")] = {},  # noqa: B006
) -> str:
    """Make the workspace that this chat's tools act in. A chat that has one keeps it."""
    workspaces = ctx.services.workspaces
    known = await workspaces.of_chat(ctx.home)
    settings = await ctx.services.config.settings(ctx.organisation_id)
    wish = Wish(
        owner_id=ctx.owner_id,
        organisation_id=ctx.organisation_id,
        template=template,
        parameters=parameters,
        most=settings.workspaces.per_person,
    )
    chosen = WorkspaceId(uuid5(NAMESPACE_URL, f"workspace:{ctx.key}"))
    try:
        if known is not None and await _usable(workspaces, known):
            return f"The chat has a workspace already, made from {known.template}. It is ready to use."
        row = await workspaces.create(chosen, wish, lambda step: ctx.progress(_line(step)))
    except BuildFailed as error:
        raise ToolFailed(
            f"{error}\n{error.log_tail}\nNothing is left of it. Try other parameters or a template."
        ) from error
    await workspaces.attach(ctx.home, row.id)
    return f"Made a workspace from {template}. Paths are relative to its root."


async def _usable(workspaces: Workspaces, row: WorkspaceRow) -> bool:
    """Whether tools can act there. One that failed, or whose files are gone, is no use to anybody any more."""
    if row.status == "failed":
        return False
    try:
        await workspaces.client(row)
    except WorkspaceRefused as refusal:
        if refusal.code != "not_created":
            raise
        return False
    return True


def _line(step: Progress) -> str:
    return step.text or f"{step.stage.value}\n"
