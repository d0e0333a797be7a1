"""The tool `spawn_agent`."""

from typing import Annotated

import msgspec
from msgspec import Meta

from perdure.core.message import Effort
from perdure.tools.call import WITH_AGENTS, ToolFailed
from perdure.tools.family import AgentType
from perdure.tools.tool import AGENTS, Effect, ToolContext, tool


@tool(Effect.KEYED, modes=WITH_AGENTS, needs=AGENTS, serial=True)
async def spawn_agent(
    ctx: ToolContext,
    type: Annotated[  # noqa: A002
        AgentType, Meta(description="general does any work; explore only reads and searches.")
    ],
    prompt: Annotated[
        str,
        Meta(min_length=1, max_length=128_000, description="The whole task: the agent knows nothing of this chat."),
    ],
    title: Annotated[str | None, Meta(description="A few words for people.")] = None,
    model: Annotated[str | None, Meta(description="As list_subagent_models names it; yours if not said.")] = None,
    effort: Annotated[Effort | None, Meta(description="How hard it thinks.")] = None,
) -> str:
    """Start an agent that works beside you in the same workspace. It has an id; wait_agent brings its report."""
    if not prompt.strip():
        raise ToolFailed("The prompt is blank. Say what the agent is to do.")
    child = await ctx.services.family.spawn(ctx, type, prompt, title=title, model=model, effort=effort)
    return msgspec.json.encode({"id": str(child), "type": type.value, "status": "running"}).decode()
