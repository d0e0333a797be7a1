"""The tool `propose_plan`."""

from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import Meta

from perdure.core.errors import WorkspaceRefused
from perdure.core.ids import FileId
from perdure.tools.call import Mode, NewFile, ToolFailed, ToolOutput
from perdure.tools.place import workspace
from perdure.tools.plan_file import plan_path
from perdure.tools.tool import Effect, ToolContext, tool

MOST_BYTES = 32 * 1024
PROPOSED = "The plan is with the user, who decides whether it is carried out."


@tool(Effect.READS, modes=frozenset({Mode.PLAN}), stop_after=True)
async def propose_plan(
    ctx: ToolContext,
    title: Annotated[str, Meta(min_length=1, max_length=200, description="A few words.")],
    plan: Annotated[str | None, Meta(description="In Markdown. Left out, the plan file is proposed.")] = None,
) -> ToolOutput:
    """Show the user your plan. Your turn ends with it; the user says whether it is carried out."""
    content = await _written(ctx) if plan is None else plan
    data = content.encode(errors="replace")
    if not content.strip():
        raise ToolFailed("The plan is empty. Say what is to be done, then propose it.")
    if len(data) > MOST_BYTES:
        raise ToolFailed(f"The plan has {len(data)} bytes; at most {MOST_BYTES} are shown. Shorten it.")
    file = NewFile(FileId(uuid5(NAMESPACE_URL, f"{ctx.key}/plan")), "plan.md", "text/markdown", data)
    said = PROPOSED if plan is not None else msgspec.json.encode({"title": title, "plan": content}).decode()
    return ToolOutput(said, files=(file,))


async def _written(ctx: ToolContext) -> str:
    """What the plan file says."""
    path = plan_path(ctx.key.chat_id)
    try:
        found = await (await workspace(ctx)).files.content(path, MOST_BYTES + 1)
    except WorkspaceRefused as error:
        raise ToolFailed(f"There is no plan to propose: {error} Give it as an argument, or write {path}.") from error
    return found.decode(errors="replace")
