"""The tool `recall`."""

from typing import Annotated, Protocol

from msgspec import Meta

from perdure.core.ids import ChatId
from perdure.tools.tool import Effect, ToolContext, tool


class Archive(Protocol):
    """What was said before the newest summary."""

    async def read(self, chat_id: ChatId, *, words: str, before: int | None, limit: int) -> str: ...


class Recall:
    """The archive as tools ask for it."""

    def __init__(self, archive: Archive) -> None:
        self.read = archive.read


@tool(Effect.READS)
async def recall(
    ctx: ToolContext,
    words: Annotated[str, Meta(description="Only messages with these words; empty for all.")] = "",
    before: Annotated[int | None, Meta(description="Only messages before this number, to go further back.")] = None,
    limit: Annotated[int, Meta(ge=1, le=50, description="How many messages, newest first.")] = 10,
) -> str:
    """Read what was said earlier in this chat, also what a summary has replaced."""
    return await ctx.service(Recall).read(ctx.key.chat_id, words=words, before=before, limit=limit)
