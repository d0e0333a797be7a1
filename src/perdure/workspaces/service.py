"""The workspaces of a deployment: made from templates, started on use, stopped when idle, reached by chats."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import aiohttp
import msgspec

from perdure.core.errors import (
    BuildFailed,
    Conflict,
    InvalidInput,
    Misconfigured,
    NotFound,
    PerdureError,
    Refused,
    WorkspaceUnreachable,
)
from perdure.core.events import DiffStatus
from perdure.core.ids import ChatId, OrganisationId, UserId, WorkspaceId
from perdure.core.notice import Notice, Topic
from perdure.core.timing import TOOL_CAP_EXTRA, TOOL_TIMEOUT, WORKSPACE_REACH, WORKSPACE_SWEEP, Clock
from perdure.observe.measures.service import WorkspaceMeasures
from perdure.observe.metrics import Metrics
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.tables import cards, warm_workspaces, workspaces
from perdure.store.tables.warm_workspaces import WarmWish
from perdure.store.tables.workspaces import NewWorkspace, WorkspaceRow
from perdure.workspaces.call_keys import CallKeys
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import UNREACHABLE
from perdure.workspaces.driver import Computer, Driver, Network, Plan, restored, stored
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.egress.control import EgressControl
from perdure.workspaces.egress.proxy import SeenRequest
from perdure.workspaces.egress.ruling import EgressRules
from perdure.workspaces.orphans import Orphans
from perdure.workspaces.templates.building import Bound, Progress, Stage, bind, build
from perdure.workspaces.templates.catalogue import TemplateCatalogue
from perdure.workspaces.templates.template import Value
from perdure.workspaces.warm import WarmWorkspaces, may_be_warm, version_of
from perdure.workspaces.wire import Port

_log = logging.getLogger(__name__)
_parameters = msgspec.json.Decoder(dict[str, Value])

ALLOWING = f'"{Network.ALLOW}"'
"""Part of every plan with a network by permission, so that of others nothing is read."""
UNMADE = ("creating", "failed")
"""How a workspace stands that nothing can run in."""

Follower = Callable[[WorkspaceRow, WorkspaceClient], None]
OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants a workspace to be, and how many they may have."""

    owner_id: UserId
    organisation_id: OrganisationId
    template: str
    parameters: Mapping[str, Value]
    most: int


class Workspaces:
    """The one way from the rest of the system to workspaces."""

    def __init__(
        self,
        pool: Pool,
        drivers: Drivers,
        templates: TemplateCatalogue,
        pubsub: Pubsub,
        clock: Clock,
        measures: WorkspaceMeasures | None = None,
        patience: timedelta = WORKSPACE_REACH,
    ) -> None:
        self.pool = pool
        self.templates = templates
        self.measures = measures or WorkspaceMeasures(Metrics())
        self._drivers = drivers
        self._pubsub = pubsub
        self._clock = clock
        self._patience = patience
        self._clients: dict[tuple[WorkspaceId, bool], WorkspaceClient] = {}
        self._turns: dict[WorkspaceId, asyncio.Lock] = {}
        self._touched: dict[WorkspaceId, float] = {}
        self._followers: list[Follower] = []
        self.leaving: Callable[[WorkspaceRow], Awaitable[None]] | None = None
        """What is waited for before a workspace is stopped."""
        self.keys = CallKeys()
        self.warm = WarmWorkspaces(pool, drivers, templates, clock)
        self.orphans = Orphans(pool, drivers, clock)
        self.egress_rules = EgressRules(pool, drivers.egress.open_secret)

    async def of_chat(self, chat_id: ChatId) -> WorkspaceRow | None:
        return await workspaces.of_chat(self.pool, chat_id)

    async def has_view(self, row: WorkspaceRow) -> bool:
        """Whether commands can run there without being able to change anything. What cannot be told is not so."""
        try:
            return self._driver(row, await self._plan(row)).has_view
        except PerdureError:
            return False

    async def computer(self, chat_id: ChatId) -> Computer | None:
        """The screen of a chat's workspace, where its template brings one along."""
        plan = await self._known_plan(chat_id)
        return None if plan is None else plan.computer

    async def sandboxed(self, row: WorkspaceRow) -> bool:
        """Whether commands there are kept away from the host. Of what cannot be told, nothing good is said."""
        try:
            return self._driver(row, await self._plan(row)).sandboxed
        except PerdureError:
            return False

    async def size(self, row: WorkspaceRow) -> int | None:
        """What its files take on disk, where that can be told without starting it."""
        try:
            plan = await self._plan(row)
            return await self._driver(row, plan).size(plan)
        except PerdureError:
            return None

    async def create(self, workspace_id: WorkspaceId, wish: Wish, told: OnProgress = lambda _: None) -> WorkspaceRow:
        """Make a workspace. Asked again with the same id, it goes on where it was."""
        row = await self.begin(workspace_id, wish)
        async with self._turn(workspace_id):
            if row.status in UNMADE:
                await self._build(row, told)
        return row

    async def begin(self, workspace_id: WorkspaceId, wish: Wish) -> WorkspaceRow:
        """Note what is wanted. It is made when it is used first."""
        bound = bind(await self.templates.find(wish.organisation_id, wish.template), wish.parameters)
        if ready := await self._ready(workspace_id, wish, bound):
            return ready
        now = self._clock.now()
        row = WorkspaceRow(
            id=workspace_id,
            organisation_id=wish.organisation_id,
            owner_id=wish.owner_id,
            driver=bound.template.recipe.driver,
            template=wish.template,
            parameters=msgspec.json.encode(dict(wish.parameters)).decode(),
            status="creating",
            error=None,
            created_at=now,
            used_at=now,
            plan=stored(bound.plan(workspace_id)),
            ttl_minutes=bound.template.recipe.idle_minutes,
        )
        asked = (row.id, row.organisation_id, row.owner_id, row.driver, row.template, row.parameters)
        if not await workspaces.add(self.pool, NewWorkspace(*asked, row.plan, row.ttl_minutes, wish.most)):
            raise too_many(wish.most)
        return row

    async def _ready(self, workspace_id: WorkspaceId, wish: Wish, bound: Bound) -> WorkspaceRow | None:
        """One that was made ahead of its use, if there is any; the same one when it is asked for again."""
        if not may_be_warm(bound.template):
            return None
        if known := await workspaces.load(self.pool, workspace_id):
            return known
        parameters = msgspec.json.encode(dict(wish.parameters)).decode()
        wanted = WarmWish(
            workspace_id, wish.organisation_id, wish.owner_id, wish.template, version_of(bound), parameters,
            bound.template.recipe.idle_minutes, wish.most,
        )  # fmt: skip
        # Somebody began the same workspace at the same moment: theirs is it.
        with suppress(Conflict):
            return await warm_workspaces.take(self.pool, wanted)
        return None

    async def _build(self, row: WorkspaceRow, told: OnProgress) -> None:
        begun = self._clock.monotonic()
        try:
            bound = await self._bound(row)
            async for step in build(self._driver(row, bound.plan(row.id)), row.id, bound, lambda: self._rule(row)):
                told(step)
        except (BuildFailed, Misconfigured, NotFound, InvalidInput) as error:
            self.measures.built(self._clock.monotonic() - begun, failed=True)
            await workspaces.stand(self.pool, row.id, "failed", str(error))
            raise error if isinstance(error, BuildFailed) else BuildFailed(Stage.CREATE, str(error)) from error
        self.measures.built(self._clock.monotonic() - begun, failed=False)
        await workspaces.stand(self.pool, row.id, "running", None)

    async def _bound(self, row: WorkspaceRow) -> Bound:
        return bind(await self.templates.find(row.organisation_id, row.template), _parameters.decode(row.parameters))

    async def attach(self, chat_id: ChatId, workspace_id: WorkspaceId) -> None:
        """Let a chat act in a workspace, and tell whoever shows the chat."""
        version = await cards.attach(self.pool, chat_id, workspace_id)
        self._pubsub.publish([Notice(Topic.CHAT, chat_id, metadata_version=version)])

    async def stands(self, workspace_id: WorkspaceId, diff: DiffStatus | None) -> None:
        """Tell whoever shows the workspace's chats how its repositories stand."""
        text = None if diff is None else msgspec.json.encode(diff).decode()
        moved = await cards.diff(self.pool, workspace_id, text)
        self._pubsub.publish([Notice(Topic.CHAT, m.chat_id, metadata_version=m.metadata_version) for m in moved])

    def follow(self, follower: Follower) -> Callable[[], None]:
        """Call somebody whenever a workspace is used; the result stops that."""
        self._followers.append(follower)
        return lambda: self._followers.remove(follower)

    async def client(self, row: WorkspaceRow, *, view: bool = False) -> WorkspaceClient:
        """A way in, starting the workspace if it is stopped."""
        client = await self._client(row, view=view)
        for follower in () if view else self._followers:
            follower(row, client)
        return client

    async def port(self, row: WorkspaceRow, port: int, *, anew: bool = False) -> aiohttp.ClientSession:
        """What sends requests to a port of a workspace that runs. One that stands still is not started for that."""
        if row.status != "running":
            raise Refused("The workspace is stopped. Start it first.")
        known = None if anew else self._clients.get((row.id, False))
        await self.touch(row.id)
        return (known or await self._client(row, view=False)).ports.session(port)

    async def ports(self, row: WorkspaceRow | None) -> Sequence[Port]:
        """The ports on which a workspace's own processes listen; none where it does not run."""
        if row is None or row.status != "running":
            return ()
        return await (await self._client(row, view=False)).ports.list()

    async def _client(self, row: WorkspaceRow, *, view: bool) -> WorkspaceClient:
        """Making it takes as long as its template does; reaching what is made does not."""
        if row.status in UNMADE:
            await self.finish(row, lambda _: None)
        try:
            async with asyncio.timeout(self._patience.total_seconds()), self._turn(row.id):
                return await self._reached(row, view=view)
        except TimeoutError:
            raise WorkspaceUnreachable(UNREACHABLE) from None

    async def _reached(self, row: WorkspaceRow, *, view: bool) -> WorkspaceClient:
        known = self._clients.get((row.id, view))
        if known is not None and await _answers(known):
            known.network = await self._rule(row)
            await self.touch(row.id)
            return known
        if known is not None:
            del self._clients[row.id, view]
            await known.close()
        begun = self._clock.monotonic()
        client = await self._open(row, view=view)
        client.network = await self._rule(row)
        self.measures.opened(self._clock.monotonic() - begun)
        self._clients[row.id, view] = client
        await workspaces.stand(self.pool, row.id, "running", None)
        return client

    async def _rule(self, row: WorkspaceRow) -> EgressControl | None:
        """Tell the proxy of a workspace with a network by permission what holds now; also one that has just begun."""
        if row.plan is not None and ALLOWING not in row.plan:
            return None
        plan = await self._plan(row)
        if plan.network is not Network.ALLOW:
            return None
        control = self._driver(row, plan).egress(plan)
        await self.egress_rules.tell(row, plan.rules, control)
        return control

    async def by_permission(self, home: ChatId) -> bool:
        """Whether what leaves a chat's workspace is checked outside, and credentials are added there."""
        plan = await self._known_plan(home)
        return plan is not None and plan.network is Network.ALLOW

    async def secret_for(self, row: WorkspaceRow, method: str, url: str) -> str | None:
        """What the proxy would add to a request that may leave a workspace, for the same that is done outside."""
        plan = await self._plan(row)
        if plan.network is not Network.ALLOW:
            return None
        return await self.egress_rules.secret_for(row, plan.rules, method, url)

    async def requests(self, home: ChatId) -> Sequence[SeenRequest]:
        """What wanted to leave a chat's workspace lately; nothing where it does not run, or has no such network."""
        row = await workspaces.of_chat(self.pool, home)
        if row is None:
            return ()
        try:
            plan = await self._plan(row)
            return (
                (await self._driver(row, plan).egress(plan).requests(0)).requests
                if plan.network is Network.ALLOW
                else ()
            )
        except PerdureError:
            return ()

    async def rules_changed(self, home: ChatId) -> None:
        """Let what was decided for a chat hold now, where its workspace runs."""
        row = await workspaces.of_chat(self.pool, home)
        if row is not None:
            with suppress(WorkspaceUnreachable):
                await self._rule(row)

    async def forget_keys(self, home: ChatId, keys: Sequence[str]) -> None:
        """Let a chat's workspace forget calls, if it is at hand: none is started for that."""
        row = await workspaces.of_chat(self.pool, home)
        known = self._clients.get((row.id, False)) if row is not None else None
        if known is not None:
            with suppress(PerdureError):
                await known.forget(keys)

    async def touch(self, workspace_id: WorkspaceId) -> None:
        """Say that a workspace is in use; once in a while is often enough."""
        now = self._clock.monotonic()
        if now - self._touched.get(workspace_id, -WORKSPACE_SWEEP.total_seconds()) >= WORKSPACE_SWEEP.total_seconds():
            self._touched[workspace_id] = now
            await workspaces.touch(self.pool, workspace_id)

    async def finish(self, row: WorkspaceRow, told: OnProgress) -> None:
        """Make a workspace that was only noted. What is there already stays as it is."""
        async with self._turn(row.id):
            await self._finish(row, told)

    async def _finish(self, row: WorkspaceRow, told: OnProgress) -> None:
        """Make what was only noted, or what a replica that is gone left half-made."""
        now = await workspaces.load(self.pool, row.id)
        if now is not None and now.status == "creating":
            await self._build(now, told)
        elif now is not None and now.status == "failed":
            raise BuildFailed("create", now.error or "The workspace could not be created. Create a new one.")

    async def _open(self, row: WorkspaceRow, *, view: bool) -> WorkspaceClient:
        plan = await self._plan(row)
        driver = self._driver(row, plan)
        return await (driver.view(plan) if view else driver.start(plan))

    async def stop(self, row: WorkspaceRow, *, why: str = "asked") -> None:
        """End its processes; its files stay."""
        async with self._turn(row.id):
            now = await workspaces.load(self.pool, row.id)
            if now is None or now.status in UNMADE:
                return
            # Said first, so that nobody whose connection breaks now starts it again.
            await workspaces.stand(self.pool, row.id, "stopped", None)
            await self._forget(row.id)
            if self.leaving is not None:
                await self.leaving(now)
            plan = await self._plan(row)
            await self._driver(row, plan).stop(plan)
        self.measures.stopped(why)

    async def remove(self, row: WorkspaceRow) -> None:
        """Delete its files. One that failed has none, so that nobody need be reached for that."""
        async with self._turn(row.id):
            # Written first: what a database that takes no writes still knows of keeps its files.
            await workspaces.touch(self.pool, row.id)
            await self._forget(row.id)
            try:
                plan = await self._plan(row)
                await self._driver(row, plan).remove(plan)
            except (PerdureError, OSError) as error:
                if row.status != "failed":
                    raise
                _log.warning("what workspace %s left, if anything, stays: %s", row.id, error)

    async def run(self) -> None:
        """Stop what nobody has used for long, until cancelled."""
        while True:
            await self._clock.sleep(WORKSPACE_SWEEP.total_seconds())
            try:
                await self.stop_idle()
            except PerdureError as error:
                _log.warning("idle workspaces were not stopped: %s", error)

    async def stop_idle(self) -> None:
        """One that cannot be stopped keeps no other from it."""
        for row in await workspaces.idle(self.pool, TOOL_TIMEOUT + TOOL_CAP_EXTRA):
            try:
                await self.stop(row, why="idle")
            except (PerdureError, OSError) as error:
                _log.warning("workspace %s was not stopped: %s", row.id, error)

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
        await self._drivers.close()

    def _driver(self, row: WorkspaceRow, plan: Plan) -> Driver:
        return self._drivers.of(row.driver, plan.settings)

    async def place(self, row: WorkspaceRow) -> tuple[Driver, Plan]:
        """Where a workspace is, and as what."""
        plan = await self._plan(row)
        return self._driver(row, plan), plan

    async def _known_plan(self, home: ChatId) -> Plan | None:
        """That of a chat's workspace. None where it cannot be told, as its template is gone: opening it says why."""
        row = await workspaces.of_chat(self.pool, home)
        try:
            return None if row is None else await self._plan(row)
        except PerdureError:
            return None

    async def _plan(self, row: WorkspaceRow) -> Plan:
        return restored(row.plan) if row.plan else (await self._bound(row)).plan(row.id)

    def _turn(self, workspace_id: WorkspaceId) -> asyncio.Lock:
        return self._turns.setdefault(workspace_id, asyncio.Lock())

    async def _forget(self, workspace_id: WorkspaceId) -> None:
        self._touched.pop(workspace_id, None)
        for view in (False, True):
            client = self._clients.pop((workspace_id, view), None)
            if client is not None:
                await client.close()


def too_many(most: int) -> Refused:
    return Refused(f"A person can have at most {most} workspaces. Remove one first.")


async def _answers(client: WorkspaceClient) -> bool:
    try:
        await client.health()
    except PerdureError:
        return False
    return True
