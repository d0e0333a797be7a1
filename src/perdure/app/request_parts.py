"""What requests are handled with."""

from contextlib import AsyncExitStack

from perdure.access.authentication import Authentication
from perdure.access.login_services import LoginServices
from perdure.access.oidc import Oidc
from perdure.access.rows import ActorRows
from perdure.access.signed_urls import SignedUrls
from perdure.access.signing_in import SignIn
from perdure.access.vapid import VapidKeys
from perdure.api.probe import Probe
from perdure.api.services import Services
from perdure.app.foundation import Foundation
from perdure.app.worker_parts import WorkerParts
from perdure.providers.catalog import Catalog
from perdure.worker.describer import Describer


def make_services(stack: AsyncExitStack, foundation: Foundation, workers: WorkerParts) -> Services:
    pool, clock, keyring, network = foundation.pool, foundation.clock, foundation.keyring, foundation.network
    catalog, authentication = Catalog.load(), Authentication(pool, foundation.pubsub, clock)
    tools, runner_services = workers.tools, workers.runner_services
    stack.callback(authentication.follow())
    return Services(
        machine=foundation.machine,
        family=runner_services.family,
        waits=runner_services.waits,
        hooks=tools.hooks,
        rows=lambda actor: ActorRows(actor, pool),
        authentication=authentication,
        sign_in=SignIn(pool, clock),
        login_services=LoginServices(pool, keyring, Oidc(clock, proxy=network.proxy, trusted=network.trusted), clock),
        public_url=foundation.settings.public_url,
        config=foundation.config,
        keyring=keyring,
        pubsub=foundation.pubsub,
        signed_urls=SignedUrls(pool, keyring, clock),
        vapid=VapidKeys(pool, keyring),
        local_worker=workers.worker.runners,
        clock=clock,
        measures=foundation.measures,
        tracing=foundation.tracing,
        catalog=catalog,
        probe=Probe(foundation.config, catalog, runner_services.client, clock),
        describer=make_describer(foundation, workers),
        workspaces=tools.workspaces.workspaces,
        contexts=tools.workspaces.contexts,
        mcp=tools.mcp,
    )


def make_describer(foundation: Foundation, workers: WorkerParts) -> Describer:
    """Who finds titles, labels and summaries: with the models and the budgets of turns."""
    runner_services = workers.runner_services
    return Describer(
        pool=foundation.pool,
        models=runner_services.preparation.models,
        rules=runner_services.preparation.sources.rules,
        client=runner_services.client,
        budgets=runner_services.budgets,
        replica_id=lambda: workers.lease.id,
    )
