"""Where tools act: the workspaces, what models are told of them, and who looks at them."""

from dataclasses import dataclass

from perdure.app.foundation import outside_network
from perdure.core.clock import Clock
from perdure.observe.measures.service import WorkspaceMeasures
from perdure.settings import Settings
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.github import GitHub
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.pull_requests import PullRequests
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.catalogue import TemplateCatalogue
from perdure.workspaces.watch import WorkspaceWatch


@dataclass(frozen=True, slots=True)
class WorkspaceParts:
    workspaces: Workspaces
    contexts: Contexts
    watch: WorkspaceWatch


def make_workspace_parts(
    settings: Settings, pool: Pool, pubsub: Pubsub, clock: Clock, measures: WorkspaceMeasures
) -> WorkspaceParts:
    local = LocalDriver(settings.data_dir / "workspaces", unsandboxed=settings.unsandboxed)
    drivers, templates = Drivers(settings.data_dir, local), TemplateCatalogue(pool)
    workspaces = Workspaces(pool, drivers, templates, pubsub, clock, measures)
    contexts = Contexts(pool, workspaces, pubsub)
    network = outside_network(settings)
    forge = GitHub(settings.forge_url, settings.forge_token, network.proxy, network.trusted)
    return WorkspaceParts(workspaces, contexts, WorkspaceWatch(workspaces, contexts, PullRequests(forge, clock), clock))
