"""The tool that proposes what was done to those who keep the repository."""

from typing import Annotated

from msgspec import Meta

from perdure.core.errors import Refused, Unavailable
from perdure.tools.call import ACTING, ToolFailed
from perdure.tools.tool import PERMISSION, Effect, ToolContext, tool
from perdure.tools.workspaces import NO_WORKSPACE, workspace
from perdure.workspaces.pull_requests import Proposal


# A forge has one open request of a branch into a base: a call that is repeated finds what it opened.
@tool(Effect.KEYED, modes=ACTING, serial=True, needs=PERMISSION)
async def open_pull_request(
    ctx: ToolContext,
    title: Annotated[str, Meta(min_length=1, max_length=250)],
    body: Annotated[str, Meta(max_length=60_000, description="What changes and why, in Markdown.")],
    base: Annotated[str, Meta(description="The branch to merge into; without it the repository's own.")] = "",
    draft: Annotated[bool, Meta(description="Whether it is not ready for review yet.")] = False,
    path: Annotated[str, Meta(description="The repository, where the workspace has several.")] = "",
) -> str:
    """Open a pull request of the branch that the repository is on. Commit and push it with git first."""
    client = await workspace(ctx)
    row = await ctx.services.workspaces.of_chat(ctx.home)
    if row is None:
        raise ToolFailed(NO_WORKSPACE)
    wanted = Proposal("", title, body, base.strip(), draft)
    try:
        found, made = await ctx.services.proposals.open(row, client, wanted, path)
    except (Refused, Unavailable) as error:
        raise ToolFailed(str(error)) from error
    said = "Opened" if made else "It was open already:"
    return f"{said} pull request #{found.number}: {found.title}\n{found.url}"
