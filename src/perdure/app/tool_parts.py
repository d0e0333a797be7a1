"""What models may do: the tools of a replica, and what they reach the rest of the system through."""

from contextlib import AsyncExitStack
from dataclasses import dataclass

from perdure.agent.advisor import ModelAdvisor
from perdure.agent.archive import StoredArchive
from perdure.agent.models import Models
from perdure.agent.toolbox import Toolbox
from perdure.app.foundation import Foundation
from perdure.app.parts import Parts
from perdure.app.workspace_parts import WorkspaceParts, make_workspace_parts
from perdure.providers.client import ProviderClient
from perdure.tools.family import Family
from perdure.tools.hooks.client import HookClient
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.mcp.services import McpServices, make_mcp_services
from perdure.tools.services import ToolServices
from perdure.tools.skill_sources import PersonalSkills, Skills, WorkspaceSkills


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolParts:
    workspaces: WorkspaceParts
    hooks: Hooks
    mcp: McpServices
    services: ToolServices
    toolbox: Toolbox
    """The tools that ship, also where a replica was given others."""


def make_tool_parts(
    stack: AsyncExitStack, foundation: Foundation, parts: Parts, *, models: Models, client: ProviderClient
) -> ToolParts:
    pool, config, clock, measures = foundation.pool, foundation.config, foundation.clock, foundation.measures
    where = make_workspace_parts(foundation.settings, pool, foundation.pubsub, clock, measures.workspaces)
    stack.push_async_callback(where.workspaces.close)
    hooks = make_hooks(foundation)
    advisor = ModelAdvisor(pool, config, models, client, clock, measures.agents)
    services = ToolServices(
        workspaces=where.workspaces,
        config=config,
        family=Family(pool, foundation.machine, config, hooks, measures.agents),
        skills=Skills(WorkspaceSkills(where.contexts, where.workspaces), PersonalSkills(config, pool)),
        archive=StoredArchive(pool),
        advisor=advisor,
    )
    return ToolParts(
        workspaces=where,
        hooks=hooks,
        mcp=make_mcp_services(
            pool, config, foundation.keyring, clock, measures.mcp, where.workspaces, foundation.network
        ),
        services=services,
        toolbox=Toolbox(config, where.workspaces, advisor, parts.tools),
    )


def make_hooks(foundation: Foundation) -> Hooks:
    client = HookClient(foundation.clock, foundation.network)
    keyring, measures = foundation.keyring, foundation.measures.hooks
    return Hooks(foundation.pool, foundation.config, keyring, foundation.clock, measures, client)
