"""The tool `process_signal`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.call import ACTING
from perdure.tools.place import workspace
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces import answers, operations


@tool(Effect.KEYED, modes=ACTING)
async def process_signal(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The process, as execute named it.")],  # noqa: A002
    signal: Annotated[str, Meta(description="TERM ends it for sure; others are only sent.")] = "TERM",
) -> str:
    """Stop a process of the workspace, or send it a signal."""
    ended = await operations.process_signal(await workspace(ctx), id, signal, key=str(ctx.key))
    return answers.command(ended)
