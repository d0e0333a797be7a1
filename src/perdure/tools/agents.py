"""The tools for agents: starting them, telling them something, waiting for them."""

from datetime import timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from perdure.core.action import CallKind
from perdure.core.message import Effort
from perdure.tools.call import WITH_AGENTS, ToolFailed
from perdure.tools.family import AgentType
from perdure.tools.reports import Reports, report_of, reported
from perdure.tools.tool import AGENTS, Effect, ToolContext, tool

CHILDREN_DEADLINE = timedelta(minutes=5)
CHILDREN_DEADLINE_LONGEST = timedelta(hours=1)
USUAL_WAIT, LONGEST_WAIT = (int(span / timedelta(seconds=1)) for span in (CHILDREN_DEADLINE, CHILDREN_DEADLINE_LONGEST))


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


@tool(Effect.READS, modes=WITH_AGENTS, needs=AGENTS, answered_by=CallKind.CHILDREN)
async def wait_agent(
    ctx: ToolContext,
    ids: Annotated[list[str], Meta(min_length=1, max_length=100, description="The agents to wait for.")],
    timeout: Annotated[int, Meta(ge=1, le=LONGEST_WAIT, description="Seconds to wait at most.")] = USUAL_WAIT,  # noqa: ARG001
) -> str:
    """Wait until one of these agents is done. Says where each stands, with the reports of those that are done."""
    return reported(await ctx.services.family.named(ctx.key.chat_id, ids))


@tool(Effect.KEYED, modes=WITH_AGENTS, needs=AGENTS, serial=True)
async def message_agent(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The agent.")],  # noqa: A002
    message: Annotated[str, Meta(min_length=1, max_length=128_000, description="What to tell it.")],
) -> str:
    """Tell an agent something. One that is done starts again; one at work reads it before its next step."""
    if not message.strip():
        raise ToolFailed("The message is empty.")
    (agent,) = await ctx.services.family.named(ctx.key.chat_id, [id])
    await ctx.services.family.message(ctx, agent, message)
    return "It starts on that now." if agent.at_rest else "It reads that before its next step."


@tool(Effect.KEYED, modes=WITH_AGENTS, needs=AGENTS, serial=True)
async def interrupt_agent(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The agent.")],  # noqa: A002
) -> str:
    """Stop an agent. What it has said and done so far stays."""
    (agent,) = await ctx.services.family.named(ctx.key.chat_id, [id])
    stopped = await ctx.services.family.interrupt(ctx, agent)
    return "It was told to stop." if stopped else "It was at rest already."


@tool(Effect.READS, modes=WITH_AGENTS, needs=AGENTS)
async def list_agents(ctx: ToolContext) -> str:
    """The agents that you and your agents have started, and where each stands."""
    agents = await ctx.services.family.all(ctx.key.chat_id)
    standing = tuple(msgspec.structs.replace(report_of(agent), report=None) for agent in agents)
    return msgspec.json.encode(Reports(standing)).decode()


@tool(Effect.READS, modes=WITH_AGENTS, needs=AGENTS)
async def list_subagent_models(ctx: ToolContext) -> str:
    """The models that an agent can be started with."""
    models = (await ctx.services.config.of(ctx.organisation_id)).models.values()
    usable = [{"name": model.name, "title": model.display_name} for model in models if model.usable]
    return msgspec.json.encode({"models": usable, "yours": ctx.model_context.model}).decode()
