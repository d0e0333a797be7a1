"""The tool `recall`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.READS)
async def recall(
    ctx: ToolContext,
    words: Annotated[str, Meta(description="Only messages with these words; empty for all.")] = "",
    before: Annotated[int | None, Meta(description="Only messages before this number, to go further back.")] = None,
    limit: Annotated[int, Meta(ge=1, le=50, description="How many messages, newest first.")] = 10,
) -> str:
    """Read what was said earlier in this chat, also what a summary has replaced."""
    return await ctx.services.archive.read(ctx.key.chat_id, words=words, before=before, limit=limit)
