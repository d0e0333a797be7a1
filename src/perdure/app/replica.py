"""A replica that runs, as whoever serves it sees it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import perdure
from perdure.access.signing_in import FirstAccount
from perdure.api.asgi_app import AsgiApp, closed
from perdure.api.http import App
from perdure.api.operator_endpoints import OperatorEndpoints
from perdure.api.page import Page
from perdure.api.preview.app import PreviewApp
from perdure.api.server import Api
from perdure.api.services import Services
from perdure.api.table import TABLE
from perdure.app.foundation import Foundation
from perdure.app.request_parts import StreamParts
from perdure.app.siblings import OWN_METRICS
from perdure.app.worker_parts import WorkerParts
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.timing import READINESS_PATIENCE
from perdure.faces.a2a.card import PATH as CARD
from perdure.faces.a2a.card import AgentCard
from perdure.faces.a2a.routes import A2A
from perdure.faces.ag_ui.routes import AG_UI
from perdure.faces.ai_sdk.routes import AI_SDK
from perdure.faces.face import Face, WellKnown
from perdure.faces.mcp.authorization import BASE as OAUTH
from perdure.faces.mcp.authorization import METADATA, AuthorizationServer
from perdure.faces.mcp.resource import ProtectedResource
from perdure.faces.mcp.routes import MCP
from perdure.faces.openai.routes import OPENAI
from perdure.settings import ReplicaRole
from perdure.store.tables import watch

PROTOCOLS = (OPENAI, AI_SDK, AG_UI, MCP, A2A)
"""What other programs speak, each below its own address."""


@dataclass(slots=True, kw_only=True)
class Replica:
    """A replica that runs."""

    foundation: Foundation
    workers: WorkerParts
    services: Services
    streams: StreamParts
    draining: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def serves(self) -> bool:
        """Whether clients are answered. A replica that only drives chats has nothing for them."""
        return self.foundation.settings.role is not ReplicaRole.WORKER

    @property
    def account(self) -> FirstAccount:
        return self.foundation.account

    @property
    def asgi(self) -> App:
        streams = self.streams
        if self.serves:
            frames = self.services.preview_addresses.frames
            api, page = Api(self.services, TABLE), Page(page_folder(), frames=frames)
            origins = self.foundation.settings.allowed_origins
            faces: dict[str, App] = {
                protocol.base: Face(protocol, self.services, streams.hubs, streams.open_streams, origins=origins)
                for protocol in PROTOCOLS
            }
            authorization = AuthorizationServer(self.services)
            known = {CARD: AgentCard(self.services), METADATA: authorization, f"{METADATA}/mcp": authorization}
            faces["/.well-known"] = WellKnown(known, ProtectedResource(self.services))
            faces[OAUTH] = authorization
            app = AsgiApp(api=api, page=page, streams=(*streams.routes, streams.relay_server), faces=faces)
        else:
            app = AsgiApp(api=closed, page=closed, streams=(streams.relay_server,))
        endpoints = OperatorEndpoints(readiness=self.obstacles, metrics=self.metrics, rest=app)
        return self._with_previews(endpoints) if self.serves else endpoints

    def _with_previews(self, rest: App) -> App:
        """What is served in workspaces comes first: on its origins nothing of this server answers."""
        made = self.services
        previews = PreviewApp(made.previews, made.workspaces, made.authentication, made.preview_addresses, made.clock)
        return previews.before(rest)

    async def obstacles(self) -> Mapping[str, str]:
        """What keeps this replica from taking traffic."""
        if self.draining.is_set():
            return {"replica": "it is shutting down"}
        if self.workers.lease.joining:
            return {"replica": "the others have not heard of it yet"}
        if self.workers.database.obstacle is not None:
            return {"database": self.workers.database.obstacle}
        if self.workers.lease.lost:
            return {"replica": "its lease ran out"}
        try:
            async with asyncio.timeout(READINESS_PATIENCE.total_seconds()):
                await watch.now(self.foundation.pool)
        except (TimeoutError, Unavailable, DatabaseFault) as error:
            return {"database": str(error) or type(error).__name__}
        return {}

    async def metrics(self, query: str) -> bytes:
        """The numbers of this replica, or of all processes that share its address."""
        own = self.foundation.measures.metrics.render()
        siblings = self.foundation.siblings
        return own if siblings is None or query == OWN_METRICS else await siblings.metrics(own)

    async def drain(self) -> None:
        """Hand every chat over, then ask those who follow to come again elsewhere."""
        self.draining.set()
        await self.workers.worker.drain()
        self.dismiss()

    def dismiss(self) -> None:
        """Ask those who follow to come again elsewhere."""
        self.streams.hubs.end()
        self.streams.watches.end()

    async def login_link(self) -> str | None:
        """A path that signs the owner in once, while nobody could sign in otherwise."""
        if self.account.reachable:
            return None
        return f"/api/v1/login/link?token={await self.services.sign_in.link(self.account.owner)}"


def page_folder() -> Path | None:
    """Where the built web page is: in the package, or in the checkout that we run from."""
    package = Path(perdure.__file__).parent
    folders = (package / "page", package.parents[1] / "web" / "dist")
    return next((folder for folder in folders if folder.is_dir()), None)
