"""The tool `wait_agent`. Its call parks the chat: agents that come to rest answer it, not a coroutine that waits."""

from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from perdure.core.chat import CallKind
from perdure.core.timing import CHILDREN_DEADLINE, CHILDREN_DEADLINE_LONGEST
from perdure.tools.call import WITH_AGENTS
from perdure.tools.reports import reported
from perdure.tools.tool import AGENTS, Effect, ToolContext, tool

USUAL, LONGEST = (int(span / timedelta(seconds=1)) for span in (CHILDREN_DEADLINE, CHILDREN_DEADLINE_LONGEST))


@tool(Effect.READS, modes=WITH_AGENTS, needs=AGENTS, answered_by=CallKind.CHILDREN)
async def wait_agent(
    ctx: ToolContext,
    ids: Annotated[list[str], Meta(min_length=1, max_length=100, description="The agents to wait for.")],
    timeout: Annotated[int, Meta(ge=1, le=LONGEST, description="Seconds to wait at most.")] = USUAL,  # noqa: ARG001
) -> str:
    """Wait until one of these agents is done. Says where each stands, with the reports of those that are done."""
    return reported(await ctx.services.family.named(ctx.key.chat_id, ids))
