"""What handlers work with, as the app put it together."""

from collections.abc import Callable
from dataclasses import dataclass

from perdure.access.actor import Actor, ActorRows
from perdure.access.authentication import Authentication
from perdure.access.keyring import Keyring
from perdure.access.known_chats import KnownChats
from perdure.access.login_services import LoginServices
from perdure.access.previews import Previews
from perdure.access.signed_urls import SignedUrls
from perdure.access.signing_in import SignIn
from perdure.access.vapid import VapidKeys
from perdure.api.http import Call
from perdure.api.local_worker import LocalWorker
from perdure.api.preview.addresses import PreviewAddresses
from perdure.api.probe import Probe
from perdure.config.config import Config
from perdure.config.receiving import Receiving
from perdure.core.errors import InvalidInput, Validation
from perdure.core.timing import Clock
from perdure.machine.machine import Machine
from perdure.objects.contents import Contents
from perdure.observe.measures.all import Measures
from perdure.observe.tracing import Tracing
from perdure.providers.catalog import Catalog
from perdure.store.pubsub import Pubsub
from perdure.tools.family import Family
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.mcp.services import McpServices
from perdure.tools.reports import Waits
from perdure.worker.describer import Describer
from perdure.workspaces.chat_files import ChatFiles
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.proposals import Proposals
from perdure.workspaces.service import Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    machine: Machine
    known_chats: KnownChats
    family: Family
    waits: Waits
    hooks: Hooks
    rows: Callable[[Actor], ActorRows]
    """The database, bound to whoever asks. There is no other way to it from here."""
    authentication: Authentication
    sign_in: SignIn
    login_services: LoginServices
    config: Config
    keyring: Keyring
    pubsub: Pubsub
    signed_urls: SignedUrls
    previews: Previews
    preview_addresses: PreviewAddresses
    files: Contents
    """The contents of kept files, wherever they are."""
    vapid: VapidKeys
    local_worker: LocalWorker
    clock: Clock
    catalog: Catalog
    probe: Probe
    measures: Measures
    tracing: Tracing
    describer: Describer
    workspaces: Workspaces
    chat_files: ChatFiles
    proposals: Proposals
    contexts: Contexts
    mcp: McpServices
    receiving: Receiving
    public_url: str | None = None
    """Where browsers reach this deployment, if the environment says so."""

    def address(self, call: Call) -> str:
        """Where browsers reach this deployment: as the environment says, else as the request does."""
        host = call.headers.get("host", "")
        if self.public_url is None and not host:
            raise InvalidInput("The request does not say which host it is for.", Validation("host", "is missing"))
        return self.public_url or f"{'https' if call.secure else 'http'}://{host}"
