"""The tool `process_output`."""

from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from perdure.tools.place import command_place
from perdure.tools.tool import COMMANDS, Effect, ToolContext, tool
from perdure.workspaces import answers, operations


@tool(Effect.READS, needs=COMMANDS)
async def process_output(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The process, as execute named it.")],  # noqa: A002
    wait: Annotated[int, Meta(ge=0, le=60, description="Seconds to wait for its end.")] = 0,
) -> str:
    """Show what a process has printed and how it stands."""
    client = await command_place(ctx)
    return answers.command(await operations.process_output(client, id, timedelta(seconds=wait)))
