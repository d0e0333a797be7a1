"""What left workspaces whose network is by permission: counted once, and noted in the audit log where that is set."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from perdure.core.errors import PerdureError
from perdure.core.ids import OrganisationId, WorkspaceId
from perdure.core.tasks import BoundedMap
from perdure.core.timing import NETWORK_COUNTED, NETWORK_SWEEP, WORKSPACE_WATCH_KEPT, Clock
from perdure.store.tables import network
from perdure.store.tables.network import CountedRequests, NetworkUse
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.egress.control import EgressControl
from perdure.workspaces.egress.proxy import SeenRequest
from perdure.workspaces.egress.rules import NetworkAudit
from perdure.workspaces.service import ALLOWING, Workspaces

_log = logging.getLogger(__name__)
_REMEMBERED = 10_000


class NotedRequest(Struct, frozen=True):
    """A line of the audit log."""

    action: str
    detail: str
    at: datetime


class RequestDetail(Struct, frozen=True, omit_defaults=True):
    """What the audit log says of a request. Queries of addresses are never kept."""

    method: str
    host: str
    port: int
    path: str = ""
    reason: str = ""


@dataclass(slots=True)
class UsedWorkspace:
    """One that is used here, until nobody has for a while."""

    row: WorkspaceRow
    until: float


class RequestAccounts:
    """Asks the proxies at hand what they saw. Who moves the count in the database is the one who counts."""

    def __init__(
        self, workspaces: Workspaces, audited: Callable[[OrganisationId], Awaitable[NetworkAudit]], clock: Clock
    ) -> None:
        self._workspaces = workspaces
        self._audited = audited
        self._clock = clock
        self._used: dict[WorkspaceId, UsedWorkspace] = {}
        self._known = BoundedMap[WorkspaceId, NetworkUse](_REMEMBERED)

    async def run(self) -> None:
        stop, swept = self._workspaces.follow(self._use), float("-inf")
        self._workspaces.leaving = self._leave
        try:
            while True:
                await self._clock.sleep(NETWORK_COUNTED.total_seconds())
                now = self._clock.monotonic()
                self._used = {each: used for each, used in self._used.items() if used.until > now}
                rows = {used.row.id: used.row for used in self._used.values()}
                if now - swept >= NETWORK_SWEEP.total_seconds():
                    swept, everywhere = now, await self._running()
                    rows |= {row.id: row for row in everywhere}
                await asyncio.gather(*(self.count(row) for row in rows.values()))
        finally:
            self._workspaces.leaving = None
            stop()

    async def count(self, row: WorkspaceRow) -> None:
        """What a workspace's proxy saw since it was asked last. One that is not at hand is another replica's."""
        try:
            driver, plan = await self._workspaces.place(row)
            await self._count(row, driver.egress(plan))
        except (PerdureError, OSError) as error:
            _log.debug("requests of workspace %s are not counted: %s", row.id, error)

    async def _count(self, row: WorkspaceRow, control: EgressControl) -> None:
        pool = self._workspaces.pool
        known = self._known.get(row.id) or await network.used(pool, row.id) or NetworkUse()
        answer = await control.requests(known.last)
        begun = known.last
        if answer.incarnation != known.incarnation:
            # A proxy that was started again counts from one.
            begun, answer = 0, await control.requests(0)
        if answer.last == begun:
            return
        allowed = sum(each.allowed for each in answer.requests)
        refused = len(answer.requests) - allowed
        if missed := answer.last - begun - len(answer.requests):
            _log.warning("%s requests of workspace %s came too fast to be told apart", missed, row.id)
        noted = msgspec.json.encode(await self._noted(row, answer.requests, missed)).decode()
        counted = CountedRequests(
            row.id, answer.incarnation, answer.last, known.incarnation, known.last, allowed + missed, refused, noted
        )
        if await network.account(pool, counted):
            self._workspaces.measures.requests(allowed=allowed + missed, refused=refused)
            self._known.keep(row.id, NetworkUse(answer.incarnation, answer.last))
        else:
            self._known.drop(row.id)

    async def _noted(self, row: WorkspaceRow, seen: Sequence[SeenRequest], missed: int) -> list[NotedRequest]:
        wanted = await self._audited(row.organisation_id)
        if wanted is NetworkAudit.NONE:
            return []
        noted = [_line(each) for each in seen if wanted is NetworkAudit.ALL or not each.allowed]
        if missed:
            noted.insert(0, NotedRequest("network.missed", f'{{"count":{missed}}}', datetime.now(UTC)))
        return noted

    async def _running(self) -> Sequence[WorkspaceRow]:
        try:
            return await network.running(self._workspaces.pool, ALLOWING)
        except PerdureError as error:
            _log.info("requests of workspaces are not counted: %s", error)
            return ()

    def _use(self, row: WorkspaceRow, client: WorkspaceClient) -> None:
        if client.network is not None:
            until = self._clock.monotonic() + WORKSPACE_WATCH_KEPT.total_seconds()
            self._used[row.id] = UsedWorkspace(row, until)

    async def _leave(self, row: WorkspaceRow) -> None:
        """Its proxy is about to end."""
        if row.plan is not None and ALLOWING in row.plan:
            await self.count(row)


def _line(seen: SeenRequest) -> NotedRequest:
    detail = RequestDetail(seen.method, seen.host, seen.port, seen.path, seen.reason)
    action = "network.request" if seen.allowed else "network.refused"
    return NotedRequest(action, msgspec.json.encode(detail).decode(), datetime.fromtimestamp(seen.at, UTC))
