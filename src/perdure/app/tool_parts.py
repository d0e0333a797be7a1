"""What models may do and where: the tools of a replica, the workspaces they act in, and what they reach."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from perdure.access.keyring import Keyring
from perdure.agent.advisor import ModelAdvisor
from perdure.agent.archive import StoredArchive
from perdure.agent.models import Models
from perdure.agent.toolbox import Toolbox
from perdure.app.foundation import Foundation, outside_network
from perdure.app.parts import Parts
from perdure.config.config import Config
from perdure.config.network import NETWORK_PURPOSE
from perdure.core.ids import OrganisationId
from perdure.core.timing import Clock
from perdure.observe.measures.service import WorkspaceMeasures
from perdure.providers.client import ProviderClient
from perdure.settings import Settings
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.tools.family import Family
from perdure.tools.hooks.client import HookClient
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.mcp.services import McpServices, make_mcp_services
from perdure.tools.memories import ChatMemories
from perdure.tools.own_schedules import OwnSchedules
from perdure.tools.services import ToolServices
from perdure.tools.skill_sources import PersonalSkills, Skills, WorkspaceSkills
from perdure.workspaces.accounts import RequestAccounts
from perdure.workspaces.chat_files import ChatFiles, Room
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.driver import MEBIBYTE
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.egress.control import EgressOptions
from perdure.workspaces.egress.rules import NetworkAudit
from perdure.workspaces.github import GitHub
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.proposals import Proposals
from perdure.workspaces.pull_requests import PullRequests
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.catalogue import TemplateCatalogue
from perdure.workspaces.watch import WorkspaceWatch


@dataclass(frozen=True, slots=True)
class WorkspaceParts:
    workspaces: Workspaces
    contexts: Contexts
    watch: WorkspaceWatch
    proposals: Proposals


def make_workspace_parts(
    settings: Settings, pool: Pool, pubsub: Pubsub, clock: Clock, measures: WorkspaceMeasures, keyring: Keyring
) -> WorkspaceParts:
    def opened(sealed: bytes) -> str:
        return keyring.open(sealed, NETWORK_PURPOSE)

    trust = Path(settings.ca_file).read_text() if settings.ca_file else None
    egress = EgressOptions(trust=trust, open_secret=opened)
    local = LocalDriver(settings.data_dir / "workspaces", unsandboxed=settings.unsandboxed, egress=egress)
    drivers = Drivers(settings.data_dir, local, egress, keyring.deployment)
    templates = TemplateCatalogue(pool)
    workspaces = Workspaces(pool, drivers, templates, pubsub, clock, measures)
    contexts = Contexts(pool, workspaces, pubsub)
    network = outside_network(settings)
    forge = GitHub(settings.forge_url, settings.forge_token, network.proxy, network.trusted)
    pulls = PullRequests(forge, clock)
    watch = WorkspaceWatch(workspaces, contexts, pulls, clock)
    return WorkspaceParts(workspaces, contexts, watch, Proposals(workspaces, forge, pulls))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolParts:
    workspaces: WorkspaceParts
    accounts: RequestAccounts
    hooks: Hooks
    mcp: McpServices
    services: ToolServices
    toolbox: Toolbox
    """The tools that ship, also where a replica was given others."""


def audited_of(config: Config) -> Callable[[OrganisationId], Awaitable[NetworkAudit]]:
    """Which requests of workspaces an organisation wants in its audit log."""

    async def audited(organisation_id: OrganisationId) -> NetworkAudit:
        return (await config.settings(organisation_id)).network_audit

    return audited


def room_of(config: Config) -> Callable[[OrganisationId], Awaitable[Room]]:
    """What an organisation says about the earlier states of files."""

    async def room(organisation_id: OrganisationId) -> Room:
        said = (await config.settings(organisation_id)).snapshots
        return Room(said.megabytes * MEBIBYTE, said.ignore)

    return room


def make_tool_parts(
    stack: AsyncExitStack, foundation: Foundation, parts: Parts, *, models: Models, client: ProviderClient
) -> ToolParts:
    pool, config, clock, measures = foundation.pool, foundation.config, foundation.clock, foundation.measures
    where = make_workspace_parts(
        foundation.settings, pool, foundation.pubsub, clock, measures.workspaces, foundation.keyring
    )
    stack.push_async_callback(where.workspaces.close)
    hooks = make_hooks(foundation)
    advisor = ModelAdvisor(pool, config, models, client, clock, measures.agents)
    memories = ChatMemories(pool, config)
    services = ToolServices(
        workspaces=where.workspaces,
        chat_files=ChatFiles(pool, where.workspaces, room_of(config), clock),
        proposals=where.proposals,
        config=config,
        family=Family(pool, foundation.machine, config, hooks, measures.agents),
        skills=Skills(WorkspaceSkills(where.contexts, where.workspaces), PersonalSkills(config, pool)),
        archive=StoredArchive(pool),
        advisor=advisor,
        memories=memories,
        schedules=OwnSchedules(pool, clock),
    )
    return ToolParts(
        workspaces=where,
        accounts=RequestAccounts(where.workspaces, audited_of(config), clock),
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
