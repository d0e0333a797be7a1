"""A network by permission as the service keeps it: rules of template, organisation and chat, with their secrets."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from tests.workspaces.egress.servers import SECRET, Servers
from tests.workspaces.inside import PATIENCE
from tests.workspaces.yard import Yard

from perdure.core.ids import OrganisationId, WorkspaceId
from perdure.core.timing import SystemClock
from perdure.observe.measures.service import WorkspaceMeasures
from perdure.observe.metrics import Metrics
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.store.tables import network
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.testing.metric_reader import sample
from perdure.workspaces.accounts import RequestAccounts
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.egress.control import EgressOptions
from perdure.workspaces.egress.rules import Credential, NetworkAudit, Rule
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.catalogue import TemplateCatalogue

INSERT = "INSERT INTO network_rules (organisation_id, rule, once) VALUES ($1, $2, $3)"


class Yarded:
    """A service whose templates let out what rules name, to servers of the test."""

    def __init__(self, pool: Pool, yard: Yard) -> None:
        self.pool, self.yard, self.servers = pool, yard, Servers()
        self.wish = replace(yard.wish, template="fenced")
        self.metrics = Metrics()
        self.measures = WorkspaceMeasures(self.metrics)
        self.service = self.replica()

    def replica(self) -> Workspaces:
        folder, trust = Path(self.yard.folder), self.servers.authority.certificate
        options = EgressOptions(trust, (("api.example.test", ("127.0.0.1",)),), lambda sealed: sealed.decode())
        drivers = Drivers(folder, LocalDriver(folder, egress=options), options)
        return Workspaces(
            self.pool,
            drivers,
            TemplateCatalogue(self.pool),
            LocalBus(),
            SystemClock(),
            self.measures,
            patience=PATIENCE,
        )

    async def made(self) -> WorkspaceRow:
        await self.yard.offers("fenced", "description = ''\nnetwork = 'allow'\n")
        return await self.yard.row((await self.service.create(WorkspaceId(uuid4()), self.wish)).id)

    async def allows(self, rule: Rule) -> None:
        await self.pool.execute(INSERT, self.wish.organisation_id, msgspec.json.encode(rule).decode(), False)

    def url(self, path: str) -> str:
        return f"https://api.example.test:{self.servers.tls}{path}"


@pytest.fixture
async def yarded(pool: Pool, yard: Yard) -> AsyncGenerator[Yarded]:
    found = Yarded(pool, yard)
    yield found
    await found.service.close()
    found.servers.close()


@pytest.mark.parametrize("stored", [True, False])
async def test_a_secret_is_added_where_it_is_stored(yarded: Yarded, stored: bool) -> None:
    servers = yarded.servers
    await yarded.allows(
        Rule("api.example.test", port=servers.tls, networks=("127.0.0.0/8",), credential=Credential("key"))
    )
    if stored:
        secret = "INSERT INTO network_secrets VALUES ($1, 'key', $2)"
        await yarded.pool.execute(secret, yarded.wish.organisation_id, SECRET.encode())
    client = await yarded.service.client(await yarded.made())
    process = await client.processes.start(f"curl -sS {yarded.url('/allowed/x')}")
    said = (await client.processes.wait(process.id, PATIENCE)).head
    assert client.network is not None
    refused = list(await client.network.refused(0))
    if stored:
        assert (said, refused, SECRET in servers.heads[0]) == ("fine 0", [], True)
    else:
        assert "the secret 'key' of the rule for api.example.test" in said
        assert (len(refused), servers.heads) == (1, [])


@pytest.mark.parametrize(
    ("setting", "lines"),
    [
        (NetworkAudit.NONE, []),
        (NetworkAudit.REFUSED, [("network.refused", "/secret")]),
        (NetworkAudit.ALL, [("network.request", "/allowed/x"), ("network.refused", "/secret")]),
    ],
)
async def test_each_request_is_counted_once_and_audited_where_that_is_set(
    yarded: Yarded, setting: NetworkAudit, lines: list[tuple[str, str]]
) -> None:
    pool, row = yarded.pool, await yarded.made()
    await yarded.allows(
        Rule("api.example.test", port=yarded.servers.tls, paths=("/allowed/*",), networks=("127.0.0.0/8",))
    )

    async def audited(_: OrganisationId) -> NetworkAudit:
        return setting

    replicas = [yarded.service, yarded.replica()]
    accounts = [RequestAccounts(each, audited, SystemClock()) for each in replicas]
    for round_ in (1, 2):
        client = await yarded.service.client(row)
        ask = f"curl -sS {yarded.url('/allowed/x?token=hidden')}; curl -sS {yarded.url('/secret')}"
        process = await client.processes.start(ask)
        await client.processes.wait(process.id, PATIENCE)
        for _ in range(2):
            await asyncio.gather(*(each.count(row) for each in accounts))
        used = await network.used(pool, row.id)
        assert used is not None
        assert (used.allowed, used.refused) == (round_, round_)
        for verdict in ("allowed", "refused"):
            page = yarded.metrics.render().decode()
            assert sample(page, "perdure_workspace_requests_total", verdict=verdict) == round_
        # A proxy that was started again counts from one.
        await yarded.service.stop(row)
        row = await yarded.yard.row(row.id)
    noted = await pool.fetch("SELECT action, subject, detail::text FROM audit ORDER BY id")
    assert [(each["action"], json.loads(each["detail"])["path"]) for each in noted] == lines * 2
    assert {each["subject"] for each in noted} <= {str(row.id)}
    await replicas[1].close()


async def test_what_left_a_workspace_is_counted_before_it_is_stopped(yarded: Yarded) -> None:
    row = await yarded.made()

    async def audited(_: OrganisationId) -> NetworkAudit:
        return NetworkAudit.NONE

    counting = asyncio.create_task(RequestAccounts(yarded.service, audited, SystemClock()).run())
    client = await yarded.service.client(row)
    process = await client.processes.start(f"curl -sS {yarded.url('/')}")
    await client.processes.wait(process.id, PATIENCE)
    await yarded.service.stop(await yarded.yard.row(row.id))
    used = await network.used(yarded.pool, row.id)
    counting.cancel()
    assert used is not None
    assert used.refused == 1
