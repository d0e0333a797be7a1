"""A network by permission as the service keeps it: rules of template, organisation and chat, with their secrets."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from tests.workspaces.egress.servers import SECRET, Servers
from tests.workspaces.inside import PATIENCE
from tests.workspaces.yard import Yard

from perdure.core.ids import WorkspaceId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.egress.control import EgressOptions
from perdure.workspaces.egress.rules import Credential, Rule
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.catalogue import TemplateCatalogue

INSERT = "INSERT INTO network_rules (organisation_id, rule, once) VALUES ($1, $2, $3)"


@pytest.mark.parametrize("stored", [True, False])
async def test_a_secret_is_added_where_it_is_stored(pool: Pool, yard: Yard, stored: bool) -> None:
    servers = Servers()
    options = EgressOptions(
        servers.authority.certificate, (("api.example.test", ("127.0.0.1",)),), lambda sealed: sealed.decode()
    )
    drivers = Drivers(yard.folder, LocalDriver(Path(yard.folder), egress=options), options)
    service = Workspaces(pool, drivers, TemplateCatalogue(pool), LocalBus(), SystemClock(), patience=PATIENCE)
    await yard.offers("fenced", "description = ''\nnetwork = 'allow'\n")
    wish = replace(yard.wish, template="fenced")
    rule = Rule("api.example.test", port=servers.tls, networks=("127.0.0.0/8",), credential=Credential("key"))
    organisation = wish.organisation_id
    await pool.execute(INSERT, organisation, msgspec.json.encode(rule).decode(), False)
    if stored:
        await pool.execute("INSERT INTO network_secrets VALUES ($1, 'key', $2)", organisation, SECRET.encode())
    row = await yard.row((await service.create(WorkspaceId(uuid4()), wish)).id)
    client = await service.client(row)
    process = await client.processes.start(f"curl -sS https://api.example.test:{servers.tls}/allowed/x")
    said = (await client.processes.wait(process.id, PATIENCE)).head
    assert client.network is not None
    refused = list(await client.network.refused(0))
    if stored:
        assert (said, refused, SECRET in servers.heads[0]) == ("fine 0", [], True)
    else:
        assert "the secret 'key' of the rule for api.example.test" in said
        assert (len(refused), servers.heads) == (1, [])
    await service.close()
    servers.close()
