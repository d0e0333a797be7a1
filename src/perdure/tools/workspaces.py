"""Where the tools of a chat act, and the tools that make it, start it and stop it."""

import contextlib
from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import Meta

from perdure.core.errors import BuildFailed, PerdureError, WorkspaceLost, WorkspaceRefused
from perdure.core.ids import WorkspaceId
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.tools.call import LOOKING, Mode, ToolFailed
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.operations import LOST
from perdure.workspaces.service import Wish, Workspaces
from perdure.workspaces.templates.building import Progress

NO_WORKSPACE = "This chat has no workspace yet. Call create_workspace first."
NONE_TO_LOOK_AT = "This chat has no workspace, so there is nothing to look at. Go on without it."


async def workspace(ctx: ToolContext) -> WorkspaceClient:
    """The chat's workspace."""
    return await _client(ctx, view=False)


async def changing_workspace(ctx: ToolContext) -> WorkspaceClient:
    """The chat's workspace for a call that may change its files: how they are before that is kept once a turn."""
    client = await workspace(ctx)
    if ctx.mode not in LOOKING:
        await ctx.services.chat_files.before(ctx.key.chat_id, ctx.model_context.turn, ctx.home, client)
    return client


async def command_workspace(ctx: ToolContext, *, looking: bool = False) -> WorkspaceClient:
    """Where commands run: a view that cannot be written to while the chat only plans or explores."""
    if ctx.mode in LOOKING or looking:
        return await _client(ctx, view=ctx.mode in LOOKING)
    return await changing_workspace(ctx)


async def _client(ctx: ToolContext, *, view: bool) -> WorkspaceClient:
    workspaces = ctx.services.workspaces
    row = await workspaces.of_chat(ctx.home)
    if row is None:
        raise ToolFailed(NO_WORKSPACE if ctx.mode is Mode.ROOT else NONE_TO_LOOK_AT)
    client = await workspaces.client(row, view=view)
    if await ctx.entered(client.incarnation) and not await client.knows(str(ctx.key)):
        raise WorkspaceLost(LOST)
    spent = workspaces.keys.use(ctx.key.chat_id, (row.id, view), step=ctx.key.message, key=str(ctx.key))
    if spent:
        with contextlib.suppress(PerdureError):
            await client.forget(sorted(spent))
    return client


@tool(Effect.READS, modes=frozenset({Mode.ROOT, Mode.PLAN}))
async def list_templates(ctx: ToolContext) -> str:
    """List the templates that workspaces can be made from."""
    templates = await ctx.services.workspaces.templates.all(ctx.organisation_id)
    return "\n".join(f"{template.name}: {template.recipe.description}" for template in templates)


@tool(Effect.READS, modes=frozenset({Mode.ROOT, Mode.PLAN}))
async def read_template(ctx: ToolContext, name: Annotated[str, Meta(description="As list_templates names it.")]) -> str:
    """Show what a template makes and which parameters it takes."""
    template = await ctx.services.workspaces.templates.find(ctx.organisation_id, name)
    recipe = template.recipe
    parameters = msgspec.json.encode(recipe.parameters).decode()
    return f"{recipe.description}\nNetwork: {recipe.network}\nParameters: {parameters}\n\n{template.readme}"


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
            f"{error}\n{error.log_tail}\nIt has been removed. Try other parameters or another template."
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


@tool(Effect.READS, modes=frozenset({Mode.ROOT}), serial=True)
async def start_workspace(ctx: ToolContext) -> str:
    """Start the chat's workspace again after it was stopped."""
    await workspace(ctx)
    return "The workspace runs."


@tool(Effect.KEYED, modes=frozenset({Mode.ROOT}), serial=True)
async def stop_workspace(ctx: ToolContext) -> str:
    """Stop the chat's workspace: its processes end, its files stay."""
    workspaces = ctx.services.workspaces
    row = await workspaces.of_chat(ctx.home)
    if row is None:
        raise ToolFailed(NO_WORKSPACE)
    await workspaces.stop(row)
    return "The workspace is stopped. It starts again when it is used."
