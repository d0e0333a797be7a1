"""The database: whether it is the right kind, may be used as we use it, and holds what it must."""

import asyncio
import time
from collections.abc import AsyncIterator

from perdure.access.keyring import Keyring, existing_keyring
from perdure.agent.configured_models import wrong_options
from perdure.cli.checks.clusters import cluster_findings
from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.cli.checks.objects import placement
from perdure.config.models import stored_options
from perdure.config.rotation import SEALED
from perdure.core.errors import Misconfigured
from perdure.settings import Settings
from perdure.store.address import hosts
from perdure.store.connection import Connection, connect, place, require_transactions
from perdure.store.invariants import INVARIANTS
from perdure.store.migrations.runner import pending, shipped
from perdure.store.primaries import Host, look, split
from perdure.store.tables import models, server

_ASYNCHRONOUS = (
    "Set synchronous_standby_names (Patroni: synchronous_mode; CloudNativePG: synchronous), or accept that an "
    "automatic failover loses what was committed last."
)


async def host_findings(url: str) -> AsyncIterator[Finding]:
    """A line for each host where there are several, and one where they contradict each other."""
    urls = hosts(url)
    if len(urls) < 2:
        return
    found = await asyncio.gather(*map(look, urls))
    for host in found:
        yield _described(host)
    primaries = [host.where for host in found if host.server is not None and host.server.writable]
    if not primaries:
        yield bad("hosts", "none of them takes writes", "Promote one, or name the one that does.")
    contradiction = split(found)
    if contradiction is not None:
        yield bad("hosts", contradiction, "")


async def replication(connection: Connection) -> Finding:
    """Whether a failover may lose commits that people were told of."""
    standbys = await connection.fetchval("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
    named = await connection.fetchval("SELECT current_setting('synchronous_standby_names')")
    if not standbys:
        return good("replication", "no standby")
    counted = "1 standby" if standbys == 1 else f"{standbys} standbys"
    if not named:
        return off("replication", f"{counted}, and no commit waits for it", _ASYNCHRONOUS)
    return good("replication", f"{counted}, commits wait for {named}")


def _described(host: Host) -> Finding:
    if host.server is None:
        return (bad if host.refuses else off)("host", host.problem, "")
    role = f"takes writes, timeline {host.server.timeline}" if host.server.writable else "a standby"
    return good("host", f"{host.where}, {role}")


_REMEDY = "Set it anew in the settings of the page, or with PATCH /api/v1/model-settings/{name}"


async def model_findings(connection: Connection) -> AsyncIterator[Finding]:
    rows = await models.of_all(connection)
    sensible = 0
    for row in rows:
        stored = stored_options(row.options)
        wrong = {**stored.wrong, **wrong_options(stored.options)}
        sensible += not wrong
        for option, why in wrong.items():
            yield off("models", f"{row.name}: {option} makes no sense: {why}", _REMEDY.format(name=row.name))
    if sensible == len(rows):
        yield good("models", f"{len(rows)}, and their options make sense" if rows else "none are set up")


_LOST = "Name the key that is missing after the new one in PERDURE_SECRET_KEY, then: perdure secrets rotate"


async def secrets(connection: Connection, settings: Settings) -> Finding:
    try:
        keyring = existing_keyring(settings.secret_key, settings.data_dir)
    except Misconfigured as error:
        return bad("secrets", str(error), "Set PERDURE_SECRET_KEY to 16 characters or more.")
    sealed = [secret for kind in SEALED.values() for secret in await kind.listed(connection)]
    return judged(keyring, sealed)


def judged(keyring: Keyring | None, sealed: list[bytes]) -> Finding:
    lost = [each for each in sealed if keyring is None or not keyring.knows(each)]
    if lost:
        return bad("secrets", f"{len(lost)} of {len(sealed)} were encrypted with a key that is not known here", _LOST)
    old = [each for each in sealed if keyring is not None and keyring.stale(each)]
    if old:
        return off("secrets", f"{len(old)} of {len(sealed)} still need an old key", "perdure secrets rotate")
    return good("secrets", f"{len(sealed)}, encrypted with the newest key" if sealed else "none are stored")


_REPORT = "This should not happen. Keep a copy of the database and report it."
_REMEDIES = {
    "valid_state": "Reconcile it: POST /api/v1/chats/{id}/reconcile",
    "living_owner": "Start a replica, which takes it over: perdure serve",
    "driven": "Restart the replicas, and report it if that helps.",
}


async def database_findings(url: str, settings: Settings) -> AsyncIterator[Finding]:
    try:
        async for finding in host_findings(url):
            yield finding
        connection = await connect(url)
        await require_transactions(connection, url)
    except Misconfigured as error:
        yield bad("database", str(error), "")
        return
    try:
        yield await reach(connection, url)
        yield await permissions(connection)
        yield await replication(connection)
        yield await pooler(connection, url, settings)
        schema_finding = await schema(connection)
        yield schema_finding
        if schema_finding.remedy == "":
            yield await secrets(connection, settings)
            async for finding in cluster_findings(connection, settings):
                yield finding
            yield await placement(connection, settings)
            async for finding in model_findings(connection):
                yield finding
            async for finding in row_findings(connection):
                yield finding
    finally:
        await connection.close()


async def reach(connection: Connection, url: str) -> Finding:
    started = time.perf_counter()
    version = await server.version(connection)
    milliseconds = (time.perf_counter() - started) * 1000
    return good("database", f"Postgres {version} at {place(url)}, answers in {milliseconds:.1f} ms")


async def permissions(connection: Connection) -> Finding:
    ours = await server.privileges(connection)
    if ours.may:
        return good("permissions", f"{ours.role} may use and change the schema {ours.schema}")
    remedy = f"GRANT ALL ON SCHEMA {ours.schema} TO {ours.role};"
    return bad("permissions", f"{ours.role} may not change the schema {ours.schema}", remedy)


async def pooler(connection: Connection, url: str, settings: Settings) -> Finding:
    """Whether a session is a session. Behind a pooler in transaction mode it is not: then notices need another way."""
    await server.mark_session(connection)
    if await _marks(url, connection) == ["ours", ""] * 3:
        return good("pooler", "sessions are kept")
    if settings.listen_url is None and settings.nats_url is None:
        remedy = "Set PERDURE_LISTEN_URL to the database itself, or PERDURE_NATS_URL."
        return bad("pooler", "it is in transaction mode and carries no notices", remedy)
    if settings.prepared_statements and not await _keeps_statements(url):
        remedy = "Set PERDURE_PREPARED_STATEMENTS=no, or max_prepared_statements in PgBouncer 1.21 or newer."
        return bad("pooler", "it is in transaction mode and does not keep prepared statements", remedy)
    return good("pooler", "it is in transaction mode, and notices go past it")


async def _marks(url: str, marked: Connection) -> list[str]:
    """What two sessions say in turn, of which one is marked."""
    other = await connect(url)
    try:
        return [await server.session_mark(asked) for asked in (marked, other) * 3]
    finally:
        await other.close()


async def _keeps_statements(url: str) -> bool:
    """Whether the pooler gives prepared statements names of its own, as one does that finds them again."""
    connection = await connect(url, prepare=True)
    try:
        async with connection.transaction():
            await server.session_mark(connection)
            names = await server.names_of_statements(connection)
    finally:
        await connection.close()
    return not any(name.startswith("__asyncpg") for name in names)


async def schema(connection: Connection) -> Finding:
    try:
        missing = await pending(connection)
    except Misconfigured as error:
        return bad("schema", str(error), "Start the Perdure that this database belongs to.")
    if len(missing) == len(shipped()):
        return off("schema", "the database is empty", "perdure serve makes the schema when it starts.")
    if missing:
        return bad("schema", f"{len(missing)} of {len(shipped())} migrations are missing", "perdure migrate")
    return good("schema", f"{len(shipped())}, the newest")


# How many exceptions to an invariant are shown.
SHOWN = 10


async def row_findings(connection: Connection) -> AsyncIterator[Finding]:
    for name, invariant in INVARIANTS.items():
        exceptions = await invariant.violations(connection, SHOWN)
        if not exceptions:
            yield good("rows", invariant.text)
        for exception in exceptions:
            detail = f"{invariant.text} Not chat {exception.chat_id}: {exception.detail}."
            yield bad("rows", detail, _REMEDIES.get(name, _REPORT))
